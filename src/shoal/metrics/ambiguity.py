"""Ambiguity, Goldberger and Tassa (2010): how many combinations of values a released row may stand for."""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Problem
from shoal.errors import InputError
from shoal.metrics.labels import Labels
from shoal.metrics.metric import FITS, Ints, Metric, Sum
from shoal.numbers import large_number


class Ambiguity(Metric):
    """A row costs the product of the leaves below its values; suppressed, the product of all leaves.

    J. Goldberger and T. Tassa, "Efficient anonymizations with enhanced utility", 2010. Their measure is the
    average over the rows; this is the sum. It ranges from the number of rows (nothing is generalized) to the
    rows times the combinations of all leaves. Monotone: generalizing a value never lowers the leaves below
    it. A row's excess is the product of all leaves less its own product: never negative, and it shrinks as
    the row's own product grows.
    """

    name = "Ambiguity"
    aliases = ("AM",)
    title = "combinations that rows may stand for"
    by_cells = True
    multiplies = True

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.row = prod(ladder.leaves for ladder in problem.ladders)

    def cell(self, labels: Labels) -> Ints:
        """Return the leaves below each label."""
        covered: Ints = labels.covered
        return covered

    def weights(self) -> list[npt.NDArray[np.int64]]:
        """Return the leaves below each value, or refuse more than the kernels can multiply."""
        if self.largest >= FITS:
            raise InputError(
                f"the hierarchies have {large_number(int(self.row))} combinations of leaves, too many to "
                f"add up the ambiguity of {self.problem.rows:,} rows exactly; use LM or NUE"
            )
        return super().weights()

    def released(self, sums: Ints) -> Ints:
        """Return the sum of the products."""
        products: Ints = sums[:, Sum.PRODUCTS]
        return products
