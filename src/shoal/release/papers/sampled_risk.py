"""What the curator's report says of a sample: the risk for one who does not know who was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.assess.risk import SampleRisk, measure_sample, of_persons, stand_for
from shoal.errors import TallyTooLargeError

if TYPE_CHECKING:
    from shoal.release.release import Release


def sampled_risk(release: Release) -> dict[str, dict[str, Any]]:
    """Return the figures `before` and `after`; none if nothing says how the table was drawn.

    Which rows a quota suppresses is decided row by row, and so for whom the others stand: then nothing is
    said of the release.
    """
    units, treatment = release.material.specification.units, release.treatment
    if units.drawn is None:
        return {"before": {}, "after": {}}
    tally = release.tally
    if units.sample_weight is not None:
        try:
            tally = release.material.tally(units.sample_weight)
        except TallyTooLargeError:  # the release itself does not count weights
            return {"before": {}, "after": {}}
    stands = stand_for(units, tally)
    assert stands is not None
    left = ~np.isin(np.arange(len(treatment.labels)), sorted(treatment.deleted))

    def risk(of: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_]) -> SampleRisk:
        rows, persons = (np.bincount(of, one, len(kept))[kept] for one in (tally.counts, stands))
        sizes = tally.people_in(of, len(kept))[kept]
        return measure_sample(str(units.drawn), sizes, of_persons(persons, rows, sizes))

    before = risk(np.arange(len(tally)), np.ones(len(tally), dtype=np.bool_))
    after = risk(treatment.classes, left)
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
