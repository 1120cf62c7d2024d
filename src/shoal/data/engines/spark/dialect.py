"""Shoal's statements in Spark's dialect."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from shoal.data.engines.spark.text import (
    NUMBER,
    digits_name,
    digits_text,
    java_texts,
    raw,
    raw_name,
    text_name,
    written,
)

BLOCK = 4096
"""How many equal rows are numbered at a time, because their numbers are in memory together."""


def spark_text(statement: exp.Expression, tables: Collection[str], texts: Collection[int]) -> str:
    """Return a statement for `session.sql`, in which braces stand for the given `tables`.

    `texts` are the columns whose text is in a separate column.
    """
    beside = {raw_name(column): text_name(column) for column in texts}

    def spoken(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Cast) and node.to.is_type("text"):
            inner = node.this
            if isinstance(inner, exp.Column) and not inner.table and inner.name in beside:
                return exp.column(beside[inner.name])
        if isinstance(node, exp.Window) and not node.args.get("order"):
            return exp.column(NUMBER)
        if isinstance(node, exp.TryCast):
            node.set("safe", True)
        if isinstance(node, exp.RegexpLike):
            node.set("expression", exp.Literal.string(_java_pattern(node.expression.name)))
        if isinstance(node, exp.Literal) and node.is_string and set(node.name) & {"'", "\\"}:
            # Sessions can be set to read quotes and backslashes in two ways.
            hexed = exp.Literal.string(node.name.encode().hex())
            return exp.cast(exp.Anonymous(this="UNHEX", expressions=[hexed]), "TEXT")
        if isinstance(node, exp.Table) and node.name in tables:
            given = exp.Table(this=exp.to_identifier(_given(node.name)))
            return exp.alias_(given, node.alias or node.name, table=True)
        return node

    text: str = statement.transform(spoken).sql(dialect="spark", identify=True, copy=False)
    text = text.replace("{", "{{").replace("}", "}}")
    for table in tables:
        text = text.replace(f"`{_given(table)}`", f"{{{table}}}")
    return text


def _given(table: str) -> str:
    return f"given_{table}"


def _java_pattern(pattern: str) -> str:
    """Return an RE2 pattern for Java: only newlines end lines, and `$` matches only the end of the text.

    It has no backslashes, because sessions can be set to read them in two ways.
    """
    pattern = pattern.replace("\\t", "\t").replace("\\r", "\r")
    if pattern.endswith("$"):
        pattern = pattern[:-1] + "(?![^a]|a)"
    return "(?d)" + pattern


def scattered(statement: exp.Select) -> exp.Select:
    """Return a statement whose rows are spread over the executors and sorted within each part.

    Sorting all rows would sample them first, and so do everything twice.
    """
    terms = statement.args["order"].expressions
    by = [term.this if isinstance(term, exp.Ordered) else term for term in terms]
    statement = statement.copy()
    statement.set("order", None)
    statement.set("distribute", exp.Distribute(expressions=[term.copy() for term in by]))
    statement.set("sort", exp.Sort(expressions=[term.copy() for term in by]))
    return statement


def raws(source: str, fields: Sequence[Any]) -> exp.Select:
    """Return the SELECT of all columns as they are, under their plain names."""
    return exp.select(*(raw(field, i).as_(raw_name(i)) for i, field in enumerate(fields))).from_(source)


def with_texts(source: str, fields: Mapping[int, Any], *, reflect: bool) -> exp.Select:
    """Return the SELECT of all columns, and of the texts of those that need one."""
    java = [
        text.as_(name)
        for i, field in fields.items()
        for name, text in java_texts(field, i, reflect=reflect).items()
    ]
    digits = [
        text.as_(digits_name(i))
        for i, field in fields.items()
        if (text := digits_text(field, i)) is not None
    ]
    texts = [
        text.as_(text_name(i)) for i, field in fields.items() if (text := written(field, i)) is not None
    ]
    # In stages, so that no Java method is called twice.
    inner = exp.select("*", *java, copy=False).from_(source).subquery("java", copy=False)
    stage = exp.select("*", *digits, copy=False).from_(inner, copy=False).subquery("digits", copy=False)
    return exp.select("*", *texts, copy=False).from_(stage, copy=False)


def numbered(source: str, columns: Iterable[int]) -> exp.Select:
    """Return the SELECT of some columns with a number for each row among those that are equal.

    Equal rows are counted in place and expanded again from their count, so that no executor has to hold them
    all, however often a row occurs.
    """
    names = [raw_name(column) for column in columns]
    counted = exp.select(*names, exp.Count(this=exp.Star()).as_("n")).from_(source).group_by(*names)
    n, block, size = exp.column("n"), exp.column("block"), exp.Literal.number(BLOCK)
    last = exp.IntDiv(this=exp.paren(n - 1), expression=size)
    blocks = exp.select(*names, "n", _each(exp.Literal.number(0), last).as_("block")).from_("counted")
    start = exp.paren(block.copy() * size.copy()) + 1
    end = exp.Least(this=n.copy(), expressions=[exp.paren(block.copy() + 1) * size.copy()])
    result = exp.select(*names, _each(start, end).as_(NUMBER)).from_("blocks")
    return result.with_("counted", as_=counted).with_("blocks", as_=blocks)


def _each(start: exp.Expression, end: exp.Expression) -> exp.Expression:
    return exp.Explode(this=exp.Anonymous(this="SEQUENCE", expressions=[start, end]))
