"""Persons with several rows as attacks see them: who has which rows, and how many persons rows belong to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.person_rows import PersonRows

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class CrowdPersons:
    """The persons of a crowd: `rows` tells in which of its entries each has rows, `counts` their rows.

    Persons are numbered: first those whose rows are all in one entry, by entry, then the others.
    """

    rows: PersonRows
    counts: Ints

    @property
    def total(self) -> int:
        """How many persons there are."""
        return self.rows.total

    @cached_property
    def _ends(self) -> Ints:
        return np.cumsum(self.rows.cell_persons)

    @cached_property
    def _begins(self) -> Ints:
        """Where the entries of each listed person begin, and where the last one's end."""
        return np.searchsorted(self.rows.persons, np.arange(self.rows.spread + 1))

    def entries(self, person: int) -> Ints:
        """Return the entries of the crowd in which a person has rows."""
        alone = int(self._ends[-1]) if len(self._ends) else 0
        if person < alone:
            return np.array([int(np.searchsorted(self._ends, person, side="right"))])
        begin, end = self._begins[person - alone], self._begins[person - alone + 1]
        return self.rows.cells[begin:end]

    def among(self, entries: Mask) -> int:
        """Return how many persons have a row in some of these entries."""
        return int(self.rows.in_groups(np.where(entries, 0, 1), 2)[0])

    def draw(self, draw: np.random.Generator, most: int) -> Ints:
        """Return at most `most` persons, drawn without replacement, or all of them."""
        if self.total <= most:
            return np.arange(self.total)
        return np.sort(draw.choice(self.total, size=most, replace=False))

    def each_row(self, persons: Ints) -> tuple[Ints, Ints]:
        """Return the entry of every row of some persons, and whose it is.

        Of an entry that several persons have all their rows in, it is not known who has how many: each has
        one at least, and the others are dealt in turn.
        """
        listed = np.bincount(self.rows.cells, weights=self.rows.rows, minlength=len(self.counts))
        left = self.counts - listed.astype(np.int64)
        entries, whose = [], []
        alone = int(self._ends[-1]) if len(self._ends) else 0
        for person in persons.tolist():
            if person >= alone:
                begin, end = self._begins[person - alone], self._begins[person - alone + 1]
                rows = np.repeat(self.rows.cells[begin:end], self.rows.rows[begin:end])
            else:
                entry = int(np.searchsorted(self._ends, person, side="right"))
                many = int(self.rows.cell_persons[entry])
                place = person - (int(self._ends[entry]) - many)
                rows = np.full((int(left[entry]) - place + many - 1) // many, entry)
            entries.append(rows)
            whose.append(np.full(len(rows), person))
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *entries]), np.concatenate([none, *whose])
