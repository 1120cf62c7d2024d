"""Plots beside a benchmark's JSON, where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLUMNS = 3
Points = Sequence[tuple[float, float | None]]


@dataclass(frozen=True)
class Panel:
    """One picture: named lines over the same axes; a point without a height is left out."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Points]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Bars:
    """One picture: a named bar for each length, the first on top; one without a length is left out."""

    title: str
    x: str
    lengths: Mapping[str, float | None]
    log_x: bool = False


def save(panels: Sequence[Panel | Bars], name: str, folder: Path) -> list[str]:
    """Draw the panels into `folder/NAME.png`, and return the note about it; none without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ["no plot: matplotlib is not installed"]
    columns = 2 if len(panels) == 4 else min(COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    figure = Figure(figsize=(5 * columns, 3.6 * lines), layout="constrained")
    for i, panel in enumerate(panels):
        axes = figure.add_subplot(lines, columns, i + 1)
        (_lines if isinstance(panel, Panel) else _bars)(axes, panel)
        axes.set_xscale("log" if panel.log_x else "linear")
        axes.set_xlabel(panel.x)
        axes.set_title(panel.title)
        axes.grid(alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", dpi=120)
    return [f"plot: {name}.png beside the JSON"]


def _lines(axes: Any, panel: Panel) -> None:
    for label, points in panel.lines.items():
        known = [(x, y) for x, y in points if y is not None]
        axes.plot([x for x, _ in known], [y for _, y in known], "o-", markersize=3, label=label)
    if not panel.log_x:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_yscale("log" if panel.log_y else "linear")
    axes.set_ylabel(panel.y)
    axes.legend(fontsize="small")


def _bars(axes: Any, panel: Bars) -> None:
    known = {name: length for name, length in panel.lengths.items() if length is not None}
    axes.barh(list(known), list(known.values()), height=0.6)
    axes.invert_yaxis()
