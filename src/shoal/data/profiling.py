"""What each column of a table contains, found by its engine in a few scans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from shoal.data.engine import Profile
from shoal.data.sql import statements

if TYPE_CHECKING:
    from sqlglot import exp

_VALUES = "column_values"
_BATCH = 16
"""Columns per scan: all of their hash tables are in memory at once."""


class ScratchTables(Protocol):
    """The part of an engine that keeps the result of a statement and queries it."""

    def keep(self, name: str, rows: exp.Select) -> str | exp.Table | exp.Subquery:
        """Keep the rows of a statement, and return the table that holds them."""

    def rows(self, statement: exp.Expression) -> list[tuple[Any, ...]]:
        """Return the few rows of a statement."""

    def drop(self, name: str) -> None:
        """Drop what was kept."""


def profile_columns(
    source: str | exp.Table,
    kinds: Mapping[str, statements.ColumnKind],
    nested: Mapping[str, str],
    few: int,
    keeper: ScratchTables,
) -> tuple[Profile, ...]:
    """Return the profiles of all columns of a source, in their order.

    `nested` gives the types of columns without plain values. Python sees one row per column, and the values
    of columns with at most `few` of them.
    """
    plain = [column for column in kinds if column not in nested]
    found: dict[str, Profile] = {}
    for start in range(0, len(plain), _BATCH):
        batch = plain[start : start + _BATCH]
        try:
            chosen = [(column, kinds[column]) for column in batch]
            kept = keeper.keep(_VALUES, statements.column_values(source, chosen))
            facts = keeper.rows(statements.column_facts(kept))
            # The number of the column, and of its values, come first.
            wanted = [int(row[0]) for row in facts if 0 < row[1] <= few]
            values: dict[int, list[str]] = {number: [] for number in wanted}
            if wanted:
                for number, value in keeper.rows(statements.values_of(kept, wanted)):
                    values[number].append(value)
        finally:
            keeper.drop(_VALUES)
        for number, distinct, missing, once, *rest in facts:
            counts = (int(distinct), int(missing), int(once))
            seen = Profile(batch[number], *counts, *rest)
            found[seen.column] = replace(seen, values=tuple(values.get(number, ())))
    # A table without rows has no values to group, so some columns may not be found.
    return tuple(found.get(column) or Profile(column, nested=nested.get(column)) for column in kinds)
