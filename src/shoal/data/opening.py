"""Opens the right engine for any table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack

from shoal.data.engine import Engine
from shoal.data.engines.duckdb.connection import DuckDBSettings
from shoal.data.engines.saved_tally.engine import KeptTally, TalliedEngine
from shoal.data.engines.spark.reading import SparkFiles
from shoal.data.engines.spark.session import is_spark_frame
from shoal.data.landed import settle
from shoal.describe import Place
from shoal.describe.places import followed


def open_engine(table: Any, **settings: Unpack[DuckDBSettings]) -> Engine:
    """Return the engine of a table: the one its place names, Spark for Spark frames, otherwise DuckDB.

    A saved tally takes the place of its table. The settings are for DuckDB.
    """
    if isinstance(table, (str, Path)):
        settle(Path(table))
    table = followed(table)
    if isinstance(table, KeptTally):
        return TalliedEngine(table.path)
    if isinstance(table, Place) and table.engine == "postgres":
        from shoal.data.engines.postgres.engine import PostgresEngine

        return PostgresEngine(table)
    spark = isinstance(table, SparkFiles) or (isinstance(table, Place) and table.engine == "spark")
    if spark or is_spark_frame(table):
        from shoal.data.engines.spark.engine import SparkEngine

        return SparkEngine(table)
    from shoal.data.engines.duckdb.engine import DuckDBEngine

    return DuckDBEngine(table, **settings)


@contextmanager
def opened(table: Any) -> Iterator[Engine]:
    """Open the engine of a table for the block; an engine that is already open stays open."""
    # Ask the type: a frame has its columns as attributes, and one may be named cells.
    if hasattr(type(table), "cells"):
        yield table
        return
    engine = open_engine(table)
    try:
        yield engine
    finally:
        engine.close()
