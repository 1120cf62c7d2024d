"""Makes a table visible to DuckDB: files and frames become a view, or are refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.engines.duckdb.cells import FEW
from shoal.data.engines.duckdb.connection import Connection
from shoal.data.engines.duckdb.database import Database
from shoal.data.engines.duckdb.instances import reader
from shoal.data.engines.duckdb.refusals import first_line, refusal
from shoal.data.files import sources
from shoal.data.files.table_files import TableFiles, find_files
from shoal.data.sql import statements
from shoal.describe import Place
from shoal.errors import InputError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    Read = Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]

SMALL = 1 << 20
"""Tables up to this many bytes share a DuckDB, and their cells are fetched without counting first."""


def make_known(table: Any, session: Connection, view: str) -> tuple[str, Database | None]:
    """Make a table visible to DuckDB as a view; return its name, and its database if it is in one."""
    if sources.is_frame(table):
        home = type(table).__module__.split(".")[0].lstrip("_")
        name = f"the {home} {type(table).__name__}"
        _take(sources.to_arrow(table, name), name, session, view)
        return name, None
    if isinstance(table, Place):
        # The file is neither written nor locked for other readers.
        database = Database(table)
        session.files = database.files
        session.show(lambda connection: database.show(connection, view))
        return str(table), database
    if not isinstance(table, (str, Path, TableFiles)):
        raise InputError(
            f"a {type(table).__name__} is not a table; give a path, or a frame of pandas, Polars, "
            "PyArrow or DuckDB"
        )
    files = table if isinstance(table, TableFiles) else find_files(Path(table))
    ending = sources.ending_of(files.paths[0])
    if ending in sources.TEXT_ENDINGS:
        _open_text(files, session, view)
    elif ending in sources.PARQUET_ENDINGS:
        _open_parquet(files, session, view)
    else:
        _open_arrow(files.paths[0], session, view)
    return str(files.given), None


def _open_text(files: TableFiles, session: Connection, view: str) -> None:
    file = sources.inspect_text(files.paths[0])
    for path in files.paths[1:]:
        other = sources.inspect_text(path)
        if (other.columns, other.delimiter) != (file.columns, file.delimiter):
            raise InputError(
                f"other columns, or another delimiter, than {file.path}; give files of one format",
                file=path,
                line=1,
            )
    packed = file.path.name.lower().endswith(".gz")
    session.files = files.paths
    session.small = not packed and sum(path.stat().st_size for path in files.paths) <= SMALL
    # DuckDB accepts the escapes, and guesses from the file's first line end if there are none.
    end = None if file.line_end is None else file.line_end.encode("unicode_escape").decode()

    def read(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        return connection.read_csv(
            [sources.literal(path) for path in files.paths],
            header=True,
            sep=file.delimiter,
            quotechar='"',
            escapechar='"',
            auto_detect=False,
            columns=dict.fromkeys(file.columns, "VARCHAR"),
            lineterminator=end,
            compression="gzip" if packed else "none",
            hive_partitioning=bool(files.partitions),
            hive_types_autocast=False,
        )

    if session.shares:
        _show_read(files, read, session, view)
    else:
        _show(session, view, files.given, read)


def _show_read(files: TableFiles, read: Read, session: Connection, view: str) -> None:
    """Give the shared DuckDB, which opens no files, the rows of small files; again if they change."""
    import duckdb

    shown: list[object] = []

    def show(connection: duckdb.DuckDBPyConnection) -> None:
        shown[:] = _state(files)
        try:
            with reader.cursor() as other:
                connection.register(view, read(other).to_arrow_table())
        except (duckdb.Error, UnicodeDecodeError) as problem:
            raise refusal(problem, files.given) from None

    session.files = ()
    session.stale = lambda: bool(shown) and shown != _state(files)
    session.show(show)


def _state(files: TableFiles) -> list[object]:
    """Return a value that changes when the files do."""
    found = [path.stat() if path.exists() else None for path in files.paths]
    return [state and (state.st_mtime_ns, state.st_size, state.st_ino) for state in found]


def _open_parquet(files: TableFiles, session: Connection, view: str) -> None:
    def read(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        paths = [sources.literal(path) for path in files.paths]
        statement = statements.read_parquet(paths, bool(files.partitions))
        return connection.sql(statement.sql(dialect="duckdb"))

    session.files = files.paths
    _show(session, view, files.given, read)
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


def _show(session: Connection, view: str, path: Path, read: Read) -> None:
    import duckdb

    def show(connection: duckdb.DuckDBPyConnection) -> None:
        try:
            # DuckDB's own `create_view` makes one that other cursors would see.
            connection.execute(f"CREATE TEMP VIEW {view} AS {read(connection).sql_query()}")
        except duckdb.Error as problem:
            raise refusal(problem, path) from None

    session.show(show)
