"""Non-uniform entropy: the bits that tell a cell's value from the others its label may stand for."""

from __future__ import annotations

from math import log2

import numpy as np

from shoal.data.tally.problem import Problem
from shoal.metrics.by_cell import CellMetric
from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints

FINEST = 32
"""Bits are counted in multiples of 2^-32, or coarser ones if many rows would not fit into 62 bits."""


class NonUniformEntropy(CellMetric):
    """A row costs, per attribute, log2(rows below its label / rows of its value); suppressed, as at the root.

    A. de Waal and L. Willenborg, 1999; A. Gionis and T. Tassa, "k-Anonymization with minimal loss of
    information", 2009. Rows are those of the whole table, so it matters how frequent values are, which LM
    does not see. It ranges from 0 to the bits of all columns: rows times each column's entropy, weighted. The
    part of the values themselves is the same however they are released, so it is subtracted.

    Each logarithm is rounded to a grid, so that losses are whole numbers and add up in any order. Monotone,
    also when rounded: the rows below a label never become fewer when it is generalized, and rounding keeps
    order. The loss is within one grid step per cell of the real one.
    """

    name = "NUE"
    aliases = ("non-uniform-entropy", "nonuniform-entropy")
    title = "non-uniform entropy, in bits"

    def __init__(self, problem: Problem) -> None:
        most = problem.rows * (log2(problem.rows) + 1) if problem.rows else 1.0
        self._grid = 1 << min(FINEST, 61 - int(log2(most)))
        self._rows = problem.rows
        super().__init__(problem)

    def divisor(self, leaves: int, height: int) -> int:
        """Return the steps of the grid in a bit."""
        return self._grid

    def suppressed(self, leaves: int, height: int) -> int:
        """Return what a cell costs at the root."""
        return int(self._bits(np.array([self._rows]))[0])

    def cell(self, labels: Labels) -> Ints:
        """Return the logarithm of the rows below each label."""
        return self._bits(labels.rows)

    def _bits(self, rows: Ints) -> Ints:
        bits: Ints = np.rint(np.log2(np.maximum(rows, 1)) * self._grid).astype(np.int64)
        return bits
