"""The user's own indicators: SQL that is run on the original and on the released rows.

Each runs in a database in memory that holds one table, `data`, and may touch nothing else: no file, no
extension, no setting, and nothing but a SELECT. It can still take much memory and time, so a server runs
it in a process that it can end. A column is the text that the table has. Where a column has
numbers, `age_low`, `age_high` and `age_mid` are the least, the largest and the middle number that the text
may stand for; in the original rows all three are the number itself. `weight` is the sampling weight, or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.assess.utility.two_tables import TableRows, TwoTables
from shoal.errors import InputError, show
from shoal.running import stopping

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "data"
MOST_ROWS = 10_000_000
MOST_LINES = 5_000
"""So many lines an indicator may return at most."""
MOST_CHARACTERS = 1_000_000
"""So many characters all texts that an indicator returns may have together."""

Statements = Sequence[tuple[Path, str, str]]
"""Statements, each with its file and its name."""


@dataclass(frozen=True)
class Compared:
    """A number of an indicator before and after; `key` are the texts of its line."""

    key: tuple[str | None, ...]
    column: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Indicator:
    """What a statement gives on both tables."""

    name: str
    sql: str
    columns: tuple[str, ...]
    before: tuple[tuple[Any, ...], ...]
    after: tuple[tuple[Any, ...], ...]
    compared: tuple[Compared, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the indicator as documents show it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Indicator:
        """Return the indicator of a document."""
        before, after = (tuple(map(tuple, given[name])) for name in ("before", "after"))
        compared = tuple(Compared(**{**one, "key": tuple(one["key"])}) for one in given["compared"])
        return cls(given["name"], given["sql"], tuple(given["columns"]), before, after, compared)


def read_statements(path: Path) -> list[tuple[Path, str, str]]:
    """Return the statements of a file, each with its name."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"an indicator is a text file with SQL; {problem}", file=path) from None
    return statements_in(text, path)


def statements_in(text: str, path: Path) -> list[tuple[Path, str, str]]:
    """Return the statements of a text, each with its name: the comment above it, or its number."""
    import duckdb

    try:
        statements = duckdb.extract_statements(text)
    except duckdb.Error as problem:
        raise InputError(f"not SQL: {str(problem).splitlines()[0]}", file=path) from None
    found, end = [], 0
    for number, statement in enumerate(statements, 1):
        sql = statement.query.strip().strip(";").strip()
        if statement.type != duckdb.StatementType.SELECT:
            raise InputError(f"an indicator is a SELECT, not {show(sql)[:60]}", file=path)
        # What stands before a statement is no part of it, but a comment there is its name.
        start = text.find(sql, end)
        above = [line.strip() for line in text[end : max(start, end)].splitlines()]
        names = [line[2:].strip() for line in above if line.startswith("--")]
        end = start + len(sql) if start >= 0 else end
        found.append((path, next(filter(None, names), f"{path.stem} {number}"), sql))
    if not found:
        raise InputError("no statement is in it; write a SELECT from the table data", file=path)
    return found


def as_tables(tables: TwoTables) -> tuple[pa.Table, pa.Table]:
    """Return the original and the released rows as indicators see them."""
    return _arrow(tables, tables.before, True), _arrow(tables, tables.after, False)


def indicators(
    both: tuple[pa.Table, pa.Table], asked: Statements, threads: int, memory: str | None
) -> tuple[Indicator, ...]:
    """Return what statements give on the original and on the released rows."""
    given = []
    for table in both:
        with _Sandbox(table, threads, memory) as sandbox:
            given.append([sandbox.ask(path, sql) for path, _, sql in asked])
    found = []
    for (_, name, sql), before, after in zip(asked, *given, strict=True):
        columns = before[0]
        found.append(
            Indicator(name, sql, columns, before[1], after[1], _compared(columns, before[1], after[1]))
        )
    return tuple(found)


def _arrow(tables: TwoTables, rows: TableRows, original: bool) -> pa.Table:
    """Return the rows one by one, as texts and numbers."""
    import pyarrow as pa

    if rows.rows > MOST_ROWS:
        raise InputError(f"indicators run on at most {MOST_ROWS:,} rows, and there are {rows.rows:,}")
    lines = np.repeat(np.arange(len(rows.counts)), rows.counts)
    names = {column.name for column in tables.columns}
    made: dict[str, Any] = {}
    for c, column in enumerate(tables.columns):
        codes = rows.codes[lines, c]
        texts = pa.array(column.values if original else column.labels, pa.string())
        made[column.name] = texts.take(pa.array(codes))
        if column.numbers is None:
            continue
        low, high, _ = (column.numbers,) * 3 if original else column.bounds
        for end, numbers in (("low", low), ("high", high), ("mid", (low + high) / 2)):
            if f"{column.name}_{end}" not in names:
                made[f"{column.name}_{end}"] = pa.array(numbers[codes], pa.float64(), from_pandas=True)
    if "weight" not in names:
        each = rows.weights / np.maximum(rows.counts, 1)
        made["weight"] = pa.array(each[lines], pa.float64())
    return pa.table(made)


class _Sandbox:
    """A database in memory with the one table, in which nothing else can be reached."""

    def __init__(self, table: pa.Table, threads: int, memory: str | None) -> None:
        import duckdb

        self._connection = duckdb.connect(
            ":memory:",
            config={
                "threads": str(threads),
                "python_enable_replacements": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "temp_directory": "",
                **({"memory_limit": memory} if memory else {}),
            },
        )
        self._connection.register("given", table)
        self._connection.execute(f"CREATE TABLE {TABLE} AS SELECT * FROM given")
        self._connection.unregister("given")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def __enter__(self) -> _Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, path: Path, sql: str) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
        """Return the columns and the lines of a statement."""
        import duckdb

        try:
            with stopping.interrupted_by(self._connection.interrupt, str(path)):
                done = self._connection.execute(sql)
                lines = done.fetchmany(MOST_LINES + 1)
                columns = tuple(str(one[0]) for one in done.description)
        except duckdb.Error as problem:
            raise InputError(f"the indicator fails: {str(problem).splitlines()[0]}", file=path) from None
        if len(lines) > MOST_LINES:
            raise InputError(f"the indicator has more than {MOST_LINES:,} lines; sum up more", file=path)
        found = tuple(tuple(_plain(cell) for cell in line) for line in lines)
        if sum(len(cell) for line in found for cell in line if isinstance(cell, str)) > MOST_CHARACTERS:
            raise InputError(
                f"the indicator has more than {MOST_CHARACTERS:,} characters; sum up more", file=path
            )
        return columns, found


def _plain(cell: Any) -> Any:
    """Return a cell as JSON can show it."""
    if cell is None or isinstance(cell, bool | int | str):
        return cell
    try:
        return float(cell)
    except (TypeError, ValueError):
        return str(cell)


def _compared(
    columns: Sequence[str], before: Sequence[Sequence[Any]], after: Sequence[Sequence[Any]]
) -> tuple[Compared, ...]:
    """Return the numbers of both results side by side; lines belong together by their texts."""

    def is_number(cell: Any) -> bool:
        return isinstance(cell, int | float) and not isinstance(cell, bool)

    numeric = [
        c
        for c in range(len(columns))
        if any(is_number(line[c]) for line in (*before, *after))
        and all(line[c] is None or is_number(line[c]) for line in (*before, *after))
    ]
    lines: dict[tuple[str | None, ...], list[Sequence[Any] | None]] = {}
    for which, result in enumerate((before, after)):
        for line in result:
            key = tuple(
                None if cell is None else str(cell) for c, cell in enumerate(line) if c not in numeric
            )
            lines.setdefault(key, [None, None])[which] = line
    found = []
    for key, both in lines.items():
        for c in numeric:
            cells = [None if line is None or line[c] is None else float(line[c]) for line in both]
            found.append(Compared(key, columns[c], cells[0], cells[1]))
    return tuple(found)
