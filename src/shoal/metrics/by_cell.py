"""What the metrics have in common that add up a cost of every released cell, weighted by attribute."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder, Problem
from shoal.kernels import Column
from shoal.metrics.metric import Ints, SeparableMetric


@dataclass(frozen=True)
class CellCosts:
    """What the cells of one attribute cost before they are weighted, in whole multiples of 1 / `divisor`.

    A released cell costs `released[level, value]`, a suppressed one `suppressed`; `refund` is taken off
    what all rows together cost, however they are released.
    """

    released: npt.NDArray[np.int64]
    suppressed: int
    divisor: int
    refund: int = 0


class CellMetric(SeparableMetric):
    """A row costs, per attribute, the attribute's weight times what its cell costs.

    The unit is the common denominator of all weighted costs. Where a cell's cost never falls when it is
    generalized and never exceeds that of a suppressed one, the metric keeps the facts of `Metric`: loss0
    is a sum of such costs; a row's excess is the sum of what its cells cost less than suppressed ones,
    never negative, and it only shrinks as the costs rise.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._costs = [
            self.cell_costs(ladder, marginal)
            for ladder, marginal in zip(problem.ladders, problem.marginals, strict=True)
        ]
        shares = [
            ladder.weight / costs.divisor
            for ladder, costs in zip(problem.ladders, self._costs, strict=True)
        ]
        self.unit = lcm(*(share.denominator for share in shares))
        self._factors = [int(share * self.unit) for share in shares]
        self._suppressed = sum(
            factor * costs.suppressed for factor, costs in zip(self._factors, self._costs, strict=True)
        )
        refund = sum(
            factor * costs.refund for factor, costs in zip(self._factors, self._costs, strict=True)
        )
        self.largest = problem.rows * self._suppressed - refund

    @property
    def dtype(self) -> type[np.int64] | type[object]:
        """The kind of numbers that hold what all rows cost suppressed, before the refund."""
        return np.int64 if self.problem.rows * self._suppressed < 2**62 else object

    @abstractmethod
    def cell_costs(self, ladder: Ladder, marginal: npt.NDArray[np.int64]) -> CellCosts:
        """Return the costs of one attribute's cells; `marginal` are the rows of each value."""

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """Return what a released cell costs."""
        return [costs.released for costs in self._costs]

    @cached_property
    def _level_losses(self) -> list[list[int]]:
        return [
            [factor * (int(cost) - costs.refund) for cost in costs.released @ marginal]
            for costs, marginal, factor in zip(
                self._costs, self.problem.marginals, self._factors, strict=True
            )
        ]

    def level_losses(self) -> list[list[int]]:
        """Return each level's cost of all rows."""
        return self._level_losses

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return what the rows cost suppressed, less what they cost released."""
        cells = sums[:, Column.WEIGHTS - Column.ROWS :].astype(self.dtype, copy=False)
        released = cells @ np.array(self._factors, dtype=self.dtype)
        total: Ints = self.column(sums, Column.ROWS) * self._suppressed - released
        return total
