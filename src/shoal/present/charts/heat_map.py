"""A heat map: one cell for each pair of names, darker the larger the number in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.present.charts.grid import LIGHT_INK_FROM, shade_of
from shoal.present.charts.svg import Picture, Table, drawing, element, label, shorten

LETTER = 6.6
LINE = 26.0
NARROWEST = 40.0
"""Cells narrower than this have no number in them; the table has it."""


@dataclass(frozen=True)
class HeatMap:
    """Everything to draw of a heat map. The cells' `shades` are from 0 to 1; None is left empty.

    Columns are numbered, and the numbers explained by the rows if both have the same names, or below.
    """

    title: str
    meaning: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shades: tuple[tuple[float | None, ...], ...]
    words: tuple[tuple[str, ...], ...]
    table: Table


def heat_map(one: HeatMap, width: float = 460) -> Picture:
    """Return the picture of a heat map."""
    same = one.rows == one.columns
    names = [f"{i} {name}" for i, name in enumerate(one.rows, 1)] if same else list(one.rows)
    left = min(LETTER * max((len(name) for name in names), default=0) + 12, width * 0.34)
    each = (width - left - 4) / max(len(one.columns), 1)
    inside = [label(one.meaning, 0, 13, "note")]
    top = 40.0
    inside += [
        label(str(x + 1), left + each * (x + 0.5), top - 7, "tick", "middle")
        for x in range(len(one.columns))
    ]
    for y, name in enumerate(names):
        down = top + LINE * y
        inside.append(
            label(
                shorten(name, max(int(left / LETTER) - 1, 4)),
                left - 8,
                down + LINE / 2 + 4,
                "name",
                "end",
            )
        )
        for x, shade in enumerate(one.shades[y]):
            if shade is None:
                continue
            level = shade_of(min(max(shade, 0.0), 1.0))
            inside.append(
                element(
                    "rect", x=left + each * x, y=down, width=each, height=LINE, class_=f"cell s{level}"
                )
            )
            if each >= NARROWEST:
                ink = "light" if level >= LIGHT_INK_FROM else "dark"
                place = left + each * (x + 0.5), down + LINE / 2 + 4
                inside.append(label(one.words[y][x], *place, f"in-cell {ink}", "middle"))
    floor = top + LINE * len(names)
    if not same:
        for line in _wrapped(one.columns, width):
            floor += 18
            inside.append(label(line, 0, floor, "tick"))
    desc = f"{one.meaning} The same numbers are in the table."
    return Picture(drawing(width, floor + 10, one.title, inside, "map", desc), one.table)


def _wrapped(names: Sequence[str], width: float) -> list[str]:
    """Return the columns' numbers with their names, in lines that fit."""
    most, lines = max(int(width / LETTER), 12), [""]
    for i, name in enumerate(names, 1):
        part = f"{i} {shorten(name, most - 4)}"
        if lines[-1] and len(lines[-1]) + len(part) + 3 > most:
            lines.append("")
        lines[-1] += f" · {part}" if lines[-1] else part
    return lines
