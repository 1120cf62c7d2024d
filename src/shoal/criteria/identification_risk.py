"""Limits on the risk that a row is found: the highest, the average, and uniqueness in the population.

A row's risk in a group of n rows is 1 / n, the prosecutor's. If the table is a sample, and each row
stands for at least 1 / fraction persons, it is the one of `individual_risk` at n / fraction persons:
where weights differ, this is never below the true risk, which falls as the persons grow in number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, fsum

import numpy as np

from shoal.criteria.criterion import Criterion, Groups, Ints, Mask, Weighing
from shoal.criteria.individual_risk import Floats, individual_risk

SLACK = 1e-9
"""Estimated risks keep a limit only with this share to spare, so that another computation of them agrees."""


def risk_of_rows(sizes: Ints, fraction: Fraction | None) -> Floats:
    """Return the risk of a row in groups of these sizes; for a sample, with room for rounding."""
    if fraction is None or fraction == 1:
        return np.asarray(1 / np.maximum(sizes, 1), dtype=np.float64)
    persons = sizes / float(fraction)
    return np.asarray(individual_risk(np.maximum(sizes, 1), persons) * (1 + SLACK), dtype=np.float64)


def least_rows(limit: Fraction, fraction: Fraction | None = None) -> int:
    """Return the fewest rows that keep a group's risk within a limit above 0.

    The risk falls with the rows (`individual_risk`), and is at most 1 / n.

    >>> least_rows(Fraction(9, 100)), least_rows(Fraction(9, 100), Fraction(1, 100))
    (12, 1)
    """
    low, high = 1, ceil(1 / limit)
    if fraction is None or fraction == 1:
        return high
    while low < high:
        middle = (low + high) // 2
        within = risk_of_rows(np.array([middle]), fraction)[0] <= float(limit)
        low, high = (low, middle) if within else (middle + 1, high)
    return low


@dataclass(frozen=True)
class MaxRisk(Criterion):
    """No row is found with a higher risk than the limit; so every group has `least` rows.

    Monotone, with and without suppression: the risk falls with the rows of a group.
    """

    name = "max risk"
    monotone_with_suppression = True
    limit: Fraction
    fraction: Fraction | None = None

    @property
    def least(self) -> int:
        """The fewest rows of a group."""
        return least_rows(self.limit, self.fraction)

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have enough rows."""
        return groups.sizes >= self.least


@dataclass(frozen=True)
class AverageRisk(Weighing):
    """On average over the persons of all released groups the risk is at most the limit.

    If it is more, the smallest groups are suppressed, all of one size at a time, until it is not. Alone
    or with k, where each row is a person, no other choice of groups suppresses fewer rows, except that
    some groups of the last size might be enough. Let c(n) = n (r(n) - limit) be what a group of n rows
    adds to the sum that must not be above 0. n r(n) falls with n (`individual_risk`), so c does: of all
    choices of m groups, the m smallest have the fewest rows and lower the sum the most. A size of which
    some must go adds c > 0, so the rest of it may go as well.

    Monotone if nobody is in several groups: a merged group adds no more than its largest part, and the
    persons stay. (Two large groups of the same persons count twice, and merged once: the test
    `large_groups_join`.) Not so with suppression: merged groups may reach a size that is released, and raise
    the average (the test `small_groups_join`).
    """

    name = "average risk"
    monotone_with_suppression = False
    local = False
    limit: Fraction
    fraction: Fraction | None = None

    def kept(self, groups: Groups) -> Mask:
        """Return the groups from the least size on at which those of that size or more keep it."""
        each, counts = np.unique(groups.sizes, return_counts=True)
        rows = [int(n * m) for n, m in zip(each.tolist(), counts.tolist(), strict=True)]
        for i in range(len(each)):
            if self._keeps(each[i:], counts[i:], sum(rows[i:])):
                return np.asarray(groups.sizes >= each[i], dtype=np.bool_)
        return np.zeros(len(groups), dtype=np.bool_)

    def _keeps(self, sizes: Ints, counts: Ints, rows: int) -> bool:
        if self.fraction is None or self.fraction == 1:
            return int(counts.sum()) <= self.limit * rows
        risks = risk_of_rows(sizes, self.fraction) * sizes * counts
        return fsum(risks.tolist()) <= float(self.limit) * rows


@dataclass(frozen=True)
class PopulationUniques(Criterion):
    """At most the limit, as a share of the released rows, are unique in the population by Zayatz's estimate.

    With m_i groups of i rows, and each person drawn with the chance p, Bayes' rule makes a unique row unique
    in the population with the chance m_1 / sum of i m_i (1 - p)^(i - 1), which rises with p. If the share is
    above the limit, all unique rows are suppressed.

    Not monotone: merging groups of two rows makes it less likely that a unique row comes from a larger class
    of the population (the test `pairs_join`).
    """

    name = "population uniques"
    monotone = False
    monotone_with_suppression = False
    local = False
    limit: Fraction
    fraction: Fraction | None = None

    def kept(self, groups: Groups) -> Mask:
        """Return all groups if the estimate is within the limit, else those of more than one row."""
        alone = np.asarray(groups.sizes == 1, dtype=np.bool_)
        singles, rows = int(alone.sum()), int(groups.sizes.sum())
        if self.fraction is None or self.fraction == 1:
            within = singles <= self.limit * rows
        else:
            hidden = (1 - float(self.fraction)) ** np.maximum(groups.sizes - 1, 0)
            total = fsum((groups.sizes * hidden).tolist())
            within = singles**2 * (1 + SLACK) <= float(self.limit) * rows * total
        return np.ones(len(groups), dtype=np.bool_) if within else ~alone
