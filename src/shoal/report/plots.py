"""Plots with matplotlib, an optional dependency."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import MissingExtraError

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.solution import Frontier

BLUE, ORANGE, GREY = "#1f6f8b", "#d9772b", "#8a8f98"


def plot_frontier(front: Frontier, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """Draw loss against k as steps, the knee marked."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots", "matplotlib", "plot") from None
    if ax is None:
        figure = Figure(figsize=(8, 4.8), layout="constrained")
        ax = figure.add_subplot()
    points = list(reversed(front.points))
    share = [100 * point.loss / _most(front) for point in points]
    # Between two points the next k upwards costs what the point with that k costs.
    ax.step([point.k for point in points], share, where="pre", color=BLUE, linewidth=1, alpha=0.5)
    ax.plot([point.k for point in points], share, "o", color=BLUE, markersize=4)
    if front.knee is not None:
        at = points.index(front.knee)
        ax.plot([front.knee.k], [share[at]], "o", color=ORANGE, markersize=9)
        ax.annotate(
            f"knee: k = {front.knee.k:,}",
            (front.knee.k, share[at]),
            xytext=(10, -14),
            textcoords="offset points",
            color=ORANGE,
            fontweight="bold",
        )
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda k, _: f"{k:,.0f}")
    ax.set_xlabel("k: how many rows share each combination, at least")
    ax.set_ylabel(f"information loss ({front.metric}, % of the most)")
    proof = "complete, proven" if front.certified else "not proven complete"
    ax.set_title(f"{len(points)} Pareto-optimal ways to generalize {front.rows:,} rows ({proof})")
    ax.grid(color=GREY, alpha=0.2)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def save_frontier(front: Frontier, path: Path) -> None:
    """Draw the trade-off into a file (SVG, PNG or PDF by its ending)."""
    figure = plot_frontier(front).get_figure(root=True)
    if figure is not None:
        figure.savefig(path)


def _most(front: Frontier) -> float:
    return max((point.loss for point in front.points), default=0.0) or 1.0
