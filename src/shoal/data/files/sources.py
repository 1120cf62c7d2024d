"""What a table can be: a file or a frame, checked before an engine opens it."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.documents.digests import decoded, reading
from shoal.errors import InputError, show

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET_ENDINGS = (".parquet", ".pq")
ARROW_ENDINGS = (".arrow", ".feather", ".ipc", ".arrows")
_DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class TextFile:
    """A CSV or TSV file whose first line names the columns.

    `line_end` is given if a column name contains a line end, which could mislead the guess.
    """

    path: Path
    delimiter: str
    columns: tuple[str, ...]
    line_end: str | None = None


def is_frame(table: Any) -> bool:
    """Return whether an object offers its rows through Arrow's C interface."""
    return hasattr(table, "__arrow_c_stream__")


def to_arrow(frame: Any, name: str) -> pa.Table:
    """Return a frame as an Arrow table, or raise an error that says why not."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "columns"):
        check_columns([str(column) for column in frame.columns], name)
    try:
        return pa.table(frame)
    except Exception as problem:  # whatever the frame's own library raises
        what = str(problem.args[0] if problem.args else problem).strip().split("\n", 1)[0]
        raise InputError(f"cannot be read as a table: {what}", file=name) from None


def parquet_columns(path: Path) -> list[str]:
    """Return the column names of a Parquet file, unchanged."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        names: list[str] = parquet.read_schema(path).names
    except (pa.ArrowException, OSError) as problem:
        what = str(problem).strip().split("\n", 1)[0]
        raise InputError(f"cannot be read: {what}", file=path) from None
    return names


def literal(path: Path) -> str:
    """Return a path with its pattern characters escaped for DuckDB.

    >>> literal(Path("a[1]*.csv"))
    'a[[]1][*].csv'
    """
    return re.sub(r"[*?[]", r"[\g<0>]", str(path))


def ending_of(path: Path) -> str:
    """Return the file name's ending, which tells the kind of file.

    >>> ending_of(Path("a.b.CSV.gz"))
    '.csv.gz'
    """
    name = path.name.lower()
    for ending in (*TEXT_ENDINGS, *PARQUET_ENDINGS, *ARROW_ENDINGS):
        if name.endswith(ending):
            return ending
    known = "CSV, TSV, Parquet or Arrow (.csv, .tsv, .parquet, .arrow)"
    raise InputError(f"the ending {show(path.suffix)} is unknown; Shoal reads {known}", file=path)


def check_file(path: Path) -> None:
    """Refuse a file that does not exist, cannot be read or is empty."""
    with reading(path), path.open("rb") as file:
        if not file.read(1):
            raise InputError("the file is empty; a table needs a header and rows", file=path)


def check_columns(columns: Sequence[str], source: str | Path, line: int | None = None) -> None:
    """Refuse columns without a name, and names that appear twice (case does not count)."""

    def refuse(what: str) -> InputError:
        return InputError(what, file=source, line=line)

    if not columns:
        raise refuse("the table has no columns")
    seen: dict[str, str] = {}
    for i, column in enumerate(columns):
        if column == "":
            raise refuse(f"column {i + 1} has no name; name it")
        if "\0" in column:
            raise refuse(f"the name of the column {show(column)} has a NUL byte; rename it")
        if column.lower() in seen:
            first = seen[column.lower()]
            also = "" if first == column else f" (as {show(first)}; case does not count)"
            raise refuse(f"the column {show(column)} appears twice{also}; rename one")
        seen[column.lower()] = column


def inspect_text(path: Path) -> TextFile:
    """Return the delimiter and the columns of a CSV or TSV file."""
    record = _first_record(path)
    header = record.rstrip("\r\n")
    if not header:
        raise InputError("the first line is empty; it must name the columns", file=path, line=1)
    if ending_of(path).startswith(".tsv"):
        delimiter = "\t"
    else:
        outside = "".join(header.split('"')[::2])
        delimiter = max(_DELIMITERS, key=lambda d: (outside.count(d), -_DELIMITERS.index(d)))
    source = io.StringIO(record, newline="")
    try:
        columns = next(csv.reader(source, delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        raise InputError("the header cannot be read; check its quotes", file=path, line=1) from None
    check_columns(columns, path, line=1)
    return TextFile(path, delimiter, tuple(columns), _line_end(record[: source.tell()], columns, path))


def _line_end(header: str, columns: Sequence[str], path: Path) -> str | None:
    """Return the line end of a header whose names contain line ends; None if DuckDB finds it itself."""
    end = header[len(header.rstrip("\r\n")) :]
    inside = "".join(columns)
    if end != "\r":
        return end if end and ("\r" in inside or "\n" in inside) else None
    if "\n" in inside:  # DuckDB cannot be told about lone returns
        raise InputError(
            "a column name contains a line end that differs from the file's own; rename it",
            file=path,
            line=1,
        )
    return None


def _first_record(path: Path) -> str:
    """Return the header: the first line, or more if a quoted name contains line ends."""
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    record = b""
    try:
        with opened(path, "rb") as file:
            for line in file:
                record += line
                if record.count(b'"') % 2 == 0 or len(record) > 1 << 20:
                    break
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"cannot be read: {problem}", file=path) from None
    text = decoded(record, path)
    return text if '"' in text else text.rstrip("\r\n").split("\r", 1)[0]


def like(given: Any, rows: pa.Table) -> Any:
    """Return Arrow rows as the kind of frame that `given` is; a path gives an Arrow table.

    >>> import pyarrow as pa
    >>> type(like("adult.csv", pa.table({"a": [1]}))).__name__
    'Table'
    """
    home = type(given).__module__.split(".")[0]
    if home == "pandas":
        return rows.to_pandas()
    if home == "polars":
        import polars as pl

        return pl.from_arrow(rows)
    if home in {"duckdb", "_duckdb"}:
        import duckdb

        return duckdb.from_arrow(rows)
    return rows
