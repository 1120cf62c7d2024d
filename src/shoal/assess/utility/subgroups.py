"""Who is lost: the share of each value's rows that a release suppresses."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.assess.utility.rows import cell_values, deletion_chances
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.recode import Treatment


@dataclass(frozen=True)
class Subgroup:
    """The rows with one original value of one quasi attribute, and what happened to them.

    `deleted` rows are in classes that are suppressed whole; `drawn` is how many more are expected among the
    rows that are suppressed at random (vioRec); `blanked` rows are released without their sensitive value.
    """

    attribute: str
    value: Label
    rows: int
    deleted: int
    drawn: float
    blanked: int

    @property
    def share(self) -> float:
        """The share of the rows that is suppressed."""
        return (self.deleted + self.drawn) / self.rows

    def to_dict(self) -> dict[str, Any]:
        """Return the subgroup as documents show it."""
        return asdict(self) | {"share": self.share}


def suppressed_by_subgroup(
    treatment: Treatment, tally: Tally, most: int | None = 20, class_column: str | None = None
) -> tuple[Subgroup, ...]:
    """Return the values whose rows are suppressed most, by share, then by rows; all if `most` is None.

    `class_column` is the column whose labels are favoured when rows are drawn, if there is one.
    """
    chances = deletion_chances(treatment, tally, class_column)
    classes = treatment.classes[tally.cell_combinations]
    whole = np.isin(classes, sorted(treatment.deleted))
    blanked = _blanked(treatment, tally)
    found = []
    for attribute in tally.attributes:
        codes = cell_values(tally, attribute)
        size = len(tally.domain(attribute))
        rows, deleted, drawn, blank = (
            np.bincount(codes, weights=tally.cell_counts * weight, minlength=size)
            for weight in (1, whole, np.where(whole, 0.0, chances), blanked)
        )
        found += [
            Subgroup(attribute, value, int(rows[i]), int(deleted[i]), float(drawn[i]), int(blank[i]))
            for i, value in enumerate(tally.domain(attribute))
            if rows[i]
        ]
    found.sort(key=lambda group: (-group.share, -group.rows))
    return tuple(found[:most])


def _blanked(treatment: Treatment, tally: Tally) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which cells lose a sensitive value that they have."""
    classes = treatment.classes[tally.cell_combinations]
    lost = np.zeros(len(classes), dtype=np.bool_)
    for column, marks in treatment.blanked.items():
        domain = tally.domain(column)
        hit = np.zeros((len(treatment.labels), len(domain)), dtype=np.bool_)
        for class_, values in marks:
            for code, value in enumerate(domain):
                if value is not None and (values is None or value in values):
                    hit[class_, code] = True
        lost |= hit[classes, cell_values(tally, column)]
    return lost
