"""Makes a table visible to DuckDB: files and frames become a view, or are refused in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.engines.duckdb.cells import FEW
from shoal.data.engines.duckdb.connection import Connection
from shoal.data.engines.duckdb.database import Database
from shoal.data.engines.duckdb.lakes import open_lake
from shoal.data.engines.duckdb.refusals import first_line
from shoal.data.engines.duckdb.stored import open_statistics, open_workbook
from shoal.data.engines.duckdb.text_views import SMALL, open_text, show_view
from shoal.data.files import sources
from shoal.data.files.codebook import NOTHING_TOLD, Codebook
from shoal.data.files.table_files import TableFiles, find_files
from shoal.data.sql import statements
from shoal.describe import Place
from shoal.describe.places import LAKES
from shoal.describe.table_reading import Reading
from shoal.errors import InputError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    Known = tuple[str, Database | None, Codebook]


def make_known(table: Any, session: Connection, view: str, reading: Reading) -> Known:
    """Make a table visible to DuckDB as a view; return its name, its database if any, and its codebook."""
    if sources.is_frame(table):
        name = sources.name_of(table)
        rows, session.mixed = sources.to_arrow(table, name)
        _take(rows, name, session, view)
        return name, None, NOTHING_TOLD
    if isinstance(table, Place) and table.engine in LAKES:
        open_lake(table, session, view)
        return str(table), None, NOTHING_TOLD
    if isinstance(table, Place):
        # The file is neither written nor locked for other readers.
        database = Database(table)
        session.files = database.files
        session.show(lambda connection: database.show(connection, view))
        return str(table), database, NOTHING_TOLD
    if not isinstance(table, (str, Path, TableFiles)):
        raise InputError(
            f"a {type(table).__name__} is not a table; give a path, or a frame of pandas, Polars, "
            "PyArrow or DuckDB"
        )
    files = table if isinstance(table, TableFiles) else find_files(Path(table))
    ending = sources.ending_of(files.paths[0])
    codebook = NOTHING_TOLD
    if ending in sources.TEXT_ENDINGS:
        open_text(files, session, view, reading)
    elif ending in sources.PARQUET_ENDINGS:
        _open_parquet(files, session, view)
    elif ending in sources.ARROW_ENDINGS:
        _open_arrow(files.paths[0], session, view)
    elif ending in sources.BOOK_ENDINGS:
        codebook = open_workbook(files.paths[0], session, view)
    else:
        codebook = open_statistics(files.paths[0], session, view)
    return str(files.given), None, codebook


def _open_parquet(files: TableFiles, session: Connection, view: str) -> None:
    def read(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        paths = [sources.literal(path) for path in files.paths]
        statement = statements.read_parquet(paths, bool(files.partitions))
        return connection.sql(statement.sql(dialect="duckdb"))

    session.files = files.paths
    show_view(session, view, files.given, read)
    for path in files.paths:
        # DuckDB renames columns that have no name or the same name.
        names = sources.parquet_columns(path)
        sources.check_columns([*names, *files.partitions], path)
        if sorted(names) != sorted(sources.parquet_columns(files.paths[0])):
            raise InputError(f"other columns than {files.paths[0]}; give files of one format", file=path)


def _open_arrow(path: Path, session: Connection, view: str) -> None:
    import pyarrow as pa
    from pyarrow import ipc

    try:
        with pa.memory_map(str(path)) as source:
            try:
                table = ipc.open_file(source).read_all()
            except pa.ArrowInvalid:
                source.seek(0)
                table = ipc.open_stream(source).read_all()
        table.validate(full=True)  # a damaged file would crash the process
        _take(table, str(path), session, view)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise InputError("this is not an Arrow file; check it, or its ending", file=path) from None


def _take(table: pa.Table, name: str, session: Connection, view: str) -> None:
    import duckdb

    sources.check_columns(table.column_names, name)
    session.small = table.nbytes <= SMALL and len(table) <= FEW
    try:
        session.show(lambda connection: connection.register(view, table))
    except duckdb.Error as problem:
        raise InputError(
            f"a column cannot be read ({first_line(problem)}); turn it into text", file=name
        ) from None
