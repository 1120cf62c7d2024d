"""The statements, as sqlglot expressions: names are quoted and no text is pasted together."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from sqlglot import exp, parse_one


class Kind(Enum):
    """How a column's values become text."""

    TEXT = "text"
    FLOAT = "float"
    OTHER = "other"


def text_of(column: str, kind: Kind) -> exp.Expression:
    """Return a column as text: an empty text is missing, and so is what is not a number.

    A whole number in a column of floating-point numbers has no decimal places, so that 39.0 finds 39
    in a hierarchy.
    """
    name = exp.column(column, quoted=True)
    if kind is Kind.TEXT:
        return exp.func("NULLIF", exp.cast(name, "TEXT"), exp.Literal.string(""))
    if kind is Kind.OTHER:
        return exp.cast(name, "TEXT")
    whole = exp.and_(
        exp.EQ(this=name, expression=exp.func("FLOOR", name)),
        exp.LT(this=exp.func("ABS", name), expression=exp.Literal.number("1e15")),
    )
    return (
        exp.Case()
        .when(exp.func("ISNAN", name), exp.null())
        .when(whole, exp.cast(exp.cast(name, "BIGINT"), "TEXT"))
        .else_(exp.cast(name, "TEXT"))
    )


def tally(table: str, columns: Sequence[tuple[str, Kind]]) -> exp.Select:
    """Return the GROUP BY that counts the distinct rows over the columns, named c0, c1, ..., n."""
    texts = [text_of(name, kind) for name, kind in columns]
    shown = [text.as_(f"c{i}") for i, text in enumerate(texts)]
    counted = exp.Count(this=exp.Star()).as_("n")
    return exp.select(*shown, counted).from_(table).group_by(*(text.copy() for text in texts))


def domain(cells: str, column: int) -> exp.Select:
    """Return the statement that numbers the values of one column of the cells, missing last."""
    name = exp.column(f"c{column}")
    distinct = exp.select(name.as_("value")).distinct().from_(cells).subquery("d")
    by_value = exp.Order(
        expressions=[exp.Ordered(this=exp.column("value"), desc=False, nulls_first=False)]
    )
    number = exp.Window(this=exp.RowNumber(), order=by_value)
    return exp.select(
        "value", exp.cast(exp.Sub(this=number, expression=exp.Literal.number(1)), "INT").as_("code")
    ).from_(distinct)


def values(domain: str) -> exp.Select:
    """Return the statement that lists a domain's values by their numbers."""
    return exp.select("value").from_(domain).order_by("code")


def coded(cells: str, domains: Sequence[str]) -> exp.Select:
    """Return the statement that replaces the values of the cells by their numbers, in order."""
    codes = [exp.column("code", table=table).as_(f"k{i}") for i, table in enumerate(domains)]
    statement = exp.select(*codes, exp.column("n", table=cells)).from_(cells)
    for i, table in enumerate(domains):
        same = exp.NullSafeEQ(
            this=exp.column(f"c{i}", table=cells), expression=exp.column("value", table=table)
        )
        statement = statement.join(table, on=same)
    return statement.order_by(*(exp.column(f"k{i}") for i in range(len(domains))))


def no_rows(table: str) -> exp.Select:
    """Return the statement whose description tells a table's columns and types."""
    return exp.select("*").from_(table).limit(0)


def count(table: str) -> exp.Select:
    """Return the statement that counts a table's rows."""
    return exp.select(exp.Count(this=exp.Star())).from_(table)


def drop(table: str) -> exp.Expression:
    """Return the statement that removes one of Shoal's own tables, if it is there."""
    return parse_one(f"DROP TABLE IF EXISTS {exp.to_identifier(table).sql()}")
