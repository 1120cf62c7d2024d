"""How DuckDB is started and locked, and the instance that small tables share, because starting one is slow.

Whatever a table, a database file or a name in them says, DuckDB opens only the files that Shoal named before
it was locked, loads no extension, sees no Python variable, and keeps its settings. The one exception is
`reader`: it reads small text files for `shared`, which then sees only their rows, and runs nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from shoal.data.files.sources import literal
from shoal.running.memory import available_memory

if TYPE_CHECKING:
    import duckdb

SHARE = 2
"""By default DuckDB may use 1 / SHARE of the available memory."""
LEAST = 1 << 28


def settings() -> dict[str, str | int | bool]:
    """Return the default settings for starting DuckDB."""
    return {
        # Memory of a tally goes back to the system soon, because searches need it.
        "allocator_flush_threshold": "1MB",
        "allocator_bulk_deallocation_flush_threshold": "1MB",
        # On top of the tally's own memory, and below what is free: DuckDB spills before the system kills it.
        "memory_limit": f"{max(available_memory() // SHARE, LEAST)}B",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
    }


def locked(
    connection: duckdb.DuckDBPyConnection, files: Iterable[Path] = ()
) -> duckdb.DuckDBPyConnection:
    """From now on, let DuckDB open only these files, and lock its settings.

    Its progress can be queried, and is never printed into Shoal's output.
    """
    import duckdb

    try:
        connection.execute("SET enable_progress_bar_print = false")
        connection.execute("SET enable_progress_bar = true")
    except duckdb.InvalidInputException:
        # In a notebook without ipywidgets DuckDB refuses both. Its progress is then not known, nor printed.
        pass
    if allowed := [name for file in files for name in _names(file)]:
        connection.execute("SET allowed_paths = $1", [allowed])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _names(file: Path) -> set[str]:
    """Return the names by which DuckDB may open a file: its own, its link target, and as a pattern."""
    names = {str(file.absolute()), str(file.resolve())}
    return names | {literal(Path(name)) for name in names}


class Shared:
    """A DuckDB with many cursors: each has its own temporary tables and views, dropped when it is closed.

    Only an instance that `reads` may open files.
    """

    def __init__(self, *, reads: bool = False) -> None:
        self._reads = reads
        self._lock = Lock()
        self._database: duckdb.DuckDBPyConnection | None = None
        self._of_parents: list[object] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a new cursor, which the caller must close."""
        import duckdb

        with self._lock:
            if self._database is not None:
                try:
                    return self._database.cursor()
                except duckdb.Error:  # the error was reported where it happened
                    self._database = None
            self._database = duckdb.connect(config=settings())
            if self._reads:
                self._database.execute("SET lock_configuration = true")
            else:
                locked(self._database)
            return self._database.cursor()

    def close(self) -> None:
        """Close it; the next cursor starts another."""
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = None

    def _leave(self) -> None:
        """Forget the instance: a forked process has its memory but not its threads, so closing would hang."""
        self._lock = Lock()
        self._of_parents.append(self._database)
        self._database = None


shared = Shared()
reader = Shared(reads=True)
