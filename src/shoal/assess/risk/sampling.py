"""The risk of a table that is a sample: how many persons of the population each row stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.assess.risk.uniqueness import Uniqueness, population_uniqueness
from shoal.criteria.individual_risk import individual_risk
from shoal.data.tally import Tally
from shoal.describe.units import Units, weight_of
from shoal.errors import InputError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

THRESHOLDS = (0.33, 0.2, 0.09, 0.05, 0.01)
"""The risks that rows are counted above; docs/risk.md says where they come from."""


@dataclass(frozen=True)
class AboveRisk:
    """The rows with a risk above a threshold, and the share of the population that they stand for."""

    threshold: float
    rows: int
    share: float
    of_population: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return vars(self).copy()


@dataclass(frozen=True)
class SampleRisk:
    """The risk of being found in a sample, for one who does not know who is in it.

    `drawn` names what was said of the sample. The `expected` rows are re-identified if every row is linked to
    a person at random among those of the population who fit; the `average` is per row (the global risk).
    """

    drawn: str
    population: float
    highest: float
    expected: float
    average: float
    above: tuple[AboveRisk, ...]
    unique: Uniqueness
    risks: Floats = field(repr=False, compare=False)
    """The risk of a row of each class."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "drawn": self.drawn,
            "population": self.population,
            "highest": self.highest,
            "expected_reidentifications": self.expected,
            "average": self.average,
            "above": [one.to_dict() for one in self.above],
            "population_uniques": self.unique.to_dict(),
        }


def stand_for(units: Units, tally: Tally) -> Floats | None:
    """Return how many persons of the population each combination stands for; None if nothing says it.

    With a `sample_weight`, the tally has that column too, and the weights of the rows are added up.
    """
    if units.sample_weight is not None:
        return weighed(tally, units.sample_weight)
    if units.population_size is not None:
        if units.population_size < tally.people:
            has = "rows" if tally.persons is None else "persons"
            raise InputError(
                f"the population has {units.population_size:,} persons, fewer than the table has {has} "
                f"({tally.people:,}); give the size of the whole population"
            )
        return np.asarray(tally.counts * (units.population_size / tally.people), dtype=np.float64)
    if units.sampling_fraction is not None:
        return np.asarray(tally.counts / float(units.sampling_fraction), dtype=np.float64)
    return None


def of_persons(stands: npt.NDArray[Any], rows: npt.NDArray[Any], persons: Ints) -> Floats:
    """Return how many persons of the population the persons of each class stand for, given what rows do.

    Rows of one person stand for the same people, so a person stands for what a row of the class does on
    average.
    """
    return np.asarray(stands * persons / np.maximum(rows, 1), dtype=np.float64)


def weighed(tally: Tally, column: str) -> Floats:
    """Return how many persons the rows of each combination stand for by their weights in a column."""
    weights = np.array([float(weight_of(text, column)) for text in tally.domain(column)])
    each = weights[tally.in_cells(column)] * tally.cell_counts
    return np.bincount(tally.cell_combinations, each, minlength=len(tally)).astype(np.float64)


def measure_sample(
    drawn: str,
    rows: npt.ArrayLike,
    persons: npt.ArrayLike,
    alike: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> SampleRisk:
    """Return the risk of a sample whose classes have so many rows, and stand for so many `persons`.

    Where rows are like those of other classes too, `alike` has, for each class, all rows like it and the
    persons that they stand for. Uniqueness is estimated from the classes all the same.

    >>> found = measure_sample("sample_weight", [1, 2], [17, 110])
    >>> round(found.highest, 6), round(found.expected, 6)
    (0.177076, 0.211364)
    """
    counts = np.asarray(rows, dtype=np.int64)
    stands = np.maximum(np.asarray(persons, dtype=np.float64), counts)
    risk = individual_risk(*(alike or (counts, stands)))
    total, population = int(counts.sum()), fsum(stands.tolist())
    expected = fsum((risk * counts).tolist())
    above = []
    for threshold in THRESHOLDS:
        over = risk > threshold
        found, part = int(counts[over].sum()), fsum(stands[over].tolist())
        shares = (found / total, part / population) if total else (0.0, 0.0)
        above.append(AboveRisk(threshold, found, *shares))
    return SampleRisk(
        drawn,
        population,
        float(risk.max(initial=0.0)),
        expected,
        expected / total if total else 0.0,
        tuple(above),
        population_uniqueness(counts, population),
        risk,
    )
