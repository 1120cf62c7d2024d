"""What a table can be: a file or a frame, checked before an engine opens it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.files.mixed_columns import mixed_columns
from shoal.documents.digests import reading
from shoal.errors import InputError, show

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET_ENDINGS = (".parquet", ".pq")
ARROW_ENDINGS = (".arrow", ".feather", ".ipc", ".arrows")
STAT_ENDINGS = (".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")
BOOK_ENDINGS = (".xlsx", ".ods")
_ENDINGS = (*TEXT_ENDINGS, *PARQUET_ENDINGS, *ARROW_ENDINGS, *STAT_ENDINGS, *BOOK_ENDINGS)


def is_frame(table: Any) -> bool:
    """Return whether an object offers its rows through Arrow's C interface."""
    return hasattr(table, "__arrow_c_stream__")


def name_of(table: Any) -> str:
    """Return what a table is called; a frame would show its rows.

    >>> import pyarrow as pa
    >>> name_of(pa.table({"a": [1]})), name_of("adult.csv")
    ('the pyarrow Table', 'adult.csv')
    """
    if not is_frame(table):
        return str(table)
    home = type(table).__module__.split(".")[0].lstrip("_")
    return f"the {home} {type(table).__name__}"


def to_arrow(frame: Any, name: str) -> tuple[pa.Table, dict[str, str]]:
    """Return a frame as an Arrow table, or raise an error that says why not.

    A pandas column with values of several types is empty in the table, and described beside it.
    """
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame, {}
    if type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "columns"):
        check_columns([str(column) for column in frame.columns], name)
        if mixed := mixed_columns(frame):
            frame = frame.copy(deep=False)
            for column in mixed:
                frame[column] = None
            return to_arrow(frame, name)[0], {str(column): held for column, held in mixed.items()}
    try:
        return pa.table(frame), {}
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
    for ending in _ENDINGS:
        if name.endswith(ending):
            return ending
    known = (
        "CSV, TSV, Parquet or Arrow (.csv, .tsv, .parquet, .arrow), SPSS, Stata or SAS (.sav, .zsav, .dta, "
        ".sas7bdat, .xpt), and workbooks (.xlsx, .ods)"
    )
    raise InputError(f"the ending {show(path.suffix)} is unknown; Shoal reads {known}", file=path)


def check_file(path: Path) -> None:
    """Refuse a file that does not exist, cannot be read or is empty."""
    with reading(path), path.open("rb") as file:
        if not file.read(1):
            raise InputError("the file is empty; a table needs a header and rows", file=path)


def check_columns(columns: Sequence[str], source: str | Path, line: int | None = None) -> None:
    """Refuse columns without a name, and names that appear twice (ignoring case)."""

    def refuse(what: str) -> InputError:
        return InputError(what, file=source, line=line)

    if not columns:
        raise refuse("the table has no columns")
    seen: dict[str, list[str]] = {}
    for i, column in enumerate(columns):
        if column == "":
            raise refuse(f"column {i + 1} has no name; name it")
        if "\0" in column:
            raise refuse(f"the name of the column {show(column)} has a NUL byte; rename it")
        seen.setdefault(column.lower(), []).append(column)
    again = [names for names in seen.values() if len(names) > 1]
    if len(again) == 1 and len(again[0]) == 2:
        first, column = again[0]
        also = "" if first == column else f" (as {show(first)}; case does not count)"
        raise refuse(f"the column {show(column)} appears twice{also}; rename one")
    if again:
        said = ", ".join(f"{show(names[0])} ({len(names)} times)" for names in again)
        raise refuse(f"columns appear more than once (case does not count): {said}; rename them")


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
