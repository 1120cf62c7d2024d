"""Opens the engine that holds a table, whatever the table is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.engines.base import Engine
from shoal.engines.places import Place
from shoal.engines.tallied import KeptTally, TalliedEngine
from shoal.errors import InputError


def open_engine(
    table: Any,
    *,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | Path | None = None,
) -> Engine:
    """Return the engine of a table: DuckDB for files and frames, a saved tally in its table's place."""
    if isinstance(table, KeptTally):
        return TalliedEngine(table.path)
    if isinstance(table, Place) and table.engine != "duckdb":
        raise InputError(f"tables in {table.engine} are not read yet; give a file, or a DuckDB database")
    from shoal.engines.duckdb import DuckDBEngine

    return DuckDBEngine(table, threads=threads, memory_limit=memory_limit, temp_directory=temp_directory)
