"""Share limits (Liu and Wang 2010, l+-diversity): no value is inferred with more confidence than theta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.criteria.criterion import Groups, Mask, Weighing, at_most
from shoal.describe.hierarchies import Label
from shoal.describe.promise import ShareLimits


@dataclass(frozen=True)
class ShareLimit(Weighing):
    """In every group the share of each sensitive value is at most its limit, compared exactly in integers.

    The share of missing values has no limit. With `limits.known` shares are parts of the rows that have a
    value, so that no missing value hides another one; otherwise missing values count in the group.

    Monotone if nobody is in several groups: a merged group's share is an average of its parts' shares,
    weighed by what they are parts of; a group without values keeps every limit. Not so with
    suppression: a group that keeps the limit may be merged with one that breaks it (the test
    `good_with_bad`).
    """

    name = "theta"
    monotone_with_suppression = False
    column: str
    domain: Sequence[Label]
    limits: ShareLimits

    def violations(self, groups: Groups) -> Mask:
        """Return which values have too large a share, one row per group and one column per value."""
        histogram, totals = groups.histograms[self.column], groups.totals(self.column)
        if self.limits.known and None in self.domain:
            totals = totals - histogram[:, list(self.domain).index(None)]
        result = np.zeros(histogram.shape, dtype=np.bool_)
        for v, value in enumerate(self.domain):
            limit = self.limits.of(value)
            if limit is not None:
                result[:, v] = ~at_most(histogram[:, v], limit, totals)
        return result

    def kept(self, groups: Groups) -> Mask:
        """Return in which groups no value has too large a share."""
        return ~np.asarray(self.violations(groups).any(axis=1), dtype=np.bool_)
