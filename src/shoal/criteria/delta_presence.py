"""Delta-presence (Nergiz, Atzori and Clifton 2007): it stays uncertain who is in the released table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.criteria.criterion import Groups, Mask, Weighing, at_most, times
from shoal.criteria.population import counted
from shoal.describe.promise import Presence


@dataclass(frozen=True)
class DeltaPresence(Weighing):
    """A person of the population is in the release with a probability between low and high.

    In a group the probability is its persons / the population's persons in it. A person in no released group
    is certainly not in the release, so with a low above 0 the groups must contain the whole population of
    `rows` rows, each a person.

    Monotone if nobody is in several groups: a merged group's probability is between those of its parts; rows
    of the population that come from no group lower it, and with a low above 0 there are none. Not so with
    suppression: a group that keeps it may be merged with one that breaks it (the test `good_with_bad`).
    """

    name = "delta"
    monotone_with_suppression = False
    local = False
    limits: Presence
    rows: int

    def kept(self, groups: Groups) -> Mask:
        """Return in which groups the probability is within its limits, compared exactly in integers."""
        population = counted(groups)
        low, high = self.limits.low, self.limits.high
        enough = times(population, low.numerator) <= times(groups.sizes, low.denominator)
        result = enough & at_most(groups.sizes, high, population)
        if low and int(population.sum()) < self.rows:
            result[:] = False
        return np.asarray(result, dtype=np.bool_)
