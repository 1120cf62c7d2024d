"""The statements that engines run, as sqlglot expressions: names are quoted, no SQL is pasted from text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from typing import TypeAlias

from sqlglot import exp, parse_one

Source: TypeAlias = str | exp.Table | exp.Subquery
"""What statements read: a table by its name, or the rows of another statement."""

# The patterns of `column_facts`. Numbers have at most as many digits as a double holds; dates are those that
# `hierarchies.builders` accepts.
WHOLE = "^[+-]?[0-9]{1,15}$"
DECIMAL = r"^[+-]?([0-9]{1,15}([.][0-9]{1,30})?|[.][0-9]{1,30})([eE][+-]?[0-9]{1,2})?$"
DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"
DIGITS = "^[0-9]+$"
LEADING_ZERO = "^0[0-9]+$"


class ColumnKind(Enum):
    """How a column's values become text."""

    TEXT = "text"
    FLOAT = "float"
    MOMENT = "moment"
    OTHER = "other"


def text_of(column: str, kind: ColumnKind) -> exp.Expression:
    """Return a column as text; an empty text is missing, and so is NaN.

    A whole number in a floating-point column is written without decimals, so that 39.0 finds 39 in a
    hierarchy. A moment is written in UTC, whatever the machine's time zone.
    """
    name = exp.column(column, quoted=True)
    if kind is ColumnKind.TEXT:
        return exp.func("NULLIF", exp.cast(name, "TEXT"), exp.Literal.string(""))
    if kind is ColumnKind.OTHER:
        return exp.cast(name, "TEXT")
    if kind is ColumnKind.MOMENT:
        return exp.cast(exp.AtTimeZone(this=name, zone=exp.Literal.string("UTC")), "TEXT")
    # Engines agree only that NaN equals itself.
    small = exp.func("ABS", name) < exp.Literal.number("1e18")
    whole = exp.and_(name.eq(exp.func("FLOOR", name)), small)
    return (
        exp.Case()
        .when(name.eq(_float("NaN")), exp.null())
        .when(name.eq(_float("Infinity")), exp.Literal.string("inf"))
        .when(name.eq(_float("-Infinity")), exp.Literal.string("-inf"))
        .when(whole, exp.cast(exp.TryCast(this=name, to=exp.DataType.build("BIGINT")), "TEXT"))
        .else_(exp.cast(name, "TEXT"))
    )


def _float(text: str) -> exp.Expression:
    return exp.cast(exp.Literal.string(text), "DOUBLE")


def read_parquet(paths: Sequence[str], partitioned: bool) -> exp.Select:
    """Return the statement that reads Parquet files; values from folder names stay text."""
    files = exp.Array(expressions=[exp.Literal.string(path) for path in paths])
    named = exp.column("hive_partitioning").eq(partitioned)
    text = exp.column("hive_types_autocast").eq(False)
    return exp.select("*").from_(exp.Anonymous(this="read_parquet", expressions=[files, named, text]))


def attach(path: str, name: str, *, writable: bool = False) -> exp.Expression:
    """Return the statement that opens a database file of DuckDB."""
    file = exp.Literal.string(path).sql(dialect="duckdb")
    return exp.Command(this=f"ATTACH {file} AS {name}" + ("" if writable else " (READ_ONLY)"))


def whole(table: Source) -> exp.Select:
    """Return the statement that reads a whole table."""
    return exp.select("*").from_(table)


def without(table: Source, column: str, columns: Sequence[str]) -> exp.Select:
    """Return the statement that reads all columns of a table but one."""
    return exp.select(*(exp.column(name, quoted=True) for name in columns if name != column)).from_(
        table
    )


def byte_by_byte(table: exp.Table, texts: Sequence[str]) -> exp.Select:
    """Return the statement that reads a whole table, comparing texts byte by byte.

    A column's collation may make DuckDB ignore case, which would change the release.
    """
    plain = [
        exp.Collate(
            this=exp.column(name, quoted=True), expression=exp.to_identifier("C", quoted=True)
        ).as_(name, quoted=True)
        for name in texts
    ]
    star = exp.Star(**({"replace": plain} if plain else {}))
    return exp.select(star).from_(table)


def tally(
    table: Source,
    columns: Sequence[tuple[str, ColumnKind]],
    merged: Mapping[int, str] | None = None,
) -> exp.Select:
    """Return the GROUP BY that counts the distinct rows over the columns, named c0, c1, ..., n.

    `merged` gives, by column position, the mapping table (value, shown) that its values go through.
    """
    if not merged:
        texts = [text_of(name, kind) for name, kind in columns]
        shown = [text.as_(f"c{i}") for i, text in enumerate(texts)]
        counted = exp.Count(this=exp.Star()).as_("n")
        return exp.select(*shown, counted).from_(table).group_by(*(text.copy() for text in texts))
    counted = exp.Count(this=exp.Star()).as_("n")
    rows, shown = _mapped(table, columns, merged)
    named = [value.as_(f"c{i}") for i, value in enumerate(shown)]
    return rows.select(*named, counted).group_by(*(value.copy() for value in shown))


def keyed(table: Source, persons: Sequence[tuple[str, ColumnKind]]) -> exp.Select:
    """Return the statement that counts rows, persons, and rows in which some column of the key is missing."""
    missing = exp.or_(*(exp.column(f"c{i}").is_(exp.null()) for i in range(len(persons))))
    nameless = exp.Sum(this=exp.Case().when(missing, exp.column("n")).else_("0"))
    rows = exp.Sum(this=exp.column("n"))
    counted = tally(table, persons).subquery("keys")
    return exp.select(rows, exp.Count(this=exp.Star()), nameless).from_(counted)


def persons_tally(
    table: Source,
    columns: Sequence[tuple[str, ColumnKind]],
    persons: Sequence[tuple[str, ColumnKind]],
    merged: Mapping[int, str] | None = None,
) -> exp.Select:
    """Return the statement that counts as `tally` does, and whose rows they are: c0, ..., person, persons, n.

    Persons whose rows are all in one cell are counted there, with a missing `person`. Each other person has a
    number, and a row for each of their cells. No column of the key may have missing values.
    """
    width = len(columns)
    key = [f"c{i}" for i in range(width, width + len(persons))]
    several = exp.Count(this=exp.Star()) > 1
    number = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.column(c) for c in key]))
    spread = exp.select(*key, number.as_("person")).from_("pairs").group_by(*key).having(several)
    shown = [exp.column(f"c{i}", table="pairs") for i in range(width)]
    person = exp.column("person", table="spread")
    rows = exp.cast(exp.Sum(this=exp.column("n", table="pairs")), "BIGINT")
    same = [exp.column(c, table="pairs").eq(exp.column(c, table="spread")) for c in key]
    return (
        exp.select(*shown, person, exp.Count(this=exp.Star()).as_("persons"), rows.as_("n"))
        .from_("pairs")
        .join("spread", on=exp.and_(*same), join_type="left")
        .group_by(*(value.copy() for value in shown), person.copy())
        .with_("pairs", as_=tally(table, [*columns, *persons], merged))
        .with_("spread", as_=spread)
    )


def about_cells(
    table: Source,
    columns: Sequence[tuple[str, ColumnKind]],
    merged: Mapping[int, str] | None = None,
) -> exp.Select:
    """Return the statement that estimates how many rows `tally` gives, in one scan and little memory.

    It counts the joined values as texts, so values that contain the characters 30 or 31 may be confused.
    """
    rows, shown = _mapped(table, columns, merged or {})
    between, missing = exp.Literal.string("\x1f"), exp.Literal.string("\x1e")
    whole = [exp.Coalesce(this=value, expressions=[missing.copy()]) for value in shown]
    return rows.select(exp.ApproxDistinct(this=exp.func("CONCAT_WS", between, *whole)))


def few_alike(counted: exp.Select, k: int) -> exp.Select:
    """Return the statement that counts the unique rows of a `tally`, and those in groups below k."""
    rows = exp.column("n")

    def below(size: int) -> exp.Expression:
        return exp.Sum(this=exp.Case().when(rows < size, rows.copy()).else_("0"))

    return exp.select(below(2), below(k)).from_(counted.subquery("cells"))


def digests(table: Source, columns: Sequence[tuple[str, ColumnKind]]) -> exp.Select:
    """Return the statement that counts the rows of each digest over some columns, for DuckDB."""
    digest, counted = _digest(columns), exp.Count(this=exp.Star()).as_("n")
    return exp.select(digest.as_("digest"), counted).from_(table).group_by(digest.copy())


def digests_alone(kept: str) -> exp.Select:
    """Return the statement that counts the kept digests of a single row: no other row is like it."""
    return exp.select(exp.Count(this=exp.Star())).from_(kept).where(exp.column("n").eq(1))


def not_alone(table: Source, columns: Sequence[tuple[str, ColumnKind]], kept: str) -> exp.Subquery:
    """Return the rows of a table whose kept digest other rows have too."""
    shared = exp.select("digest").from_(kept).where(exp.column("n") > 1)
    return exp.select("*").from_(table).where(_digest(columns).isin(query=shared)).subquery("source")


def _digest(columns: Sequence[tuple[str, ColumnKind]]) -> exp.Expression:
    return exp.Anonymous(this="HASH", expressions=[text_of(name, kind) for name, kind in columns])


def _mapped(
    table: Source, columns: Sequence[tuple[str, ColumnKind]], merged: Mapping[int, str]
) -> tuple[exp.Select, list[exp.Column]]:
    """Return a statement over the mapped texts without its columns, and the columns to select from it."""
    texts = [text_of(name, kind).as_(f"t{i}") for i, (name, kind) in enumerate(columns)]
    statement = exp.Select().from_(exp.select(*texts).from_(table).subquery("texts"))
    shown = [exp.column(f"t{i}", table="texts") for i in range(len(columns))]
    for i, mapping in merged.items():
        same = exp.NullSafeEQ(this=shown[i], expression=exp.column("value", table=mapping))
        statement = statement.join(mapping, on=same)
        shown[i] = exp.column("shown", table=mapping)
    return statement, shown


def domain(cells: str, column: int) -> exp.Select:
    """Return the statement that numbers the values of one column of the cells, missing last."""
    name = exp.column(f"c{column}")
    distinct = exp.select(name.as_("value")).distinct().from_(cells).subquery("d")
    by_value = exp.Order(
        expressions=[exp.Ordered(this=exp.column("value"), desc=False, nulls_first=False)]
    )
    number = exp.Window(this=exp.RowNumber(), order=by_value)
    return exp.select("value", exp.cast(number - 1, "INT").as_("code")).from_(distinct)


def values(domain: str) -> exp.Select:
    """Return the statement that lists a domain's values by their numbers."""
    return exp.select("value").from_(domain).order_by("code")


def coded(cells: str, domains: Sequence[str], counts: Sequence[str] = ("n",)) -> exp.Select:
    """Return the statement that replaces the values of the cells by their numbers, in order."""
    codes = [exp.column("code", table=table).as_(f"k{i}") for i, table in enumerate(domains)]
    counted = [exp.column(name, table=cells) for name in counts]
    statement = exp.select(*codes, *counted).from_(cells)
    for i, table in enumerate(domains):
        same = exp.NullSafeEQ(
            this=exp.column(f"c{i}", table=cells), expression=exp.column("value", table=table)
        )
        statement = statement.join(table, on=same)
    return statement.order_by(*(exp.column(f"k{i}") for i in range(len(domains))))


def column_values(table: Source, columns: Sequence[tuple[str, ColumnKind]]) -> exp.Select:
    """Return the statement that counts every value of every column in one scan, as c, value, n."""
    texts = [text_of(name, kind).as_(f"c{i}") for i, (name, kind) in enumerate(columns)]
    names = [exp.column(f"c{i}") for i in range(len(columns))]
    which = exp.Case()
    for i, name in enumerate(names):
        grouped = exp.Grouping(expressions=[name.copy()]).eq(0)
        which = which.when(grouped, exp.Literal.number(i))
    # In a row of one grouping set all other columns are NULL, so one value remains.
    value = exp.Coalesce(this=names[0].copy(), expressions=[name.copy() for name in names[1:]])
    sets = exp.GroupingSets(expressions=[exp.Paren(this=name.copy()) for name in names])
    return (
        exp.select(which.as_("c"), value.as_("value"), exp.Count(this=exp.Star()).as_("n"))
        .from_(exp.select(*texts).from_(table).subquery("texts"))
        .group_by(sets)
    )


def column_facts(values: Source) -> exp.Select:
    """Return the statement that summarizes each column of `column_values`, in the order of `Profile`."""
    value = exp.column("value")
    once = exp.column("n").eq(1)
    number = exp.Case().when(_matches(DECIMAL), exp.TryCast(this=value, to=exp.DataType.build("DOUBLE")))
    day = exp.TryCast(this=exp.func("LEFT", value, "10"), to=exp.DataType.build("DATE"))
    # DuckDB has a day 0000-01-01, but the calendar has no year 0.
    dated = exp.and_(_matches(DATE), day.is_(exp.null()).not_(), value > exp.Literal.string("0001"))
    return (
        exp.select(
            exp.column("c"),
            exp.Count(this=value),
            exp.Sum(this=exp.Case().when(value.is_(exp.null()), exp.column("n")).else_("0")),
            _how_many(exp.and_(value.is_(exp.null()).not_(), once)),
            _all(_matches(WHOLE)),
            _all(_matches(DECIMAL)),
            _all(dated),
            _all(_matches(DIGITS)),
            _how_many(_matches(LEADING_ZERO)) > 0,
            exp.Min(this=exp.Length(this=value)),
            exp.Max(this=exp.Length(this=value)),
            exp.Min(this=number),
            exp.Max(this=number.copy()),
            exp.Min(this=value),
            exp.Max(this=value),
        )
        .from_(values)
        .group_by("c")
        .order_by("c")
    )


def _matches(pattern: str) -> exp.Expression:
    return exp.RegexpLike(this=exp.column("value"), expression=exp.Literal.string(pattern))


def _how_many(condition: exp.Expression) -> exp.Expression:
    return exp.Sum(this=exp.Case().when(condition, "1").else_("0"))


def _all(condition: exp.Expression) -> exp.Expression:
    """Return whether a condition holds for every value; the missing value does not count."""
    return _how_many(condition).eq(exp.Count(this=exp.column("value")))


def values_of(values: Source, columns: Sequence[int]) -> exp.Select:
    """Return the statement that lists the values of some columns of `column_values`, as c, value."""
    here, present = exp.column("c").isin(*columns), exp.column("value").is_(exp.null()).not_()
    return exp.select("c", "value").from_(values).where(here, present).order_by("c", "value")


def first_values(table: Source, column: str, kind: ColumnKind, most: int) -> exp.Select:
    """Return the statement that lists up to `most` of a column's values, in order."""
    distinct = exp.select(text_of(column, kind).as_("value")).distinct().from_(table).subquery("d")
    present = exp.column("value").is_(exp.null()).not_()
    return exp.select("value").from_(distinct).where(present).order_by("value").limit(most)


def count(table: Source) -> exp.Select:
    """Return the statement that counts a table's rows."""
    return exp.select(exp.Count(this=exp.Star())).from_(table)


def keep(name: str, rows: exp.Select, kind: str = "TABLE") -> exp.Create:
    """Return the statement that creates a temporary table or view."""
    return exp.Create(
        this=exp.to_table(name),
        kind=kind,
        expression=rows,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
    )


def table_named(names: Sequence[str], catalog: str | None = None) -> exp.Table:
    """Return a table, given its name, or its schema and name, or its catalog, schema and name."""
    quoted = [exp.to_identifier(name, quoted=True) for name in names]
    parts = dict(zip(("this", "db", "catalog"), reversed(quoted), strict=False))
    if catalog is not None:
        parts["catalog"] = exp.to_identifier(catalog, quoted=True)
    return exp.Table(**parts)


def create(table: exp.Table, rows: exp.Select) -> exp.Create:
    """Return the statement that creates a table from rows."""
    return exp.Create(this=table, kind="TABLE", expression=rows)


@cache
def drop(table: str) -> exp.Expression:
    """Return the statement that drops one of Shoal's own tables, if it exists."""
    return parse_one(f"DROP TABLE IF EXISTS {exp.to_identifier(table).sql()}")
