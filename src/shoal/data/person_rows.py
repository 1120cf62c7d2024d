"""Persons with several rows: in which cells of a tally each is, and with how many rows.

Distinct persons do not add up when groups are merged: someone with rows in two groups is one person of the
merged one. But nearly everybody's rows share one cell, and these persons do add up. So they are counts, and
only the others are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PersonRows:
    """Whose rows are in the cells of a tally.

    `cell_persons[j]` persons have all their rows in cell j. Every other person p is listed: if
    `persons[i]` is p, then p has `rows[i]` rows in cell `cells[i]`. Listed persons are numbered from 0
    without gaps, and the list is sorted by person, then cell. Persons with fewer cells come first, then by
    their cells and rows, so that the same rows give the same list whatever the key's values are.
    """

    cell_persons: Ints
    cells: Ints
    persons: Ints
    rows: Ints

    @classmethod
    def listed(cls, cell_persons: Ints, cells: Ints, persons: Ints, rows: Ints) -> PersonRows:
        """Return persons from a list in any order; equal entries add up, and persons of one cell are counted.

        >>> zeros = np.zeros(3, dtype=np.int64)
        >>> found = PersonRows.listed(zeros, np.array([2, 0, 1, 1]), np.array([7, 7, 9, 9]), np.ones(4, int))
        >>> found.cell_persons.tolist(), found.cells.tolist(), found.persons.tolist()
        ([0, 1, 0], [0, 2], [0, 0])
        """
        order = np.lexsort((cells, persons))
        cells, persons, rows = cells[order], persons[order], rows[order]
        starts = _starts(persons, cells)
        rows = np.add.reduceat(rows, starts) if len(starts) else rows
        cells, persons = cells[starts], persons[starts]
        widths = _widths(_starts(persons), len(persons))
        alone = np.repeat(widths == 1, widths)
        cell_persons = cell_persons + np.bincount(cells[alone], minlength=len(cell_persons))
        return cls(cell_persons, *_numbered(cells[~alone], rows[~alone], widths[widths > 1]))

    @property
    def spread(self) -> int:
        """How many persons have rows in several cells."""
        return int(self.persons[-1]) + 1 if len(self.persons) else 0

    @property
    def total(self) -> int:
        """How many persons there are."""
        return int(self.cell_persons.sum()) + self.spread

    def regrouped(self, of: Ints, count: int) -> PersonRows:
        """Return whose rows are in other cells: cell j becomes part of `of[j]`; below 0 it goes."""
        stays = of >= 0
        alone = _added(of[stays], self.cell_persons[stays], count)
        here = stays[self.cells]
        return PersonRows.listed(alone, of[self.cells[here]], self.persons[here], self.rows[here])

    def in_groups(self, groups: Ints, count: int) -> Ints:
        """Return how many persons have a row in each group, if cell j is in group `groups[j]`."""
        # Nearly sorted already: many times as fast as numpy's `unique`.
        pairs = np.sort(self.persons * count + groups[self.cells], kind="stable")
        pairs = pairs[_starts(pairs)]
        return _added(groups, self.cell_persons, count) + np.bincount(pairs % count, minlength=count)

    def within(self, cells: npt.NDArray[np.bool_]) -> int:
        """Return how many persons have all their rows in some of the cells.

        >>> found = PersonRows.listed(np.array([2, 1]), np.array([0, 1]), np.array([5, 5]), np.ones(2, int))
        >>> found.within(np.array([True, False])), found.within(np.array([True, True]))
        (2, 4)
        """
        alone = int(self.cell_persons[cells].sum())
        if not len(self.persons):
            return alone
        whole = np.logical_and.reduceat(cells[self.cells], _starts(self.persons))
        return alone + int(np.count_nonzero(whole))

    def weights(self, groups: Ints, count: int, values: npt.NDArray[Any], width: int) -> Weights:
        """Return how much each value weighs in each group, where a person weighs one in a group.

        Cell j is in group `groups[j]` and has the value `values[j]`. A person with several rows in a group is
        spread evenly over them.
        """
        places = groups * width + values
        whole = _added(places, self.cell_persons, count * width)
        # Each person's values in each group, with the rows that have them.
        of, rows = self.persons * count + groups[self.cells], self.rows
        order = np.lexsort((places[self.cells], of))
        of, place, rows = of[order], places[self.cells][order], rows[order]
        starts = _starts(of, place)
        rows = np.add.reduceat(rows, starts) if len(starts) else rows
        of, place = of[starts], place[starts]
        begins = _starts(of)
        widths = _widths(begins, len(of))
        single = np.repeat(widths == 1, widths)
        whole += np.bincount(place[single], minlength=count * width)
        if single.all():
            return Weights(whole.reshape(count, width), np.ones(count, dtype=np.int64))
        place, rows = place[~single], rows[~single]
        widths = widths[widths > 1]
        begins = np.cumsum(widths) - widths
        divisors = np.gcd.reduceat(rows, begins)
        shares = np.add.reduceat(rows, begins) // divisors
        parts = rows // np.repeat(divisors, widths)
        return _scaled(whole.reshape(count, width), place, parts, np.repeat(shares, widths))


@dataclass(frozen=True)
class Weights:
    """What each value weighs in each group, in units of 1 / `scale[g]` of a person; exact."""

    counts: Any
    """One row per group and one column per value: 64-bit integers, or Python's where these are too few."""
    scale: Any


def _scaled(whole: Ints, place: Ints, parts: Ints, shares: Ints) -> Weights:
    """Return whole persons and parts of persons, `parts / shares` at each place, over common denominators."""
    count, width = whole.shape
    groups = place // width
    denominators = [1] * count
    for group, share in np.unique(np.stack([groups, shares], axis=1), axis=0).tolist():
        denominators[group] = lcm(denominators[group], share)
    persons = whole.sum(axis=1) + np.bincount(groups, minlength=count)
    kind: Any = np.int64
    if any(
        one * persons_ >= 1 << 62 for one, persons_ in zip(denominators, persons.tolist(), strict=True)
    ):
        kind = object
    scale = np.array(denominators, dtype=kind)
    counts = whole.astype(kind) * scale[:, None]
    np.add.at(counts.reshape(-1), place, parts.astype(kind) * (scale[groups] // shares.astype(kind)))
    return Weights(counts, scale)


def _added(places: Ints, counts: Ints, size: int) -> Ints:
    # Weights are added as doubles, which is exact up to 2^53.
    return np.bincount(places, weights=counts, minlength=size).astype(np.int64)


def _starts(*sorted_: Ints) -> Ints:
    """Return where a new entry begins, in arrays that are sorted together."""
    first = np.zeros(len(sorted_[0]), dtype=np.bool_)
    first[:1] = True
    for one in sorted_:
        first[1:] |= one[1:] != one[:-1]
    return np.flatnonzero(first)


def _widths(starts: Ints, end: int) -> Ints:
    return np.diff(np.append(starts, end))


def _numbered(cells: Ints, rows: Ints, widths: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the entries with persons numbered by what their entries are, not by their keys."""
    begins = np.cumsum(widths) - widths
    order: list[Ints] = []
    for width in np.unique(widths).tolist():
        at = begins[widths == width][:, None] + np.arange(width)
        keys: Sequence[Ints] = [*rows[at].T[::-1], *cells[at].T[::-1]]
        order.append(at[np.lexsort(keys)].reshape(-1))
    whole = np.concatenate(order) if order else np.zeros(0, dtype=np.int64)
    return cells[whole], np.repeat(np.arange(len(widths)), np.sort(widths)), rows[whole]
