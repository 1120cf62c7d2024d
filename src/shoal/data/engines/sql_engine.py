"""What engines that run SQL have in common; each says how it runs a statement and what its columns are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from shoal.data.engine import Keyed, Profile, Value
from shoal.data.files.codebook import NOTHING_TOLD, Codebook
from shoal.data.sql import bucket_statements, release_statement, statements
from shoal.data.sql.missing_codes import blanked
from shoal.describe import Place
from shoal.describe.table_reading import Reading
from shoal.errors import InputError, did_you_mean, show

if TYPE_CHECKING:
    from shoal.data.sql.bucket_statements import BucketShape

_VALUES = "column_values"
_BATCH = 16
"""Columns per scan of a profile: all of their hash tables are in memory at once."""


class SqlEngine(ABC):
    """A table that statements read as `source`; see `Engine` for what else these attributes mean."""

    source: statements.Source
    name: str
    place: Place | None
    columns: tuple[str, ...]
    codebook: Codebook = NOTHING_TOLD

    @abstractmethod
    def rows(self, statement: exp.Expression) -> list[tuple[Any, ...]]:
        """Return the few rows of a statement."""

    @abstractmethod
    def keep(self, name: str, rows: exp.Select) -> str | exp.Table | exp.Subquery:
        """Keep the rows of a statement, and return the table that holds them."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Drop what was kept."""

    @abstractmethod
    def kinds(self) -> dict[str, statements.ColumnKind]:
        """Return how each column becomes text, by its name in statements."""

    @abstractmethod
    def nested(self, column: str) -> str | None:
        """Return the type of a column of lists or structures, None for one of plain values."""

    @abstractmethod
    def digested(self, columns: Sequence[str]) -> exp.Expression:
        """Return the digest of a row over these columns, as a 64-bit integer."""

    def inner(self, column: str) -> str:
        """Return a column's name in statements."""
        return column

    def known(self, columns: Sequence[str]) -> list[tuple[str, statements.ColumnKind]]:
        """Return the names and kinds of columns, or refuse one that cannot be counted."""
        kinds = self.kinds()
        for column in columns:
            if column not in self.columns:
                hint = did_you_mean(column, self.columns)
                raise InputError(f"no column {show(column)}; {hint}", file=self.name)
            if kind := self.nested(column):
                raise InputError(
                    f"the column {show(column)} holds {kind}, not plain values; turn it into text",
                    file=self.name,
                )
        return [(inner, kinds[inner]) for inner in map(self.inner, columns)]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how the table was read, where that is not plain."""
        return ()

    @property
    def found(self) -> Reading | None:
        """How a text file is read, as a study may say it; None for other tables."""
        return None

    def blank(self, codes: Mapping[str, Sequence[str]]) -> None:
        """Let these texts of some columns be missing values from now on, also in what is released."""
        plain = {name: given for name, given in codes.items() if not self.nested(name)}
        if plain:
            self.source = blanked(self.source, self.kinds(), plain).subquery("source")

    def count(self) -> int:
        """Return the number of rows."""
        ((found,),) = self.rows(statements.count(self.source))
        return int(found)

    def keyed(self, persons: Sequence[str]) -> Keyed:
        """Return how many persons these columns name; a row that has none of some column names no one."""
        ((rows, found, nameless),) = self.rows(statements.keyed(self.source, self.known(persons)))
        return Keyed(int(rows or 0), int(found), int(nameless or 0))

    def drawn_values(self, shape: BucketShape) -> list[tuple[str, Value]]:
        """Return each person's drawn name with each sensitive value of the person."""
        found = self.rows(bucket_statements.persons_statement(self.source, self.kinds(), shape))
        return [(drawn, value) for drawn, value in found]

    def few_alike(self, columns: Sequence[str], k: int) -> tuple[int, int]:
        """Return how many rows are unique in these columns, and how many are in groups of fewer than k."""
        counted = statements.tally(self.source, self.known(columns))
        ((alone, below),) = self.rows(statements.few_alike(counted, k))
        return int(alone or 0), int(below or 0)

    def first_values(self, column: str, most: int) -> tuple[str, ...]:
        """Return up to `most` distinct values of a column, in order, without the missing value."""
        ((name, kind),) = self.known([column])
        found = self.rows(statements.first_values(self.source, name, kind, most))
        return tuple(value for (value,) in found)

    def profile(self, few: int) -> tuple[Profile, ...]:
        """Return what each column holds, with all its values if there are at most `few`.

        The engine counts and checks the values in a few scans; Python sees one row per column, and the few
        values.
        """
        kinds = self.kinds()
        nested = {column: kind for column in self.columns if (kind := self.nested(column))}
        plain = [column for column in self.columns if column not in nested]
        found: dict[str, Profile] = {}
        for start in range(0, len(plain), _BATCH):
            batch = plain[start : start + _BATCH]
            try:
                chosen = [(inner, kinds[inner]) for inner in map(self.inner, batch)]
                kept = self.keep(_VALUES, statements.column_values(self.source, chosen))
                facts = self.rows(statements.column_facts(kept))
                # The number of the column, and of its values, come first.
                values: dict[int, list[str]] = {int(row[0]): [] for row in facts if 0 < row[1] <= few}
                if values:
                    for number, value in self.rows(statements.values_of(kept, list(values))):
                        values[number].append(value)
            finally:
                self.drop(_VALUES)
            for number, distinct, missing, once, *rest in facts:
                counts = (int(distinct), int(missing), int(once))
                seen = Profile(batch[number], *counts, *rest)
                found[seen.column] = replace(seen, values=tuple(values.get(number, ())))
        # A table without rows has no values to group, so some columns may not be found.
        seen_all = (found.get(name) or Profile(name, nested=nested.get(name)) for name in self.columns)
        told = ((one, self.codebook.of(one.column)) for one in seen_all)
        return tuple(replace(one, label=of.label, labels=dict(of.values)) for one, of in told)

    def content(self, columns: Sequence[str]) -> str:
        """Return a digest of the rows over these columns, and of their order if the engine keeps one."""
        statement = release_statement.content(self.source, self.digested(columns))
        ((rows, total),) = self.rows(statement)
        return f"{rows}:{total}"
