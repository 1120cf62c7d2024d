"""NCP, the normalized certainty penalty of Xu et al. (2006): the share of the domain a value may be."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder
from shoal.metrics.by_cell import CellCosts, CellMetric


class NCP(CellMetric):
    """A row costs, per attribute, leaves below its value / leaves, nothing for a leaf; suppressed, 1.

    J. Xu et al., "Utility-based anonymization using local recoding", KDD 2006: the penalty of categorical
    values, weighted. From 0 to the rows times the weights of the attributes. Monotone: generalizing a
    value never lowers the leaves below it. What others call NCP with one leaf less above and below the
    line is LM.
    """

    name = "NCP"
    aliases = ("certainty",)
    title = "normalized certainty penalty"

    def cell_costs(self, ladder: Ladder, marginal: npt.NDArray[np.int64]) -> CellCosts:
        """Return the leaves below each value that is no leaf."""
        covered = np.where(ladder.covered > 1, ladder.covered, 0)
        return CellCosts(covered, ladder.leaves, ladder.leaves)
