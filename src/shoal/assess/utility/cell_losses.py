"""The losses that add up a cost of every cell, weighted by attribute: LM, NCP, Prec, intensity, entropy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shoal.assess.utility.case import Case, Found, Ints
from shoal.assess.utility.coverage import Coverage


def lm_of(one: Coverage, released: Ints) -> Fraction:
    """Return the LM of one attribute's released cells, not weighted."""
    return Fraction(int(((one.covered - 1) * released).sum()), max(one.leaves - 1, 1))


def lm(case: Case) -> Found:
    """Return the general loss."""
    return _weighted(case, [lm_of(one, case.released) for one in case.coverages])


def ncp(case: Case) -> Found:
    """Return the normalized certainty penalty."""
    costs = [np.where(one.covered > 1, one.covered, 0) for one in case.coverages]
    return _weighted(
        case,
        [
            Fraction(int((cost * case.released).sum()), one.leaves)
            for cost, one in zip(costs, case.coverages, strict=True)
        ],
    )


def precision(case: Case) -> Found:
    """Return the loss of precision: how high the labels stand."""
    return _by_level(case, [one.levels for one in case.coverages])


def intensity(case: Case) -> Found:
    """Return the generalization intensity: how high labels stand that show as much."""
    return _by_level(case, [one.lowest for one in case.below])


def _by_level(case: Case, levels: Sequence[Ints]) -> Found:
    return _weighted(
        case,
        [
            Fraction(int((level * case.released).sum()), max(one.height, 1))
            for level, one in zip(levels, case.coverages, strict=True)
        ],
    )


def _weighted(case: Case, lost: Sequence[Fraction]) -> Found:
    """Return the weighted sum of what the released cells cost, and 1 for every suppressed one."""
    cells = zip(case.weights, lost, strict=True)
    total = sum((weight * (part + case.suppressed) for weight, part in cells), Fraction(0))
    return total, case.tally.rows * sum(case.weights)


def non_uniform_entropy(case: Case) -> Found:
    """Return the bits that tell the values from others that their labels may stand for.

    A row costs log2(rows below its label) less log2(rows of its value). Which rows of a class are drawn
    to be suppressed does not matter: the first part is the class's, the second that of all rows.
    """
    loss, most = 0.0, 0.0
    for name, one, weight in zip(case.tally.attributes, case.below, case.weights, strict=True):
        totals = case.tally.totals(name)
        values = float((totals * np.log2(np.maximum(totals, 1))).sum())
        root = np.log2(max(case.tally.rows, 1))
        shown = float((case.released * np.log2(one.rows)).sum())
        loss += float(weight) * max(shown + case.suppressed * root - values, 0.0)
        most += float(weight) * (case.tally.rows * root - values)
    return min(loss, most), most
