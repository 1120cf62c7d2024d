"""How far classes are from the table if a person weighs one in each, with a bound for nodes below.

A person in several classes has other weights in each, so the shares of a class are not an average of
those of its parts, and its distance t may be larger than theirs. But a bound holds. Let C be a class of
a node H, and C_1, ..., C_n the classes of a node below H that make it up. Call a person of C fixed if
all rows that they have in C lie in one combination: they are in one part, with the same weights as in C.
Let A_v be what the fixed persons weigh on value v in C, and a their number. Every other person of C is
in at least one part and at most as many as they have combinations in C; let M be the sum of these, and
M_v the part of it in which v occurs.

The distance from the table's shares T is convex. So the largest of the parts' distances is at least that of
their average y, weighted by their persons: y_v = (A_v + B_v) / (a + B), where B_v is what the other persons
weigh on v in all parts together, and B the sum of these, at most M. So y_v >= A_v / (a + M). And B_v is at
most M_v and at most B, so y_v <= (A_v + M_v) / (a + M_v). The distance is the sum of what the shares
above T exceed it by, and also of what those below T lack. So the largest distance below H is at least

    sum over v of max(0, A_v / (a + M) - T_v)    and    sum over v of max(0, T_v - (A_v + M_v) / (a + M_v)).

If all persons of C are fixed, M is 0, and both are the distance of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
import numpy.typing as npt

from shoal.criteria.criterion import weighed
from shoal.data.person_rows import PersonRows
from shoal.data.tally import Tally

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEAR = 1e-9
"""More than the error of floats here: distances this near the largest are computed exactly."""
GRAIN = 1 << 40
"""Bounds are rounded down to multiples of 1 / GRAIN."""


@dataclass(frozen=True)
class Distances:
    """The largest distance of a node's classes, and a lower bound of that of every node below it."""

    largest: Fraction
    below: Fraction


class PersonDistances:
    """The distances of classes from the table in some columns, all values equally far apart."""

    def __init__(self, tally: Tally, whose: PersonRows, columns: Sequence[str]) -> None:
        self._tally, self._whose, self._columns = tally, whose, tuple(columns)
        everything = np.zeros(len(tally), dtype=np.int64)
        self._whole: dict[str, list[int]] = {
            name: [int(weight) for weight in tally.weights(name, everything, 1).counts[0]]
            for name in columns
        }

    def at(self, of: Ints, count: int) -> Distances:
        """Return the distances of a node, given the class of every combination."""
        spread = _Spread.over(self._tally, self._whose, of, count)
        largest, below = Fraction(0), 0.0
        for name in self._columns:
            size = sum(self._whole[name])
            shares = np.array([weight / size for weight in self._whole[name]])
            apart, least = self._apart(spread, of, count, name, shares)
            below = max(below, least)
            near = np.flatnonzero(apart >= apart.max(initial=0) - NEAR)
            largest = max(largest, self._exactly(of, near, name))
        return Distances(largest, Fraction(max(floor((below - NEAR) * GRAIN), 0), GRAIN))

    def _apart(
        self, spread: _Spread, of: Ints, count: int, column: str, whole: Floats
    ) -> tuple[Floats, float]:
        """Return the distance of every class, and the bound."""
        width = len(whole)
        places = of[self._tally.cell_combinations] * width + self._tally.in_cells(column)
        place, fixed = places[spread.cells], spread.fixed

        def added(at: Ints, weights: npt.NDArray[np.generic] | None = None) -> Floats:
            found = np.bincount(at, weights=weights, minlength=count * width)
            return found.reshape(count, width).astype(np.float64)

        own = added(places, self._whose.cell_persons) + added(place[fixed], spread.shares[fixed])
        every = own + added(place[~fixed], spread.shares[~fixed])
        apart = np.abs(every / every.sum(axis=1, keepdims=True) - whole).sum(axis=1) / 2
        loose, persons = added(place[~fixed]), own.sum(axis=1, keepdims=True)
        # Nobody is in a class without persons, and a value that nobody there has keeps a share of 0.
        least = own / np.maximum(persons + spread.most[:, None], NEAR)
        highest = (own + loose) / np.maximum(persons + loose, NEAR)
        over, under = np.maximum(least - whole, 0), np.maximum(whole - highest, 0)
        bounds = np.maximum(over.sum(axis=1), under.sum(axis=1))
        return apart, float(bounds.max(initial=0))

    def _exactly(self, of: Ints, classes: Ints, column: str) -> Fraction:
        """Return the largest distance of some classes."""
        whole, tally = self._whole[column], self._tally
        place = np.full(int(of.max(initial=0)) + 1, -1, dtype=np.int64)
        place[classes] = np.arange(len(classes))
        group = place[of[tally.cell_combinations]]
        cells = np.where(group < 0, -1, group * len(whole) + tally.in_cells(column))
        found = weighed(self._whose.regrouped(cells, len(classes) * len(whole)), len(classes))
        size, largest = sum(whole), Fraction(0)
        for counts in {tuple(map(int, row)) for row in found.counts}:
            own = sum(counts)
            moved = sum(abs(n * size - all_ * own) for n, all_ in zip(counts, whole, strict=True))
            largest = max(largest, Fraction(moved, 2 * own * size))
        return largest


@dataclass(frozen=True)
class _Spread:
    """The listed persons by class: each of their cells, the part of them there, and whether they are fixed.

    `most` counts the combinations of those who are not fixed, added up by class.
    """

    cells: Ints
    shares: Floats
    fixed: npt.NDArray[np.bool_]
    most: Ints

    @classmethod
    def over(cls, tally: Tally, whose: PersonRows, of: Ints, count: int) -> _Spread:
        key = whose.persons * count + of[tally.cell_combinations[whose.cells]]
        # Cells are in the order of combinations, so within a person and class equal ones are adjacent.
        order = np.argsort(key, kind="stable")
        key, cells, rows = key[order], whose.cells[order], whose.rows[order]
        combination = tally.cell_combinations[cells]
        first = np.ones(len(key), dtype=np.bool_)
        first[1:] = key[1:] != key[:-1]
        another = first.copy()
        another[1:] |= combination[1:] != combination[:-1]
        run = np.cumsum(first) - 1
        shares = rows / np.bincount(run, weights=rows)[run]
        fixed = (np.bincount(run, weights=another) == 1)[run]
        return cls(cells, shares, fixed, np.bincount(key[another & ~fixed] % count, minlength=count))
