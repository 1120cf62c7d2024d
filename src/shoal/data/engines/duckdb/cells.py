"""How DuckDB counts: large results stay in its tables, and Python fetches their codes in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.budget import check_cells
from shoal.data.coding import Whose, cells_of, coded, merged_names, merged_tables
from shoal.data.engine import Cells, Merged
from shoal.data.engines.duckdb.refusals import refusal
from shoal.data.sql import statements
from shoal.running import stopping

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp

_CELLS = "cells"
_ROWS = 1 << 18
"""Cells of a batch."""
FEW = 50_000
"""Up to this many cells are fetched as text: one statement is then faster than three per column."""


class Counting:
    """Counts the distinct rows of one source; `run` runs a statement, `name` is the table's for errors.

    The cells of a `small` table are fetched at once, others after they have been counted.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        run: Callable[[exp.Expression], Any],
        source: str | exp.Subquery,
        name: str,
        *,
        small: bool,
    ) -> None:
        self._connection, self._run, self._source, self._name = connection, run, source, name
        self._small = small

    def cells(
        self,
        columns: Sequence[tuple[str, statements.ColumnKind]],
        merged: Merged | None,
        persons: Sequence[tuple[str, statements.ColumnKind]] = (),
    ) -> Cells:
        """Return the distinct rows over the columns, with their counts and persons."""
        names = [column for column, _ in columns]
        with self._mapping(names, merged) as mapping:
            if persons:
                tally = statements.persons_tally(self._source, columns, persons, mapping)
            else:
                tally = statements.tally(self._source, columns, mapping)
            if self._small:
                few = self._texts(names, tally)
                check_cells(len(few.counts), len(columns), self._name)
                return few
            with self._kept(tally):
                ((found,),) = self._run(statements.count(_CELLS)).fetchall()
                check_cells(int(found), len(columns), self._name)
                if found <= FEW:
                    return self._texts(names, statements.whole(_CELLS))
                return self._numbers(names, int(found), whose=bool(persons))

    @contextmanager
    def _kept(self, statement: exp.Select, name: str = _CELLS) -> Iterator[str]:
        """Keep the rows of a statement in a table inside the block."""
        try:
            self._run(statements.keep(name, statement))
            yield name
        finally:
            self._run(statements.drop(name))

    def _texts(self, names: Sequence[str], statement: exp.Select) -> Cells:
        """Return the cells of a statement, coded in Python."""
        with self._refusing():
            found = self._select(statement).to_arrow_table().columns
            texts, told, counts = found[: len(names)], found[len(names) : -1], found[-1]
            whose = Whose.fetched(*told) if told else None
            return coded(names, texts, counts.to_numpy(), whose)

    def _numbers(self, names: Sequence[str], found: int, *, whose: bool) -> Cells:
        """Return the cells, coded in DuckDB; Python fetches each text once per value."""
        with ExitStack() as stack:
            domains = [
                stack.enter_context(self._kept(statements.domain(_CELLS, i), f"domain{i}"))
                for i in range(len(names))
            ]
            values = tuple(self._values(domain) for domain in domains)
            if whose:
                codes, counts, told = self._coded(found, domains, ("person", "persons"))
                return cells_of(names, values, codes, counts, Whose(*told))
            codes, counts, _ = self._coded(found, domains)
        return Cells(tuple(names), values, codes, counts)

    def about(self, columns: Sequence[tuple[str, statements.ColumnKind]], merged: Merged | None) -> int:
        """Return about how many cells there are."""
        with self._mapping([column for column, _ in columns], merged) as mapping:
            ((found,),) = self._run(statements.about_cells(self._source, columns, mapping)).fetchall()
        return int(found)

    @contextmanager
    def _mapping(self, names: Sequence[str], merged: Merged | None) -> Iterator[dict[int, str]]:
        tables = merged_tables(names, merged)
        try:
            for table, rows in tables.items():
                self._connection.register(table, rows)
            yield merged_names(names, merged)
        finally:
            for table in tables:
                self._connection.unregister(table)

    def _coded(
        self, count: int, domains: Sequence[str], more: Sequence[str] = ()
    ) -> tuple[Any, Any, list[Any]]:
        """Return the codes, counts and other numbers of the cells, without holding a second copy."""
        codes = np.empty((count, len(domains)), dtype=np.int32)
        numbers = [np.empty(count, dtype=np.int64) for _ in ("n", *more)]
        at = 0
        with self._refusing():
            asked = statements.coded(_CELLS, domains, ("n", *more))
            for batch in self._select(asked).to_arrow_reader(_ROWS):
                rows = slice(at, at + len(batch))
                for i in range(len(domains)):
                    codes[rows, i] = batch.column(i).to_numpy()
                for number, column in zip(numbers, batch.columns[len(domains) :], strict=True):
                    number[rows] = column.fill_null(-1).to_numpy()
                at += len(batch)
        return codes, numbers[0], numbers[1:]

    def _select(self, statement: exp.Select) -> duckdb.DuckDBPyRelation:
        return self._connection.sql(statement.sql(dialect="duckdb"))

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn errors while rows are fetched into one sentence."""
        import duckdb
        import pyarrow as pa

        try:
            with stopping.interrupted_by(self._connection.interrupt, self._name):
                yield
        except (duckdb.Error, pa.ArrowException, OSError, UnicodeDecodeError) as problem:
            raise refusal(problem, Path(self._name)) from None

    def _values(self, domain: str) -> tuple[str | None, ...]:
        return tuple(value for (value,) in self._run(statements.values(domain)).fetchall())
