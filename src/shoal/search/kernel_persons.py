"""Whose rows combinations have, as the kernels take it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.person_rows import PersonRows
from shoal.data.tally import Tally

GivenPersons = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
"""How many persons have all their rows in each combination, and pairs of a combination and another person."""


def given_persons(tally: Tally, of: npt.NDArray[np.int64], count: int) -> GivenPersons | None:
    """Return whose rows are in `count` other combinations, or None if every row is another person's.

    Combination i of the tally becomes part of combination `of[i]`, or does not count if that is below 0.
    """
    if tally.persons is None:
        return None
    return as_given(tally.persons.regrouped(of[tally.cell_combinations], count))


def as_given(found: PersonRows) -> GivenPersons:
    """Return whose rows are in the combinations of a list."""
    pairs = np.stack([found.cells, found.persons], axis=1).astype(np.int32)
    order = np.lexsort((found.persons, found.cells))
    return found.cell_persons[:, None].astype(np.int64), np.ascontiguousarray(pairs[order])
