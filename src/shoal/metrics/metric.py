"""What a loss metric is: what a node costs without suppression, and what suppression adds to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.kernels import Column

Ints = npt.NDArray[Any]
"""Exact whole numbers: int64 where they fit, Python's own where they do not."""


class Metric(ABC):
    """A loss over all rows, for one problem, in whole multiples of 1 / `unit`.

    The loss of a node is loss0 + excess. loss0 is what the node costs when no row is suppressed; the
    excess is what the suppressed rows cost more than they would cost released. Whole numbers, because
    in floating point ties would depend on the order of addition.

    The searches rely on three facts, which `tests/metrics` checks for every metric:

    - `monotone`: loss0 never falls when a node is generalized;
    - the excess is never negative, so that loss0 is a lower bound of the loss;
    - a row's excess never grows when its node is generalized.

    Where `separable`, loss0 is a sum of one number per attribute and level (`level_losses`), known
    without looking at the data's combinations; elsewhere the loss0 of any node below is a bound.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]
    separable: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    needs_class: ClassVar[bool] = False
    multiplies: ClassVar[bool] = False
    """Whether the kernels are to multiply a row's weights (`Column.PRODUCTS`)."""

    unit: int = 1
    largest: int
    """No node's loss is larger: the loss of a table whose rows are all suppressed."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def dtype(self) -> type[np.int64] | type[object]:
        """The kind of numbers that hold every loss exactly."""
        return np.int64 if self.largest < 2**62 else object

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """What the kernels add up over suppressed rows: per attribute, by level and value."""
        return []

    def level_losses(self) -> Sequence[Sequence[int]]:
        """For each attribute and level, its part of loss0; for separable metrics only."""
        raise NotImplementedError(f"{self.name} is not separable")

    @abstractmethod
    def loss0(self, levels: npt.NDArray[np.int64], measured: npt.NDArray[np.int64]) -> Ints:
        """Return loss0 of each node, from its levels and its measurement (see `kernels.Column`)."""

    @abstractmethod
    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return the excess of each row of sums over suppressed rows (the columns from ROWS on)."""

    def column(self, sums: npt.NDArray[np.int64], column: Column) -> Ints:
        """Return one column of sums over suppressed rows."""
        found: Ints = sums[:, column - Column.ROWS].astype(self.dtype)
        return found

    def figure(self, loss: int) -> Fraction:
        """Return a loss as documents show it; it rises with the loss."""
        return Fraction(loss, self.unit)


class SeparableMetric(Metric):
    """A metric whose loss0 is a sum of one number per attribute and level."""

    separable = True

    @cached_property
    def _table(self) -> Ints:
        """The level losses as a matrix, attribute by level, filled up with zeros."""
        losses = self.level_losses()
        table: Ints = np.zeros((len(losses), max(map(len, losses))), dtype=self.dtype)
        for a, row in enumerate(losses):
            table[a, : len(row)] = row
        return table

    def loss0(self, levels: npt.NDArray[np.int64], measured: npt.NDArray[np.int64]) -> Ints:
        """Return the sum of the levels' losses."""
        total: Ints = self._table[np.arange(levels.shape[1]), levels].sum(axis=1)
        return total
