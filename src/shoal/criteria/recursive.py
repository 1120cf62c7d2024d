"""Recursive (c, l)-diversity (Machanavajjhala and others 2006): no value is too frequent for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.criteria.criterion import Criterion, Groups, Mask, times
from shoal.criteria.worst_case import ranked
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Recursive


@dataclass(frozen=True)
class RecursiveDiversity(Criterion):
    """In every group r_1 < c * (r_l + ... + r_m), the counts r of its values from the most frequent down.

    It must hold whatever the missing values are.

    Monotone: when groups are merged, the largest count and the sum of the l - 1 largest are at most the sums
    of those of the parts, and the rows are the sum of the parts' rows; so the inequalities add up. Not so
    with suppression: a group that keeps it may be merged with one that breaks it (the test `good_with_bad`).
    """

    name = "recursive (c, l)"
    monotone_with_suppression = False
    column: str
    domain: Sequence[Label]
    limit: Recursive

    def kept(self, groups: Groups) -> Mask:
        """Return which groups keep it, compared in whole numbers."""
        counts = ranked(groups, self.column, self.domain)
        rest = counts[:, self.limit.l - 1 :].sum(axis=1)
        c = self.limit.c
        less = times(counts[:, 0], c.denominator) < times(rest, c.numerator)
        return np.asarray(less, dtype=np.bool_)
