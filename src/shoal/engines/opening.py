"""Opens the engine that holds a table, whatever the table is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.engines.base import Engine
from shoal.engines.place_file import followed
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
    """Return the engine of a table: that of its place, Spark for its frames, otherwise DuckDB.

    A saved tally stands in its table's place. The settings are DuckDB's.
    """
    table = followed(table)
    if isinstance(table, KeptTally):
        return TalliedEngine(table.path)
    if isinstance(table, Place) and table.engine == "postgres":
        from shoal.engines.postgres import PostgresEngine

        return PostgresEngine(table)
    if isinstance(table, Place) and table.engine != "duckdb":
        raise InputError(f"tables in {table.engine} are not read yet; give a file, or a DuckDB database")
    from shoal.engines.duckdb import DuckDBEngine

    return DuckDBEngine(table, threads=threads, memory_limit=memory_limit, temp_directory=temp_directory)


@contextmanager
def opened(table: Any) -> Iterator[Engine]:
    """Give the engine of a table for a while; one that is open already stays open."""
    if hasattr(table, "cells"):
        yield table
        return
    engine = open_engine(table)
    try:
        yield engine
    finally:
        engine.close()
