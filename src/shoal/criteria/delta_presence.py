"""Delta-presence (Nergiz, Atzori and Clifton 2007): who is in the released table stays uncertain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.criteria.criterion import Criterion, Groups, Mask, at_most, times
from shoal.criteria.population import counted
from shoal.describe.promise import Presence


@dataclass(frozen=True)
class DeltaPresence(Criterion):
    """A person of the population is in the release with a chance between low and high.

    In a group that is rows of it / rows of the population in it. A person in no released group is surely
    not in the release: with a low above 0 the groups must hold the whole population, of `rows` rows.

    Monotone: a merged group's chance lies between those of its parts; rows of the population that come from
    no group make it smaller, and with a low above 0 there are none. Not so with suppression: a group that
    keeps it may be merged with one that breaks it (the test `good_with_bad`).
    """

    name = "delta"
    monotone_with_suppression = False
    local = False
    limits: Presence
    rows: int

    def kept(self, groups: Groups) -> Mask:
        """Return in which groups the chance is within its limits, compared in whole numbers."""
        population = counted(groups)
        low, high = self.limits.low, self.limits.high
        enough = times(population, low.numerator) <= times(groups.sizes, low.denominator)
        result = enough & at_most(groups.sizes, high, population)
        if low and int(population.sum()) < self.rows:
            result[:] = False
        return np.asarray(result, dtype=np.bool_)
