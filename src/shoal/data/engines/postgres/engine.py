"""PostgreSQL: the table stays in its database, which counts, recodes and writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from shoal.data.budget import check_cells
from shoal.data.coding import coded, merged_names, merged_tables
from shoal.data.engine import Cells, Merged, Profile
from shoal.data.engines.postgres import dialect
from shoal.data.engines.postgres.connection import PostgresSession, own, table_of
from shoal.data.engines.postgres.copy import csv_blocks, given, take_in
from shoal.data.files import sources
from shoal.data.profiling import profile_columns
from shoal.data.sql import statements
from shoal.describe import Place
from shoal.errors import InputError, NoTableError, did_you_mean, show

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.engines.postgres.outlet import PostgresOutlet
    from shoal.data.sql.bucket_statements import BucketShape
    from shoal.data.sql.release_statement import ReleaseShape

_CELLS = "cells"


class PostgresEngine:
    """A table or a view of a PostgreSQL database, as it was when the engine was opened.

    `session` is the connection, and `table` the table in it.
    """

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
        self.session, self.table, self._place = session, table, place
        self._columns = {column.name: column for column in session.describe(statements.whole(table))}
        sources.check_columns(self.columns, self.name)

    @property
    def name(self) -> str:
        """The table and its server, without the user."""
        return self.session.name

    @property
    def place(self) -> Place:
        """The database, and the table in it."""
        return self._place

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""
        return tuple(self._columns)

    def count(self) -> int:
        """Return the number of rows."""
        return int(self.session.rows(statements.count(self.table))[0][0])

    def cells(self, columns: Sequence[str], merged: Merged | None = None) -> Cells:
        """Return the distinct rows over these columns with their counts, by one GROUP BY.

        They are counted before they are fetched, and come as Arrow dictionaries: each text once. If the
        session cannot create tables, the server groups twice.
        """
        import pyarrow as pa

        text = pa.dictionary(pa.int32(), pa.string())
        types = [*(text for _ in columns), pa.int64()]
        try:
            with self._tally(columns, merged) as grouped:
                kept = self.keep(_CELLS, grouped)
                check_cells(self._number(kept), len(columns), self.name)
                rows = exp.select(*(f"c{i}" for i in range(len(columns))), "n").from_(kept)
                adapted = dialect.adapted(rows, self._columns)
                batches = list(csv_blocks(self.session, adapted, types))
        finally:
            self.session.drop(_CELLS)
        schema = pa.schema([pa.field(f"f{i}", kind) for i, kind in enumerate(types)])
        table = pa.Table.from_batches(batches, schema).unify_dictionaries()
        counts = np.asarray(table.column(len(columns)).to_numpy(), dtype=np.int64)
        return coded(columns, table.columns[:-1], counts)

    def about_cells(self, columns: Sequence[str], merged: Merged | None = None) -> int:
        """Return exactly how many cells there would be: PostgreSQL counts them without keeping any."""
        with self._tally(columns, merged) as grouped:
            return self._number(grouped.subquery(_CELLS))

    def few_alike(self, columns: Sequence[str], k: int) -> tuple[int, int]:
        """Return how many rows are unique in these columns, and how many are in groups of fewer than k."""
        with self._tally(columns, None) as grouped:
            ((alone, below),) = self.rows(statements.few_alike(grouped, k))
        return int(alone or 0), int(below or 0)

    @contextmanager
    def _tally(self, columns: Sequence[str], merged: Merged | None) -> Iterator[exp.Select]:
        """Yield the GROUP BY while its mapping tables exist."""
        known = [(name, self._plain(name)) for name in columns]
        tables = merged_tables(columns, merged)
        try:
            for name, table in tables.items():
                take_in(self.session, name, table)
            grouped = statements.tally(self.table, known, merged_names(columns, merged))
            there = {name: given(self.session, name, table) for name, table in tables.items()}
            yield dialect.renamed(grouped, there)
        finally:
            for name in tables:
                self.session.drop(name)

    def profile(self, few: int) -> tuple[Profile, ...]:
        """Return what each column holds, with all its values where there are at most `few`."""
        nested = {name: column.shown for name, column in self._columns.items() if column.kind is None}
        return profile_columns(self.table, self._kinds(), nested, few, self)

    def keep(self, name: str, rows: exp.Select) -> exp.Table | exp.Subquery:
        """Keep the rows of a statement, and return the table that holds them.

        It is the statement itself if the session cannot create tables.
        """
        if not self.session.keeps:
            return rows.subquery(name)
        self.session.keep(name, dialect.adapted(rows, self._columns))
        return own(name)

    def drop(self, name: str) -> None:
        """Drop what was kept."""
        self.session.drop(name)

    def rows(self, statement: exp.Expression) -> list[tuple[Any, ...]]:
        """Return the few rows of a statement."""
        return self.session.rows(dialect.adapted(statement, self._columns))

    def first_values(self, column: str, most: int) -> tuple[str, ...]:
        """Return up to `most` distinct values of a column, in order, without the missing value."""
        statement = statements.first_values(self.table, column, self._plain(column), most)
        return tuple(value for (value,) in self.rows(statement))

    def content(self, columns: Sequence[str]) -> str:
        """Return a digest of the rows over these columns, in whatever order they come."""
        from shoal.data.sql import release_statement

        said = release_statement.said(columns, self._kinds())
        digested = exp.func("HASHTEXTEXTENDED", said, exp.Literal.number(0))
        ((rows, total),) = self.rows(release_statement.content(self.table, digested))
        return f"{rows}:{total}"

    def outlet(self, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> PostgresOutlet:
        """Return the outlet for the released rows, which loads the mapping tables when needed."""
        from shoal.data.sql import release_statement

        source = self._source(bool(shape.safe))
        statement = release_statement.statement(source, self._kinds(), shape, ordered=False)
        return self._outlet(statement, tables)

    def bucket_outlets(
        self, shape: BucketShape, tables: Mapping[str, pa.Table]
    ) -> tuple[PostgresOutlet, PostgresOutlet]:
        """Return two outlets: the rows with their groups, and the groups' sensitive values."""
        from shoal.data.sql import bucket_statements

        source = self._source(shape.safe)
        rows = bucket_statements.rows_statement(source, self._kinds(), shape)
        values = dialect.with_any(bucket_statements.values_statement(source, self._kinds(), shape))
        return self._outlet(rows, tables), self._outlet(values, tables)

    def close(self) -> None:
        """Close the connection; closing it again does nothing."""
        self.session.close()

    def _outlet(self, statement: exp.Expression, tables: Mapping[str, pa.Table]) -> PostgresOutlet:
        from shoal.data.engines.postgres.outlet import PostgresOutlet

        adapted = dialect.adapted(statement, self._columns)
        return PostgresOutlet(self, adapted, tables)

    def _source(self, safe: bool) -> exp.Table | exp.Subquery:
        return dialect.as_text(self.table, self._columns.values()) if safe else self.table

    def _kinds(self) -> dict[str, statements.ColumnKind]:
        return {name: column.known for name, column in self._columns.items()}

    def _number(self, rows: exp.Table | exp.Subquery) -> int:
        return int(self.rows(statements.count(rows))[0][0])

    def _plain(self, name: str) -> statements.ColumnKind:
        """Return how a column becomes text, or refuse one that does not exist or has no plain values."""
        if name not in self._columns:
            raise InputError(
                f"no column {show(name)}; {did_you_mean(name, self.columns)}", file=self.name
            )
        column = self._columns[name]
        if column.kind is None:
            raise InputError(
                f"the column {show(name)} holds {column.shown}, not plain values; turn it into text",
                file=self.name,
            )
        return column.kind
