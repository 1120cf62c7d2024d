"""Opens the right engine for any table, and finds out whether a killed process had written one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack

from shoal.data.coding import fingerprint
from shoal.data.engine import Engine
from shoal.data.engines.duckdb.connection import DuckDBSettings
from shoal.data.engines.saved_tally.engine import KeptTally, TalliedEngine
from shoal.data.engines.spark.reading import SparkFiles
from shoal.data.engines.spark.session import is_spark_frame
from shoal.describe import Place
from shoal.describe.places import followed, names_a_table, place_fields, place_of
from shoal.describe.table_reading import AS_IT_IS, Reading
from shoal.documents.whole import journal
from shoal.documents.whole.claim import hidden
from shoal.errors import InputError, NoTableError


def open_engine(table: Any, reading: Reading = AS_IT_IS, **settings: Unpack[DuckDBSettings]) -> Engine:
    """Return the engine of a table: the one its place names, Spark for Spark frames, otherwise DuckDB.

    A saved tally takes the place of its table. The settings are for DuckDB.
    """
    engine = _engine(table, reading, settings)
    if blanked := reading.blanked(engine.columns):
        try:
            engine.blank(blanked)
        except BaseException:
            engine.close()
            raise
    return engine


def _engine(table: Any, reading: Reading, settings: DuckDBSettings) -> Engine:
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

    return DuckDBEngine(table, reading, **settings)


@contextmanager
def opened(table: Any, reading: Reading = AS_IT_IS) -> Iterator[Engine]:
    """Open the engine of a table for the block; an engine that is already open stays open."""
    # Ask the type: a frame has its columns as attributes, and one may be named cells.
    if hasattr(type(table), "cells"):
        yield table
        return
    engine = open_engine(table, reading)
    try:
        yield engine
    finally:
        engine.close()


def landing(place: Place, rows: Engine, mark: str, counted: Sequence[str], out: Path) -> dict[str, Any]:
    """Return what identifies a new table: its place, its columns, and the digest of some of them."""
    return {
        "place": place_fields(place, out),
        "columns": list(rows.columns),
        "counted": list(counted),
        "fingerprint": mark,
    }


def landed(told: Mapping[str, Any], out: Path, known: Place | None = None) -> bool:
    """Return whether the table that `landing` described contains its rows.

    A journal contains no users or passwords; they come from a `known` place at the same address. A journal
    without a table, or beside an output that names no table, is not ours and opens nothing.
    """
    if not names_a_table(out):
        return False
    try:
        place = place_of(told["place"], out)
        if known is not None and known.at(place.table).public() == place:
            place = known.at(place.table)
        with opened(place) as engine:
            if list(engine.columns) != told["columns"]:
                return False
            return bool(fingerprint(engine.cells(told["counted"])) == told["fingerprint"])
    except (NoTableError, KeyError, TypeError, AttributeError):
        return False
    except InputError as problem:
        raise InputError(
            f"its release was interrupted, and it is unknown whether the table has its rows ({problem}); "
            f"try again, or remove {hidden(out, 'new').name} beside it to abandon that release",
            file=out,
        ) from None


def settle(path: Path) -> None:
    """Finish or undo what a killed process left of an output, before the output is read."""
    journal.settle(path, landed)
