"""Distinct l-diversity (Machanavajjhala and others 2006): a group has several sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.criteria.criterion import Criterion, Groups, Mask
from shoal.describe.hierarchies import Label


@dataclass(frozen=True)
class DistinctDiversity(Criterion):
    """Every group has at least l distinct values; the missing value is none.

    Monotone, with and without suppression: a group has every value that a part of it has.
    """

    name = "distinct l"
    monotone_with_suppression = True
    column: str
    domain: Sequence[Label]
    l: int  # noqa: E741  the literature's name

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have l values."""
        present = np.array([value is not None for value in self.domain])
        distinct = (groups.histograms[self.column][:, present] > 0).sum(axis=1)
        return np.asarray(distinct >= self.l, dtype=np.bool_)
