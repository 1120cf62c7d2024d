"""How far classes are from the table if a person weighs one in each, with a bound for nodes below.

A person in several classes has other weights in each, so the shares of a class are not an average of those of
its parts, and its distance t may be larger than theirs. But a bound holds. Let C be a class of a node H, W_v
its weight of value v and n its persons, and let C_1, ..., C_m be the classes of a node below H that make it
up. In its part a row weighs no less than in C, since its person has no more rows there, and no more than in
its combination. So if Q_v adds up the weights of C's combinations, and P their persons, then the weights of
the parts add up to some Y_v with W_v <= Y_v <= Q_v, and their persons to some x with n <= x <= P.

The distance from the table's shares T is convex. So the largest of the parts' distances is at least that of
their average, weighted by their persons, Y_v / x. The distance is the sum of what the shares above T exceed
it by, and also of what those below T lack. So it is at least

    f(x) = sum over v of max(0, W_v / x - T_v)    and    g(x) = sum over v of max(0, T_v - Q_v / x).

f never rises with x, and g never falls. So the largest distance below H is at least f(P), at least g(n), and
for any y at least the smaller of f(y) and g(y): either x <= y, or x >= y. If nobody of C is in two of its
combinations, n = P and W = Q, and f(P) is the distance of C.

The kernel (`kernels/lattice/person_measures.hpp`) computes both in whole numbers. This is for tables whose
weights need more than 64 bits, and it is what the kernel is compared with.
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
        self._each = _shares(whose, tally.cell_combinations, len(tally))
        self._persons = whose.in_groups(tally.cell_combinations, len(tally))
        everything = np.zeros(len(tally), dtype=np.int64)
        self._whole: dict[str, list[int]] = {
            name: [int(weight) for weight in tally.weights(name, everything, 1).counts[0]]
            for name in columns
        }

    def at(self, of: Ints, count: int) -> Distances:
        """Return the distances of a node, given the class of every combination."""
        own = _shares(self._whose, of[self._tally.cell_combinations], count)
        largest, below = Fraction(0), 0.0
        for name in self._columns:
            size = sum(self._whole[name])
            shares = np.array([weight / size for weight in self._whole[name]])
            apart, least = self._apart(own, of, count, name, shares)
            below = max(below, least)
            near = np.flatnonzero(apart >= apart.max(initial=0) - NEAR)
            largest = max(largest, self._exactly(of, near, name))
        return Distances(largest, Fraction(max(floor((below - NEAR) * GRAIN), 0), GRAIN))

    def _apart(
        self, shares: Floats, of: Ints, count: int, column: str, whole: Floats
    ) -> tuple[Floats, float]:
        """Return the distance of every class, and the bound."""
        width = len(whole)
        places = of[self._tally.cell_combinations] * width + self._tally.in_cells(column)

        def weights(listed: Floats) -> Floats:
            alone = np.bincount(places, self._whose.cell_persons, count * width).astype(np.float64)
            found: Floats = alone + np.bincount(places[self._whose.cells], listed, count * width)
            return found.reshape(count, width)

        own, each = weights(shares), weights(self._each)
        fewest = np.rint(own.sum(axis=1))
        most = np.bincount(of, self._persons, count).astype(np.float64)

        def over(x: Floats) -> Floats:
            found: Floats = np.maximum(own / x[:, None] - whole, 0).sum(axis=1)
            return found

        def under(x: Floats) -> Floats:
            found: Floats = np.maximum(whole - each / x[:, None], 0).sum(axis=1)
            return found

        bounds = np.maximum(over(most), under(fewest))
        low, high = fewest, most
        while (low < high).any():
            x = (low + high) // 2
            bounds = np.maximum(bounds, np.minimum(over(x), under(x)))
            more = (over(x) > under(x)) & (low < high)
            low, high = np.where(more, x + 1, low), np.where(more, high, x)
        apart = np.abs(own / fewest[:, None] - whole).sum(axis=1) / 2
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


def _shares(whose: PersonRows, groups: Ints, count: int) -> Floats:
    """Return which part of a listed person is in each of their cells, of those in the same group."""
    _, run = np.unique(whose.persons * count + groups[whose.cells], return_inverse=True)
    run = run.reshape(-1)
    shares: Floats = whose.rows / np.bincount(run, weights=whose.rows)[run]
    return shares
