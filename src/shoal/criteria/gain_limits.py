"""How far a value's share of a group may be from its share of the table: beta-likeness, delta-disclosure.

With q the share of a value in a group and p that in all released rows: beta-likeness (Cao and Karras
2012, the basic form) limits the gain, (q - p) / p <= beta; delta-disclosure privacy (Brickell and
Shmatikov 2008) limits gain and loss alike, |log(q / p)| < delta, for every value, even one that a group
lacks. Missing values count as rows, but not as values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.criteria.criterion import Groups, Ints, Mask, Weighing
from shoal.criteria.individual_risk import Floats
from shoal.describe.hierarchies import Label

NEAR = 1e-9
"""Smaller float differences are decided exactly."""


@dataclass(frozen=True)
class _Ratios:
    """q / p for each group and value that occurs, and the weights that it is made of."""

    ratios: Floats
    weights: Any
    sizes: Any
    totals: Ints
    total: int

    @classmethod
    def of(cls, groups: Groups, column: str, domain: Sequence[Label]) -> _Ratios:
        """Return the ratios of groups; a person weighs one in a group, and in all of them together."""
        histogram, sizes = groups.histograms[column], groups.totals(column)
        totals, total = histogram.sum(axis=0), int(groups.sizes.sum())
        if column in groups.whose:
            totals = groups.together(column)
            total = int(totals.sum())
        places = [v for v, value in enumerate(domain) if value is not None and totals[v] > 0]
        weights, totals = histogram[:, places], totals[places]
        shares = np.asarray(weights / np.maximum(sizes, 1)[:, None], dtype=np.float64)
        parts = np.asarray(totals / max(total, 1), dtype=np.float64)
        return cls(shares / parts, weights, sizes, totals, total)

    def exact(self, g: int, v: int) -> Fraction:
        """Return the ratio of a group and a value as a fraction."""
        whole = int(self.sizes[g]) * int(self.totals[v])
        return Fraction(int(self.weights[g, v]) * self.total, whole)


@dataclass(frozen=True)
class BetaLikeness(Weighing):
    """In every group no value is more than 1 + beta times as frequent as in all released rows.

    Monotone if nobody is in several groups: a merged group's share is an average of its parts', and the
    table's stay. Not so with suppression: a group that keeps it may be merged with one that breaks it (the
    test `good_with_bad`), and suppressing rows changes what all groups are compared with.
    """

    name = "beta"
    monotone_with_suppression = False
    local = False
    column: str
    domain: Sequence[Label]
    beta: Fraction

    def kept(self, groups: Groups) -> Mask:
        """Return in which groups no value gains too much: by floats, and by integers if they nearly tie."""
        found, limit = _Ratios.of(groups, self.column, self.domain), 1 + self.beta
        over = found.ratios > float(limit)
        near = np.abs(found.ratios - float(limit)) <= NEAR * float(limit)
        for g, v in np.argwhere(near).tolist():
            over[g, v] = found.exact(g, v) > limit
        return ~np.asarray(over.any(axis=1), dtype=np.bool_)


@dataclass(frozen=True)
class DeltaDisclosure(Weighing):
    """In every group every value of the released rows is nearly as frequent as in all of them.

    Monotone if nobody is in several groups: a merged group's share is between those of its parts. (If values
    that a group lacks did not count, as in some tools, it would not be: a value could be diluted by groups
    without it.) Not so with suppression, as for beta-likeness.
    """

    name = "delta-disclosure"
    monotone_with_suppression = False
    local = False
    column: str
    domain: Sequence[Label]
    delta: Fraction

    def kept(self, groups: Groups) -> Mask:
        """Return in which groups all ratios are within e^-delta and e^delta, both excluded."""
        found = _Ratios.of(groups, self.column, self.domain)
        with np.errstate(divide="ignore"):
            # Searches ask about groups from which others take a part, so counts may be below 0.
            apart = np.abs(np.log(np.maximum(found.ratios, 0)))
        over = apart >= float(self.delta)
        for g, v in np.argwhere(np.abs(apart - float(self.delta)) <= NEAR).tolist():
            over[g, v] = not nearer(found.exact(g, v), self.delta)
        return ~np.asarray(over.any(axis=1), dtype=np.bool_)


def nearer(ratio: Fraction, delta: Fraction) -> bool:
    """Return whether |log ratio| < delta, to many digits: log ratio is irrational or 0, so never a tie.

    >>> nearer(Fraction(2), Fraction(7, 10)), nearer(Fraction(1, 2), Fraction(69, 100))
    (True, False)
    """
    with localcontext() as context:
        context.prec = 100
        apart = abs(Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln())
        return apart * delta.denominator < delta.numerator
