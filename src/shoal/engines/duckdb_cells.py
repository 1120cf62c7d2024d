"""How DuckDB counts: the groups stay in its tables, and Python takes their numbers batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.engines import sql
from shoal.engines.base import Cells, Merged
from shoal.engines.budget import check_cells
from shoal.engines.duckdb_refusals import refusal
from shoal.engines.merging import merged_names, merged_tables

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from sqlglot import exp

_CELLS = "cells"
_ROWS = 1 << 18
"""Cells of a batch."""


class Counting:
    """Counts the distinct rows of one view; `run` runs a statement, `name` is the table's for errors."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        run: Callable[[exp.Expression], Any],
        source: str,
        name: str,
    ) -> None:
        self._connection, self._run, self._source, self._name = connection, run, source, name

    def cells(self, columns: Sequence[tuple[str, sql.Kind]], merged: Merged | None) -> Cells:
        """Return the distinct rows over the columns, with their counts."""
        names = [column for column, _ in columns]
        domains = [f"domain{i}" for i in range(len(columns))]
        with self._mapping(names, merged) as mapping:
            try:
                self._keep(_CELLS, sql.tally(self._source, columns, mapping))
                ((found,),) = self._run(sql.count(_CELLS)).fetchall()
                check_cells(int(found), len(columns), self._name)
                for i, domain in enumerate(domains):
                    self._keep(domain, sql.domain(_CELLS, i))
                values = tuple(self._values(domain) for domain in domains)
                codes, counts = self._coded(int(found), domains)
            finally:
                for table in (_CELLS, *domains):
                    self._run(sql.drop(table))
        return Cells(tuple(names), values, codes, counts)

    def about(self, columns: Sequence[tuple[str, sql.Kind]], merged: Merged | None) -> int:
        """Return about how many cells there are."""
        with self._mapping([column for column, _ in columns], merged) as mapping:
            ((found,),) = self._run(sql.about_cells(self._source, columns, mapping)).fetchall()
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

    def _coded(self, count: int, domains: Sequence[str]) -> tuple[Any, Any]:
        """Return the codes and counts of the cells. They are never held twice."""
        codes = np.empty((count, len(domains)), dtype=np.int32)
        counts = np.empty(count, dtype=np.int64)
        at = 0
        for batch in self._batches(sql.coded(_CELLS, domains)):
            rows = slice(at, at + len(batch))
            for i in range(len(domains)):
                codes[rows, i] = batch.column(i).to_numpy()
            counts[rows] = batch.column(len(domains)).to_numpy()
            at += len(batch)
        return codes, counts

    def _batches(self, statement: exp.Select) -> Iterator[pa.RecordBatch]:
        import duckdb
        import pyarrow as pa

        try:
            text = statement.sql(dialect="duckdb")
            yield from self._connection.sql(text).to_arrow_reader(_ROWS)
        except (duckdb.Error, pa.ArrowException, OSError) as problem:
            raise refusal(problem, Path(self._name)) from None

    def _values(self, domain: str) -> tuple[str | None, ...]:
        return tuple(value for (value,) in self._run(sql.values(domain)).fetchall())

    def _keep(self, name: str, statement: exp.Select) -> None:
        self._run(sql.keep(name, statement))
