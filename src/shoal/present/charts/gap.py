"""Cost and lower bound over time: what is found, what is proven, and the gap between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.numbers import amount, percent, seconds, short_number
from shoal.present.charts.scales import ticks
from shoal.present.charts.svg import Picture, Table, drawing, label, line, stairs

WIDTH, HEIGHT = 460.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 54.0, 14.0, 24.0, 38.0
MOST = 120
"""The most moments to draw; of more, some in between are skipped."""


@dataclass(frozen=True)
class Moment:
    """How a search stood; `cost` is None until something is found."""

    seconds: float
    cost: float | None
    bound: float


def gap(moments: Sequence[Moment]) -> Picture:
    """Return the two lines as they approach each other, with the area between them shaded."""
    shown = thin(moments)
    table = _table(shown)
    if not shown:
        words = label("The search has not begun.", WIDTH / 2, HEIGHT / 2, "note", "middle")
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
        inside.append(line("grid", (_LEFT, y(value)), (WIDTH - _RIGHT, y(value))))
        inside.append(label(short_number(value), _LEFT - 6, y(value) + 4, "tick", "end"))
    bounds = stairs([(x(moment.seconds), y(moment.bound)) for moment in shown], holds=True)
    costs = stairs([(x(m.seconds), y(m.cost)) for m in shown if m.cost is not None], holds=True)
    if costs:
        below = [point for point in bounds if point[0] >= costs[0][0]] or bounds[-1:]
        inside.append(line("between", *costs, *reversed(below)))
    inside.append(line("curve bound", *bounds))
    if costs:
        inside.append(line("curve", *costs))
        inside.append(label("best cost", WIDTH - _RIGHT, costs[-1][1] - 6, "note", "end"))
    if not costs or bounds[-1][1] - costs[-1][1] > 30:
        beside = bounds[-1][1] - 6
        inside.append(label("lower bound", WIDTH - _RIGHT, beside, "note", "end"))
    inside.append(label("0 s", _LEFT, HEIGHT - 20, "tick"))
    inside.append(label(seconds(end), WIDTH - _RIGHT, HEIGHT - 20, "tick", "end"))
    inside.append(label("↑ cost", 4, 12, "axis"))
    name = f"Cost and lower bound over {seconds(end)}"
    return Picture(drawing(WIDTH, HEIGHT, name, inside), table)


def thin(moments: Sequence[Moment], most: int = MOST) -> list[Moment]:
    """Return the moments at which something changed, at most `most`, with the first and the last."""
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


def _table(moments: Sequence[Moment]) -> Table:
    rows = [
        (
            seconds(moment.seconds),
            "none yet" if moment.cost is None else amount(moment.cost),
            amount(moment.bound),
            _gap(moment),
        )
        for moment in moments
    ]
    return Table.of("The search over time", ("after", "best cost", "lower bound", "gap"), rows, range(4))


def _gap(moment: Moment) -> str:
    if moment.cost is None:
        return ""
    return percent(max(0.0, 1 - moment.bound / moment.cost)) if moment.cost else "0%"
