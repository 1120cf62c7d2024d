"""Prec, Sweeney's precision (2002): how high in its hierarchy each value is released."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder
from shoal.metrics.by_cell import CellCosts, CellMetric


class Precision(CellMetric):
    """A row costs, per attribute, its level / the hierarchy's height; suppressed, 1.

    L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002. The
    loss is rows * attributes * (1 - Prec), and from 0 to the rows times the weights of the attributes.
    Monotone: the level only rises. An attribute of height 0 costs nothing while it is released.
    """

    name = "Prec"
    aliases = ("precision",)
    title = "precision loss"

    def cell_costs(self, ladder: Ladder, marginal: npt.NDArray[np.int64]) -> CellCosts:
        """Return the number of the level, for every value."""
        levels = np.arange(ladder.height + 1)[:, None]
        height = max(ladder.height, 1)
        return CellCosts(np.zeros_like(ladder.covered) + levels, height, height)
