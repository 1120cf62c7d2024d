"""Bars: before and after, groups of rows, columns, solutions and algorithms side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.numbers import percent
from shoal.present.charts.svg import (
    HATCH,
    Picture,
    Table,
    drawing,
    element,
    label,
    line,
    shorten,
    stripes,
)

LETTER = 7.6
"""The width of a letter, rather too wide."""
LETTERS = "ABCD"
SOLID, STRIPED = "b0", "b1"


@dataclass(frozen=True)
class Bar:
    """One bar: its value, the words at its end, its look, and perhaps a letter before it."""

    value: float
    words: str
    kind: str = SOLID
    letter: str = ""


@dataclass(frozen=True)
class BarGroup:
    """Bars that share a name; without bars it is a heading."""

    name: str
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class Bars:
    """Everything to draw of some bars. `reference` is a value to compare with, and its name."""

    title: str
    groups: tuple[BarGroup, ...]
    table: Table
    desc: str = ""
    reference: tuple[float, str] | None = None
    most: float | None = None
    """The value of the longest possible bar; by default the largest value."""


def bars_chart(bars: Bars, width: float = 460) -> Picture:
    """Return the picture of some bars, which nobody needs colours to tell apart."""
    inside, height = bars_parts(bars, width)
    return Picture(drawing(width, height, bars.title, inside, "bars", bars.desc), bars.table)


def bars_parts(bars: Bars, width: float) -> tuple[list[str], float]:
    """Return the parts of the picture, and its height."""
    every = [bar for group in bars.groups for bar in group.bars]
    values = [bar.value for bar in every] + ([bars.reference[0]] if bars.reference else [])
    most = bars.most or max(values, default=0) or 1.0
    stacked = width <= 400
    letters = 14.0 if any(bar.letter for bar in every) else 0.0
    longest = max((len(group.name) for group in bars.groups if group.bars), default=0)
    side = letters + (0.0 if stacked else min(LETTER * longest + 14, width * 0.3))
    room = width - side - LETTER * max((len(bar.words) for bar in every), default=0) - 12
    thick = 14 if any(len(group.bars) > 1 for group in bars.groups) else 18
    at = first = 30.0 if bars.reference else 4.0
    drawn: list[str] = [stripes()] if any(bar.kind == STRIPED for bar in every) else []
    names: list[str] = []  # drawn last, so that no line crosses them
    for group in bars.groups:
        if stacked or not group.bars:
            kind = "name" if group.bars else "heading"
            names.append(label(_short(group.name, width), 0, at + (13 if group.bars else 22), kind))
            at += 19 if group.bars else 34
        else:
            middle = at + (thick + 2) * len(group.bars) / 2 + 3.5
            place = side - letters - 12
            names.append(label(_short(group.name, place), place, middle, "name", "end"))
        for bar in group.bars:
            long = max(room * min(bar.value / most, 1.0), 0)
            if bar.value > 0:
                size = {"width": max(long, 1.5), "height": thick - 1, "rx": 2}
                fill = f"url(#{HATCH})" if bar.kind == STRIPED else None
                drawn.append(
                    element("rect", x=side + 0.5, y=at + 1, **size, fill=fill, class_=f"bar {bar.kind}")
                )
            names.append(label(bar.words, side + long + 7, at + thick / 2 + 5, "value"))
            if bar.letter:
                names.append(label(bar.letter, side - 4, at + thick / 2 + 5, "letter", "end"))
            at += thick + 2
        at += 10 if group.bars else 0
    if not stacked and every:
        drawn.append(line("axis-line", (side, first - 2), (side, at - 6)))
    if bars.reference is not None:
        value, name = bars.reference
        x, half = side + room * value / most, LETTER * len(name) / 2
        drawn.append(line("guide", (x, 20), (x, at - 6)))
        names.append(label(name, min(max(x, half), width - half), 14, "reference-name", "middle"))
    return [*drawn, *names], at


def _short(words: str, room: float) -> str:
    return shorten(words, max(int(room / LETTER), 4))


def solution_bars(
    values: Mapping[str, Sequence[float | None]],
    titles: Sequence[str],
    caption: str,
    letters: Sequence[str] = LETTERS,
) -> Bars:
    """Return bars of shares from 0 to 1 for every name, one for each solution with its letter."""
    groups = tuple(
        BarGroup(
            name,
            tuple(
                Bar(value or 0.0, "" if value is None else percent(value), f"b{i}", letters[i])
                for i, value in enumerate(given)
            ),
        )
        for name, given in values.items()
    )
    rows = [
        (name, *("" if value is None else percent(value) for value in given))
        for name, given in values.items()
    ]
    heads = ("attribute", *(f"{letters[i]}: {title}" for i, title in enumerate(titles)))
    return Bars(caption, groups, Table.of(caption, heads, rows, range(1, len(heads))), most=1.0)
