"""How much of its detail each class of a release loses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import Recoding
from shoal.assess.utility.losses import problem_of
from shoal.assess.utility.released_labels import released_labels
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.metrics import LM
from shoal.recode.treatment import Treatment


def lost_by_class(
    recoding: Recoding, treatment: Treatment, tally: Tally, hierarchies: Mapping[str, Hierarchy]
) -> npt.NDArray[np.float64]:
    """Return the share of its detail, by LM, that a row of each class loses if it is released.

    All attributes count alike. Over all rows it adds up to the LM of a release without weights.
    """
    problem = problem_of(tally, hierarchies, {})
    labels = released_labels(recoding, treatment, tally, problem, hierarchies)
    lm = LM(problem)
    total = np.zeros(len(treatment.labels))
    for ladder, one in zip(problem.ladders, labels, strict=True):
        divisor = lm.divisor(ladder.leaves, ladder.height)
        cells = lm.cell(one)
        total += np.array([float(Fraction(int(cell), divisor)) for cell in cells])
    return total / max(len(problem.ladders), 1)
