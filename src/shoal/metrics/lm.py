"""LM, the general loss metric of Iyengar (2002): how much of the domain each released value covers."""

from __future__ import annotations

from shoal.metrics.by_cell import CellMetric
from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints


class LM(CellMetric):
    """A row costs, per attribute, (leaves below its value - 1) / (leaves - 1); suppressed, 1.

    V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002. It ranges from 0 to the rows
    times the weights of the attributes. Monotone: generalizing a value never lowers the leaves below it. An
    attribute with one leaf costs nothing while it is released.
    """

    name = "LM"
    aliases = ("GLM", "loss")
    title = "general loss"

    @staticmethod
    def divisor(leaves: int, height: int) -> int:
        """Return the leaves, less one."""
        return max(leaves - 1, 1)

    @staticmethod
    def cell(labels: Labels) -> Ints:
        """Return the leaves below each label, less one."""
        cost: Ints = labels.covered - 1
        return cost
