"""Shows files of SPSS, Stata, SAS and spreadsheets to DuckDB: their rows are read in chunks.

A file that is one chunk stays in memory. Otherwise the rows go, as Parquet, to a private folder among the
temporary files, so that memory holds one chunk and DuckDB may rest; the folder is removed with the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.data.engines.duckdb.cells import FEW
from shoal.data.engines.duckdb.connection import Connection
from shoal.data.engines.duckdb.refusals import refusal
from shoal.data.engines.duckdb.text_views import SMALL
from shoal.data.files import sources
from shoal.data.files.codebook import Codebook
from shoal.data.files.stat_reading import StatFile
from shoal.data.files.workbooks import read_workbook
from shoal.data.sql import statements
from shoal.data.sql.stored_numbers import read_stored
from shoal.errors import TooLittleError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from sqlglot import exp

_STORED = "stored_rows"


def open_workbook(path: Path, session: Connection, view: str) -> Codebook:
    """Show the first sheet of a workbook, and return the codebook."""
    table, codebook = read_workbook(path)
    _small(session, table)
    session.show(lambda connection: connection.register(view, table))
    return codebook


def open_statistics(path: Path, session: Connection, view: str) -> Codebook:
    """Show a file of SPSS, Stata or SAS, and return the codebook."""
    file = StatFile(path)
    chunks = file.chunks()
    first = next(chunks)
    second = next(chunks, None)
    if second is None:
        _small(session, first)
        rows, kept = statements.whole(_STORED), first
    else:
        rows, kept = _spilled(_again(first, second, chunks), path, session), None
    statement = read_stored(rows, file.stored, file.kinds, file.whole, file.calendar)
    _show(session, view, path, statement, kept)
    return file.codebook


def _again(first: pa.Table, second: pa.Table, chunks: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield second
    yield from chunks


def _small(session: Connection, table: pa.Table) -> None:
    session.small = table.nbytes <= SMALL and len(table) <= FEW


def _spilled(chunks: Iterator[pa.Table], path: Path, session: Connection) -> exp.Select:
    """Write chunks to a private file that lasts as long as the session, and return what reads it."""
    from pyarrow import parquet

    folder = session.folder()
    place = folder / "rows.parquet"
    try:
        first = next(chunks)
        with parquet.ParquetWriter(place, first.schema) as writer:
            writer.write_table(first)
            for chunk in chunks:
                writer.write_table(chunk)
    except OSError as problem:
        raise TooLittleError(
            f"its rows cannot be kept in {folder.parent} ({problem.strerror or problem}); name a folder "
            "with more space (`temp_directory`)",
            file=path,
        ) from None
    session.files = (place,)
    return statements.read_parquet([sources.literal(place)], False)


def _show(
    session: Connection, view: str, path: Path, statement: exp.Select, kept: pa.Table | None
) -> None:
    import duckdb

    def show(connection: duckdb.DuckDBPyConnection) -> None:
        try:
            if kept is not None:
                connection.register(_STORED, kept)
            text = statements.keep(view, statement, "VIEW").sql(dialect="duckdb")
            connection.execute(text)
        except duckdb.Error as problem:
            raise refusal(problem, path) from None

    session.show(show)
