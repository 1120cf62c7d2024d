"""Plots with matplotlib, an optional dependency."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import MissingExtraError

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.solution import Frontier

BLUE, ORANGE, GREEN, GREY = "#1f6f8b", "#d9772b", "#3f7d3a", "#8a8f98"


MARKS = {"node": ("o", BLUE), "cut": ("s", ORANGE), "groups": ("D", GREEN), "buckets": ("^", GREY)}
"""How the kinds of recoding are drawn: shape and colour both tell them apart."""


def _axes(width: float = 8, height: float = 4.8) -> matplotlib.axes.Axes:
    """Return new axes, or say what is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots", "matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def plot_frontier(front: Frontier, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """Draw loss against k as steps, the knee marked."""
    ax = ax or _axes()
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
    _tidy(ax)
    return ax


def plot_comparison(
    document: dict[str, Any], ax: matplotlib.axes.Axes | None = None
) -> matplotlib.axes.Axes:
    """Draw the answers of a comparison as (k, loss), against the steps of the exact frontier.

    Beside them, unless axes are given, the losses as bars, the least on top, with the seconds they took.
    """
    bars = None
    if ax is None:
        ax, bars = _two_axes()
    metric = document["metric"]
    answers = sorted(
        (result for result in document["results"] if result["verified"]),
        key=lambda result: result["losses"][metric],
    )
    losses = [point["loss"] for point in document["frontier"]]
    losses += [result["losses"][metric] for result in answers]
    share = 100 / (max(losses, default=0.0) or 1.0)
    points = sorted((point["k"], point["loss"] * share) for point in document["frontier"])
    ax.step([k for k, _ in points], [y for _, y in points], where="pre", color=GREY, linewidth=1.2)
    drawn: set[str] = set()
    for result in answers:
        mark, colour = MARKS[result["recodes"]]
        kind = None if result["recodes"] in drawn else result["recodes"]
        drawn.add(result["recodes"])
        at = (result["k"], result["losses"][metric] * share)
        ax.plot(*at, mark, color=colour, markersize=8, label=kind, markeredgecolor="white")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda k, _: f"{k:,.0f}")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("k: the smallest group that is released")
    ax.set_ylabel(f"information loss ({metric}, % of the most)")
    ax.set_title("The answers, and the exact frontier of full-domain recodings", fontsize=10)
    if answers:
        ax.legend(title="recodes", frameon=False, loc="lower right")
    _tidy(ax)
    if bars is not None:
        for i, result in enumerate(reversed(answers)):
            loss = result["losses"][metric] * share
            bars.barh(i, loss, color=MARKS[result["recodes"]][1], height=0.7)
            bars.text(loss, i, f" {loss:.1f}%  {result['seconds']:.2f} s", va="center", fontsize=8)
        bars.set_yticks(range(len(answers)), [result["algorithm"] for result in reversed(answers)])
        bars.margins(x=0.35)
        bars.set_xlim(left=0)
        bars.set_xlabel(f"{metric}, % of the most; seconds of search")
        bars.set_title("The least loss on top", fontsize=10)
        _tidy(bars)
    return ax


def _two_axes() -> tuple[matplotlib.axes.Axes, matplotlib.axes.Axes]:
    first = _axes(11, 5.2)
    figure = first.get_figure(root=True)
    assert figure is not None
    figure.clear()
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    return left, right


def _tidy(ax: matplotlib.axes.Axes) -> None:
    ax.grid(color=GREY, alpha=0.2)
    ax.spines[["top", "right"]].set_visible(False)


def save_frontier(front: Frontier, path: Path) -> None:
    """Draw the trade-off into a file (SVG, PNG or PDF by its ending)."""
    figure = plot_frontier(front).get_figure(root=True)
    if figure is not None:
        figure.savefig(path)


def _most(front: Frontier) -> float:
    return max((point.loss for point in front.points), default=0.0) or 1.0
