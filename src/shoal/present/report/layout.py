"""What the templates show: charts and key figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.present.charts.svg import Picture, Table

WIDE, NARROW = 760, 340
"""Charts are drawn twice, and the page shows the one that suits its width."""


@dataclass(frozen=True)
class Figure:
    """A chart in both widths, and its data as a table; `legend` names its series."""

    wide: str
    narrow: str
    data: Table
    legend: tuple[tuple[str, str], ...] = ()


def figure(draw: Callable[[float], Picture], legend: Sequence[tuple[str, str]] = ()) -> Figure:
    """Return the figure that `draw` makes for a width."""
    wide, narrow = draw(WIDE), draw(NARROW)
    return Figure(wide.svg, narrow.svg, wide.table, tuple(legend))


@dataclass(frozen=True)
class KeyFigure:
    """A number for the top of the page."""

    name: str
    value: str
    note: str = ""
