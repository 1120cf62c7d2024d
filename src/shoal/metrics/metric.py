"""What a loss metric is: the cost of released groups of rows, and of a suppressed row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.kernels import Column
from shoal.metrics.labels import Labels, labels_of

Ints = npt.NDArray[Any]
"""Exact whole numbers: int64 if they fit, else Python's own."""

FITS = 2**62
"""Numbers below this add up in 64 bits."""


class Named:
    """Something that users ask for by its name."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]
    needs_class: ClassVar[bool] = False
    column: ClassVar[str | None] = None
    """The column that takes the place of the class column, if one is named."""


Kind = TypeVar("Kind", bound=Named)


def named_in(kinds: Iterable[type[Kind]], name: str) -> type[Kind] | None:
    """Return the kind with this name or alias, ignoring case; None if there is none."""
    for kind in kinds:
        if name.lower() in {word.lower() for word in (kind.name, *kind.aliases)}:
            return kind
    return None


class Sum(IntEnum):
    """The sums over groups of rows, in the order that the kernels use for suppressed classes."""

    ROWS = 0
    CLASSES = 1
    SQUARES = 2
    """The squares of the groups' rows."""
    MINORITY = 3
    """The rows that are not of their group's most frequent class label."""
    PRODUCTS = 4
    """The groups' rows, each times the product of its cells."""
    CELLS = 5
    """What an attribute's cells cost, row by row: this column and the next ones, one per attribute."""


@dataclass(frozen=True)
class Loss:
    """A loss over all rows as documents show it, and the most it can be: with all rows suppressed."""

    loss: Fraction
    most: Fraction

    @property
    def share(self) -> Fraction:
        """The loss as a part of the most it can be."""
        return self.loss / self.most if self.most else Fraction(0)

    def to_dict(self) -> dict[str, float]:
        """Return the loss as documents show it."""
        return {"loss": float(self.loss), "most": float(self.most), "share": float(self.share)}


class Metric(Named, ABC):
    """A loss over all rows, for one problem, in whole multiples of 1 / `unit`.

    A metric says what `released` groups cost, from sums over them, and what a suppressed `row` costs. That is
    its only definition: nodes, cuts, groups and releases all give it the same sums. These are whole numbers,
    because in floating point ties would depend on the order of addition.

    The loss of a node is loss0 + excess. loss0 is what the node costs if no row is suppressed; the excess is
    what the suppressed rows cost more than if they were released. The searches rely on three facts, which
    `tests/metrics` checks for every metric:

    - `monotone`: loss0 never falls when a node is generalized;
    - the excess is never negative, so that loss0 is a lower bound of the loss;
    - a row's excess never grows when its node is generalized.

    If `separable`, loss0 is a sum of one number per attribute and level (`level_losses`), known without
    looking at the data's combinations; otherwise the loss0 of any node below is a bound.
    """

    separable: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    by_cells: ClassVar[bool] = False
    """Whether it looks at what single cells cost (`cell`)."""
    multiplies: ClassVar[bool] = False
    """Whether the costs of a row's cells are multiplied (`Sum.PRODUCTS`)."""

    unit: int = 1
    row: int
    """What a suppressed row costs."""
    refund: int = 0
    """What is subtracted from the loss of all rows, however they are released."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def largest(self) -> int:
        """The loss of a table whose rows are all suppressed; none is larger."""
        return self.problem.rows * self.row - self.refund

    @property
    def dtype(self) -> type[np.int64] | type[object]:
        """The kind of numbers that hold every loss exactly."""
        return np.int64 if self.largest + self.refund < FITS else object

    def cell(self, labels: Labels) -> Ints:
        """Return the cost of a cell with each of an attribute's labels, for metrics that look at cells."""
        raise NotImplementedError(f"{self.name} does not look at cells")

    def cells(self, labels: Sequence[Labels]) -> list[Ints]:
        """Return the costs of cells with some labels of every attribute; none if it looks at no cells."""
        return [self.cell(one) for one in labels] if self.by_cells else []

    @abstractmethod
    def released(self, sums: Ints) -> Ints:
        """Return what released groups cost, for each row of sums (see `Sum`)."""

    @cached_property
    def ladder_labels(self) -> list[Labels]:
        """The labels of every attribute, by level and value."""
        both = zip(self.problem.ladders, self.problem.marginals, strict=True)
        return [labels_of(ladder, marginal) for ladder, marginal in both]

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """Return the costs of cells that the kernels add up, per attribute by level and value.

        A metric whose sums would not fit into the kernels' numbers is refused.
        """
        return self.cells(self.ladder_labels) if self.by_cells else []

    def level_losses(self) -> Sequence[Sequence[int]]:
        """For each attribute and level, its part of loss0; for separable metrics only."""
        raise NotImplementedError(f"{self.name} is not separable")

    def loss0(self, levels: npt.NDArray[np.int64], measured: npt.NDArray[np.int64]) -> Ints:
        """Return loss0 of each node, from its levels and its measurement (see `kernels.Column`)."""
        # The sums over all classes come before those over the suppressed ones, in the same order, k first.
        whole = measured[:, : Column.ROWS].astype(self.dtype)
        whole[:, Sum.ROWS] = self.problem.rows
        return self.released(whole)

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return the excess of each row of sums over suppressed rows (the columns from ROWS on)."""
        sums = sums.astype(self.dtype, copy=False)
        excess: Ints = sums[:, Sum.ROWS] * self.row - self.released(sums)
        return excess

    def sums(
        self, sizes: npt.NDArray[np.int64], majority: npt.NDArray[np.int64] | None, cells: Sequence[Ints]
    ) -> Ints:
        """Return one row of sums over groups, given their rows, their majorities and their cells' costs.

        Groups without rows do not count. A metric that needs no majority or no cells may be given none.
        """
        rows = int(sizes.sum())
        exact = sizes if rows * rows < FITS else sizes.astype(object)
        sums: list[Any] = [rows, int((sizes > 0).sum()), int((exact * exact).sum()), 0, 0]
        if majority is not None:
            sums[Sum.MINORITY] = rows - int(majority.sum())
        if self.multiplies:
            product = sizes if self.largest < FITS else sizes.astype(object)
            for costs in cells:
                product = product * costs
            sums[Sum.PRODUCTS] = int(product.sum())
        sums += [int(costs @ sizes) for costs in cells]
        return np.array([sums], dtype=object)

    def loss(self, sums: Ints, suppressed: int) -> int:
        """Return the loss if groups with these sums are released, and so many rows are suppressed."""
        return int(self.released(sums)[0]) + suppressed * self.row - self.refund

    def figure(self, loss: int) -> Fraction:
        """Return a loss as documents show it; it rises with the loss."""
        return Fraction(loss, self.unit)

    def told(self, loss: int) -> Loss:
        """Return a loss as documents show it, with the most it can be."""
        return Loss(self.figure(loss), self.figure(self.largest))

    def share(self, loss: int) -> float:
        """Return what is lost as a share of the most it can be."""
        return float(self.told(loss).share)


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
