"""What the curator's report says of those who stood out in the original table, and of households."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.assess.risk.households import KNOWN, known_uniques
from shoal.assess.risk.suda import special_uniques
from shoal.data.engine import Cells
from shoal.data.tally.living_together import Households
from shoal.errors import TallyTooLargeError
from shoal.recode.household_crowds import only_cells

if TYPE_CHECKING:
    from shoal.release.release import Release

MOST_VALUES = 8


def standing_out(release: Release) -> dict[str, Any]:
    """Return which columns and values made rows stand out, and what knowing households adds.

    Which rows a quota suppresses is decided row by row, so nothing is said of households then.
    """
    tally, treatment = release.tally, release.treatment
    facts: dict[str, Any] = {}
    cells = Cells(tally.attributes, tally.domains, tally.codes, tally.counts)
    found = special_uniques(cells, threads=release.material.threads, whose=tally.in_combinations)
    if found is not None and found.rows:
        told = found.to_dict()
        facts["suda"] = told | {"values": told["values"][:MOST_VALUES]}
    column = release.material.specification.units.households
    if column is None or treatment.quotas or column in tally.attributes:
        return facts
    try:
        counted = release.material.tally(column)
    except TallyTooLargeError:  # the release itself does not count households
        return facts
    before = Households.of_tally(counted, column)
    classes = treatment.classes[counted.cell_combinations]
    left = ~np.isin(classes, sorted(treatment.deleted))
    homes, domain = counted.in_cells(column), counted.domain(column)
    gone = set(treatment.homes)
    left &= ~np.array([home in gone for home in domain], dtype=np.bool_)[homes]
    after = Households.of_tally(
        replace(only_cells(counted, left), cell_combinations=classes[left]), column
    )
    both = zip(KNOWN, known_uniques(before), known_uniques(after), strict=True)
    facts["households"] = {
        "before": len(before.sizes),
        "after": len(after.sizes),
        "uniques": [{"known": known, "before": one, "after": other} for known, one, other in both],
    }
    return facts
