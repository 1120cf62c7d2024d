"""Height, Samarati (2001): how many steps a node is above the original values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.metrics.metric import Ints, SeparableMetric


class Height(SeparableMetric):
    """The sum of a node's levels. It is about the recoding alone: suppressed rows cost nothing.

    P. Samarati, "Protecting respondents' identities in microdata release", 2001. From 0 to the sum of the
    hierarchies' heights. Monotone: levels only rise. The excess is 0.
    """

    name = "Height"
    title = "steps up the hierarchies"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.largest = sum(ladder.height for ladder in problem.ladders)

    def level_losses(self) -> list[list[int]]:
        """Return the levels."""
        return [list(range(ladder.height + 1)) for ladder in self.problem.ladders]

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return nothing."""
        return np.zeros(len(sums), dtype=self.dtype)
