"""A map: one cell for each pair of two numbers, shaded by the share written in it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from shoal.numbers import percent
from shoal.present.charts.svg import Picture, Table, drawing, element, label

SHADES = 7
LIGHT_INK_FROM = 4
"""From this shade on, the text in a cell is light."""


@dataclass(frozen=True)
class Grid:
    """Everything to draw of a map: names of columns and rows (from the bottom), shares, the framed cell."""

    title: str
    x_label: str
    y_label: str
    meaning: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    shares: tuple[tuple[float | None, ...], ...]
    table: Table
    framed: tuple[int, int] | None = None
    note: str = ""


def shade_of(share: float) -> int:
    """Return the shade of a share, from 0 for nothing to 6 for nearly all.

    >>> [shade_of(share) for share in (0, 0.01, 0.5, 1)]
    [0, 1, 3, 6]
    """
    return min(ceil(share * (SHADES - 1)), SHADES - 1)


def grid_chart(grid: Grid, width: float) -> Picture:
    """Return the picture of a map."""
    left, top, line = 46.0, 44.0, 28.0
    each = (width - left - 8) / max(len(grid.columns), 1)
    floor = top + line * len(grid.rows)
    inside = [label(f"↑ {grid.y_label}", 2, 14, "axis"), label(grid.meaning, 2, 32, "note")]
    for y, row in enumerate(grid.shares):
        down = floor - line * (y + 1)
        inside.append(label(grid.rows[y], left - 8, down + line / 2 + 4, "tick", "end"))
        for x, share in enumerate(row):
            if share is None:
                continue
            shade, across = shade_of(share), left + each * x
            inside.append(
                element("rect", x=across, y=down, width=each, height=line, class_=f"cell s{shade}")
            )
            ink = "light" if shade >= LIGHT_INK_FROM else "dark"
            inside.append(
                label(
                    percent(share, 0), across + each / 2, down + line / 2 + 4, f"in-cell {ink}", "middle"
                )
            )
    for x, name in enumerate(grid.columns):
        inside.append(label(name, left + each * (x + 0.5), floor + 17, "tick", "middle"))
    if grid.framed is not None:
        x, y = grid.framed
        place = {"x": left + each * x, "y": floor - line * (y + 1), "width": each, "height": line}
        inside += [
            element("rect", **place, class_="frame"),
            label(grid.note, 2, floor + 38, "chosen-name"),
        ]
    inside.append(label(f"{grid.x_label} →", width - 8, floor + 38, "axis", "end"))
    return Picture(drawing(width, floor + 48, grid.title, inside, "map", grid.note), grid.table)
