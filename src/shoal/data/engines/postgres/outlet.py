"""How PostgreSQL writes a release: mapping tables in, rows out to a file, a frame or a new table."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from shoal.data.engines.postgres import dialect
from shoal.data.engines.postgres.connection import PostgresSession, command, own, table_of
from shoal.data.engines.postgres.copy import fetch, given, schema_of, take_in
from shoal.data.sql import statements
from shoal.describe import Place
from shoal.errors import InputError, show

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.engine import Engine, Hidden
    from shoal.data.engines.postgres.engine import PostgresEngine

_ROWS, _STAGED = "released", "staged"
_PATIENCE = "10s"
"""How long to wait for a table that others use before replacing it."""


class PostgresOutlet:
    """The released rows of one table, which can be written any number of times."""

    def __init__(
        self, engine: PostgresEngine, statement: exp.Select, tables: Mapping[str, pa.Table]
    ) -> None:
        self._engine, self._session = engine, engine.session
        self._given = tables
        # Several outlets may be open in one session.
        mark = secrets.token_hex(4)
        self._names = {name: f"{name}_{mark}" for name in tables}
        there = {name: given(self._session, self._names[name], table) for name, table in tables.items()}
        self._statement = dialect.renamed(statement, there)
        self._taken = False

    def close(self) -> None:
        """Drop the mapping tables."""
        if self._taken and not self._session.closed:
            for name in self._names.values():
                self._session.drop(name)
        self._taken = False

    def table(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        import pyarrow as pa

        columns = self._columns()
        batches = list(fetch(self._session, self._statement, columns))
        return pa.Table.from_batches(batches, schema_of(columns))

    def write(self, path: Path, progress: Callable[[float], None] | None = None) -> None:
        """Write the rows to a file, CSV, TSV, Parquet or Arrow by its ending, as DuckDB writes it."""
        import pyarrow as pa

        from shoal.data.engines.duckdb.connection import Connection
        from shoal.data.engines.duckdb.outlet import DuckDBOutlet

        columns = self._columns()
        rows = fetch(self._session, self._statement, columns)
        failures: list[InputError] = []

        def watched() -> Iterator[pa.RecordBatch]:
            try:
                yield from rows
            except InputError as problem:  # DuckDB would wrap it
                failures.append(problem)
                raise

        reader = pa.RecordBatchReader.from_batches(schema_of(columns), watched())
        try:
            given = {_ROWS: reader}
            DuckDBOutlet(Connection(), exp.select("*").from_(_ROWS), given).write(path, progress)
        except InputError:
            if failures:
                raise failures[0] from None
            raise
        finally:
            rows.close()

    @contextmanager
    def into(
        self, target: str, *, replace: bool = False, hidden: Hidden | None = None
    ) -> Iterator[Engine]:
        """Write the rows into a new table of the database, and yield that table so that it can be verified.

        A second connection, which sees the same rows, creates it in one transaction. With a hidden column
        they are first in a temporary table: PostgreSQL leaves a dropped column's values on the disk.
        """
        self._session.check_writes()
        place = self._engine.place.at(target)
        writer = PostgresSession(place, snapshot=self._session.snapshot())
        try:
            table = self._target(writer, place, replace)
            self._take_in(writer)
            made = table.copy()
            if replace:
                # The older table stays readable until the new one is verified.
                made.set("this", exp.to_identifier(f"shoal_{secrets.token_hex(8)}"))
            rows: exp.Expression = self._statement
            if hidden is not None:
                if not writer.keeps:
                    raise InputError(
                        "rows of persons are counted in a temporary table, which the role may not create; "
                        "ask for the right TEMPORARY, or release to a file",
                        file=writer.name,
                    )
                writer.run(statements.keep(_STAGED, rows))
                staged = self._engine.over(writer, place, own(_STAGED))
                hidden.check(staged)
                rows = statements.without(own(_STAGED), hidden.column, staged.columns)
            writer.run(statements.create(made, rows))
            if hidden is not None:
                writer.drop(_STAGED)
            yield self._engine.over(writer, place, made)
            if replace:
                writer.run(command("SET LOCAL lock_timeout =", exp.Literal.string(_PATIENCE)))
                writer.run(command("DROP TABLE IF EXISTS", table))
                writer.run(command("ALTER TABLE", made, "RENAME TO", table.this))
            writer.commit()
        finally:
            writer.close()

    def _target(self, writer: PostgresSession, place: Place, replace: bool) -> exp.Table:
        """Return the table to create, with its schema, or refuse its name."""
        table = table_of(place)
        if not table.db:
            schema = writer.schema()
            if schema is None:
                raise InputError("no schema is named; write schema.name", file=writer.name)
            table.set("db", exp.to_identifier(schema, quoted=True))
        if table.db.startswith("pg_"):
            raise InputError(f"choose another schema than {show(table.db)}", file=writer.name)
        there = writer.number(table)
        if there is not None and there == writer.number(self._engine.source):
            raise InputError(
                "this is the table that is released, which a release never replaces; choose another name",
                file=writer.name,
            )
        if there is not None and not replace:
            raise InputError(
                f"the table {show(place.table)} already exists; choose another name, or use `force`",
                file=writer.name,
            )
        return table

    def _columns(self) -> tuple[dialect.PostgresColumn, ...]:
        if not self._taken:
            self._taken = True
            self._take_in(self._session)
        return self._session.describe(self._statement)

    def _take_in(self, session: PostgresSession) -> None:
        for name, table in self._given.items():
            take_in(session, self._names[name], table)
