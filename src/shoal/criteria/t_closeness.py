"""t-closeness (Li, Li and Venkatasubramanian 2007): a group's values are distributed like the table's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.criteria.criterion import Criterion, Groups, Mask
from shoal.criteria.flows import flows
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Distance

EQUAL = Distance()
NEAR = 1e-9
"""Smaller float differences are decided exactly."""


@dataclass(frozen=True)
class TCloseness(Criterion):
    """The values of every group are within distance t of those of all released rows.

    The distance is the earth mover's, by a ground distance between values. The missing value is a value of
    its own, at distance 1 or more from every other.

    Monotone: the distance is convex, so a merged group's is at most the larger of its parts'. Not so with
    suppression: a group that keeps it may be merged with one that breaks it (the test `good_with_bad`), and
    suppressing rows changes what all groups are compared with.
    """

    name = "t"
    monotone_with_suppression = False
    local = False
    column: str
    t: Fraction
    domain: Sequence[Label] = ()
    distance: Distance = EQUAL

    def kept(self, groups: Groups) -> Mask:
        """Return which groups are within t: by floats, and by integers if they nearly tie."""
        found = flows(self.distance, groups.histograms[self.column], self.domain)
        totals, rows = found.beyond.sum(axis=0), int(groups.sizes.sum())
        sizes = np.maximum(groups.sizes, 1)[:, None]
        apart = np.abs(found.beyond / sizes - totals / max(rows, 1)) @ found.lengths / found.unit
        result = np.asarray(apart <= float(self.t), dtype=np.bool_)
        for g in np.flatnonzero(np.abs(apart - float(self.t)) <= NEAR).tolist():
            size = int(groups.sizes[g])
            moved = sum(
                length * abs(beyond * rows - total * size)
                for length, beyond, total in zip(
                    found.lengths.tolist(), found.beyond[g].tolist(), totals.tolist(), strict=True
                )
            )
            result[g] = moved * self.t.denominator <= self.t.numerator * found.unit * size * rows
        return result
