"""How far a value's share of a group is from its share of the table (beta-likeness, delta-disclosure)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from shoal.verification.spread.sensitive_column import SensitiveColumn


def largest_gain(column: SensitiveColumn) -> tuple[Fraction, int]:
    """Return the largest (q - p) / p of a value's share q in a group and p in the table, and the group.

    It is 0 or more unless no row has a value: somewhere a value is at least as frequent as on average.
    """
    known = np.flatnonzero(column.value >= 0)
    if not len(known):
        return Fraction(0), 0
    rows = column.all_rows

    def of(cell: int) -> Fraction:
        size, total = int(column.sizes[column.group[cell]]), int(column.totals[column.value[cell]])
        return Fraction(int(column.rows[cell]) * rows, size * total) - 1

    shares = column.rows[known] / column.sizes[column.group[known]]
    rough = shares * rows / column.totals[column.value[known]]
    near = known[rough >= rough.max() * (1 - 1e-9)].tolist()
    best = max(near, key=of)
    return of(best), int(column.group[best])


def lacking(column: SensitiveColumn) -> int | None:
    """Return the first group that lacks a value which other groups have; None if none does."""
    known = column.value >= 0
    distinct = np.bincount(column.group[known], minlength=len(column.sizes))
    fewer = np.flatnonzero(distinct < len(column.values))
    return int(fewer[0]) if len(fewer) else None


def exceeds(ratio: Fraction, delta: Fraction) -> bool:
    """Return whether log(ratio) >= delta, for a ratio of 1 or more.

    e^delta is bounded from both sides by its power series in fractions, ever more narrowly: it is no fraction
    itself, so some bound decides.

    >>> exceeds(Fraction(2), Fraction(69, 100)), exceeds(Fraction(2), Fraction(7, 10))
    (True, False)
    """
    rough = math.log(ratio.numerator) - math.log(ratio.denominator) - float(delta)
    if abs(rough) > 1e-9 * max(1.0, float(delta)):
        return rough >= 0
    low, term, n = Fraction(1), Fraction(1), 0
    while True:
        n += 1
        term = term * delta / n
        low += term
        if ratio <= low:
            return False
        # From here on each term is less than half of the one before.
        if n + 1 > 2 * delta and ratio > low + term:
            return True
