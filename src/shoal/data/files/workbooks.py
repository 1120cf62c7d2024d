"""Workbooks (.xlsx, .ods): the first visible sheet is a table, and a table is written as one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.files.codebook import Codebook, Kind, Variable, code_text
from shoal.data.files.sources import check_columns
from shoal.errors import InputError, MissingExtraError
from shoal.numbers import many

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 1_048_575
"""Rows of a sheet below its header."""
LONGEST = 32_767
"""Characters of a cell."""
_EXACT = 1 << 53
_FIRST_DAY = date(1900, 3, 1)
"""Before this day workbooks miscount: their calendar has a 29 February 1900."""
_MADE = datetime(2000, 1, 1)
"""The creation date in every written workbook, so that the same rows give the same file."""


def read_workbook(path: Path) -> tuple[pa.Table, Codebook]:
    """Return the first visible sheet's rows and what their columns are; the first row names the columns."""
    import pyarrow as pa

    cells = _cells(path)
    while cells and not any(cell != "" for cell in cells[-1]):
        cells.pop()
    if not cells:
        raise InputError("the first sheet is empty; a table needs a header and rows", file=path)
    columns = list(zip(*cells, strict=True))
    while columns and not any(cell != "" for cell in columns[-1]):
        columns.pop()
    names = [_text(column[0]) or "" for column in columns]
    check_columns(names, path, line=1)
    arrays, variables = [], []
    for name, column in zip(names, columns, strict=True):
        kind, values = _column([None if cell == "" else cell for cell in column[1:]])
        arrays.append(values)
        variables.append(Variable(name, kind))
    return pa.table(arrays, names=names), Codebook(tuple(variables))


def _cells(path: Path) -> list[list[Any]]:
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtraError("workbooks", "python-calamine", "excel") from None
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            visible = calamine.SheetVisibleEnum.Visible
            shown = [sheet.name for sheet in book.sheets_metadata if sheet.visible == visible]
            if not shown:
                raise InputError("no sheet is visible; a table needs one", file=path)
            cells: list[list[Any]] = book.get_sheet_by_name(shown[0]).to_python(skip_empty_area=False)
    except calamine.PasswordError:
        raise InputError("is locked by a password; save it without one", file=path) from None
    except (calamine.CalamineError, OSError) as problem:
        raise InputError(
            f"cannot be read as a workbook ({problem}); check it, or its ending", file=path
        ) from None
    return cells


def _column(cells: Sequence[Any]) -> tuple[Kind, pa.Array]:
    """Return a column as the kind that all its cells have; as text if they have several."""
    import pyarrow as pa

    found = {type(cell) for cell in cells if cell is not None}
    if found == {bool}:
        return Kind.TEXT, pa.array(cells, pa.bool_())
    if found and found <= {int, float}:
        if all(cell is None or (cell == int(cell) and abs(cell) < _EXACT) for cell in cells):
            return Kind.NUMBER, pa.array([None if c is None else int(c) for c in cells], pa.int64())
        return Kind.NUMBER, pa.array(cells, pa.float64())
    if found == {date}:
        return Kind.DATE, pa.array(cells, pa.date32())
    if found and found <= {date, datetime}:  # a moment at midnight comes as a date
        moments = [
            datetime(cell.year, cell.month, cell.day) if type(cell) is date else cell for cell in cells
        ]
        return Kind.MOMENT, pa.array(moments, pa.timestamp("us"))
    if found == {time}:
        return Kind.TIME, pa.array(cells, pa.time64("us"))
    return Kind.TEXT, pa.array([_text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    return code_text(cell) if isinstance(cell, (int, float)) else str(cell)


def write_workbook(rows: pa.Table, path: Path) -> None:
    """Write rows as the one sheet of a workbook; nothing in it is a formula."""
    if len(rows) > MOST_ROWS:
        raise InputError(
            f"a sheet has no more than {MOST_ROWS:,} rows, and these are {many(len(rows), 'row')}; "
            "release as CSV or Parquet",
            file=path,
        )
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError("workbooks", "XlsxWriter", "excel") from None
    # Rows go to a temporary file beside the workbook, whose folder is private.
    options = {"constant_memory": True, "tmpdir": str(path.parent)}
    try:
        with xlsxwriter.Workbook(str(path), options) as book:
            book.set_properties({"created": _MADE})
            _write_sheet(book, rows, path)
    except xlsxwriter.exceptions.XlsxWriterException as problem:
        raise InputError(f"cannot be written: {problem}", file=path) from None


def _write_sheet(book: Any, rows: pa.Table, path: Path) -> None:
    sheet = book.add_worksheet("data")
    shapes = {
        date: book.add_format({"num_format": "yyyy-mm-dd"}),
        datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"}),
        time: book.add_format({"num_format": "hh:mm:ss.000"}),
    }
    for c, name in enumerate(rows.column_names):
        sheet.write_string(0, c, name)
    as_text = {c for c in range(rows.num_columns) if not _fits(rows.column(c))}
    r = 0
    for batch in rows.to_batches():
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            r += 1
            for c, cell in enumerate(row):
                if cell is None:
                    continue
                if c in as_text or isinstance(cell, str):
                    text = _text(cell) or ""
                    if len(text) > LONGEST:
                        raise InputError(
                            f"a cell of a workbook has no more than {LONGEST:,} characters, and one of "
                            f"{rows.column_names[c]!r} has {len(text):,}; release as CSV or Parquet",
                            file=path,
                        )
                    sheet.write_string(r, c, text)
                elif isinstance(cell, bool):
                    sheet.write_boolean(r, c, cell)
                elif isinstance(cell, (int, float)):
                    sheet.write_number(r, c, cell)
                else:
                    sheet.write_datetime(r, c, cell, shapes[type(cell)])


def _fits(column: pa.ChunkedArray) -> bool:
    """Return whether a sheet can hold a column's numbers (15 digits) and dates (from 1900 on)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type):
        return True
    ends: dict[str, Any] = pc.min_max(column).as_py()
    if ends["min"] is None:
        return True
    if isinstance(ends["min"], (bool, time)):
        return True
    if isinstance(ends["min"], date):
        first = ends["min"].date() if isinstance(ends["min"], datetime) else ends["min"]
        return bool(first >= _FIRST_DAY)
    if isinstance(ends["min"], int):
        return bool(ends["min"] > -(10**15) and ends["max"] < 10**15)
    return bool(ends["min"] > -inf and ends["max"] < inf)
