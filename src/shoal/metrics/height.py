"""Height, Samarati (2001): how many steps a node is above the original values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints, SeparableMetric, Sum


class Height(SeparableMetric):
    """The sum of a node's levels. It is about the recoding alone: suppressed rows cost nothing.

    P. Samarati, "Protecting respondents' identities in microdata release", 2001. It ranges from 0 to the sum
    of the hierarchies' heights. Monotone: levels only rise. The excess is 0. Cuts and groups have the height
    of the lowest node that is nowhere more specific than they are.
    """

    name = "Height"
    title = "steps up the hierarchies"
    by_cells = True
    row = 0

    @property
    def largest(self) -> int:
        """The sum of the hierarchies' heights."""
        return sum(ladder.height for ladder in self.problem.ladders)

    def cell(self, labels: Labels) -> Ints:
        """Return the level of each label."""
        level: Ints = labels.level
        return level

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """Return nothing: suppressed rows do not matter."""
        return []

    def level_losses(self) -> list[list[int]]:
        """Return the levels."""
        return [list(range(ladder.height + 1)) for ladder in self.problem.ladders]

    def sums(
        self, sizes: npt.NDArray[np.int64], majority: npt.NDArray[np.int64] | None, cells: Sequence[Ints]
    ) -> Ints:
        """Return, for its cells, each attribute's highest level; over all groups if none has rows."""
        shown = sizes > 0 if sizes.any() else np.ones(len(sizes), dtype=np.bool_)
        highest = [int(levels[shown].max(initial=0)) for levels in cells]
        return np.array([[0] * Sum.CELLS + highest], dtype=object)

    def released(self, sums: Ints) -> Ints:
        """Return the sum of the highest levels."""
        total: Ints = sums[:, Sum.CELLS :].sum(axis=1)
        return total

    def excess(self, levels: npt.NDArray[np.int64], sums: npt.NDArray[np.int64]) -> Ints:
        """Return 0 for every row of sums."""
        return np.zeros(len(sums), dtype=self.dtype)
