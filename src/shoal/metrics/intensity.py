"""Generalization intensity: the lowest level of its hierarchy that shows as much as a cell does."""

from __future__ import annotations

from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints
from shoal.metrics.precision import Precision


class Intensity(Precision):
    """A row costs, per attribute, the lowest level that shows as much / the height; suppressed, 1.

    Like Prec, but computed from the released cells alone, as ARX reports it (Prasser et al., "Flexible data
    anonymization using ARX", 2020): a label counts as the lowest level on which a label covers the same
    leaves, so a step that merges nothing costs nothing. It is never more than Prec, equals it if every step
    merges, and ranges from 0 to the rows times the weights of the attributes. Monotone: a label that covers
    at least as much is at least as high.
    """

    name = "Intensity"
    aliases = ("generalization-intensity", "GI")
    title = "generalization intensity"

    def cell(self, labels: Labels) -> Ints:
        """Return the lowest level that shows as much as each label."""
        lowest: Ints = labels.lowest
        return lowest
