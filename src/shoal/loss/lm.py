"""LM, the general loss metric of Iyengar (2002): how much of the domain each released value covers."""

from __future__ import annotations

from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from shoal.loss.base import Ints, SeparableMetric
from shoal.problem import Problem


class LM(SeparableMetric):
    """A row costs, per attribute, (leaves below its value - 1) / (leaves - 1); suppressed, 1.

    The unit is the common denominator of all (leaves - 1). Monotone: generalizing a value never
    lowers the leaves below it. The excess of a row is the sum of 1 - cost over the attributes: never
    negative, and it only shrinks as the costs rise.
    """

    name = "LM"
    aliases = ("GLM", "loss")
    title = "general loss"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.unit = lcm(*(ladder.leaves - 1 for ladder in problem.ladders if ladder.leaves > 1))
        self.factors = [
            self.unit // (ladder.leaves - 1) if ladder.leaves > 1 else 0 for ladder in problem.ladders
        ]
        self.largest = problem.rows * len(problem.ladders) * self.unit

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """Return the leaves below each value, less one."""
        return [ladder.covered - 1 for ladder in self.problem.ladders]

    @cached_property
    def _level_losses(self) -> list[list[int]]:
        return [
            [factor * int(cost) for cost in (ladder.covered - 1) @ marginal]
            for ladder, marginal, factor in zip(
                self.problem.ladders, self.problem.marginals, self.factors, strict=True
            )
        ]

    def level_losses(self) -> list[list[int]]:
        """Return each level's cost of all rows."""
        return self._level_losses

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return one unit per row and attribute, less what the rows cost released."""
        exact = sums.astype(self.dtype, copy=False)
        released = exact[:, 3:] @ np.array(self.factors, dtype=self.dtype)
        total: Ints = exact[:, 0] * (len(self.factors) * self.unit) - released
        return total
