"""PostgreSQL: the table stays in its database, which counts, recodes and writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from shoal.data.budget import check_cells
from shoal.data.coding import Whose, coded, merged_names, merged_tables
from shoal.data.engine import Cells, Merged, Value
from shoal.data.engines.postgres import dialect
from shoal.data.engines.postgres.connection import PostgresSession, own, table_of
from shoal.data.engines.postgres.copy import csv_blocks, given, take_in
from shoal.data.engines.postgres.outlet import PostgresOutlet
from shoal.data.engines.sql_engine import SqlEngine
from shoal.data.files import sources
from shoal.data.sql import bucket_statements, release_statement, statements
from shoal.data.sql.missing_codes import blanked
from shoal.describe import Place
from shoal.errors import NoTableError

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.sql.bucket_statements import BucketShape
    from shoal.data.sql.release_statement import ReleaseShape

_CELLS = "cells"
_DATED = ("DATE", "TIMESTAMP")


class PostgresEngine(SqlEngine):
    """A table or a view of a PostgreSQL database, as it was when the engine was opened.

    `session` is the connection, and `source` the table in it.
    """

    source: exp.Table | exp.Subquery
    place: Place

    def __init__(self, place: Place) -> None:
        session = PostgresSession(place)
        try:
            table = table_of(place)
            found = session.find(table)
            if found is None:
                raise NoTableError(
                    "no such table or view; check its schema and name, including upper and lower case",
                    file=session.name,
                )
            self._begin(session, place, statements.table_named(found[1:]))
        except BaseException:
            session.close()
            raise

    @classmethod
    def over(cls, session: PostgresSession, place: Place, table: exp.Table) -> PostgresEngine:
        """Return an engine for another table of a session; it does not close the session."""
        made = cls.__new__(cls)
        made._begin(session, place, table)
        return made

    def _begin(self, session: PostgresSession, place: Place, table: exp.Table) -> None:
        self.session, self.source, self.place, self.name = session, table, place, session.name
        self._columns = {column.name: column for column in session.describe(statements.whole(table))}
        self.columns = tuple(self._columns)
        sources.check_columns(self.columns, self.name)

    def blank(self, codes: Mapping[str, Sequence[str]]) -> None:
        """Let these texts of some columns be missing values from now on, also in what is released."""
        plain = {name: given for name, given in codes.items() if not self.nested(name)}
        typed = dialect.again_decimal(self._columns)
        self.source = blanked(self.source, self.kinds(), plain, typed).subquery("source")

    def cells(
        self, columns: Sequence[str], merged: Merged | None = None, persons: Sequence[str] = ()
    ) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY.

        They are counted before they are fetched, and come as Arrow dictionaries: each text once. If the
        session cannot create tables, the server groups twice. See `Engine.cells` about `persons`.
        """
        import pyarrow as pa

        text = pa.dictionary(pa.int32(), pa.string())
        numbers = ("person", "persons", "n") if persons else ("n",)
        types = [*(text for _ in columns), *(pa.int64() for _ in numbers)]
        try:
            with self._tally(columns, merged, persons) as grouped:
                kept = self.keep(_CELLS, grouped)
                check_cells(self._number(kept), len(columns), self.name)
                rows = exp.select(*(f"c{i}" for i in range(len(columns))), *numbers).from_(kept)
                adapted = dialect.adapted(rows, self._columns)
                batches = list(csv_blocks(self.session, adapted, types))
        finally:
            self.session.drop(_CELLS)
        schema = pa.schema([pa.field(f"f{i}", kind) for i, kind in enumerate(types)])
        table = pa.Table.from_batches(batches, schema).unify_dictionaries()
        counts = np.asarray(table.columns[-1].to_numpy(), dtype=np.int64)
        whose = Whose.fetched(*table.columns[-3:-1]) if persons else None
        return coded(columns, table.columns[: len(columns)], counts, whose)

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return exactly how many cells there would be: PostgreSQL counts them without keeping any."""
        with self._tally(columns, merged) as grouped:
            return self._number(grouped.subquery(_CELLS))

    @contextmanager
    def _tally(
        self, columns: Sequence[str], merged: Merged | None, persons: Sequence[str] = ()
    ) -> Iterator[exp.Select]:
        """Yield the GROUP BY while its mapping tables exist."""
        known, tables = self.known(columns), merged_tables(columns, merged)
        try:
            for name, table in tables.items():
                take_in(self.session, name, table)
            names = merged_names(columns, merged)
            if persons:
                grouped = statements.persons_tally(self.source, known, self.known(persons), names)
            else:
                grouped = statements.tally(self.source, known, names)
            there = {name: given(self.session, name, table) for name, table in tables.items()}
            yield dialect.renamed(grouped, there)
        finally:
            for name in tables:
                self.session.drop(name)

    def keep(self, name: str, rows: exp.Select) -> exp.Table | exp.Subquery:
        """Keep the rows of a statement, and return the table that holds them.

        It is the statement itself if the session cannot create tables.
        """
        if not self.session.keeps:
            return rows.subquery(name)
        self.session.run(statements.keep(name, dialect.adapted(rows, self._columns)))
        return own(name)

    def drop(self, name: str) -> None:
        """Drop what was kept."""
        self.session.drop(name)

    def rows(self, statement: exp.Expression) -> list[tuple[Any, ...]]:
        """Return the few rows of a statement."""
        return self.session.rows(dialect.adapted(statement, self._columns))

    def digested(self, columns: Sequence[str]) -> exp.Expression:
        """Return the digest of a row over these columns."""
        said = release_statement.said(columns, self.kinds())
        return exp.func("HASHTEXTEXTENDED", said, exp.Literal.number(0))

    def outlet(self, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> PostgresOutlet:
        """Return the outlet for the released rows, which loads the mapping tables when needed."""
        source = self._shown(bool(shape.safe))
        types = {name: self._columns[name].type.upper() for name in shape.shifts}
        dated = {name: type_ for name, type_ in types.items() if type_ in _DATED}
        statement = release_statement.statement(source, self.kinds(), shape, ordered=False, dated=dated)
        return self._outlet(statement, tables)

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[PostgresOutlet, PostgresOutlet]:
        """Return two outlets: the rows with their groups, and the groups' sensitive values."""
        source = self._shown(shape.safe)
        rows = bucket_statements.rows_statement(source, self.kinds(), shape)
        values = dialect.with_any(bucket_statements.values_statement(source, self.kinds(), shape))
        return self._outlet(rows, tables), self._outlet(values, tables)

    def drawn_values(self, shape: BucketShape) -> list[tuple[str, Value]]:
        """Return each person's drawn name with each sensitive value of the person."""
        source = self._shown(shape.safe)
        return [
            (drawn, value)
            for drawn, value in self.rows(
                bucket_statements.persons_statement(source, self.kinds(), shape)
            )
        ]

    def close(self) -> None:
        """Close the connection; closing it again does nothing."""
        self.session.close()

    def _outlet(self, statement: exp.Expression, tables: Mapping[str, pa.Table]) -> PostgresOutlet:
        return PostgresOutlet(self, dialect.adapted(statement, self._columns), tables)

    def _shown(self, safe: bool) -> exp.Table | exp.Subquery:
        return dialect.as_text(self.source, self._columns.values()) if safe else self.source

    def kinds(self) -> dict[str, statements.ColumnKind]:
        """Return how each column becomes text."""
        return {name: column.known for name, column in self._columns.items()}

    def _number(self, rows: exp.Table | exp.Subquery) -> int:
        return int(self.rows(statements.count(rows))[0][0])

    def nested(self, column: str) -> str | None:
        """Return the type of a column of lists or structures, None for one of plain values."""
        found = self._columns[column]
        return found.shown if found.kind is None else None
