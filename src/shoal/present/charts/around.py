"""Combinations of levels around one of them: what each loses and suppresses, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.numbers import percent
from shoal.present.charts.plane import LETTER, Plane, Room, axes
from shoal.present.charts.scales import share_scale, suppressed_scale
from shoal.present.charts.svg import (
    DIAMOND,
    Picture,
    Table,
    drawing,
    element,
    label,
    line,
    shape,
    shorten,
    text,
)

WIDTH, HEIGHT = 460.0, 330.0
LINE = 14.0
"""The height of a line of words."""


@dataclass(frozen=True)
class Near:
    """A combination of levels: how it differs from the one in the middle, and what it costs."""

    words: str
    levels: str
    lost: float
    suppressed: float
    """Both are shares of all."""
    meets: bool
    """Whether it suppresses no more than is allowed, and is within the levels that are."""
    steps: int = 1
    """How many levels it is away from the middle."""


def around_picture(nodes: Sequence[Near], limit: float, title: str) -> Picture:
    """Return the map of some combinations: to the right more rows are lost, higher up more detail.

    The first is the one in the middle. Each can be chosen: its `data-point` is its place.
    """
    plane = Plane(
        title,
        "",
        suppressed_scale([*(near.suppressed for near in nodes), limit], "rows suppressed"),
        share_scale([near.lost for near in nodes], "detail lost"),
        (),
        _table(nodes),
    )
    room = Room(plane, WIDTH, HEIGHT)
    inside = axes(room)
    x = room.x(limit)
    inside.append(line("asked", (x, room.top), (x, room.floor)))
    inside.append(
        label("allowed", x - 5 if x > room.right - 60 else x + 5, room.top - 4, "note", _side(x, room))
    )
    middle = (room.x(nodes[0].suppressed), room.y(nodes[0].lost))
    for near in nodes[1:]:
        if near.steps == 1:
            inside.append(line("edge", middle, (room.x(near.suppressed), room.y(near.lost))))
    for i in reversed(range(len(nodes))):
        inside.append(_mark(i, nodes[i], room))
    inside += _names(nodes, room)
    return Picture(drawing(WIDTH, HEIGHT, title, inside, "around", role="group"), plane.table)


def _side(x: float, room: Room) -> str:
    return "end" if x > room.right - 60 else ""


def _mark(i: int, near: Near, room: Room) -> str:
    x, y = room.x(near.suppressed), room.y(near.lost)
    words = (
        f"{near.words}: {percent(near.lost)} lost, {percent(near.suppressed)} suppressed; {near.levels}"
    )
    if i == 0:
        mark = shape(DIAMOND, x, y, 8, "chosen dot")
    else:
        mark = element(
            "circle",
            cx=x,
            cy=y,
            r=5.5 if near.steps == 1 else 3.5,
            class_="dot " + ("full" if near.meets else ""),
        )
    return element(
        "g",
        element("title", text(words)),
        element("circle", cx=x, cy=y, r=11, class_="reach"),
        mark,
        data_point=i,
        class_="point",
        role="button",
        tabindex=-1 if i else 0,
        aria_label=words,
    )


def _names(nodes: Sequence[Near], room: Room) -> list[str]:
    """Return the names of the nearest, each where it covers no other; the rest have theirs in the table."""
    taken: list[tuple[float, float, float]] = []
    drawn: list[str] = []
    for i, near in enumerate(nodes):
        if near.steps > 1:
            continue
        words = shorten(near.words, 24)
        x, y, wide = room.x(near.suppressed), room.y(near.lost), LETTER * len(words) * 0.9
        right = x + 10 + wide <= room.right
        left = x + 10 if right else x - 10 - wide
        if left < 0 or any(
            abs(y - other) < LINE and left < end and left + wide > begin for begin, end, other in taken
        ):
            continue
        taken.append((left, left + wide, y))
        kind = "chosen-name" if i == 0 else "name"
        drawn.append(label(words, x + 10 if right else x - 10, y + 4, kind, "" if right else "end"))
    return drawn


def _table(nodes: Sequence[Near]) -> Table:
    rows = [
        (
            near.words,
            percent(near.lost),
            percent(near.suppressed),
            "yes" if near.meets else "no",
            near.levels,
        )
        for near in sorted(nodes, key=lambda near: (not near.meets, near.lost, near.suppressed))
    ]
    head = ("change", "detail lost", "rows suppressed", "allowed", "levels")
    return Table.of("Combinations around it", head, rows, (1, 2))
