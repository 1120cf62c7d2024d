"""Counts of sensitive values as bad as the missing ones can make them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.criteria.criterion import Groups, Ints
from shoal.describe.hierarchies import Label


def ranked(groups: Groups, column: str, domain: Sequence[Label]) -> Ints:
    """Return the counts of each group's values, the most frequent first.

    A missing value may be any value. Whatever they are, no counts are less even than those where all of
    them are the most frequent value (these majorize all others), so they are counted with it.
    """
    histogram = groups.histograms[column]
    known = np.array([value is not None for value in domain], dtype=np.bool_)
    counts = -np.sort(-histogram[:, known], axis=1)
    if not counts.shape[1]:
        counts = np.zeros((len(groups), 1), dtype=np.int64)
    counts[:, 0] += groups.sizes - histogram[:, known].sum(axis=1)
    return counts
