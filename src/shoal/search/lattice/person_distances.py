"""How far classes are from the table where a person weighs one in a class, and how far those below are.

A person in several classes has other weights in each, so the shares of a class are no average of those of its
parts, and its distance t may be larger than theirs. But a bound holds. Let C be a class of a node H, and C_1,
..., C_n the classes of a node below H that make it up. Call a person of C fixed if all rows that they have in
C lie in one combination: they are in one part, with the same weights as in C. Let A_v be what the fixed
persons weigh on value v in C, and a their number. Every other person of C is in at least one part and at most
as many as they have combinations in C; let M be the sum of these, and M_v the part of it in which v occurs.

The distance from the table's shares T is convex. So the largest of the parts' distances is at least that of
their average y, weighted by their persons: y_v = (A_v + B_v) / (a + B), where B_v is what the other persons
weigh on v in all parts together, and B the sum of these, at most M. So y_v >= A_v / (a + M). And B_v is at
most M_v and at most B, so y_v <= (A_v + M_v) / (a + M_v). The distance is the sum of what shares exceed T by,
and also of what they fall short of it. So the largest distance below H is at least

    sum over v of max(0, A_v / (a + M) - T_v)    and    sum over v of max(0, T_v - (A_v + M_v) / (a + M_v)).

If all persons of C are fixed, M is 0, and both are the distance of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.criteria import Groups
from shoal.data.tally import Tally

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEAR = 1e-9
"""More than what floats may be wrong by here: distances that are so near the largest are computed exactly."""
GRAIN = 1 << 40
"""Bounds are rounded down to multiples of one part of so many."""


class PersonDistances:
    """The distances of classes from the table in some columns, all values equally far apart."""

    def __init__(self, tally: Tally, columns: Sequence[str]) -> None:
        self._tally, self._columns = tally, tuple(columns)
        everything = np.zeros(len(tally), dtype=np.int64)
        self._whole: dict[str, tuple[list[int], int]] = {}
        for name in columns:
            weights = [int(weight) for weight in tally.weights(name, everything, 1).counts[0]]
            self._whole[name] = (weights, sum(weights))

    def largest(self, groups: Groups) -> Fraction:
        """Return the largest distance of a group, over all columns."""
        return max((self._largest(groups, name) for name in self._columns), default=Fraction(0))

    def _largest(self, groups: Groups, column: str) -> Fraction:
        counts, totals = groups.histograms[column], groups.totals(column)
        whole, size = self._whole[column]
        shares = np.asarray(counts / totals[:, None], dtype=np.float64)
        apart = np.abs(shares - self._shares(column)).sum(axis=1) / 2
        found = Fraction(0)
        for g in np.flatnonzero(apart >= apart.max(initial=0) - NEAR).tolist():
            own = int(totals[g])
            moved = sum(
                abs(int(count) * size - all_ * own) for count, all_ in zip(counts[g], whole, strict=True)
            )
            found = max(found, Fraction(moved, 2 * own * size))
        return found

    def below(self, of: Ints, count: int) -> Fraction:
        """Return a bound that no node below has a smaller largest distance than, given a node's classes."""
        bounds = [self._below(of, count, name) for name in self._columns]
        return Fraction(max(floor((max(bounds) - NEAR) * GRAIN), 0), GRAIN)

    def _below(self, of: Ints, count: int, column: str) -> float:
        tally = self._tally
        whose: Any = tally.persons
        width = len(tally.domain(column))
        places = of[tally.cell_combinations] * width + tally.in_cells(column)
        # Cells are in the order of combinations, so within a person and class equal ones are adjacent.
        key = whose.persons * count + of[tally.cell_combinations[whose.cells]]
        order = np.argsort(key, kind="stable")
        key, cells, rows = key[order], whose.cells[order], whose.rows[order]
        combination = tally.cell_combinations[cells]
        first = np.ones(len(key), dtype=np.bool_)
        first[1:] = key[1:] != key[:-1]
        another = first.copy()
        another[1:] |= combination[1:] != combination[:-1]
        starts = np.flatnonzero(first)
        lengths = np.diff(np.append(starts, len(key)))
        if len(key):
            parts = np.repeat(np.add.reduceat(another.astype(np.int64), starts), lengths)
            shares = rows / np.repeat(np.add.reduceat(rows, starts), lengths)
        else:
            parts, shares = np.zeros(0, dtype=np.int64), np.zeros(0)
        fixed, place = parts == 1, places[cells]
        size = count * width
        own = np.bincount(places, weights=whose.cell_persons, minlength=size)
        own += np.bincount(place[fixed], weights=shares[fixed], minlength=size)
        loose = np.bincount(place[~fixed], minlength=size).reshape(count, width)
        classes = key[another & ~fixed] % count
        most = np.bincount(classes, minlength=count)
        own = own.reshape(count, width)
        persons, whole = own.sum(axis=1), self._shares(column)
        least = own / np.maximum(persons + most, 1)[:, None]
        highest = (own + loose) / np.maximum(persons[:, None] + loose, NEAR)
        over = np.maximum(least - whole, 0).sum(axis=1)
        under = np.maximum(whole - highest, 0).sum(axis=1)
        return float(np.maximum(over, under).max(initial=0))

    def _shares(self, column: str) -> Floats:
        weights, size = self._whole[column]
        return np.array([weight / size for weight in weights])
