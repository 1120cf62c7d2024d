"""Generalization intensity: how high in its hierarchy what a cell shows stands at the lowest."""

from __future__ import annotations

from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints
from shoal.metrics.precision import Precision


class Intensity(Precision):
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

    def cell(self, labels: Labels) -> Ints:
        """Return the lowest level that shows as much as each label."""
        lowest: Ints = labels.lowest
        return lowest
