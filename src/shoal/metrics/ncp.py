"""NCP, the normalized certainty penalty of Xu et al. (2006): the share of the domain a value may be."""

from __future__ import annotations

from shoal.metrics.by_cell import CellMetric
from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints


class NCP(CellMetric):
    """A row costs, per attribute, leaves below its value / leaves, nothing for a leaf; suppressed, 1.

    J. Xu et al., "Utility-based anonymization using local recoding", KDD 2006: the penalty of categorical
    values, weighted. It ranges from 0 to the rows times the weights of the attributes. Monotone: generalizing
    a value never lowers the leaves below it. Some call NCP what is LM here, with one leaf less in numerator
    and denominator.
    """

    name = "NCP"
    aliases = ("certainty",)
    title = "normalized certainty penalty"

    @staticmethod
    def divisor(leaves: int, height: int) -> int:
        """Return the leaves."""
        return leaves

    @staticmethod
    def cell(labels: Labels) -> Ints:
        """Return the leaves below each label, 0 for a leaf."""
        cost: Ints = labels.covered * (labels.covered > 1)
        return cost
