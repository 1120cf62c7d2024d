"""A made-up table: its columns with their truth, and the rows by a seed of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from zlib import crc32

import pyarrow as pa

from benchmarks.corpus.cells import Cell

ROLES = {"i": "identifying", "q": "quasi", "s": "sensitive", "c": "class", "u": "undecided"}


@dataclass(frozen=True)
class Made:
    """A table: for every column the roles that a curator would take, the best one first, and its cells.

    The roles are letters: i(dentifying), q(uasi), s(ensitive), c(lass), u(ndecided). `persons`, `households`
    and `weight` name the columns that tell whom the rows stand for, `dates` those that hold days, `missing`
    the codes for missing values.
    """

    name: str
    rows: int
    columns: Mapping[str, tuple[str, Cell]]
    persons: str | None = None
    households: str | None = None
    weight: str | None = None
    dates: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)

    def table(self) -> pa.Table:
        """Return the rows, as text: the same ones every time."""
        chance = Random(crc32(self.name.encode()))
        made: dict[str, list[str | None]] = {name: [] for name in self.columns}
        for row in range(self.rows):
            for name, (_, cell) in self.columns.items():
                value = cell(chance, row)
                made[name].append(None if value is None else str(value))
        return pa.table(made)

    def taken(self, column: str) -> tuple[str, ...]:
        """Return the roles that a curator would take for a column, the best one first."""
        return tuple(ROLES[letter] for letter in self.columns[column][0])
