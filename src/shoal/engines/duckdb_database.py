"""A database file of DuckDB: read without keeping others out, and written in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.engines import sources, sql
from shoal.engines.duckdb_connection import Connection
from shoal.engines.duckdb_refusals import first_line, spill_full
from shoal.engines.places import Place
from shoal.errors import InputError, show

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp

_ATTACHED = "database_file"


class Database:
    """The file that a place names."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.path = Path(place.address)
        sources.check_file(self.path)

    def read(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """Return the place's table, from a file that others may read too."""
        self._attach(connection, writable=False)
        return connection.sql(sql.whole(self._table(self.place)).sql(dialect="duckdb"))

    @contextmanager
    def writing(
        self, session: Connection, rows: exp.Select, target: str, view: str, *, replace: bool
    ) -> Iterator[Place]:
        """Make a new table of rows, seen as `view` by the session alone until the block ends well.

        The file is closed and opened again for writing, which DuckDB allows to one process at a time.
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
                connection.execute(sql.create(table, rows).sql(dialect="duckdb"))
                connection.execute(sql.keep(view, sql.whole(table), "VIEW").sql(dialect="duckdb"))
                yield place
                connection.execute(f"DROP VIEW {view}")
                connection.commit()
            except duckdb.Error as problem:
                raise self._refusal(problem, target) from None
            finally:
                with suppress(duckdb.Error):  # nothing to take back where it was committed
                    connection.rollback()
                self._reopen(connection, writable=False)

    def _table(self, place: Place) -> exp.Table:
        names = place.names if len(place.names) > 1 else ("main", *place.names)
        return sql.table_named(names, catalog=_ATTACHED)

    def _attach(self, connection: duckdb.DuckDBPyConnection, *, writable: bool) -> None:
        connection.execute(
            sql.attach(str(self.path), _ATTACHED, writable=writable).sql(dialect="duckdb")
        )

    def _reopen(self, connection: duckdb.DuckDBPyConnection, *, writable: bool) -> None:
        import duckdb

        with suppress(duckdb.Error):  # it may not be there, after a file that could not be opened
            connection.execute(f"DETACH {_ATTACHED}")
        self._attach(connection, writable=writable)

    def _refusal(self, problem: Exception, target: str) -> InputError:
        text = str(problem)
        if "already exists" in text:
            what = f"the table {show(target)} is there already; choose another name, or use --force"
        elif full := spill_full(problem):
            what = full
        elif "lock" in text.lower() or "already attached" in text:
            what = "others have the file open, so it cannot be written; close it there"
        else:
            what = f"the table {show(target)} cannot be written: {first_line(problem)}"
        return InputError(what, file=self.path)
