"""Writes and reads labelled files as the release and the engine do."""

from __future__ import annotations

import pyarrow as pa
from pyarrow import ipc

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files.codebook import NOTHING_TOLD
from shoal.data.files.labelled import write_labelled
from shoal.data.sql import statements

WRITTEN = (".sav", ".zsav", ".dta", ".xpt", ".xlsx")
STATISTICS = WRITTEN[:-1]


def write(table, path, codebook=NOTHING_TOLD):
    """Write a table as a release would."""
    rows = path.with_name("rows.arrow")
    with pa.OSFile(str(rows), "wb") as file, ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    write_labelled(rows, codebook, path)
    return path


def read(path):
    """The columns of a file as DuckDB sees them, and its codebook."""
    engine = DuckDBEngine(path)
    try:
        rows = engine.rows(statements.whole("source"))
        columns = (
            dict(zip(engine.columns, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
        )
        return columns, engine.codebook
    finally:
        engine.close()
