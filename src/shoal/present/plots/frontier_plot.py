"""Plots of frontiers with matplotlib, an optional dependency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shoal.answers.steps import notable
from shoal.errors import MissingExtraError
from shoal.present.plots.envelopes import cells, envelope, limits
from shoal.present.plots.objective_axes import AXES, Axis

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

    from shoal.answers.solution import Frontier, NodeSolution

BLUE, ORANGE, BROWN, GREY = "#1f6f8b", "#d9772b", "#8a4513", "#8a8f98"
INKS = ("#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#e0c400")
"""Dark to bright, and told apart by people who see few colours (after the map cividis)."""
MARKS = ("o", "s", "^", "D", "v", "P")


def new_figure(width: float, height: float) -> matplotlib.figure.Figure:
    """Return an empty figure of so many inches, or say what is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots", "matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def plot_frontier(front: Frontier, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """Draw the trade-off: two objectives as a staircase, the knee marked.

    Of k, suppressed rows and loss there is one staircase for each of a few limits of suppressed rows; of k, l
    and loss a map of the least loss for each k and l, written into its cells.
    """
    ax = ax or new_figure(8, 4.8).add_subplot()
    if front.objectives == ("k", "l", "loss"):
        _map(front, ax)
    else:
        axis = AXES[front.objectives[0]]
        (_one_staircase if len(front.objectives) == 2 else _staircases)(front, ax, axis)
        _mark_knee(front, ax, axis)
        axis.dress(ax, front)
        ax.set_ylabel(f"information loss ({front.metric}, % of the most)")
        ax.set_ylim(bottom=-3)
        ax.grid(color=GREY, alpha=0.2)
    proof = "complete, proven" if front.certified else "not proven complete"
    ways = "way" if len(front) == 1 else "ways"
    title = f"{len(front):,} Pareto-optimal {ways} to generalize {front.rows:,} rows ({proof})"
    ax.set_title(title, fontsize=11)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _one_staircase(front: Frontier, ax: matplotlib.axes.Axes, axis: Axis) -> None:
    x, y = _curve(front, front.points, axis)
    # What lies between two points costs what the one costs that keeps as much: the next upwards for k and l,
    # the last for t and suppressed rows.
    ax.step(x, y, where="post" if axis.falling else "pre", color=BLUE, linewidth=1, alpha=0.5)
    ax.plot(x, y, "o", color=BLUE, markersize=4)
    for step in notable(front.steps()):
        start, end = front.points[step.start], front.points[step.start + 1]
        place = axis.at(end, front)
        high, low = (100 * point.loss / _most(front) for point in (start, end))
        ax.plot([place, place], [high, low], color=ORANGE, linewidth=3, solid_capstyle="butt")
        _write(ax, step.words.replace("-", "−"), (place, (high + low) / 2), (8, 0), BROWN)


def _staircases(front: Frontier, ax: matplotlib.axes.Axes, axis: Axis) -> None:
    """Draw one staircase for each limit of suppressed rows, told apart by ink and mark."""
    drawn = limits(front)
    for i, limit in enumerate(drawn):
        x, y = _curve(front, envelope(front, limit), axis)
        ink = INKS[round(i * (len(INKS) - 1) / max(len(drawn) - 1, 1))]
        ax.step(x, y, where="pre", color=ink, linewidth=1.2, alpha=0.8)
        ax.plot(x, y, MARKS[i % len(MARKS)], color=ink, markersize=3.5, label=limit.words(front))
    if drawn:
        # From the dearest to the cheapest, as the curves stand.
        ax.legend(frameon=False, fontsize=9, loc="upper left")


def _map(front: Frontier, ax: matplotlib.axes.Axes) -> None:
    """Draw, for each k and l, the least loss that reaches both; the knee's cell is framed."""
    ks, ls, losses = cells(front)
    share = [[None if loss is None else 100 * loss / _most(front) for loss in row] for row in losses]
    plain = [[float("nan") if value is None else value for value in row] for row in share]
    colours = ax.pcolormesh(plain, cmap="cividis_r", vmin=0, vmax=100, edgecolors="white", linewidth=1)
    for y, row in enumerate(share):
        for x, value in enumerate(row):
            if value is not None:
                ink = "white" if value > 55 else "black"
                written = ax.text(x + 0.5, y + 0.5, f"{value:.0f}", fontsize=8, color=ink)
                written.set(ha="center", va="center")
    ax.set_xticks([x + 0.5 for x in range(len(ks))], [f"{k:,}" for k in ks], fontsize=8)
    ax.set_yticks([y + 0.5 for y in range(len(ls))], [str(value) for value in ls])
    ax.tick_params(length=0)
    label = AXES["k"].label
    if (knee := front.knee) is not None:
        from matplotlib.patches import Rectangle

        x = max((i for i, k in enumerate(ks) if k <= knee.k), default=0)
        y = max((i for i, value in enumerate(ls) if value <= (knee.l or 0)), default=0)
        ax.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor=ORANGE, linewidth=3, zorder=5))
        label += f"\nframed: the knee, k = {knee.k:,} and l = {knee.l}"
    ax.set_xlabel(label)
    ax.set_ylabel("l: sensitive values in each class, at least")
    figure = ax.get_figure(root=True)
    if figure is not None:
        figure.colorbar(colours, ax=ax, label=f"least information loss ({front.metric}, % of the most)")


def _mark_knee(front: Frontier, ax: matplotlib.axes.Axes, axis: Axis) -> None:
    if (knee := front.knee) is None:
        return
    place = (axis.at(knee, front), 100 * knee.loss / _most(front))
    ax.plot([place[0]], [place[1]], "o", color=ORANGE, markersize=9, zorder=5)
    said = [AXES[name].said(knee, front) for name in front.objectives if name != "loss"]
    _write(
        ax,
        "knee: " + ", ".join(said),
        place,
        (10, 10 if axis.falling else -14),
        ORANGE,
        fontsize=10,
        fontweight="bold",
    )


def _write(
    ax: matplotlib.axes.Axes,
    text: str,
    place: tuple[float, float],
    offset: tuple[int, int],
    color: str,
    **style: Any,
) -> None:
    """Write beside a place, with a halo that keeps lines away."""
    from matplotlib.patheffects import withStroke

    ax.annotate(
        text,
        place,
        xytext=offset,
        textcoords="offset points",
        va="center",
        color=color,
        zorder=6,
        path_effects=[withStroke(linewidth=3, foreground="white")],
        **({"fontsize": 8} | style),
    )


def _curve(
    front: Frontier, points: Sequence[NodeSolution], axis: Axis
) -> tuple[list[float], list[float]]:
    """Return where points stand, from left to right."""
    placed = sorted((axis.at(point, front), 100 * point.loss / _most(front)) for point in points)
    return [x for x, _ in placed], [y for _, y in placed]


def _most(front: Frontier) -> float:
    return max((point.loss for point in front.points), default=0.0) or 1.0
