"""t-closeness (Li, Li and Venkatasubramanian 2007): a group's values are distributed like the table's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal.criteria.criterion import Groups, Ints, Mask, Weighing
from shoal.criteria.flows import Edges, edges_between, flows
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Distance
from shoal.kernels import least_gone, within

EQUAL = Distance()
NEAR = 1e-9
"""Smaller float differences are decided exactly."""


@dataclass(frozen=True)
class TCloseness(Weighing):
    """The values of every group are within distance t of those of all released rows.

    The distance is the earth mover's, by a ground distance between values. The missing value is a value of
    its own, at distance 1 or more from every other. All released rows are weighed as one group: a person
    weighs one in it too.

    Monotone if nobody is in several groups: the distance is convex, so a merged group's is at most the larger
    of its parts'. Not so with suppression: a group that keeps it may be merged with one that breaks it (the
    test `good_with_bad`), and suppressing rows changes what all groups are compared with.
    """

    name = "t"
    monotone_with_suppression = False
    local = False
    column: str
    t: Fraction
    domain: Sequence[Label] = ()
    distance: Distance = EQUAL

    def kept(self, groups: Groups) -> Mask:
        """Return which groups are within t, computed exactly."""
        histogram = groups.histograms[self.column]
        edges = self.edges
        if edges is None or self.column in groups.whose or not self.small(histogram, edges):
            return self._kept_by_flows(groups)
        found = within(histogram, edges.of, edges.lengths, *self.bound)
        return found[:, 0].astype(np.bool_)

    def least_gone(self, groups: Groups, limit: int) -> Ints:
        """Return how many rows of each group go at least, if finer groups are released and `limit` may go.

        Proof. The groups together are all rows, P, and the finer groups that are released are within t of all
        released rows, Q. What is released of a group is a union of such finer groups, so it is within t of Q
        too: the distance is convex. At most `limit` of n rows are not in Q, and no two values are more than 1
        apart, so Q is within limit / n of P, and what is released of a group within t + limit / n of P. So
        many of its rows must go that the others can be that near (`closeness.hpp` has the number). In an
        order, how far two values are depends on which are released, so nothing is said there.
        """
        histogram, edges = groups.histograms[self.column], self.edges
        far = self.t + Fraction(limit, max(int(groups.sizes.sum()), 1))
        usable = edges is not None and self.column not in groups.whose and not self.spread and far < 1
        if not usable or edges is None or not self.small(histogram, edges):
            return np.zeros(len(groups), dtype=np.int64)
        return least_gone(histogram, edges.of, edges.lengths, edges.unit, float(far))[:, 0]

    @cached_property
    def edges(self) -> Edges | None:
        """The edges between all values, if they do not depend on which values are released."""
        return edges_between(self.distance, self.domain)

    @cached_property
    def bound(self) -> tuple[int, int]:
        """The distance t in the unit of the edges, as a fraction."""
        bound = self.t * (self.edges.unit if self.edges is not None else 1)
        return bound.numerator, bound.denominator

    def small(self, histogram: Ints, edges: Edges) -> bool:
        """Return whether the kernels' numbers are large enough."""
        rows = int(np.abs(histogram).sum()) + 1
        most = max(sum(edges.lengths) * len(edges.of), self.bound[0])
        return rows < 2**31 and rows * rows * (most + 1) < 2**62

    def _kept_by_flows(self, groups: Groups) -> Mask:
        """Return which groups are within t: by floats, and by integers if they nearly tie."""
        histogram, weights = groups.histograms[self.column], groups.totals(self.column)
        if self.column in groups.whose:
            everything = groups.together(self.column)
            found = flows(self.distance, np.concatenate([histogram, everything[None]]), self.domain)
            found, totals = replace(found, beyond=found.beyond[:-1]), found.beyond[-1]
            rows = int(everything.sum())
        else:
            found = flows(self.distance, histogram, self.domain)
            totals, rows = found.beyond.sum(axis=0), int(groups.sizes.sum())
        shares = np.asarray(found.beyond / np.maximum(weights, 1)[:, None], dtype=np.float64)
        whole = np.asarray(totals / max(rows, 1), dtype=np.float64)
        apart = np.abs(shares - whole) @ found.lengths / found.unit
        result = np.asarray(apart <= float(self.t), dtype=np.bool_)
        for g in np.flatnonzero(np.abs(apart - float(self.t)) <= NEAR).tolist():
            size = int(weights[g])
            moved = sum(
                length * abs(beyond * rows - total * size)
                for length, beyond, total in zip(
                    found.lengths.tolist(), found.beyond[g].tolist(), totals.tolist(), strict=True
                )
            )
            result[g] = moved * self.t.denominator <= self.t.numerator * found.unit * size * rows
        return result
