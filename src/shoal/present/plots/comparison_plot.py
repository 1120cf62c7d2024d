"""The plot of a comparison: where each answer lies against the exact frontier, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.present.plots.frontier_plot import BLUE, GREY, ORANGE, new_figure

if TYPE_CHECKING:
    import matplotlib.axes

GREEN = "#3f7d3a"
MARKS = {"node": ("o", BLUE), "cut": ("s", ORANGE), "groups": ("D", GREEN), "buckets": ("^", GREY)}
"""How the kinds of recoding are drawn: shape and colour both tell them apart."""


def plot_comparison(
    document: dict[str, Any], ax: matplotlib.axes.Axes | None = None
) -> matplotlib.axes.Axes:
    """Draw the answers of a comparison as (k, loss), against the steps of the exact frontier.

    Beside them, unless axes are given, the losses as bars, the least on top, with the seconds they took.
    """
    bars = None
    if ax is None:
        ax, bars = new_figure(11, 5.2).subplots(1, 2, width_ratios=(3, 2))
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
    if "k" in document["asked"]:
        ax.axvline(document["asked"]["k"], color=GREY, linewidth=1, linestyle=":", zorder=0)
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
            less = f"  only k = {result['k']:,}" if result["k"] < document["asked"].get("k", 0) else ""
            said = f" {loss:.1f}%  {result['seconds']:.2f} s{less}"
            bars.text(loss, i, said, va="center", fontsize=8)
        bars.set_yticks(range(len(answers)), [result["algorithm"] for result in reversed(answers)])
        bars.margins(x=0.35)
        bars.set_xlim(left=0)
        bars.set_xlabel(f"{metric}, % of the most; seconds of search")
        bars.set_title("The least loss on top", fontsize=10)
        _tidy(bars)
    return ax


def _tidy(ax: matplotlib.axes.Axes) -> None:
    ax.grid(color=GREY, alpha=0.2)
    ax.spines[["top", "right"]].set_visible(False)
