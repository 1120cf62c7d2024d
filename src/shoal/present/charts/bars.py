"""Bars side by side: class sizes, and what several solutions lose in each attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.present.charts.svg import (
    Picture,
    Table,
    drawing,
    element,
    label,
    path,
    percent,
    shorten,
    ticks,
)

WIDTH = 460.0
_LEFT, _RIGHT = 132.0, 52.0
LETTERS = "ABCD"


def shares(values: Mapping[str, Sequence[float | None]], titles: Sequence[str], caption: str) -> Picture:
    """Return a group of bars for every name, one a title, of shares from 0 to 1; None is no bar.

    Bars differ in pattern and have their title's letter, so no colour is needed to tell them apart.
    """
    thick, room = 13.0, WIDTH - _LEFT - _RIGHT
    inside = [
        label(percent(share), _LEFT + room * share, 12, "tick", text_anchor="middle")
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    y = 22.0
    for name, given in values.items():
        middle = y + thick * len(given) / 2 + 4
        inside.append(label(shorten(name, 17), _LEFT - 18, middle, "axis", text_anchor="end"))
        for i, value in enumerate(given):
            inside.append(_bar(i, value, y, thick, room))
            y += thick
        y += 9
    grid = "".join(
        path([(_LEFT + room * s, 17), (_LEFT + room * s, y - 6)]) for s in (0, 0.25, 0.5, 0.75, 1)
    )
    inside.insert(0, element("path", d=grid, class_="grid"))
    rows = tuple(
        (name, *("" if value is None else percent(value) for value in given))
        for name, given in values.items()
    )
    heads = ("attribute", *(f"{LETTERS[i]}: {title}" for i, title in enumerate(titles)))
    return Picture(drawing(WIDTH, y, caption, inside, "bars"), Table(caption, heads, rows))


def _bar(i: int, value: float | None, y: float, thick: float, room: float) -> str:
    letter = label(LETTERS[i], _LEFT - 2, y + thick - 3, "letter", text_anchor="end")
    if value is None:
        return letter
    width = room * min(max(value, 0.0), 1.0)
    bar = element(
        "rect", x=_LEFT + 2, y=y + 1, width=max(width, 1), height=thick - 2, class_=f"amount b{i}"
    )
    words = label(percent(value), _LEFT + width + 6, y + thick - 3, "tick")
    return letter + bar + words


def class_sizes(
    sizes: Sequence[tuple[str, int]], caption: str = "Rows by the size of their class"
) -> Picture:
    """Return a bar for every range of class sizes, given as words with the rows in such classes."""
    height, left, floor = 200.0, 48.0, 164.0
    most = max((rows for _, rows in sizes), default=0)
    steps = ticks(0, max(most, 1), 4)
    each = (WIDTH - left - 8) / max(len(sizes), 1)
    inside = []
    for value in steps:
        y = floor - (floor - 16) * value / steps[-1]
        inside.append(element("path", d=path([(left, y), (WIDTH - 8, y)]), class_="grid"))
        inside.append(label(f"{value:,.0f}", left - 6, y + 4, "tick", text_anchor="end"))
    for i, (words, rows) in enumerate(sizes):
        tall = (floor - 16) * rows / steps[-1]
        x = left + each * i
        inside.append(
            element(
                "rect", x=x + 3, y=floor - tall, width=each - 6, height=tall, rx=2, class_="amount b0"
            )
        )
        inside.append(label(words, x + each / 2, floor + 16, "tick", text_anchor="middle"))
    inside.append(label("size of the class →", WIDTH - 8, height - 4, "axis", text_anchor="end"))
    table = Table(caption, ("size of the class", "rows"), tuple((words, f"{n:,}") for words, n in sizes))
    return Picture(drawing(WIDTH, height, caption, inside, "bars"), table)
