"""Cost and lower bound over time: what is found, what is proven, and the gap that is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.present.charts.svg import (
    Picture,
    Table,
    drawing,
    element,
    label,
    path,
    percent,
    short_number,
    ticks,
)

WIDTH, HEIGHT = 460.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 54.0, 14.0, 24.0, 38.0
MOST = 120
"""Moments that are drawn at most; of more, some between are left out."""


@dataclass(frozen=True)
class Moment:
    """How a search stood: `cost` is None while nothing was found."""

    seconds: float
    cost: float | None
    bound: float


def gap(moments: Sequence[Moment]) -> Picture:
    """Return the two lines that come together, the room between them shaded."""
    shown = thin(moments)
    table = _table(shown)
    if not shown:
        words = label("The search has not begun.", WIDTH / 2, HEIGHT / 2, "note", text_anchor="middle")
        return Picture(drawing(WIDTH, HEIGHT, "No search yet", [words]), table)
    end = max(shown[-1].seconds, 0.01)
    known = [moment.cost for moment in shown if moment.cost is not None]
    values = [*known, *(moment.bound for moment in shown)]
    low, high = min(values), max(values)
    steps = ticks(0.0 if low < 0.5 * high else low, high)
    bottom, top = steps[0], steps[-1]

    def x(seconds: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * seconds / end

    def y(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (value - bottom) / (top - bottom)

    inside = []
    for value in steps:
        inside.append(
            element("path", d=path([(_LEFT, y(value)), (WIDTH - _RIGHT, y(value))]), class_="grid")
        )
        inside.append(label(short_number(value), _LEFT - 6, y(value) + 4, "tick", text_anchor="end"))
    bounds = _stairs([(x(moment.seconds), y(moment.bound)) for moment in shown])
    costs = _stairs([(x(m.seconds), y(m.cost)) for m in shown if m.cost is not None])
    if costs:
        below = [point for point in bounds if point[0] >= costs[0][0]] or bounds[-1:]
        area = path([*costs, *reversed(below)]) + "Z"
        inside.append(element("path", d=area, class_="between"))
    inside.append(element("path", d=path(bounds), class_="line bound"))
    if costs:
        inside.append(element("path", d=path(costs), class_="line"))
        inside.append(label("best cost", WIDTH - _RIGHT, costs[-1][1] - 6, "note", text_anchor="end"))
    if not costs or bounds[-1][1] - costs[-1][1] > 30:
        beside = bounds[-1][1] - 6
        inside.append(label("lower bound", WIDTH - _RIGHT, beside, "note", text_anchor="end"))
    inside.append(label("0 s", _LEFT, HEIGHT - 20, "tick"))
    inside.append(label(f"{end:.1f} s", WIDTH - _RIGHT, HEIGHT - 20, "tick", text_anchor="end"))
    inside.append(label("↑ cost", 4, 12, "axis"))
    name = f"Cost and lower bound over {end:.1f} seconds"
    return Picture(drawing(WIDTH, HEIGHT, name, inside), table)


def thin(moments: Sequence[Moment], most: int = MOST) -> list[Moment]:
    """Return the moments at which something changed, with first and last, `most` at most."""
    changed = [
        moment
        for i, moment in enumerate(moments)
        if i in (0, len(moments) - 1)
        or (moment.cost, moment.bound) != (moments[i - 1].cost, moments[i - 1].bound)
    ]
    if len(changed) <= most:
        return changed
    last = len(changed) - 1
    return [changed[i * last // (most - 1)] for i in range(most)]


def _stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points with the corners between them: a value holds until the next."""
    drawn: list[tuple[float, float]] = []
    for x, y in points:
        if drawn:
            drawn.append((x, drawn[-1][1]))
        drawn.append((x, y))
    return drawn


def _table(moments: Sequence[Moment]) -> Table:
    rows = tuple(
        (
            f"{moment.seconds:.2f}",
            "none yet" if moment.cost is None else f"{moment.cost:,.1f}",
            f"{moment.bound:,.1f}",
            _gap(moment),
        )
        for moment in moments
    )
    return Table("The search over time", ("seconds", "best cost", "lower bound", "gap"), rows)


def _gap(moment: Moment) -> str:
    if moment.cost is None:
        return ""
    return percent(max(0.0, 1 - moment.bound / moment.cost)) if moment.cost else "0%"
