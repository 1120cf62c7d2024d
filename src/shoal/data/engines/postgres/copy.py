"""Moves rows in and out of PostgreSQL by COPY, as Arrow: no row becomes a Python object."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from shoal.data.engines.postgres.connection import PostgresSession, own
from shoal.data.engines.postgres.dialect import PostgresColumn, fetched
from shoal.errors import InputError, show

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 4 << 20
"""Bytes of CSV that are read at once; rows are never cut, however long."""
_ROWS = 50_000
_MISSING = "\\N"
"""Marks a missing value, without quotes; every other value has quotes."""
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


def schema_of(columns: tuple[PostgresColumn, ...]) -> pa.Schema:
    """Return the Arrow types in which columns are fetched."""
    import pyarrow as pa

    return pa.schema([pa.field(column.name, fetched(column)[2]) for column in columns])


def fetch(
    session: PostgresSession, rows: exp.Select, columns: tuple[PostgresColumn, ...]
) -> Generator[pa.RecordBatch, None, None]:
    """Yield the rows of a statement with these columns, in its order, block by block."""
    import pyarrow as pa

    shown = [fetched(column)[0].as_(f"f{i}") for i, column in enumerate(columns)]
    read = [fetched(column)[1] for column in columns]
    schema = schema_of(columns)
    for batch in csv_blocks(session, exp.select(*shown).from_(rows.subquery("released")), read):
        arrays = [array.cast(field.type) for array, field in zip(batch, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def csv_blocks(session: PostgresSession, rows: exp.Select, types: list[Any]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a statement whose columns have these types, block by block."""
    import pyarrow as pa
    from pyarrow import csv

    names = [f"f{i}" for i in range(len(types))]
    parse = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    convert = csv.ConvertOptions(
        column_types=dict(zip(names, types, strict=True)),
        null_values=[_MISSING],
        true_values=["t"],
        false_values=["f"],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )

    def read(lines: list[Any]) -> Iterator[pa.RecordBatch]:
        block = b"".join(lines)
        whole = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names)
        yield from csv.read_csv(pa.BufferReader(block), whole, parse, convert).to_batches()

    statement = rows.sql(dialect="postgres")
    options = f"FORMAT csv, FORCE_QUOTE *, NULL '{_MISSING}'"
    with session.copying(f"COPY ({statement}) TO STDOUT ({options})") as copy:
        lines: list[Any] = []
        held = 0
        for line in copy:
            lines.append(line)
            held += len(line)
            if held >= _BLOCK:
                yield from read(lines)
                lines, held = [], 0
        if lines:
            yield from read(lines)


def given(session: PostgresSession, name: str, table: pa.Table) -> exp.Table | exp.Subquery:
    """Return the expression for a table that `take_in` loads.

    If the session cannot create tables, it is the rows themselves: one array per column.
    """
    if session.keeps:
        return own(name)
    arrays = [
        exp.cast(exp.Literal.string(_array(column, session.name)), f"{_type(column)}[]")
        for column in table.columns
    ]
    names = [exp.to_identifier(column, quoted=True) for column in table.column_names]
    alias = exp.TableAlias(this=exp.to_identifier("given"), columns=names)
    return exp.select("*").from_(exp.Unnest(expressions=arrays, alias=alias)).subquery(name)


def take_in(session: PostgresSession, name: str, table: pa.Table) -> None:
    """Create a temporary table, if the session may, from texts and integers."""
    if not session.keeps:
        return
    definitions = [
        exp.ColumnDef(this=exp.to_identifier(name, quoted=True), kind=exp.DataType.build(_type(column)))
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    session.drop(name)
    session.run(
        exp.Create(
            this=exp.Schema(this=exp.to_table(name), expressions=definitions),
            kind="TABLE",
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )
    )
    with session.copying(f"COPY {own(name).sql(dialect='postgres')} FROM STDIN") as copy:
        for batch in table.to_batches(max_chunksize=_ROWS):
            copy.write(_lines(batch, session.name))
    session.analyze(name)


def _lines(batch: pa.RecordBatch, name: str) -> Any:
    """Return rows in COPY's text format, in which a missing value differs from every text."""
    import pyarrow as pa
    from pyarrow import compute

    texts = []
    for column in batch:
        text = column
        if _type(column) == "TEXT":
            _check_held(column, name)
            for plain, escaped in _ESCAPES:
                text = compute.replace_substring(text, plain, escaped)
        texts.append(text.cast(pa.large_string()).fill_null(_MISSING))
    tab, end = pa.scalar("\t", pa.large_string()), pa.scalar("\n", pa.large_string())
    rows = compute.binary_join_element_wise(*texts, tab)
    lines = compute.binary_join_element_wise(rows, end, pa.scalar("", pa.large_string()))
    # An Arrow array stores its texts one after the other, just as COPY wants its lines.
    return memoryview(lines.buffers()[2]) if len(lines) else b""


def _array(column: pa.ChunkedArray, name: str) -> str:
    """Return values as a PostgreSQL array; every text has quotes, a missing value has none."""
    import pyarrow as pa
    from pyarrow import compute

    text = column
    if _type(column) == "TEXT":
        _check_held(column, name)
        for plain in ("\\", '"'):
            text = compute.replace_substring(text, plain, "\\" + plain)
        text = compute.binary_join_element_wise('"', text, '"', "")
    return "{" + ",".join(text.cast(pa.string()).fill_null("NULL").to_pylist()) + "}"


def _type(column: Any) -> str:
    import pyarrow as pa

    return "TEXT" if pa.types.is_string(column.type) else "BIGINT"


def _check_held(column: Any, name: str) -> None:
    """Refuse a text that PostgreSQL cannot hold."""
    from pyarrow import compute

    held = compute.match_substring(column, "\0")
    if compute.any(held).as_py():
        bad = column.filter(held)[0].as_py()
        raise InputError(
            f"the value {show(bad)} has a NUL byte, which PostgreSQL cannot hold; take it out", file=name
        )
