"""DM, the discernibility metric of Bayardo and Agrawal (2005): rows that cannot be told apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.errors import InputError
from shoal.metrics.metric import Ints, Metric, Sum

MOST_ROWS = 3_037_000_499  # the square of a larger number does not fit into 63 bits


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
        self.row = problem.rows

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """Return nothing, or refuse more rows than the kernels can square."""
        if self.problem.rows > MOST_ROWS:
            raise InputError(
                f"DM is exact up to {MOST_ROWS:,} rows; this table has {self.problem.rows:,}; use LM"
            )
        return []

    def released(self, sums: Ints) -> Ints:
        """Return the squared class sizes."""
        squares: Ints = sums[:, Sum.SQUARES]
        return squares
