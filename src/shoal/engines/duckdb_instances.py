"""How DuckDB is started, and the one that small tables share: starting it takes longer than counting them."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING

from shoal.engines.available_memory import available_memory

if TYPE_CHECKING:
    import duckdb

SHARE = 2
"""DuckDB may hold one part in so many of the memory that is available, where nothing else is said."""
LEAST = 1 << 28


def settings() -> dict[str, str | int]:
    """Return what every DuckDB is told at its start, where nothing else is asked for."""
    return {
        # What a tally took goes back to the system soon: the searches want it.
        "allocator_flush_threshold": "1MB",
        "allocator_bulk_deallocation_flush_threshold": "1MB",
        # Beside the tally's own memory, and less than what is there: DuckDB spills before the system kills.
        "memory_limit": f"{max(available_memory() // SHARE, LEAST)}B",
    }


def quiet(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Let DuckDB be asked how far it is, and never write it among Shoal's own output."""
    connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET enable_progress_bar = true")
    return connection


class Shared:
    """A DuckDB of many cursors: no other sees the tables and views of one, and they go when it is closed."""

    def __init__(self) -> None:
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
                    return quiet(self._database.cursor())
                except duckdb.Error:  # what ended it was told where it happened
                    self._database = None
            self._database = duckdb.connect(config=settings())
            return quiet(self._database.cursor())

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
