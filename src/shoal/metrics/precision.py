"""Prec, Sweeney's precision (2002): how high in its hierarchy each value is released."""

from __future__ import annotations

from typing import ClassVar

from shoal.metrics.by_cell import CellMetric
from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints


class Precision(CellMetric):
    """A row costs, per attribute, its level / the hierarchy's height; suppressed, 1.

    L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002. The
    loss is rows * attributes * (1 - Prec), and ranges from 0 to the rows times the weights of the attributes.
    Monotone: the level only rises. An attribute of height 0 costs nothing while it is released.
    """

    name = "Prec"
    aliases: ClassVar[tuple[str, ...]] = ("precision",)
    title = "precision loss"

    def divisor(self, leaves: int, height: int) -> int:
        """Return the height."""
        return max(height, 1)

    def cell(self, labels: Labels) -> Ints:
        """Return the level of each label."""
        level: Ints = labels.level
        return level
