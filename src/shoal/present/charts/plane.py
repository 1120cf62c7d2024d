"""Points in the plane, for frontiers and comparisons: the series, and its drawing as SVG.

`shoal.present.charts.matplotlib_figures` draws the same `Plane` for notebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.present.charts.scales import Scale
from shoal.present.charts.svg import (
    DIAMOND,
    Picture,
    Table,
    drawing,
    element,
    label,
    line,
    shape,
    stairs,
    text,
)

WIDTH, HEIGHT = 460.0, 290.0
ROW = 19.0
"""The height of a line of names below a picture."""
LETTER = 7.2
"""The width of a letter, rather too wide."""


@dataclass(frozen=True)
class Curve:
    """The points of a staircase, in any order; `words` describe each if it can be chosen.

    The `style` is that of the line: plain; "apart", which is dotted; or "bound", which is dashed, has no
    marks, and keeps its value until the next point.
    """

    points: tuple[tuple[float, float], ...]
    name: str = ""
    words: tuple[str, ...] = ()
    style: str = ""


@dataclass(frozen=True)
class Spot:
    """A single point: the chosen one, or an algorithm's answer; `kind` is its colour and shape."""

    x: float
    y: float
    words: str
    kind: int = 0


@dataclass(frozen=True)
class Drop:
    """A notable step of a staircase."""

    x: float
    high: float
    low: float
    words: str


@dataclass(frozen=True)
class Plane:
    """Everything to draw of some points.

    If it `holds`, a staircase keeps its value until the next point; otherwise it already has the next value.
    """

    title: str
    desc: str
    x: Scale
    y: Scale
    curves: tuple[Curve, ...]
    table: Table
    holds: bool = False
    chosen: Spot | None = None
    drops: tuple[Drop, ...] = ()
    spots: tuple[Spot, ...] = ()
    kinds: tuple[tuple[int, str], ...] = ()
    """The names of the kinds of spots, for the legend."""
    asked: float | None = None
    nothing: str = "There is no point to draw."
    """What is said where there is no point, which may only be because none is found yet."""

    @property
    def legend(self) -> list[tuple[int, str]]:
        """The marks and their names."""
        return [(i, curve.name) for i, curve in enumerate(self.curves) if curve.name] + list(self.kinds)


class Room:
    """The positions of a plane's points in a picture of a size."""

    def __init__(self, plane: Plane, width: float, height: float) -> None:
        widest = max((len(plane.y.show(tick)) for tick in plane.y.ticks), default=0)
        self.left, self.right = 14 + LETTER * widest, width - 18.0
        self.top, self.floor = 30.0, height - 48.0
        self.plane, self.width, self.height = plane, width, height

    def x(self, value: float) -> float:
        """Return the horizontal position of a value."""
        return self.left + (self.right - self.left) * self.plane.x.at(value)

    def y(self, value: float) -> float:
        """Return the vertical position of a value."""
        return self.floor - (self.floor - self.top) * self.plane.y.at(value)


def plane_chart(
    plane: Plane, width: float = WIDTH, height: float = HEIGHT, *, choice: bool = False
) -> Picture:
    """Return the picture of a plane.

    With `choice`, every point of a curve that has words can be chosen: its `data-point` is its place in the
    curve; Tab reaches the first, and arrow keys the others. Names of several curves then stand below.
    """
    below = choice and len(plane.curves) > 1
    inside = plane_parts(plane, width, height, choice=choice, legend=not below)
    high = height
    if below:
        inside += names_below(plane, height, short=True)
        high += ROW * len(plane.curves) + 6
    role = "group" if choice else "img"
    return Picture(
        drawing(width, high, plane.title, inside, "plane", plane.desc, role=role), plane.table
    )


def names_below(plane: Plane, top: float, *, short: bool) -> list[str]:
    """Return the names of the curves, a line each, from `top` on; short ones end at their colon."""
    drawn = []
    for i, curve in enumerate(plane.curves):
        name = curve.name.partition(":")[0] if short else curve.name
        y = top + ROW * (i + 0.7)
        drawn.append(line(f"curve k{i} {curve.style}".strip(), (14, y - 4), (44, y - 4)))
        if curve.style != "bound":
            drawn.append(shape(i, 29, y - 4, 4, f"kind k{i}"))
        drawn.append(label(name, 54, y, "legend-name"))
    return drawn


def plane_parts(
    plane: Plane, width: float, height: float, *, choice: bool = False, legend: bool = True
) -> list[str]:
    """Return the parts of a plane's picture."""
    room = Room(plane, width, height)
    if not any(curve.points for curve in plane.curves) and not plane.spots:
        return [label(plane.nothing, width / 2, height / 2, "note", "middle")]
    drawn = axes(room)
    if plane.asked is not None:
        drawn.append(line("asked", (room.x(plane.asked), room.top), (room.x(plane.asked), room.floor)))
    for i, curve in enumerate(plane.curves):
        placed = sorted((room.x(x), room.y(y)) for x, y in curve.points)
        bound = curve.style == "bound"
        corners = stairs(placed, holds=plane.holds or bound)
        if len(plane.curves) == 1 and placed:
            ends = [(placed[-1][0], room.floor), (placed[0][0], room.floor)]
            drawn.append(line("between", *corners, *ends))
        if corners:
            drawn.append(line(f"curve k{i} {curve.style}".rstrip(), *corners))
        if choice and curve.words:
            drawn += [_place(j, curve.words[j], room, *point) for j, point in enumerate(curve.points)]
        elif not bound:
            drawn += [shape(i, x, y, 3.2, f"kind k{i}") for x, y in placed]
    for drop in plane.drops:
        x, high, low = room.x(drop.x), room.y(drop.high), room.y(drop.low)
        drawn += [
            line("drop", (x, high), (x, low)),
            _beside(room, x, (high + low) / 2 + 4, drop.words, "drop-name"),
        ]
    for spot in plane.spots:
        told = element("title", text(spot.words))
        drawn.append(
            shape(spot.kind, room.x(spot.x), room.y(spot.y), 5.5, f"kind spot k{spot.kind}", told)
        )
    if plane.chosen is not None:
        drawn += _chosen(room, plane.chosen)
    return drawn + (_legend(room) if legend else [])


def over(
    plane: Plane,
    asked: float | None,
    chosen: int | None,
    answers: Sequence[tuple[float, float, str]] = (),
) -> str:
    """Return the overlay of a plane to choose from: the value asked for, the chosen point, and answers.

    The first of the answers is the best: it is marked and named, the others are only marked.
    """
    room, inside = Room(plane, WIDTH, HEIGHT), []
    points = plane.curves[0].points
    if points and asked is not None:
        x = room.x(asked)
        inside = [line("asked", (x, room.top), (x, room.floor))]
        side = (x - 5, "end") if x > room.right - 70 else (x + 5, "")
        inside.append(label(f"k = {plane.x.show(asked)}", side[0], room.top - 4, "note", side[1]))
    if chosen is not None and chosen < len(points):
        x, y = points[chosen]
        inside.append(element("circle", cx=room.x(x), cy=room.y(y), r=9, class_="ring"))
    for place, (x, y, words) in reversed(list(enumerate(answers if points else ()))):
        told = element("title", text(words))
        across, down = room.x(x), room.y(min(y, plane.y.high))
        inside.append(shape(DIAMOND, across, down, 4.5 if place else 8, "chosen", told))
        if not place:
            inside.append(_beside(room, across + 4, min(down + 4, room.floor - 6), words, "chosen-name"))
    return element(
        "svg",
        *inside,
        viewBox=f"0 0 {int(WIDTH)} {int(HEIGHT)}",
        class_="picture over",
        aria_hidden="true",
        xmlns="http://www.w3.org/2000/svg",
    )


def axes(room: Room) -> list[str]:
    """Return the axes of a plane, with their numbers and names."""
    plane, drawn = room.plane, []
    for tick in plane.y.ticks:
        y = room.y(tick)
        drawn.append(
            line("axis-line" if tick == plane.y.low else "grid", (room.left, y), (room.right, y))
        )
        drawn.append(label(plane.y.show(tick), room.left - 8, y + 4, "tick", "end"))
    ends = 0.0
    for tick in plane.x.ticks:
        x, words = room.x(tick), plane.x.show(tick)
        half = LETTER * len(words) / 2
        drawn.append(line("axis-line", (x, room.floor), (x, room.floor + 5)))
        if x - half > ends:
            drawn.append(label(words, x, room.floor + 19, "tick", "middle"))
            ends = x + half
    drawn.append(label(f"↑ {plane.y.label}", 2, 14, "axis"))
    return [*drawn, label(f"{plane.x.label} →", room.right, room.height - 8, "axis", "end")]


def _place(i: int, words: str, room: Room, x: float, y: float) -> str:
    return element(
        "g",
        element("title", text(words)),
        element("circle", cx=room.x(x), cy=room.y(y), r=11, class_="reach"),
        element("circle", cx=room.x(x), cy=room.y(y), r=4.5, class_="dot"),
        data_point=i,
        class_="point",
        role="button",
        tabindex=-1 if i else 0,
        aria_label=words,
    )


def _chosen(room: Room, spot: Spot) -> list[str]:
    x, y = room.x(spot.x), room.y(spot.y)
    # There is room below and to the right of a rising curve, and above and to the right of a falling one.
    down = y - 14 if room.plane.holds else min(y + 24, room.floor - 8)
    return [
        line("guide", (room.left, y), (x, y), (x, room.floor)),
        shape(DIAMOND, x, y, 7, "chosen"),
        _beside(room, x + 4, down, spot.words, "chosen-name", max(y - 14, 30)),
    ]


def _beside(room: Room, x: float, y: float, words: str, kind: str, above: float | None = None) -> str:
    """Return words to the right of a place, or to the left and perhaps higher if there is no room."""
    if x + 8 + LETTER * len(words) <= room.right:
        return label(words, x + 8, y, kind)
    return label(words, x - 14, y if above is None else above, kind, "end")


def _legend(room: Room) -> list[str]:
    """Return the names of curves and kinds where the staircases leave room; a falling one, on the right."""
    widest = LETTER * max((len(name) for _, name in room.plane.legend), default=0)
    left = room.right - widest - 14 if room.plane.holds else room.left + 12
    drawn = []
    for i, (kind, name) in enumerate(room.plane.legend):
        y = room.top + 12 + 17 * i
        drawn += [shape(kind, left, y - 4, 4, f"kind k{kind}"), label(name, left + 12, y, "legend-name")]
    return drawn
