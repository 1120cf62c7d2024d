"""Released rows as files hold them: texts that are still codes become numbers or dates again.

A recoding gives texts, whatever the column was. If the column's own kind in the file can still hold
every released value, it is written as that kind, with the labels of the values that are left.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from shoal.data.files.codebook import Codebook, Kind, Variable, code_text

if TYPE_CHECKING:
    import pyarrow as pa

_READ: dict[Kind, Callable[[str], Any]] = {
    Kind.NUMBER: float,
    Kind.DATE: date.fromisoformat,
    Kind.MOMENT: datetime.fromisoformat,
    Kind.TIME: time.fromisoformat,
}
_EXACT = 1 << 53


def restored(rows: pa.Table, codebook: Codebook) -> tuple[pa.Table, Codebook]:
    """Return rows in the types that files hold, and the codebook of just these rows."""
    import pyarrow as pa

    columns, variables = [], []
    for name in rows.column_names:
        column, variable = _restored(_plain(rows[name]), codebook.of(name))
        columns.append(column)
        variables.append(variable)
    return pa.table(columns, names=rows.column_names), Codebook(tuple(variables))


def _restored(column: pa.ChunkedArray, variable: Variable) -> tuple[pa.ChunkedArray, Variable]:
    """Return a column in its own kind, if all its values fit it, and what may be said about it."""
    import pyarrow as pa

    kind = _kind_of(column)
    recoded = kind is Kind.TEXT and variable.kind is not Kind.TEXT
    # A column may have as many values as rows, so they are looked at only if they matter.
    texts = _texts(column) if recoded or variable.values or variable.missing else set()
    if recoded:
        found = {text: _value(text, variable.kind) for text in texts}
        if texts and all(value is not None for value in found.values()):
            types = {
                Kind.NUMBER: pa.float64(),
                Kind.DATE: pa.date32(),
                Kind.MOMENT: pa.timestamp("us"),
                Kind.TIME: pa.time64("us"),
            }
            column, kind = _mapped(column, found, types[variable.kind]), variable.kind
    told = variable.only(texts)
    if kind is not variable.kind:
        # Formats and missing codes belong to the kind that the column had.
        told = Variable(told.name, kind, told.label, told.values)
    return column, told


def _mapped(column: pa.ChunkedArray, values: dict[str, Any], kind: pa.DataType) -> pa.ChunkedArray:
    """Return the value of every text, looked up once for each distinct text."""
    import pyarrow as pa

    chunks = []
    for chunk in column.chunks:
        coded = chunk.dictionary_encode()
        known = pa.array([values.get(text) for text in coded.dictionary.to_pylist()], kind)
        chunks.append(known.take(coded.indices))
    return pa.chunked_array(chunks, kind)


def _value(text: str, kind: Kind) -> Any:
    """Return a text as a value of a kind; None if that value would not be written so."""
    try:
        value = _READ[kind](text)
    except ValueError:
        return None
    again = code_text(value) if kind is Kind.NUMBER else str(value)
    return value if again == text else None


def _texts(column: pa.ChunkedArray) -> set[str]:
    """Return the distinct values of a column as texts."""
    import pyarrow.compute as pc

    values = (value for value in pc.unique(column).to_pylist() if value is not None)
    return {code_text(v) if isinstance(v, (int, float)) else str(v) for v in values} - {""}


def _kind_of(column: pa.ChunkedArray) -> Kind:
    import pyarrow as pa

    types = pa.types
    if types.is_date(column.type):
        return Kind.DATE
    if types.is_timestamp(column.type):
        return Kind.MOMENT
    if types.is_time(column.type):
        return Kind.TIME
    numeric = types.is_integer(column.type) or types.is_floating(column.type)
    return Kind.NUMBER if numeric else Kind.TEXT


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as one of the types that these files know; text is the last resort.

    Whole numbers that doubles cannot hold exactly become texts, decimals become doubles, and moments
    with a time zone become texts in UTC, as everywhere in Shoal.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    types, kind = pa.types, column.type
    if types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type))
    if types.is_integer(kind):
        ends = pc.min_max(column).as_py()
        far = ends["min"] is not None and max(abs(ends["min"]), abs(ends["max"])) >= _EXACT
        return column.cast(pa.string() if far else pa.int64())
    if types.is_floating(kind) or types.is_decimal(kind):
        numbers = column.cast(pa.float64())
        return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    if types.is_date(kind):
        return column.cast(pa.date32())
    if types.is_timestamp(kind):
        if kind.tz is not None:
            return pc.strftime(column.cast(pa.timestamp("us", "UTC")), "%Y-%m-%d %H:%M:%S")
        return column.cast(pa.timestamp("us"))
    if types.is_time(kind):
        return column.cast(pa.time64("us"))
    if types.is_boolean(kind):
        return column
    return column.cast(pa.string())
