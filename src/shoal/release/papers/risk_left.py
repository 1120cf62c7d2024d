"""The risk of the original table, and that which a release leaves: of persons, if they have several rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.assess.risk import Risk, measure_risk
from shoal.assess.utility.rows import released_sizes
from shoal.data.tally import Tally
from shoal.recode.household_crowds import without_homes

if TYPE_CHECKING:
    from shoal.release.release import Release


def risk_before(tally: Tally) -> Risk:
    """Return the risk of a table."""
    people = None if tally.persons is None else tally.people_in(np.arange(len(tally)), len(tally))
    return measure_risk(tally.counts, alike=people)


def risk_after(release: Release) -> Risk:
    """Return the risk of the rows that a release leaves."""
    tally, treatment, people = release.tally, release.treatment, None
    sizes = released_sizes(treatment, tally)
    left = sizes > 0
    if tally.persons is not None:
        if release.household is not None:
            tally = without_homes(tally, release.household, treatment.homes)
        people = tally.people_in(treatment.classes, len(sizes))[left]
    return measure_risk(sizes[left], alike=people)
