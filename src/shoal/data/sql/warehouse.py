"""The three statements as text for a warehouse that Shoal does not speak to: tally, release, verification.

sqlglot writes them in the warehouse's dialect. There is no warehouse to try them on here; the tests run the
text of DuckDB, and read the others back. So they keep to what all dialects have: no row numbers, no digests,
and joins by plain equality, with a text in the place of missing values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from shoal.data.sql import release_statement, statements
from shoal.data.sql.release_statement import ReleaseShape
from shoal.data.sql.statements import ColumnKind, text_of
from shoal.describe.promise import ShareLimits
from shoal.errors import InputError, show

MISSING = "(missing)"
"""Stands for missing values where tables are joined; no value may be this text."""


def tally(table: str, columns: Sequence[str], dialect: str) -> str:
    """Return the statement that counts the combinations of some columns: c0, c1, ... and n.

    >>> print(tally("visits", ["age"], "bigquery"))
    SELECT
      NULLIF(CAST(`age` AS STRING), '') AS c0,
      COUNT(*) AS n
    FROM visits
    GROUP BY
      NULLIF(CAST(`age` AS STRING), '')
    """
    texts = [(name, ColumnKind.TEXT) for name in columns]
    return _written(statements.tally(_table(table, dialect), texts), dialect)


def release(table: str, into: str, shape: ReleaseShape, dialect: str) -> str:
    """Return the statement that creates the released table, its rows in an order drawn at random."""
    kinds = dict.fromkeys((*shape.columns, *shape.quasi, *shape.blanked), ColumnKind.TEXT)
    plain = replace(shape, safe=frozenset())
    rows = release_statement.statement(_table(table, dialect), kinds, plain, ordered=True)
    for alias in rows.find_all(exp.Alias):
        if alias.alias == "rn":
            alias.pop()  # a number of the row, which only orders in a fixed order need
    rows.set("order", exp.Order(expressions=[exp.Rand()]))
    return _written(statements.create(_table(into, dialect), rows.transform(_joined)), dialect)


def verification(
    released: str,
    quasi: Sequence[str],
    k: int,
    diverse: Mapping[str, int],
    limits: Mapping[str, ShareLimits],
    dialect: str,
) -> str:
    """Return the statements that select the released groups which break the promise: they select nothing.

    `diverse` says how many values of a column every group has, `limits` how large their shares may be.
    """
    table = _table(released, dialect)
    names = [exp.column(name, quoted=True) for name in quasi]
    few = exp.Count(this=exp.Star()) < k
    groups = exp.select(*names, exp.Count(this=exp.Star()).as_("n")).from_(table)
    found = [groups.group_by(*(name.copy() for name in names)).having(few)]
    found += [
        _spread(table, names, column, diverse.get(column, 0), limits.get(column, ShareLimits()))
        for column in dict.fromkeys((*diverse, *limits))
    ]
    return ";\n\n".join(_written(one, dialect) for one in found)


def _spread(
    table: exp.Table,
    names: list[exp.Column],
    column: str,
    l: int,  # noqa: E741  the literature's name
    limits: ShareLimits,
) -> exp.Select:
    """Return the statement that selects groups with too few values of a column, or too large shares."""
    value = text_of(column, ColumnKind.TEXT)
    cells = exp.select(*names, value.as_("value"), exp.Count(this=exp.Star()).as_("n")).from_(table)
    cells = cells.group_by(*(name.copy() for name in names), value.copy())
    present = exp.column("value").is_(exp.null()).not_()
    rows: exp.Expression = exp.Sum(this=exp.column("n"))
    if limits.known:
        rows = exp.Sum(this=exp.Case().when(present, exp.column("n")))
    too_much = []
    others = exp.and_(present, *(exp.column("value").neq(text) for text in limits.values))
    for where, limit in [
        (others, limits.uniform),
        *((exp.column("value").eq(text), one) for text, one in limits.values.items()),
    ]:
        if limit is not None:
            most = exp.Max(this=exp.Case().when(where, exp.column("n")))
            too_much.append(most * limit.denominator > rows.copy() * limit.numerator)
    few = [exp.Count(this=exp.column("value")) < l] if l else []
    broken = exp.or_(*few, *too_much)
    counted = exp.select(*(name.copy() for name in names), exp.Sum(this=exp.column("n")).as_("size"))
    return counted.from_(cells.subquery("cells")).group_by(*(n.copy() for n in names)).having(broken)


def without_missing(values: Iterable[str | None]) -> bool:
    """Return whether no value is the text that stands for missing ones."""
    return MISSING not in values


def _joined(node: exp.Expression) -> exp.Expression:
    """Return comparisons that treat missing values as equal as plain ones, which every warehouse joins by."""
    if not isinstance(node, exp.NullSafeEQ):
        return node
    sides = [
        exp.Coalesce(this=side.copy(), expressions=[exp.Literal.string(MISSING)])
        for side in (node.this, node.expression)
    ]
    return exp.EQ(this=sides[0], expression=sides[1])


def _table(name: str, dialect: str) -> exp.Table:
    try:
        return exp.to_table(name, dialect=dialect)
    except (ParseError, TokenError):
        raise InputError(
            f"{show(name)} is no name of a table in {dialect}; write it as the warehouse does"
        ) from None


def _written(statement: exp.Expression, dialect: str) -> str:
    return str(statement.sql(dialect=dialect, pretty=True))
