"""CM, the classification metric of Iyengar (2002): rows that their class would label wrongly."""

from __future__ import annotations

from shoal.metrics.metric import Ints, Metric, Sum


class CM(Metric):
    """A released row costs 1 if it is not of its class's majority label; a suppressed row costs 1.

    Monotone: the majority of a merged class is at most the sum of the two majorities. The excess of
    a class is its majority; the majorities of the parts of a class add up to at least its own.
    """

    name = "CM"
    aliases = ("CE", "classification")
    title = "classification loss"
    needs_class = True
    row = 1

    def released(self, sums: Ints) -> Ints:
        """Return the rows outside their class's majority."""
        minority: Ints = sums[:, Sum.MINORITY]
        return minority
