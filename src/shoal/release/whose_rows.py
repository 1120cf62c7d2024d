"""Rows that tell whose they are while a release is made, and dates that can be shifted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sqlglot import exp

from shoal.data.engine import Engine
from shoal.data.engines.duckdb.connection import Connection
from shoal.data.engines.duckdb.outlet import DuckDBOutlet
from shoal.data.files.codebook import Codebook
from shoal.data.files.labelled import is_labelled, write_labelled
from shoal.errors import InputError, show

_ROWS = "told"


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """Yield the place of a file for rows with their persons, beside `path`; it is gone after the block."""
    told = path.with_name(f".{path.name}.persons.arrow")
    try:
        yield told
    finally:
        told.unlink(missing_ok=True)


def narrow(told: Path, path: Path, columns: Sequence[str], codebook: Codebook) -> None:
    """Write some columns of a file's rows to another file, in the same order."""
    import pyarrow as pa
    from pyarrow import ipc

    if is_labelled(path):
        write_labelled(told, codebook, path, columns)
        return
    chosen = exp.select(*(exp.column(name, quoted=True) for name in columns)).from_(_ROWS)
    with pa.OSFile(str(told)) as file:
        opened = ipc.open_file(file)
        batches = (opened.get_batch(i) for i in range(opened.num_record_batches))
        rows = pa.RecordBatchReader.from_batches(opened.schema, batches)
        DuckDBOutlet(Connection(), chosen, {_ROWS: rows}).write(path)


def without(rows: Any, column: str | None) -> Any:
    """Return an Arrow table or a Spark frame without a column."""
    if column is None:
        return rows
    return rows.drop_columns([column]) if hasattr(rows, "drop_columns") else rows.drop(column)


def check_dates(engine: Engine, shifts: Mapping[str, int]) -> None:
    """Refuse columns to be shifted in which something is not a date, or would leave the calendar."""
    for name, most in shifts.items():
        for value in engine.cells([name]).domains[0]:
            if value is not None and not _movable(value, most):
                raise InputError(
                    f"the dates of {show(name)} are to be shifted, and {show(value)} is none; write it as "
                    "2024-12-31, make it missing, or remove the shift",
                    file=engine.name,
                )


def _movable(value: str, most: int) -> bool:
    """Return whether a text is a date, with or without a time of day, and stays one when it is moved.

    >>> _movable("2024-12-31 08:00:00", 180), _movable("2024-12-31x", 1), _movable("9999-12-01", 180)
    (True, False, False)
    """
    if value[10:11] not in ("", " ", "T"):
        return False
    try:
        day = date.fromisoformat(value[:10]) if len(value) > 9 and value[4] == "-" else None
        return day is not None and bool(day - timedelta(most) and day + timedelta(most))
    except (ValueError, OverflowError):
        return False
