"""Entropy l-diversity: the number of equally frequent values with the entropy of a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from shoal.verification.spread.sensitive_column import Block, Floats, SensitiveColumn, largest

MOST_DIGITS = 20_000_000
"""Longer integers are not computed unless decimals cannot decide."""
DIGITS = 1000
"""Measurements are rounded down to this resolution, so that every machine finds the same."""


def least_entropy(column: SensitiveColumn) -> Fraction:
    """Return the largest l, rounded down to three digits, that the entropy of every group reaches."""
    found, _ = largest(column, _less, lambda counts, missing: -_reached(_worst(counts, missing)))
    return -Fraction(found)


def short_of(column: SensitiveColumn, l: Fraction) -> int | None:  # noqa: E741  the literature's name
    """Return a group whose entropy is less than log l, if there is one: the one with the least."""
    fails, group = largest(column, _less, lambda counts, missing: not keeps(_worst(counts, missing), l))
    return group if fails else None


def keeps(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Return whether (sum n_s) ^ n >= prod n_s ^ n_s * l ^ n, which is entropy >= log l.

    Logarithms decide unless they nearly tie; then integers do. An l with so many digits that these would fill
    the memory is first compared in decimals, since a certificate may state any l.

    >>> keeps([1, 1, 1], Fraction(3)), keeps([2, 1, 1], Fraction(3))
    (True, False)
    """
    present = [n for n in counts if n]
    shared = math.gcd(*present)
    present = [n // shared for n in present]
    n = sum(present)
    left = n * math.log(n)
    right = math.fsum(m * math.log(m) for m in present) + n * math.log(l)
    if abs(left - right) > 1e-11 * (n + left):
        return left > right
    digits = max(len(str(l.numerator)), len(str(l.denominator)))
    if n * digits > MOST_DIGITS:
        with localcontext() as context:
            context.prec = 3 * digits + 100
            exact = (Decimal(l.numerator) / Decimal(l.denominator)).ln()
            used = sum((m * Decimal(m).ln() for m in present), Decimal(0))
            spare = Decimal(n).ln() - used / n - exact
            if abs(spare) > Decimal(10) ** -(2 * digits + 50):
                return spare > 0
    return bool(math.prod(m**m for m in present) * l.numerator**n <= (n * l.denominator) ** n)


def _worst(counts: Sequence[int], missing: int) -> list[int]:
    most, *others = sorted(counts, reverse=True)
    return [most + missing, *others]


def _reached(counts: Sequence[int]) -> Fraction:
    n = sum(counts)
    entropy = math.log(n) - math.fsum(m * math.log(m) for m in counts if m) / n
    about = math.floor(math.exp(entropy) * DIGITS)
    # Floats may be off by one part either way.
    return max(
        Fraction(parts, DIGITS)
        for parts in range(max(about - 1, DIGITS), about + 3)
        if parts == DIGITS or keeps(counts, Fraction(parts, DIGITS))
    )


def _less(block: Block) -> Floats:
    """Return the negative entropies, so that the least is the largest."""
    shares = block.worst
    return np.asarray((shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1), dtype=np.float64)
