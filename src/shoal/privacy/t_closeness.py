"""t-closeness (Li, Li and Venkatasubramanian 2007): a group's values are spread much as the table's are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.privacy.base import Criterion, Groups, Ints, Mask


@dataclass(frozen=True)
class TCloseness(Criterion):
    """In every group the values lie within t of those of all released rows, all values equally far apart.

    The distance is half the sum of the differences of the shares. Monotone: a merged group's distance is at
    most the larger of its parts' (the distance is convex). Not so with suppression: the part that is merged
    may be one that breaks it, and what is suppressed changes the table's own shares.
    """

    name = "t"
    monotone_with_suppression = False
    local = False
    column: str
    t: Fraction

    def kept(self, groups: Groups) -> Mask:
        """Return which groups lie within t."""
        twice, rows = self.distances(groups)
        # distance = twice / (2 * size * rows), compared in whole numbers
        most = [2 * int(n) * rows * self.t.numerator for n in groups.sizes]
        return np.array(
            [int(d) * self.t.denominator <= m for d, m in zip(twice.tolist(), most, strict=True)],
            dtype=np.bool_,
        )

    def distances(self, groups: Groups) -> tuple[Ints, int]:
        """Return each group's distance times 2 * its rows * all rows, and how many rows there are."""
        histogram = groups.histograms[self.column]
        totals, rows = histogram.sum(axis=0), int(groups.sizes.sum())
        return np.abs(histogram * rows - totals * groups.sizes[:, None]).sum(axis=1), rows
