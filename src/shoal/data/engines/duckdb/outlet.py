"""How DuckDB writes a release: mapping tables in, rows out to a file or a frame."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.engines.duckdb.refusals import first_line, refusal, spill_full
from shoal.data.files import sources
from shoal.errors import InputError, show
from shoal.running import stopping
from shoal.running.watching import watch

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from sqlglot import exp

    from shoal.data.engine import Engine, Hidden
    from shoal.data.engines.duckdb.connection import Connection

    Landing = Callable[[str, bool, Hidden | None], AbstractContextManager[Engine]]

BATCH_ROWS = 100_000


class DuckDBOutlet:
    """The released rows of one table, which can be written any number of times."""

    def __init__(
        self,
        session: Connection,
        statement: exp.Select,
        tables: Mapping[str, pa.Table],
        landing: Landing | None = None,
    ) -> None:
        self._session = session
        self._landing = landing
        self._tables = tables
        self._known_to: duckdb.DuckDBPyConnection | None = None
        self._statement = statement.sql(dialect="duckdb")

    def close(self) -> None:
        """Drop the mapping tables, unless a failed write still holds them."""
        import duckdb

        if self._known_to is not None:
            for name in self._tables:
                with suppress(duckdb.Error):
                    self._known_to.unregister(name)

    def table(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        import duckdb

        self._known_to = self._session.live
        try:
            with stopping.interrupted_by(self._known_to.interrupt, "the released rows"):
                return self._rows(self._known_to).to_arrow_table()
        except duckdb.Error as problem:
            raise refusal(problem, None) from None

    def _rows(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        self._take_in(connection)
        return connection.sql(self._statement)

    def _take_in(self, connection: duckdb.DuckDBPyConnection) -> None:
        for name, table in self._tables.items():
            connection.register(name, table)

    def write(self, path: Path, progress: Callable[[float], None] | None = None) -> None:
        """Write the rows to a file, CSV, TSV, Parquet or Arrow by its ending."""
        ending = sources.ending_of(path)
        if ending.endswith(".gz"):
            raise InputError("a release is CSV, TSV, Parquet or Arrow, not compressed", file=path)
        if ending in sources.PARQUET_ENDINGS:
            self._watched(lambda rows: rows.write_parquet(str(path)), path, progress)
        elif ending in sources.ARROW_ENDINGS:
            self._watched(lambda rows: _write_arrow(rows, path), path, progress)
        else:
            sep = "\t" if ending == ".tsv" else ","
            self._watched(
                lambda rows: rows.write_csv(str(path), sep=sep, header=True, na_rep=""), path, progress
            )

    def into(
        self, target: str, *, replace: bool = False, hidden: Hidden | None = None
    ) -> AbstractContextManager[Engine]:
        """Write the rows into a new table of the database file that they come from."""
        if self._landing is None:
            raise InputError(
                f"there is no database for the table {show(target)}; release to a file, without `into`"
            )
        self._known_to = self._session.live
        self._take_in(self._known_to)
        return self._landing(target, replace, hidden)

    def _watched(
        self, work: Callable[[Any], None], path: Path, progress: Callable[[float], None] | None
    ) -> None:
        """Do the work in a thread, and pass on DuckDB's progress."""
        failures: list[BaseException] = []
        begin, leave, ended = (threading.Event() for _ in range(3))

        def run() -> None:
            begin.wait()
            try:
                if not leave.is_set():
                    work(self._rows(connection))
            except BaseException as problem:
                failures.append(problem)
            finally:
                ended.set()

        # Ctrl-C may come at any moment. While the thread is made it waits, and does nothing if that fails.
        # While it works an event is waited for: a thread whose `join` is interrupted may be taken for dead.
        with self._session.writing(path) as connection:
            try:
                threading.Thread(target=run).start()
                begin.set()
                over = False
                while not over:
                    over = ended.wait(0.2)
                    watch().check(str(path))
                    if progress is not None:
                        progress(max(connection.query_progress(), 0.0) / 100)
            except BaseException:
                working = begin.is_set()
                leave.set()
                begin.set()
                while working and not ended.is_set():  # a connection that is in use cannot be closed
                    with suppress(KeyboardInterrupt):
                        connection.interrupt()
                        ended.wait()
                raise
        if failures:
            if full := spill_full(failures[0]):
                raise InputError(full, file=path) from failures[0]
            reason = first_line(failures[0])
            if "No space left" in reason:
                reason = "no space left on the disk"
            raise InputError(f"cannot be written: {reason}", file=path) from failures[0]


def _write_arrow(rows: Any, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import ipc

    reader = rows.to_arrow_reader(BATCH_ROWS)
    try:
        # Open the file here: a writer that fails leaves its own file open.
        with pa.OSFile(str(path), "wb") as file, ipc.new_file(file, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
    finally:
        reader.close()
