"""DM, the discernibility metric of Bayardo and Agrawal (2005): rows that cannot be told apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.errors import InputError
from shoal.kernels import Column
from shoal.metrics.metric import Ints, Metric

MOST_ROWS = 3_037_000_499  # the square of more does not fit into 63 bits


class DM(Metric):
    """A released row costs its class's size; a suppressed row costs the number of rows.

    Monotone: merging classes of m and n rows turns m^2 + n^2 into (m + n)^2. The excess of a row in
    a class of n is rows - n: never negative, and it shrinks as the class grows.
    """

    name = "DM"
    aliases = ("DCN", "discernibility")
    title = "discernibility"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        if problem.rows > MOST_ROWS:
            raise InputError(
                f"DM is exact up to {MOST_ROWS:,} rows; this table has {problem.rows:,}; use LM"
            )
        self.largest = problem.rows**2

    def loss0(self, levels: npt.NDArray[np.int64], measured: npt.NDArray[np.int64]) -> Ints:
        """Return the sum of the squared class sizes."""
        return measured[:, Column.SQUARES].astype(self.dtype)

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return the number of rows for each suppressed row, less its class's size."""
        rows = self.column(sums, Column.ROWS) * self.problem.rows
        excess: Ints = rows - self.column(sums, Column.SUPPRESSED_SQUARES)
        return excess
