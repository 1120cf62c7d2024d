"""What the templates draw: tables, figures and key figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

WIDE, NARROW = 760, 340
"""Charts are drawn twice, and the page shows the one that suits its width."""

MOST_ROWS = 300
"""Rows that a table shows at most; what is left out is said."""


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row is its heading, `numeric` columns stand right."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    marked: int | None = None
    left_out: int = 0


def table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[int] = (),
    marked: int | None = None,
) -> Table:
    """Return a table, cut where it is too long to read."""
    kept = tuple(tuple(row) for row in rows[:MOST_ROWS])
    return Table(caption, tuple(head), kept, frozenset(numeric), marked, len(rows) - len(kept))


@dataclass(frozen=True)
class Figure:
    """A chart in both widths, and the same figures as a table; `legend` names its series."""

    wide: str
    narrow: str
    data: Table
    legend: tuple[tuple[str, str], ...] = ()


def figure(
    ident: str, draw: Callable[[str, int], str], data: Table, legend: Sequence[tuple[str, str]] = ()
) -> Figure:
    """Return the figure that `draw` makes of an identifier and a width."""
    return Figure(draw(f"{ident}-wide", WIDE), draw(f"{ident}-narrow", NARROW), data, tuple(legend))


@dataclass(frozen=True)
class KeyFigure:
    """A number for the top of the page."""

    name: str
    value: str
    note: str = ""
