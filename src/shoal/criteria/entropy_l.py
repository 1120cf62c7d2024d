"""Entropy l-diversity (Machanavajjhala and others 2006): values as uncertain as l equally frequent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, log, prod

import numpy as np
import numpy.typing as npt

from shoal.criteria.criterion import Criterion, Groups, Mask
from shoal.criteria.worst_case import ranked
from shoal.describe.hierarchies import Label

NEAR = 1e-11
"""Floats that differ by less than this share of n log n do not decide."""


@dataclass(frozen=True)
class EntropyDiversity(Criterion):
    """In every group the entropy of the values is at least log l, whatever the missing ones are.

    Monotone: entropy is concave, so a merged group has at least the average of its parts' entropies. Not so
    with suppression: a group that keeps it may be merged with one that breaks it (the test `good_with_bad`).
    """

    name = "entropy l"
    monotone_with_suppression = False
    column: str
    domain: Sequence[Label]
    l: Fraction  # noqa: E741  the literature's name

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have the entropy: floats decide, and whole numbers where they nearly tie."""
        counts = ranked(groups, self.column, self.domain)
        # n * entropy = n log n - sum of n_s log n_s
        whole, parts = _weighted(groups.sizes), _weighted(counts).sum(axis=1)
        excess = whole - parts - groups.sizes * log(self.l)
        result = np.asarray(excess >= 0, dtype=np.bool_)
        for g in np.flatnonzero(np.abs(excess) <= NEAR * (whole + groups.sizes)).tolist():
            result[g] = enough(counts[g].tolist(), self.l)
        return result


def enough(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Return whether the entropy of counts is at least log l, in whole numbers.

    entropy >= log l means prod n_s^n_s * l^n <= n^n. Counts without their common divisor say the same.

    >>> enough([2, 2, 2], Fraction(3)), enough([3, 2, 1], Fraction(3))
    (True, False)
    """
    present = [n for n in counts if n]
    divisor = gcd(*present)
    small = [n // divisor for n in present]
    total = sum(small)
    left = prod(n**n for n in small) * l.numerator**total
    return bool(left <= (total * l.denominator) ** total)


def _weighted(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return n log n, 0 where n is 0."""
    return np.asarray(counts * np.log(np.maximum(counts, 1)), dtype=np.float64)
