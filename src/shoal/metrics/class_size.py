"""The average class size of LeFevre, DeWitt and Ramakrishnan (2006): rows per released class."""

from __future__ import annotations

from fractions import Fraction

from shoal.metrics.metric import Ints, Metric, Sum


class ClassSize(Metric):
    """The rows of the table divided by the released classes.

    K. LeFevre, D. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006; their
    C_AVG is this divided by k. A suppressed row counts as a row without a class, so suppressing never makes
    the average look better. It ranges from 1 to the number of rows, which it also is if every row
    is suppressed.

    Searches minimize a whole number that rises with it, the rows less the released classes: a released row
    costs 1 - 1 / its class's size, a suppressed row 1. Monotone: generalizing merges classes. The excess of a
    row is 1 / its class's size: never negative, and it shrinks as the class grows.
    """

    name = "ClassSize"
    aliases = ("class-size", "average-class-size", "AECS")
    title = "average class size"
    row = 1

    def released(self, sums: Ints) -> Ints:
        """Return the rows less the classes."""
        loss: Ints = sums[:, Sum.ROWS] - sums[:, Sum.CLASSES]
        return loss

    def figure(self, loss: int) -> Fraction:
        """Return the rows per class."""
        return Fraction(self.problem.rows, max(self.problem.rows - loss, 1))
