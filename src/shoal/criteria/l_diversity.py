"""l-diversity (Machanavajjhala and others 2006), distinct, by entropy, and recursive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd, log, prod

import numpy as np
import numpy.typing as npt

from shoal.criteria.criterion import Criterion, Groups, Ints, Mask, Weighing, times
from shoal.criteria.different_values import different_values
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Recursive


@dataclass(frozen=True)
class DistinctDiversity(Criterion):
    """Every group has at least l distinct values; the missing value does not count.

    Where persons have several rows, the values are those of l different persons: a person with five
    diagnoses is hidden by nobody else (`different_values`).

    Monotone, with and without suppression: a group has every value that a part of it has, and
    every person with these values.
    """

    name = "distinct l"
    monotone_with_suppression = True
    column: str
    domain: Sequence[Label]
    l: int  # noqa: E741  the literature's name

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have l values."""
        return distinct_values(groups, self.column, self.domain, self.l) >= self.l


def distinct_values(
    groups: Groups, column: str, domain: Sequence[Label], enough: int | None = None
) -> Ints:
    """Return how many values of different persons each group has, at least up to `enough`."""
    present = np.array([value is not None for value in domain])
    if column not in groups.whose:
        return np.asarray((groups.histograms[column][:, present] > 0).sum(axis=1), dtype=np.int64)
    places = _without_missing(present, len(groups))
    whose = groups.whose[column].regrouped(places, len(groups) * int(present.sum()))
    return different_values(whose, len(groups), enough)


def _without_missing(present: Mask, count: int) -> Ints:
    """Return the place of each value in each group, -1 for the missing value."""
    width = int(present.sum())
    value = np.where(present, np.cumsum(present) - 1, -1)
    places = np.arange(count)[:, None] * width + value
    places[:, ~present] = -1
    return places.reshape(-1)


def ranked(groups: Groups, column: str, domain: Sequence[Label]) -> Ints:
    """Return the counts of each group's values, the most frequent first.

    A missing value may be any value. The worst case is that all of them are the most frequent value,
    since those counts majorize all others. So they are added to it.
    """
    histogram: Ints = groups.histograms[column]
    known = np.array([value is not None for value in domain], dtype=np.bool_)
    counts = -np.sort(-histogram[:, known], axis=1)
    if not counts.shape[1]:
        counts = np.zeros((len(groups), 1), dtype=histogram.dtype)
    counts[:, 0] += groups.totals(column) - histogram[:, known].sum(axis=1)
    return counts


NEAR = 1e-11
"""Float differences below this share of n log n are decided exactly."""


@dataclass(frozen=True)
class EntropyDiversity(Weighing):
    """In every group the entropy of the values is at least log l, whatever the missing values are.

    Monotone if nobody is in several groups: entropy is concave, so a merged group has at least the average of
    its parts' entropies. Not so with suppression: a group that keeps it may be merged with one that breaks it
    (the test `good_with_bad`).
    """

    name = "entropy l"
    monotone_with_suppression = False
    column: str
    domain: Sequence[Label]
    l: Fraction  # noqa: E741  the literature's name

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have enough entropy: by floats, and by integers if they nearly tie."""
        counts = ranked(groups, self.column, self.domain)
        # n * entropy = n log n - sum of n_s log n_s
        sizes = np.asarray(groups.totals(self.column), dtype=np.float64)
        whole, parts = _weighted(sizes), _weighted(counts.astype(np.float64)).sum(axis=1)
        excess = whole - parts - sizes * log(self.l)
        result = np.asarray(excess >= 0, dtype=np.bool_)
        for g in np.flatnonzero(np.abs(excess) <= NEAR * (whole + sizes)).tolist():
            result[g] = enough(counts[g].tolist(), self.l)
        return result


def enough(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Return whether the entropy of counts is at least log l, computed in integers.

    entropy >= log l means prod n_s^n_s * l^n <= n^n, and the counts' common divisor cancels out.

    >>> enough([2, 2, 2], Fraction(3)), enough([3, 2, 1], Fraction(3))
    (True, False)
    """
    present = [n for n in counts if n]
    divisor = gcd(*present)
    small = [n // divisor for n in present]
    total = sum(small)
    if total > MOST_POWERS:
        return _surely_enough(small, total, l)
    left = prod(n**n for n in small) * l.numerator**total
    return bool(left <= (total * l.denominator) ** total)


MOST_POWERS = 1 << 22
"""Powers of larger numbers are compared by their logarithms, to many digits."""


def _surely_enough(counts: Sequence[int], total: int, l: Fraction) -> bool:  # noqa: E741
    """Return whether the entropy is enough, to a hundred digits; if these do not decide, it is not."""
    with localcontext(prec=100):
        n = Decimal(total)
        parts = sum((Decimal(c) * Decimal(c).ln() for c in counts), Decimal(0))
        least = n * (Decimal(l.numerator).ln() - Decimal(l.denominator).ln())
        return n * n.ln() - parts - least > Decimal(10) ** -60 * n


def _weighted(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return n log n, 0 where n is 0."""
    return np.asarray(counts * np.log(np.maximum(counts, 1)), dtype=np.float64)


@dataclass(frozen=True)
class RecursiveDiversity(Weighing):
    """In every group r_1 < c * (r_l + ... + r_m), with the counts r of its values in falling order.

    It must hold whatever the missing values are.

    Monotone if nobody is in several groups: when groups are merged, the largest count and the sum of the
    l - 1 largest are at most the sums of those of the parts, and the rows are the sum of the parts' rows; so
    the inequalities add up. Not so with suppression: a group that keeps it may be merged with one that breaks
    it (the test `good_with_bad`).
    """

    name = "recursive (c, l)"
    monotone_with_suppression = False
    column: str
    domain: Sequence[Label]
    limit: Recursive

    def kept(self, groups: Groups) -> Mask:
        """Return which groups keep it, compared exactly in integers."""
        counts = ranked(groups, self.column, self.domain)
        rest = counts[:, self.limit.l - 1 :].sum(axis=1)
        c = self.limit.c
        less = times(counts[:, 0], c.denominator) < times(rest, c.numerator)
        return np.asarray(less, dtype=np.bool_)
