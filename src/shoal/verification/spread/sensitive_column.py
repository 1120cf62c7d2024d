"""One sensitive column of a table: how often each value occurs in each group, in rows or in persons."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells, Engine, Value
from shoal.verification.spread.whose import added, distinct_values, weights

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BLOCK = 1 << 22
"""Counts that are expanded at a time."""
NEAR = 1e-9
"""Smaller float differences are decided exactly."""


class Block(NamedTuple):
    """Some groups, one row each: the counts of the values, of the missing ones, and all rows."""

    first: int
    counts: Any
    missing: Any
    sizes: Any

    @property
    def worst(self) -> Floats:
        """The shares from the most frequent value down, with all missing values added to the first."""
        counts = -np.sort(-self.counts, axis=1)
        counts[:, 0] += self.missing
        return self.shares(counts)

    def shares(self, counts: Any) -> Floats:
        """Return what part of their group counts are."""
        return np.asarray(counts / self.sizes[:, None], dtype=np.float64)


@dataclass(frozen=True)
class SensitiveColumn:
    """The cells of a table over its groups and one column: `value` counts from 0, -1 if missing.

    If the cells tell whose rows they are, persons are counted in place of rows: `rows` are what cells weigh
    in their group, and `in_table` what they weigh in the table, each in units of its own.
    """

    name: str
    values: tuple[str, ...]
    group: Ints
    value: Ints
    rows: Any
    in_table: Any
    distinct: Ints
    """For each group how many distinct values it has, of different persons."""

    @classmethod
    def of(cls, cells: Cells, inside: Sequence[int]) -> SensitiveColumn:
        """Return the last column of cells, grouped by the columns `inside`."""
        _, group = np.unique(cells.codes[:, list(inside)], axis=0, return_inverse=True)
        domain: tuple[Value, ...] = cells.domains[-1]
        values = tuple(value for value in domain if value is not None)
        places = np.cumsum([value is not None for value in domain]) - 1
        known = np.array([value is not None for value in domain], dtype=np.bool_)
        codes = cells.codes[:, -1]
        value = np.where(known[codes], places[codes], -1).astype(np.int64)
        group = group.reshape(-1).astype(np.int64)
        groups = int(group.max(initial=-1)) + 1
        return cls(
            cells.columns[-1],
            values,
            group,
            value,
            weights(cells, group, groups),
            weights(cells, np.zeros_like(group), 1),
            distinct_values(cells, group, value, groups),
        )

    @cached_property
    def sizes(self) -> Any:
        """The rows of each group."""
        return added(self.group, self.rows, len(self.distinct))

    @cached_property
    def totals(self) -> Any:
        """The rows of each value."""
        known = self.value >= 0
        return added(self.value[known], self.in_table[known], len(self.values))

    @property
    def all_rows(self) -> int:
        """All rows of the table."""
        return int(self.in_table.sum())

    @property
    def all_missing(self) -> int:
        """The rows without a value."""
        return self.all_rows - int(self.totals.sum())

    def blocks(self) -> Iterator[Block]:
        """Yield the groups in batches."""
        width = max(len(self.values), 1)
        order = np.argsort(self.group, kind="stable")
        height = max(1, BLOCK // width)
        for first in range(0, len(self.sizes), height):
            sizes = self.sizes[first : first + height]
            lo, hi = np.searchsorted(self.group[order], [first, first + len(sizes)])
            here = order[lo:hi]
            counts = np.zeros((len(sizes), width), dtype=self.rows.dtype)
            here = here[self.value[here] >= 0]
            np.add.at(counts, (self.group[here] - first, self.value[here]), self.rows[here])
            yield Block(first, counts, sizes - counts.sum(axis=1), sizes)


def cells_inside(
    rows: Engine, quasi: Sequence[str], column: str, persons: Sequence[str] = ()
) -> tuple[Cells, list[int]]:
    """Return the cells of a table over its quasi columns and one more, and the quasi columns' positions."""
    # A sensitive column may be quasi too; group by it only once.
    cells = rows.cells([*(name for name in quasi if name != column), column], persons=persons)
    return cells, [i for i, name in enumerate(cells.columns) if name in quasi]


def largest_shares(
    column: SensitiveColumn, *, of_known: bool = False
) -> dict[int, tuple[Fraction, int]]:
    """Return the largest share that each value has of a group, exactly, and the group.

    It is a share of the group's rows, or of those that have a value.
    """
    known = column.value >= 0
    value, group, counts = column.value[known], column.group[known], column.rows[known]
    totals = column.sizes[group]
    if of_known:
        totals = added(group, counts, len(column.distinct))[group]
    shares: dict[int, tuple[Fraction, int]] = {}
    if not len(value):
        return shares
    order = np.argsort(value, kind="stable")
    for cells in np.split(order, np.flatnonzero(np.diff(value[order])) + 1):
        worst = int(cells[_largest_ratio(counts[cells], totals[cells])])
        shares[int(value[worst])] = Fraction(int(counts[worst]), int(totals[worst])), int(group[worst])
    return shares


def _largest_ratio(counts: Any, totals: Any) -> int:
    """Return where counts / totals is largest, exactly: floats preselect, integers decide."""
    ratio = np.asarray(counts / totals, dtype=np.float64)
    near = np.flatnonzero(ratio >= ratio.max() * (1 - 1e-9))
    # Of many equal groups one is enough.
    first: dict[tuple[int, int], int] = {}
    for i, pair in zip(near.tolist(), zip(counts[near], totals[near], strict=True), strict=True):
        first.setdefault(pair, i)
    return int(max(first.values(), key=lambda i: Fraction(int(counts[i]), int(totals[i]))))


def largest(
    column: SensitiveColumn,
    rough: Callable[[Block], Floats],
    exact: Callable[[tuple[int, ...], int], Any],
) -> tuple[Any, int]:
    """Return the largest figure of all groups, exactly, and the first group that has it.

    `rough` gives it in floats; those near the largest are compared by `exact`, from a group's counts and the
    number of its missing values.
    """
    best = -math.inf
    found: dict[tuple[tuple[int, ...], int], tuple[float, int]] = {}
    for block in column.blocks():
        figures = rough(block)
        best = max(best, float(figures.max()))
        for g in np.flatnonzero(figures >= _near(best)).tolist():
            key = (tuple(block.counts[g].tolist()), int(block.missing[g]))
            found.setdefault(key, (float(figures[g]), block.first + g))
    near = [(exact(*key), -group) for key, (figure, group) in found.items() if figure >= _near(best)]
    figure, group = max(near)
    return figure, -group


def _near(figure: float) -> float:
    return figure if math.isinf(figure) else figure - NEAR * max(1.0, abs(figure))
