"""What the losses of a release are counted from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.assess.utility.below import Below
from shoal.assess.utility.coverage import Coverage
from shoal.data.tally.tally import Tally
from shoal.recode.treatment import Treatment

Ints = npt.NDArray[np.int64]

Found = tuple[Fraction | float, Fraction | float]
"""A loss, and the most that it can be."""


@dataclass(frozen=True)
class Case:
    """What the metrics look at: `released` rows by class, and by attribute what lies below its labels."""

    treatment: Treatment
    tally: Tally
    released: Ints
    coverages: tuple[Coverage, ...]
    below: tuple[Below, ...]
    weights: tuple[Fraction, ...]
    class_column: str | None

    @property
    def suppressed(self) -> int:
        """How many rows are not released."""
        return self.treatment.suppressed_rows
