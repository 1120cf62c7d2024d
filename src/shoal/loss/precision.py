"""Prec, Sweeney's precision (2002): how high in its hierarchy each released value stands."""

from __future__ import annotations

from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from shoal.loss.base import Ints, SeparableMetric
from shoal.problem import Problem


class Precision(SeparableMetric):
    """A row costs, per attribute, its level / the hierarchy's height; suppressed, 1.

    The loss is rows * attributes * (1 - Prec). Monotone, and the excess shrinks upwards, because
    the level only rises. An attribute of height 0 costs nothing while it is released.
    """

    name = "Prec"
    aliases = ("precision",)
    title = "precision loss"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.unit = lcm(*(ladder.height for ladder in problem.ladders if ladder.height > 0))
        self.steps = [
            self.unit // ladder.height if ladder.height > 0 else 0 for ladder in problem.ladders
        ]
        self.largest = problem.rows * len(problem.ladders) * self.unit

    @cached_property
    def _level_losses(self) -> list[list[int]]:
        return [
            [self.problem.rows * step * level for level in range(ladder.height + 1)]
            for ladder, step in zip(self.problem.ladders, self.steps, strict=True)
        ]

    def level_losses(self) -> list[list[int]]:
        """Return each level's cost of all rows."""
        return self._level_losses

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return one unit per row and attribute, less what the rows cost released."""
        released = levels.astype(self.dtype) @ np.array(self.steps, dtype=self.dtype)
        total: Ints = sums[:, 0].astype(self.dtype) * (len(self.steps) * self.unit - released)
        return total
