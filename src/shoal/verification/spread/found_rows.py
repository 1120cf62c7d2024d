"""How easily rows are found: the highest and the average risk, and who may be unique in the population.

Without a sampling fraction a row's risk is 1 / n in a group of n rows. With one, each row stands for
1 / fraction persons, and the risk is the mean of 1 / F over the numbers of persons F that its group may have:
F is negative binomial. That is the integral of e^-y / (1 + a e^(-y / n)) / n over y > 0, where
a = 1 / fraction - 1. It is added up numerically, piece by piece, which has nothing in common with the series
that searches use.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.describe.promise import Promise

Ints = npt.NDArray[np.int64]

POINTS = 24
"""Points in a piece of length 1: the nearest pole is three times as far away."""
ENOUGH = 40
"""Pieces beyond log a, from where on the heights fall like e^-y."""


@dataclass(frozen=True)
class FoundRows:
    """The highest and the average risk, and the estimated share of rows that are unique in the population.

    Fractions are exact; floats are estimates from a sampling fraction.
    """

    highest: Fraction | float
    average: Fraction | float
    uniques: Fraction | float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as certificates show them, estimates with six digits."""
        return {
            "highest": _shown(self.highest),
            "average": _shown(self.average),
            "population_uniques": _shown(self.uniques),
        }


def _shown(figure: Fraction | float) -> str:
    """Return a figure as text.

    >>> _shown(Fraction(1, 3)), _shown(0.0465168705), _shown(5.7139592e-05)
    ('1/3', '0.0465169', '0.0000571396')
    """
    if isinstance(figure, Fraction):
        return str(figure)
    digits = 5 - math.floor(math.log10(figure)) if figure > 0 else 1
    return f"{figure:.{max(digits, 0)}f}"


def measure_found(counted: Ints, promise: Promise) -> tuple[FoundRows, list[str]]:
    """Return how easily rows are found in groups of so many persons, and which promises that breaks."""
    sizes, counts = np.unique(counted, return_counts=True)
    rows = int((sizes * counts).sum())
    if not rows:
        return FoundRows(Fraction(0), Fraction(0), Fraction(0)), []
    singles = int(counts[sizes == 1].sum())
    if promise.sampling is None or promise.sampling == 1:
        average = Fraction(int(counts.sum()), rows)
        found = FoundRows(Fraction(1, int(sizes[0])), average, Fraction(singles, rows))
    else:
        found = _estimated(sizes, counts, float(promise.sampling), rows, singles)
    failures = [
        f"{name}: {said} {_shown(figure)}, more than {limit}"
        for name, said, figure, limit in (
            ("max risk", "a row is found with a risk of", found.highest, promise.max_risk),
            (
                "average risk",
                "rows are found with an average risk of",
                found.average,
                promise.average_risk,
            ),
            (
                "population uniques",
                "the share of rows that are unique in the population is about",
                found.uniques,
                promise.population_uniques,
            ),
        )
        if limit is not None and figure > limit
    ]
    return found, failures


def _estimated(sizes: Ints, counts: Ints, part: float, rows: int, singles: int) -> FoundRows:
    risks = [mean_risk(int(size), part) for size in sizes.tolist()]
    weights = (sizes * counts).tolist()
    average = math.fsum(risk * n for risk, n in zip(risks, weights, strict=True)) / rows
    # A unique row is one of m_1 out of all classes that might have shown a single row.
    shown = math.fsum(
        n * (1 - part) ** (size - 1) for size, n in zip(sizes.tolist(), weights, strict=True)
    )
    return FoundRows(max(risks), average, singles**2 / shown / rows if singles else 0.0)


def mean_risk(size: int, part: float) -> float:
    """Return the risk of a row in a group of so many rows, of a population of which a part was drawn.

    >>> round(mean_risk(1, 0.01), 9)
    0.046516871
    """
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    pieces = ENOUGH + math.ceil(math.log(1 / part))
    y = np.arange(pieces)[:, None] + (points + 1) / 2
    heights = np.exp(-y) / (1 + (1 / part - 1) * np.exp(-y / size))
    return math.fsum((heights * weights / 2).reshape(-1).tolist()) / size
