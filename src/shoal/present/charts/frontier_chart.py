"""The Pareto frontier: what every step of privacy costs, each point a place to go to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.present.charts.svg import (
    Picture,
    Table,
    drawing,
    element,
    label,
    path,
    powers,
    short_number,
    text,
    ticks,
)

WIDTH, HEIGHT = 460.0, 290.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 50.0, 14.0, 24.0, 42.0


class _Scale:
    """Where a k and a loss are drawn: k by its logarithm, since risk is 1 / k."""

    def __init__(self, points: Sequence[Mapping[str, Any]]) -> None:
        ks, losses = [point["k"] for point in points], [point["loss"] for point in points]
        self.ks, self.losses = powers(min(ks), max(ks)), ticks(0, max(losses))

    def x(self, k: float) -> float:
        low, high = math.log10(self.ks[0]), math.log10(self.ks[-1])
        share = (math.log10(max(k, 1)) - low) / (high - low)
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * min(max(share, 0.0), 1.0)

    def y(self, loss: float) -> float:
        share = loss / self.losses[-1] if self.losses[-1] else 0.0
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * min(max(share, 0.0), 1.0)


def frontier(points: Sequence[Mapping[str, Any]], metric: str) -> Picture:
    """Return the frontier of points as `shoal frontier` gives them.

    Every point has `data-point`, its place in the list; the first is reached by Tab, the others from there.
    """
    table = _table(points, metric)
    if not points:
        empty = label("No generalization releases any row.", WIDTH / 2, HEIGHT / 2, text_anchor="middle")
        return Picture(drawing(WIDTH, HEIGHT, "The frontier has no points", [empty]), table)
    scale = _Scale(points)
    rising = sorted(points, key=lambda point: point["k"])
    stairs: list[tuple[float, float]] = []
    for point in rising:
        x, y = scale.x(point["k"]), scale.y(point["loss"])
        if stairs:
            # A k between two points costs what the next one costs.
            stairs.append((stairs[-1][0], y))
        stairs.append((x, y))
    marks = [_mark(i, point, scale, metric) for i, point in enumerate(points)]
    inside = [*_axes(scale, metric), element("path", d=path(stairs), class_="line"), *marks]
    return Picture(drawing(WIDTH, HEIGHT, f"The frontier, {len(points)} points", inside), table)


def here(points: Sequence[Mapping[str, Any]], k: int | None, chosen: int | None) -> str:
    """Return what lies over the frontier: the k that is asked for, and the point that was chosen."""
    inside = []
    if points:
        scale = _Scale(points)
        if k is not None:
            x = scale.x(k)
            inside.append(element("path", d=path([(x, _TOP), (x, HEIGHT - _BOTTOM)]), class_="asked"))
            right = x > WIDTH - 80
            inside.append(
                label(
                    f"k = {k:,}",
                    x + (-5 if right else 5),
                    _TOP - 8,
                    "note",
                    text_anchor="end" if right else "start",
                )
            )
        if chosen is not None and chosen < len(points):
            x, y = scale.x(points[chosen]["k"]), scale.y(points[chosen]["loss"])
            inside.append(element("circle", cx=x, cy=y, r=9, class_="ring"))
    return element(
        "svg",
        *inside,
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        class_="picture over",
        aria_hidden="true",
        xmlns="http://www.w3.org/2000/svg",
    )


def _mark(i: int, point: Mapping[str, Any], scale: _Scale, metric: str) -> str:
    levels = ", ".join(f"{name} {level}" for name, level in point["node"].items())
    words = f"k = {point['k']:,}, {metric} {point['loss']:,.0f}, {point['suppressed']:,} suppressed; {levels}"
    x, y = scale.x(point["k"]), scale.y(point["loss"])
    return element(
        "g",
        element("title", text(words)),
        element("circle", cx=x, cy=y, r=11, class_="reach"),
        element("circle", cx=x, cy=y, r=4.5, class_="dot"),
        data_point=i,
        class_="point",
        role="button",
        tabindex=-1 if i else 0,
        aria_label=words,
    )


def _axes(scale: _Scale, metric: str) -> list[str]:
    right, floor = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    drawn = []
    for k in scale.ks:
        x = scale.x(k)
        drawn.append(label(short_number(k), x, floor + 16, "tick", text_anchor="middle"))
    for loss in scale.losses:
        y = scale.y(loss)
        drawn.append(element("path", d=path([(_LEFT, y), (right, y)]), class_="grid"))
        drawn.append(label(short_number(loss), _LEFT - 6, y + 4, "tick", text_anchor="end"))
    drawn.append(label("k: more privacy →", right, HEIGHT - 6, "axis", text_anchor="end"))
    drawn.append(label(f"↑ {metric}: more loss", 4, 12, "axis"))
    return drawn


def _table(points: Sequence[Mapping[str, Any]], metric: str) -> Table:
    names = tuple(points[0]["node"]) if points else ()
    rows = tuple(
        (
            f"{point['k']:,}",
            f"{point['loss']:,.1f}",
            f"{point['suppressed']:,}",
            *(str(point["node"][name]) for name in names),
        )
        for point in points
    )
    return Table("The Pareto frontier", ("k", metric, "suppressed rows", *names), rows)
