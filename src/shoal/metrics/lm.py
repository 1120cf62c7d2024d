"""LM, the general loss metric of Iyengar (2002): how much of the domain each released value covers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder
from shoal.metrics.by_cell import CellCosts, CellMetric


class LM(CellMetric):
    """A row costs, per attribute, (leaves below its value - 1) / (leaves - 1); suppressed, 1.

    V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002. From 0 to the rows times the
    weights of the attributes. Monotone: generalizing a value never lowers the leaves below it. An
    attribute with one leaf costs nothing while it is released.
    """

    name = "LM"
    aliases = ("GLM", "loss")
    title = "general loss"

    def cell_costs(self, ladder: Ladder, marginal: npt.NDArray[np.int64]) -> CellCosts:
        """Return the leaves below each value, less one."""
        others = max(ladder.leaves - 1, 1)
        return CellCosts(ladder.covered - 1, others, others)
