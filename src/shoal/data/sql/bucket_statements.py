"""The statements of a release in buckets (Anatomy), as sqlglot expressions over one mapping table.

Each row is named by its content. Rows with the same sensitive value are ranked in an order that depends on
the seed; the rank, and where the value's rows start, give the group. The first statement returns the rows
with their group number, the second each group's sensitive values with their counts. The order of both tables
depends on the release's secret key.

Where persons have several rows, each person is named by a digest of the seed and the key, which is as good as
a random number. A statement of its own lists these names with the values that each person has; the mapping
table then tells the group of each name, and the second table counts persons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from shoal.data.sql.release_statement import draw, harmless, own_name, said
from shoal.data.sql.secret_columns import keyed, name_of
from shoal.data.sql.statements import ColumnKind, Source, text_of

STARTS = "starts"
"""value, start: the group from which a sensitive value's rows are dealt."""
DEALT_TO = "dealt_to"
"""drawn, place: the group of each person, where these are dealt."""


@dataclass(frozen=True)
class BucketShape:
    """The columns of the two tables.

    `columns` are those of the table that are shown with the group; `group` and `count` are the names of the
    columns that the release adds, and `groups` is how many groups there are. If persons are dealt, their key
    is in the columns `persons`, and the first table has a last column `person` with a name for each, made
    from the `secret`.
    """

    columns: tuple[str, ...]
    sensitive: str
    group: str
    count: str
    groups: int
    safe: bool
    seed: int
    order_key: str = ""
    persons: tuple[str, ...] = ()
    person: str = ""
    secret: str = ""


def persons_statement(source: Source, kinds: Mapping[str, ColumnKind], shape: BucketShape) -> exp.Select:
    """Return the SELECT of each person's drawn name with each sensitive value that the person has."""
    value = text_of(shape.sensitive, kinds[shape.sensitive])
    named = exp.select(_drawn(kinds, shape).as_("drawn"), value.as_("value")).from_(source)
    return exp.select("drawn", "value").distinct().from_(named.subquery("named"))


def rows_statement(source: Source, kinds: Mapping[str, ColumnKind], shape: BucketShape) -> exp.Select:
    """Return the SELECT of the rows without the sensitive column, each with its group."""
    shown = [
        _shown(exp.column(f"x{i}", table="dealt"), name, kinds, shape).as_(name, quoted=True)
        for i, name in enumerate(shape.columns)
    ]
    shown.append(exp.column("bucket", table="dealt").as_(shape.group, quoted=True))
    if shape.persons:
        digest = keyed(shape.secret, "person", exp.column("whose", table="dealt"))
        shown.append(name_of(digest).as_(shape.person, quoted=True))
    order = draw(shape.order_key, "order", exp.column("rn", table="dealt"))
    return _dealt(exp.select(*shown).from_("dealt").order_by(order), source, kinds, shape)


def values_statement(source: Source, kinds: Mapping[str, ColumnKind], shape: BucketShape) -> exp.Select:
    """Return the SELECT of each group's sensitive values, and how many rows or persons have them."""
    # Values with the same text differ at most in how they are missing.
    value = exp.Min(this=exp.column("sensitive", table="dealt"))
    shown = _shown(value, shape.sensitive, kinds, shape).as_(shape.sensitive, quoted=True)
    counted: exp.Expression = exp.Star()
    if shape.persons:
        counted = exp.Distinct(expressions=[exp.column("drawn", table="dealt")])
    select = exp.select(
        exp.column("bucket", table="dealt").as_(shape.group, quoted=True),
        shown,
        exp.Count(this=counted).as_(shape.count, quoted=True),
    )
    keys = (exp.column("bucket", table="dealt"), exp.column("sensitive_text", table="dealt"))
    pair = exp.func("CONCAT", exp.cast(keys[0], "TEXT"), exp.Literal.string(":"), keys[1].copy())
    grouped = select.from_("dealt").group_by(*(key.copy() for key in keys))
    return _dealt(grouped.order_by(draw(shape.order_key, "sensitive", pair)), source, kinds, shape)


def _dealt(
    final: exp.Select, source: Source, kinds: Mapping[str, ColumnKind], shape: BucketShape
) -> exp.Select:
    """Return a statement over the rows with their groups, named bucket."""
    columns = [exp.column(name, quoted=True).as_(f"x{i}") for i, name in enumerate(shape.columns)]
    numbered = exp.select(
        *columns,
        exp.column(shape.sensitive, quoted=True).as_("sensitive"),
        text_of(shape.sensitive, kinds[shape.sensitive]).as_("sensitive_text"),
        own_name([*shape.columns, shape.sensitive, *shape.persons], kinds).as_("rn"),
    ).from_(source)
    if shape.persons:
        numbered = numbered.select(
            said(shape.persons, kinds).as_("whose"), _drawn(kinds, shape).as_("drawn")
        )
        same = exp.column("drawn", table="numbered").eq(exp.column("drawn", table=DEALT_TO))
        dealt = exp.select("numbered.*", exp.column("place", table=DEALT_TO).as_("bucket"))
        dealt = dealt.from_("numbered").join(DEALT_TO, on=same)
        return final.with_("numbered", as_=numbered).with_("dealt", as_=dealt)
    text = exp.column("sensitive_text", table="numbered")
    order = exp.Ordered(this=draw(shape.seed, "deal", exp.column("rn", table="numbered")))
    rank = exp.Window(this=exp.RowNumber(), partition_by=[text], order=exp.Order(expressions=[order]))
    place = exp.paren(exp.column("start", table=STARTS) + rank - 1)
    dealt = (
        exp.select("numbered.*", (place % shape.groups + 1).as_("bucket"))
        .from_("numbered")
        .join(STARTS, on=exp.NullSafeEQ(this=text.copy(), expression=exp.column("value", table=STARTS)))
    )
    return final.with_("numbered", as_=numbered).with_("dealt", as_=dealt)


def _drawn(kinds: Mapping[str, ColumnKind], shape: BucketShape) -> exp.Expression:
    return draw(shape.seed, "deal", said(shape.persons, kinds))


def _shown(
    value: exp.Expression, name: str, kinds: Mapping[str, ColumnKind], shape: BucketShape
) -> exp.Expression:
    return harmless(value) if shape.safe and kinds[name] is ColumnKind.TEXT else value
