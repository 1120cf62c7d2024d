"""Generalization intensity: how high in its hierarchy what a cell shows stands at the lowest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder
from shoal.metrics.by_cell import CellCosts, CellMetric


class Intensity(CellMetric):
    """A row costs, per attribute, the lowest level that shows as much / the height; suppressed, 1.

    As Prec, but told from the released cells alone, as ARX reports it (Prasser et al., "Flexible data
    anonymization using ARX", 2020): a label counts with the lowest level on which a label covers the same
    leaves, so a step that merges nothing costs nothing. Never more than Prec, and the same where every
    step merges. From 0 to the rows times the weights of the attributes. Monotone: what covers at least as
    much stands at least as high.
    """

    name = "Intensity"
    aliases = ("generalization-intensity", "GI")
    title = "generalization intensity"

    def cell_costs(self, ladder: Ladder, marginal: npt.NDArray[np.int64]) -> CellCosts:
        """Return, for each level and value, the lowest level on which the value covers as many leaves."""
        lowest = np.zeros_like(ladder.covered)
        for level in range(1, len(lowest)):
            same = ladder.covered[level] == ladder.covered[level - 1]
            lowest[level] = np.where(same, lowest[level - 1], level)
        height = max(ladder.height, 1)
        return CellCosts(lowest, height, height)
