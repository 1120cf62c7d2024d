"""How DuckDB is started and locked, and the one that small tables share: starting takes longer than counting.

Whatever a table, a database file or a name in them says, DuckDB opens only the files that Shoal named before
it was locked, loads no extension, sees no variable of Python, and keeps its settings. The one exception is
`reader`: it reads small files of text for `shared`, which then sees their rows alone, and runs nothing else.
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
"""DuckDB may hold one part in so many of the memory that is available, where nothing else is said."""
LEAST = 1 << 28


def settings() -> dict[str, str | int | bool]:
    """Return what every DuckDB is told at its start, where nothing else is asked for."""
    return {
        # What a tally took goes back to the system soon: the searches want it.
        "allocator_flush_threshold": "1MB",
        "allocator_bulk_deallocation_flush_threshold": "1MB",
        # Beside the tally's own memory, and less than what is there: DuckDB spills before the system kills.
        "memory_limit": f"{max(available_memory() // SHARE, LEAST)}B",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
    }


def locked(
    connection: duckdb.DuckDBPyConnection, files: Iterable[Path] = ()
) -> duckdb.DuckDBPyConnection:
    """Let DuckDB open these files and no others from now on, and change none of its settings.

    It can be asked how far it is, and never writes that among Shoal's own output.
    """
    connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET enable_progress_bar = true")
    if allowed := [name for file in files for name in _names(file)]:
        connection.execute("SET allowed_paths = $1", [allowed])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _names(file: Path) -> set[str]:
    """Return by which names DuckDB asks for a file: its own, where links lead, and as a pattern."""
    names = {str(file.absolute()), str(file.resolve())}
    return names | {literal(Path(name)) for name in names}


class Shared:
    """A DuckDB of many cursors: no other sees the tables and views of one, and they go when it is closed.

    Only one that `reads` may open files.
    """

    def __init__(self, *, reads: bool = False) -> None:
        self._reads = reads
        self._lock = Lock()
        self._database: duckdb.DuckDBPyConnection | None = None
        self._of_parents: list[object] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a new cursor, to be closed by who asked for it."""
        import duckdb

        with self._lock:
            if self._database is not None:
                try:
                    return self._database.cursor()
                except duckdb.Error:  # what ended it was told where it happened
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
        """Start anew: a forked process has a DuckDB's memory but not its threads, so closing would hang."""
        self._lock = Lock()
        self._of_parents.append(self._database)
        self._database = None


shared = Shared()
reader = Shared(reads=True)
