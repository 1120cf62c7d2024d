"""Makes CSV and TSV files visible to DuckDB, which reads UTF-8 alone: others are copied first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from shoal.data.engines.duckdb.connection import Connection
from shoal.data.engines.duckdb.instances import reader
from shoal.data.engines.duckdb.refusals import refusal
from shoal.data.files import sources
from shoal.data.files.encodings import copy_as_utf8
from shoal.data.files.table_files import TableFiles
from shoal.data.files.text_tables import TextFile, inspect_text
from shoal.describe.table_reading import Reading
from shoal.errors import InputError

if TYPE_CHECKING:
    import duckdb

    Read = Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]

SMALL = 1 << 20
"""Tables up to this many bytes share a DuckDB, and their cells are fetched without counting first."""


def open_text(files: TableFiles, session: Connection, view: str, reading: Reading) -> None:
    """Make text files of one format visible as a view."""
    found = [inspect_text(path, reading.encoding, as_written=reading.as_written) for path in files.paths]
    file = found[0]
    for other in found[1:]:
        if _format(other) != _format(file):
            raise InputError(
                f"other columns, or another delimiter, than {file.path}; give files of one format",
                file=other.path,
                line=1,
            )
    session.notes = tuple(file.notes)
    entries = {each.encoding.entry for each in found}
    session.found = Reading(
        encoding=entries.pop() if len(entries) == 1 else None, decimal=reading.decimal
    )
    session.small = (
        not _packed(files.paths[0]) and sum(path.stat().st_size for path in files.paths) <= SMALL
    )
    copies = _Copies(files, tuple(found), session)
    packed = copies.as_they_are and _packed(file.path)
    # DuckDB accepts the escapes, and guesses from the file's first line end if there are none.
    end = None if file.line_end is None else file.line_end.encode("unicode_escape").decode()
    if not copies.as_they_are and end == "\\r\\n":
        end = "\\n"
    first = (_unused(file.columns),) if file.numbered else ()

    def read(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        rows = connection.read_csv(
            [sources.literal(path) for path in copies.paths()],
            header=True,
            skiprows=1 if file.said else 0,
            sep=file.delimiter,
            quotechar='"',
            escapechar='"',
            auto_detect=False,
            columns=dict.fromkeys((*first, *file.columns), "VARCHAR"),
            lineterminator=end,
            compression="gzip" if packed else "none",
            hive_partitioning=bool(files.partitions),
            hive_types_autocast=False,
        )
        plain = not (first or file.spaced or reading.decimal)
        return rows if plain else rows.project(_shown(rows.columns, first, file, reading))

    session.files = copies.names
    if session.shares:
        _show_read(files, read, session, view)
    else:
        show_view(session, view, files.given, read)


def _format(file: TextFile) -> tuple[object, ...]:
    return file.columns, file.delimiter, file.said, file.spaced, file.numbered


def _packed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _unused(columns: tuple[str, ...]) -> str:
    """Return a name for the column without one, which is never seen."""
    return "n" * (1 + max(map(len, columns)))


class _Copies:
    """The files that DuckDB reads: those that are given, or copies in UTF-8, made again when these change."""

    def __init__(self, files: TableFiles, found: tuple[TextFile, ...], session: Connection) -> None:
        self._files, self._found = files, found
        self.as_they_are = all(file.encoding.plain for file in found)
        self._made_of: list[object] = []
        self.names = files.paths
        if not self.as_they_are:
            if files.partitions:
                raise InputError(
                    "files in folders that name values must be UTF-8 with equal line ends; convert them",
                    file=next(file.path for file in found if not file.encoding.plain),
                )
            self.names = tuple(session.folder() / f"{i}.csv" for i in range(len(found)))

    def paths(self) -> tuple[Path, ...]:
        """Return the files, after copying them if need be."""
        state = state_of(self._files)
        if not self.as_they_are and self._made_of != state:
            for file, copy in zip(self._found, self.names, strict=True):
                copy_as_utf8(file.path, file.encoding, copy)
            self._made_of = state
        return self.names


def _shown(columns: list[str], hidden: tuple[str, ...], file: TextFile, reading: Reading) -> str:
    """Return what is selected of a file's columns: without spaces before values, with points in numbers."""
    shown = []
    for name in columns:
        if name in hidden:
            continue
        value: exp.Expression = exp.column(name, quoted=True)
        if file.spaced:
            value = exp.Trim(this=value, expression=exp.Literal.string(" "), position="LEADING")
        if reading.decimal is not None:
            value = _with_points(value, reading.decimal)
        shown.append(exp.alias_(value, name, quoted=True))
    return ", ".join(each.sql(dialect="duckdb") for each in shown)


def _with_points(value: exp.Expression, decimal: str) -> exp.Expression:
    """Return numbers with a point before decimals and nothing between thousands; other texts as they are."""
    mark = "," if decimal == "." else "."
    inside = rf"([0-9]{{1,3}}([{mark}][0-9]{{3}})+|[0-9]+)([{decimal}][0-9]+)?"
    number = exp.RegexpLike(this=value, expression=exp.Literal.string(f"^ *[+-]?{inside} *$"))

    def replaced(text: exp.Expression, old: str, new: str) -> exp.Expression:
        return exp.func("REPLACE", text, exp.Literal.string(old), exp.Literal.string(new))

    plain = replaced(replaced(value.copy(), mark, ""), decimal, ".")
    return exp.Case().when(number, plain).else_(value.copy())


def _show_read(files: TableFiles, read: Read, session: Connection, view: str) -> None:
    """Give the shared DuckDB, which opens no files, the rows of small files; again if they change."""
    import duckdb

    shown: list[object] = []

    def show(connection: duckdb.DuckDBPyConnection) -> None:
        shown[:] = state_of(files)
        try:
            with reader.cursor() as other:
                connection.register(view, read(other).to_arrow_table())
        except (duckdb.Error, UnicodeDecodeError) as problem:
            raise refusal(problem, files.given) from None

    session.files = ()
    session.stale = lambda: bool(shown) and shown != state_of(files)
    session.show(show)


def state_of(files: TableFiles) -> list[object]:
    """Return a value that changes when the files do."""
    found = [path.stat() if path.exists() else None for path in files.paths]
    return [state and (state.st_mtime_ns, state.st_size, state.st_ino) for state in found]


def show_view(session: Connection, view: str, path: Path, read: Read) -> None:
    """Make what is read of files visible as a view, now and whenever the connection is reopened."""
    import duckdb

    def show(connection: duckdb.DuckDBPyConnection) -> None:
        try:
            # DuckDB's own `create_view` makes one that other cursors would see.
            connection.execute(f"CREATE TEMP VIEW {view} AS {read(connection).sql_query()}")
        except duckdb.Error as problem:
            raise refusal(problem, path) from None

    session.show(show)
