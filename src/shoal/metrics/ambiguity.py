"""Ambiguity, Goldberger and Tassa (2010): how many combinations of values a released row may stand for."""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.errors import InputError
from shoal.kernels import Column
from shoal.metrics.metric import Ints, Metric
from shoal.numbers import large_number

MOST = 2**62


class Ambiguity(Metric):
    """A row costs the product of the leaves below its values; suppressed, the product of all leaves.

    J. Goldberger and T. Tassa, "Efficient anonymizations with enhanced utility", 2010. Their measure is
    the average over the rows; this is the sum. From the number of rows (nothing is generalized) to the
    rows times the combinations of all leaves. Monotone: generalizing a value never lowers the leaves
    below it. A row's excess is the product of all leaves less its own: never negative, and it shrinks as
    its own grows.
    """

    name = "Ambiguity"
    aliases = ("AM",)
    title = "combinations that rows may stand for"
    multiplies = True

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.combinations = prod(ladder.leaves for ladder in problem.ladders)
        self.largest = problem.rows * self.combinations
        if self.largest >= MOST:
            raise InputError(
                f"the hierarchies have {large_number(int(self.combinations))} combinations of leaves, too "
                f"many to add up the ambiguity of {problem.rows:,} rows exactly; use LM or NUE"
            )

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """Return the leaves below each value."""
        return [ladder.covered for ladder in self.problem.ladders]

    def loss0(self, levels: npt.NDArray[np.int64], measured: npt.NDArray[np.int64]) -> Ints:
        """Return the sum of the products."""
        return measured[:, Column.PRODUCTS].astype(self.dtype)

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return all combinations for each suppressed row, less its own."""
        rows = self.column(sums, Column.ROWS) * self.combinations
        excess: Ints = rows - self.column(sums, Column.SUPPRESSED_PRODUCTS)
        return excess
