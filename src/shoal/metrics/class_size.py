"""The average class size, LeFevre, DeWitt and Ramakrishnan (2006): rows for each class that is released."""

from __future__ import annotations

from fractions import Fraction

from shoal.metrics.metric import Ints, Metric, Sum


class ClassSize(Metric):
    """The rows of the table divided by the classes that are released.

    K. LeFevre, D. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006; their
    C_AVG is this divided by k. A suppressed row counts as a row without a class of its own, so suppressing
    never makes the average look better. From 1 to the number of rows, which is also that of a table with
    every row suppressed.

    Searched by what rises with it and is a whole number: a released row costs 1 - 1 / its class's size, a
    suppressed row 1; in all, the rows less the classes that are released. Monotone: generalizing merges
    classes. The excess of a row is 1 / its class's size: never negative, and it shrinks as the class grows.
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
        """Return the rows for each class."""
        return Fraction(self.problem.rows, max(self.problem.rows - loss, 1))
