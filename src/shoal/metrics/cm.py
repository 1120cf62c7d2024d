"""CM, the classification metric of Iyengar (2002): rows that their class would label wrongly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.kernels import Column
from shoal.metrics.metric import Ints, Metric


class CM(Metric):
    """A released row costs 1 if it is not of its class's majority label; a suppressed row costs 1.

    Monotone: the majority of a merged class is at most the sum of the two majorities. The excess of
    a class is its majority; the majorities of the parts of a class add up to at least its own.
    """

    name = "CM"
    aliases = ("CE", "classification")
    title = "classification loss"
    needs_class = True

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.largest = problem.rows

    def loss0(self, levels: npt.NDArray[np.int64], measured: npt.NDArray[np.int64]) -> Ints:
        """Return the rows outside their class's majority."""
        return measured[:, Column.MINORITY].astype(self.dtype)

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return the suppressed rows that are of their class's majority."""
        excess: Ints = self.column(sums, Column.ROWS) - self.column(sums, Column.SUPPRESSED_MINORITY)
        return excess
