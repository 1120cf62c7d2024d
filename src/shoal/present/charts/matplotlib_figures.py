"""Draws the series of our own charts with matplotlib, for notebooks and for PNG and PDF files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import MissingExtraError
from shoal.numbers import percent
from shoal.present.charts.bars import Bars
from shoal.present.charts.grid import LIGHT_INK_FROM, Grid, shade_of
from shoal.present.charts.plane import Plane
from shoal.present.charts.scales import LINEAR_PART, LINEAR_TO
from shoal.present.colours import COLOURS

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

MARKS = ("o", "s", "^", "D", "v", "P")
"""The shapes of our own charts, in their order."""
LINES = {"": "-", "apart": ":", "bound": "--"}
"""The styles of curves."""
INK = {name: light[:7] for name, (light, _) in COLOURS.items()}


def new_figure(width: float, height: float) -> matplotlib.figure.Figure:
    """Return an empty figure of so many inches, or say which library is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots", "matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def draw_series(drawn: Plane | Grid, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """Draw a plane or a map, on new axes if none are given."""
    ax = ax or new_figure(8, 4.8).add_subplot()
    if isinstance(drawn, Grid):
        _grid(drawn, ax)
    else:
        _plane(drawn, ax)
    ax.set_title(drawn.title, fontsize=11)
    return ax


def draw_comparison(
    plane: Plane, bars: Bars, ax: matplotlib.axes.Axes | None = None
) -> matplotlib.axes.Axes:
    """Draw a comparison; if no axes are given, with its bars next to it."""
    if ax is not None:
        return draw_series(plane, ax)
    ax, beside = new_figure(11, 5.2).subplots(1, 2, width_ratios=(3, 2))
    for i, group in enumerate(reversed(bars.groups)):
        for bar in group.bars:
            beside.barh(i, bar.value, color=INK[f"c{bar.kind[1:]}"], height=0.7)
            beside.text(bar.value, i, f" {bar.words}", va="center", fontsize=8)
    beside.set_yticks(range(len(bars.groups)), [group.name for group in reversed(bars.groups)])
    beside.margins(x=0.35)
    beside.set_xlim(left=0)
    beside.xaxis.set_major_formatter(lambda share, _: percent(share))
    beside.set_title(bars.title, fontsize=9)
    beside.spines[["top", "right"]].set_visible(False)
    return draw_series(plane, ax)


def _plane(plane: Plane, ax: matplotlib.axes.Axes) -> None:
    for i, curve in enumerate(plane.curves):
        placed = sorted(curve.points)
        x, y, ink = [x for x, _ in placed], [y for _, y in placed], INK[f"c{i}"]
        bound = curve.style == "bound"
        where: Any = "post" if plane.holds or bound else "pre"
        line = {"linestyle": LINES[curve.style], "linewidth": 1.2}
        mark = {"marker": None if bound else MARKS[i], "markersize": 4}
        ax.step(x, y, where=where, color=ink, label=curve.name or None, **line, **mark)
    for drop in plane.drops:
        ax.plot([drop.x, drop.x], [drop.high, drop.low], color=INK["mark"], linewidth=3)
        _write(ax, drop.words, (drop.x, (drop.high + drop.low) / 2), (8, 0))
    names = dict(plane.kinds)
    for spot in plane.spots:
        ink, name = INK[f"c{spot.kind}"], names.pop(spot.kind, None)
        ax.plot(
            spot.x,
            spot.y,
            MARKS[spot.kind],
            color=ink,
            markersize=8,
            label=name,
            markeredgecolor="white",
        )
    if plane.asked is not None:
        ax.axvline(plane.asked, color=INK["line-strong"], linewidth=1, linestyle=":", zorder=0)
    if plane.chosen is not None:
        place = (plane.chosen.x, plane.chosen.y)
        ax.plot([place[0]], [place[1]], "D", color=INK["mark"], markersize=8, zorder=5)
        _write(
            ax,
            plane.chosen.words,
            place,
            (10, 10 if plane.holds else -14),
            fontsize=10,
            fontweight="bold",
        )
    if plane.legend:
        ax.legend(frameon=False, fontsize=9, loc="upper right" if plane.holds else "upper left")
    if plane.x.kind == "log":
        ax.set_xscale("log")
        ax.minorticks_off()
    elif plane.x.kind == "symlog":
        ax.set_xscale("symlog", linthresh=LINEAR_TO, linscale=LINEAR_PART * 0.9)
    ax.set_xticks(plane.x.ticks, [plane.x.show(tick) for tick in plane.x.ticks])
    ax.set_yticks(plane.y.ticks, [plane.y.show(tick) for tick in plane.y.ticks])
    ax.set_xlabel(plane.x.label)
    ax.set_ylabel(plane.y.label)
    ax.set_ylim(bottom=-0.03 * plane.y.high)
    ax.grid(color=INK["line-strong"], alpha=0.2)
    ax.spines[["top", "right"]].set_visible(False)


def _grid(grid: Grid, ax: matplotlib.axes.Axes) -> None:
    from matplotlib.patches import Rectangle

    for y, row in enumerate(grid.shares):
        for x, share in enumerate(row):
            if share is not None:
                shade = shade_of(share)
                ax.add_patch(Rectangle((x, y), 1, 1, facecolor=INK[f"s{shade}"], edgecolor="white"))
                ink = "white" if shade >= LIGHT_INK_FROM else "black"
                ax.text(
                    x + 0.5, y + 0.5, percent(share, 0), fontsize=8, color=ink, ha="center", va="center"
                )
    if grid.framed is not None:
        ax.add_patch(
            Rectangle(grid.framed, 1, 1, fill=False, edgecolor=INK["mark"], linewidth=3, zorder=5)
        )
    ax.set(xlim=(0, max(len(grid.columns), 1)), ylim=(0, max(len(grid.rows), 1)))
    ax.set_xticks([x + 0.5 for x in range(len(grid.columns))], grid.columns, fontsize=8)
    ax.set_yticks([y + 0.5 for y in range(len(grid.rows))], grid.rows)
    ax.tick_params(length=0)
    ax.set_xlabel(f"{grid.x_label}\n{grid.note}\n{grid.meaning}")
    ax.set_ylabel(grid.y_label)
    ax.spines[:].set_visible(False)


def _write(
    ax: matplotlib.axes.Axes,
    text: str,
    place: tuple[float, float],
    offset: tuple[int, int],
    **style: Any,
) -> None:
    """Write next to a place, with a halo against lines behind the text."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=3, foreground="white")]
    ax.annotate(
        text,
        place,
        xytext=offset,
        textcoords="offset points",
        va="center",
        color=INK["mark"],
        zorder=6,
        path_effects=halo,
        **({"fontsize": 8} | style),
    )
