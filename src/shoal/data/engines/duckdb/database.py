"""A DuckDB database file: read without locking others out, and written in one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.data.engines.duckdb.connection import Connection
from shoal.data.engines.duckdb.refusals import first_line, refusal, spill_full
from shoal.data.files import sources
from shoal.data.sql import statements
from shoal.describe import Place
from shoal.errors import InputError, show
from shoal.running import stopping

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp

_ATTACHED = "database_file"
_BESIDE = (".wal", ".wal.checkpoint", ".wal.recovery")


class Database:
    """The file that a place names."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.path = Path(place.address)
        sources.check_file(self.path)

    @property
    def files(self) -> tuple[Path, ...]:
        """The database file, and those that DuckDB keeps beside it."""
        file = self.path.resolve()
        beside = (file.with_name(file.name + ending) for ending in _BESIDE)
        return (self.path, *beside)

    def show(self, connection: duckdb.DuckDBPyConnection, view: str) -> None:
        """Create a view of the place's table; other processes may still read the file."""
        import duckdb

        try:
            self._attach(connection, writable=False)
            table = connection.sql(statements.whole(self._table(self.place)).sql(dialect="duckdb"))
            texts = [n for n, kind in zip(table.columns, table.types, strict=True) if kind == "VARCHAR"]
            rows = statements.byte_by_byte(self._table(self.place), texts)
            connection.execute(statements.keep(view, rows, "VIEW").sql(dialect="duckdb"))
        except duckdb.Error as problem:
            raise self._unreadable(problem) from None

    def _unreadable(self, problem: Exception) -> InputError:
        """Explain why a table cannot be read: a view may need something outside this file."""
        beyond = re.search(r'Cannot access (?:file|directory) "(.*?)" - ', str(problem), re.S)
        needs = re.search(r'Function with name "?(\w+)"? is not in the catalog', str(problem))
        if beyond is None and needs is None:
            return refusal(problem, self.path)
        what = f"the file {beyond[1]!r}" if beyond else f"through {needs[1]}" if needs else ""
        return InputError(
            f"the view {show(self.place.table)} reads {what}, and nothing but this database is opened; "
            "keep its rows in a table of the database",
            file=self.path,
        )

    @contextmanager
    def writing(
        self, session: Connection, rows: exp.Select, target: str, view: str, *, replace: bool
    ) -> Iterator[Place]:
        """Create a new table from rows, which others see when the block ends without an error.

        Inside the block only this session sees it, as `view`. The file is reopened for writing, which DuckDB
        allows only one process at a time.
        """
        import duckdb

        place = self.place.at(target)
        table = self._table(place)
        with session.awake() as connection:
            try:
                self._reopen(connection, writable=True)
                connection.begin()
                if replace:
                    connection.execute(f"DROP TABLE IF EXISTS {table.sql(dialect='duckdb')}")
                with stopping.interrupted_by(connection.interrupt, str(place)):
                    connection.execute(statements.create(table, rows).sql(dialect="duckdb"))
                shown = statements.keep(view, statements.whole(table), "VIEW")
                connection.execute(shown.sql(dialect="duckdb"))
                yield place
                connection.execute(f"DROP VIEW {view}")
                connection.commit()
            except duckdb.Error as problem:
                raise self._refusal(problem, target) from None
            finally:
                with suppress(duckdb.Error):  # nothing to roll back after the commit
                    connection.rollback()
                self._reopen(connection, writable=False)

    def _table(self, place: Place) -> exp.Table:
        names = place.names if len(place.names) > 1 else ("main", *place.names)
        return statements.table_named(names, catalog=_ATTACHED)

    def _attach(self, connection: duckdb.DuckDBPyConnection, *, writable: bool) -> None:
        statement = statements.attach(str(self.path), _ATTACHED, writable=writable)
        connection.execute(statement.sql(dialect="duckdb"))

    def _reopen(self, connection: duckdb.DuckDBPyConnection, *, writable: bool) -> None:
        import duckdb

        with suppress(duckdb.Error):  # it may not be attached, if the file could not be opened
            connection.execute(f"DETACH {_ATTACHED}")
        self._attach(connection, writable=writable)

    def _refusal(self, problem: Exception, target: str) -> InputError:
        text = str(problem)
        if "already exists" in text:
            what = f"the table {show(target)} already exists; choose another name, or use `force`"
        elif full := spill_full(problem):
            what = full
        elif "lock" in text.lower() or "already attached" in text:
            what = "others have the file open, so it cannot be written; close it there"
        else:
            what = f"the table {show(target)} cannot be written: {first_line(problem)}"
        return InputError(what, file=self.path)
