"""Non-uniform entropy: the bits that tell a cell's value from the others its label may stand for."""

from __future__ import annotations

from math import log2

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder
from shoal.metrics.by_cell import CellCosts, CellMetric

FINEST = 32
"""Bits are counted in multiples of 2^-32, or coarser where many rows would not fit into 62 bits."""


class NonUniformEntropy(CellMetric):
    """A row costs, per attribute, log2(rows below its label / rows of its value); suppressed, as at the root.

    A. de Waal and L. Willenborg, 1999; A. Gionis and T. Tassa, "k-Anonymization with minimal loss of
    information", 2009. Rows are those of the whole table, so it matters how frequent values are, which LM
    does not see. From 0 to the bits of all columns: rows times each column's entropy, weighted.

    Logarithms are rounded to a grid, each by itself, so that losses are whole numbers and add up in any
    order. Monotone, also when rounded: the rows below a label never fall when it is generalized, and
    rounding keeps order. The loss is within one grid step a cell of the real one.
    """

    name = "NUE"
    aliases = ("non-uniform-entropy", "nonuniform-entropy")
    title = "non-uniform entropy, in bits"

    def cell_costs(self, ladder: Ladder, marginal: npt.NDArray[np.int64]) -> CellCosts:
        """Return the logarithm of the rows below each label; those of the values are taken off."""
        rows = int(marginal.sum())
        most = rows * (log2(rows) + 1) if rows else 1.0
        grid = 1 << min(FINEST, 61 - int(log2(most)))
        below = np.array([np.bincount(codes, weights=marginal)[codes] for codes in ladder.codes])
        released = np.rint(np.log2(np.maximum(below, 1)) * grid).astype(np.int64)
        return CellCosts(released, int(released[-1].max(initial=0)), grid, int(released[0] @ marginal))
