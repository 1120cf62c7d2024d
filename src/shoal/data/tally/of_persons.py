"""Combinations of values whose rows are of persons: how many there are, in the table and in groups."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.person_rows import PersonRows


class OfPersons:
    """Combinations with their rows; every row is a person, unless `in_combinations` tells whose they are."""

    counts: npt.NDArray[np.int64]

    @property
    @abstractmethod
    def in_combinations(self) -> PersonRows | None:
        """Whose rows are in each combination, if some person has several."""

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    @property
    def people(self) -> int:
        """How many persons the table has."""
        return self.rows if self.in_combinations is None else self.in_combinations.total

    @property
    def people_if_several(self) -> int | None:
        """How many persons the table has; None if every row is a person."""
        return None if self.in_combinations is None else self.people

    def lost(self, gone: npt.NDArray[np.bool_]) -> int | None:
        """Return of how many persons no row is left without these combinations; None if each has one row."""
        return None if self.in_combinations is None else self.in_combinations.within(gone)

    def people_in(self, groups: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """Return how many persons have a row in each group, given the group of every combination."""
        if self.in_combinations is None:
            # Weights are added as doubles: exact up to 2^53 rows.
            return np.bincount(groups, weights=self.counts, minlength=count).astype(np.int64)
        return self.in_combinations.in_groups(groups, count)
