"""What the curator's report says of a sample: the risk for one who does not know who was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.assess.risk import SampleRisk, measure_sample, of_persons, stand_for
from shoal.assess.risk.sampling import weighed
from shoal.data.tally import Tally
from shoal.errors import TallyTooLargeError
from shoal.recode.household_crowds import without_homes

if TYPE_CHECKING:
    from shoal.release.release import Release

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def sampled_risk(release: Release) -> dict[str, dict[str, Any]]:
    """Return the figures `before` and `after`; none if nothing says how the table was drawn.

    Which rows a quota suppresses is decided row by row, and so for whom the others stand: then nothing is
    said of the release.
    """
    units, treatment = release.material.specification.units, release.treatment
    if units.drawn is None:
        return {"before": {}, "after": {}}
    others = [name for name in (units.sample_weight, release.household) if name is not None]
    tally = release.tally
    if others:
        try:
            tally = release.material.counts(others)
        except TallyTooLargeError:  # the release itself does not count weights
            return {"before": {}, "after": {}}
    stands = stand_for(units, tally)
    assert stands is not None
    released, stay = tally, stands
    if release.household is not None:
        released = without_homes(tally, release.household, treatment.homes)
        stay = stands * released.counts / tally.counts
        if units.sample_weight is not None:
            stay = weighed(released, units.sample_weight)

    def risk(tally: Tally, stands: Floats, of: Ints, count: int, gone: list[int]) -> SampleRisk:
        rows, persons = (np.bincount(of, one, count) for one in (tally.counts, stands))
        sizes = tally.people_in(of, count)
        sizes[gone] = 0
        left = sizes > 0
        return measure_sample(str(units.drawn), sizes[left], of_persons(persons, rows, sizes)[left])

    before = risk(tally, stands, np.arange(len(tally)), len(tally), [])
    after = risk(released, stay, treatment.classes, len(treatment.labels), sorted(treatment.deleted))
    return {
        "before": {} if tally.coarse else _shown(before),
        "after": {} if treatment.quotas else _shown(after),
    }


def _shown(risk: SampleRisk) -> dict[str, Any]:
    return {
        "sample_highest": risk.highest,
        "sample_average": risk.average,
        "sample_expected": risk.expected,
        "population_uniques": risk.unique.rule,
        "population_at_risk": {str(one.threshold): one.of_population for one in risk.above},
    }
