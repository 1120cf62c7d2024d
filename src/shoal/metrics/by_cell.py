"""The base of the metrics that add up a cost for every released cell, weighted by attribute."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from math import lcm

import numpy as np

from shoal.data.tally.problem import Problem
from shoal.metrics.labels import raw_values
from shoal.metrics.metric import Ints, SeparableMetric, Sum


class CellMetric(SeparableMetric):
    """A row costs, per attribute, the attribute's weight times what its cell costs beyond its own value.

    `cell` is in whole multiples of 1 / `divisor`; the unit is the common denominator of all weighted costs.
    If a cell's cost never falls when it is generalized and never exceeds that of a suppressed cell, the
    metric has the three facts of `Metric`: loss0 is a sum of such costs; a row's excess is how
    much more its cells cost suppressed, which is never negative and only shrinks as the costs rise.
    """

    by_cells = True

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        shares = [one.weight / self.divisor(one.leaves, one.height) for one in problem.ladders]
        self.unit = lcm(*(share.denominator for share in shares))
        self.factors = [int(share * self.unit) for share in shares]
        """What one multiple counts for, by attribute."""
        self.row = sum(
            factor * self.suppressed(ladder.leaves, ladder.height)
            for factor, ladder in zip(self.factors, problem.ladders, strict=True)
        )
        raw = self.cells([raw_values(rows) for rows in problem.marginals])
        self._raw = [int(cost @ rows) for cost, rows in zip(raw, problem.marginals, strict=True)]
        self.refund = sum(factor * cost for factor, cost in zip(self.factors, self._raw, strict=True))

    @abstractmethod
    def divisor(self, leaves: int, height: int) -> int:
        """Return how many multiples make a cost of 1."""

    def suppressed(self, leaves: int, height: int) -> int:
        """Return what a suppressed cell costs: 1."""
        return self.divisor(leaves, height)

    @cached_property
    def _level_losses(self) -> list[list[int]]:
        return [
            [factor * (int(cost) - raw) for cost in costs @ marginal]
            for costs, marginal, factor, raw in zip(
                self.weights(), self.problem.marginals, self.factors, self._raw, strict=True
            )
        ]

    def level_losses(self) -> list[list[int]]:
        """Return each level's cost of all rows."""
        return self._level_losses

    def released(self, sums: Ints) -> Ints:
        """Return what the cells cost, weighted."""
        cells: Ints = sums[:, Sum.CELLS :] @ np.array(self.factors, dtype=sums.dtype)
        return cells
