"""The statement that makes a release, as one sqlglot expression over mapping tables.

The rows are named, and coded by the mapping tables. Rows of suppressed classes are dropped, then the rows
that quotas choose; blanked values become missing. The order of the rest depends on the release's secret key
(see `release.order`, which also says what two orders reveal together). Inner columns have names that cannot
clash with the table's.

A row's name is its number in the table if the engine keeps an order and the name decides only the order of
the release. Otherwise the name is the row's content and a number among equal rows: so every engine chooses
the same rows in whatever order it reads them, and treats equal rows separately. Rows of two persons are
not equal, so the columns that tell persons apart belong to the content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from shoal.data.sql.secret_columns import days_of, keyed, name_of, shifted
from shoal.data.sql.statements import ColumnKind, Source, text_of

MAPPING = "mapping{}"
"""value, code, label: one table per attribute (without a label if groups have the labels)."""
COMBINATIONS, CLASSES = "combinations", "classes"
"""Group-wise recoding: k0.. -> class, and class -> label0.."""
HOMES = "homes"
"""value: the households that are suppressed whole."""
DELETED, QUOTAS, BLANKED = "deleted", "quotas", "blanked{}"
"""keys; keys, value0.., rows, favoured; keys and (unless whole classes are blanked) value."""

NUMBER = "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True)
class ReleaseShape:
    """What a release statement must contain.

    `columns` are the released columns in order. `blanked` gives, for a sensitive column, whether its blanks
    name values (True) or whole classes (False). `quotas` are the sensitive columns with quotas, and
    `favoured` the class column by which quotas choose. The `seed` decides which rows quotas suppress, the
    `order_key` the order of the rest. The key of a row's person is in the columns `persons`; with a
    `person` a column of that name comes last, with a name for each made from the `secret`. The `shifts`
    say by how many days dates are moved at most, drawn by the `shift_secret`. The rows of the
    households in the table HOMES are suppressed, if a column `household` tells them.
    """

    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    by_groups: bool
    deleted: bool
    quotas: tuple[str, ...]
    favoured: str | None
    blanked: Mapping[str, bool]
    safe: frozenset[str]
    seed: int
    order_key: str = ""
    persons: tuple[str, ...] = ()
    person: str = ""
    secret: str = ""
    shifts: Mapping[str, int] = field(default_factory=dict)
    shift_secret: str = ""
    household: str | None = None

    @property
    def named(self) -> list[str]:
        """The columns that give a row its name, if that is its content."""
        return list(dict.fromkeys([*self.columns, *self.quasi, *self.persons, *self.home]))

    @property
    def home(self) -> list[str]:
        """The column that tells households, if some are suppressed whole."""
        return [] if self.household is None else [self.household]

    @property
    def keys(self) -> list[str]:
        """The columns that name a row's class."""
        return ["class"] if self.by_groups else [f"k{a}" for a in range(len(self.quasi))]


def statement(
    source: Source,
    kinds: Mapping[str, ColumnKind],
    shape: ReleaseShape,
    *,
    ordered: bool,
    dated: Mapping[str, str | None] | None = None,
) -> exp.Select:
    """Return the SELECT of the released rows in their order.

    `ordered` says that the engine always reads the table in the same order, and `dated` which columns have
    the type DATE or TIMESTAMP.
    """
    final = exp.select(*(_shown(shape, kinds, dated or {}, i) for i in range(len(shape.columns))))
    if shape.person:
        final = final.select(
            name_of(exp.column("person_digest", table="kept")).as_(shape.person, quoted=True)
        )
    final = final.from_("kept")
    for i, (column, by_value) in enumerate(shape.blanked.items()):
        on = _same_keys("kept", BLANKED.format(i), shape.keys)
        if by_value:
            on.append(_is(_text("kept", shape, column), exp.column("value", table=BLANKED.format(i))))
        final = final.join(BLANKED.format(i), on=exp.and_(*on), join_type="left")
    final = final.order_by(draw(shape.order_key, "order", exp.column("rn", table="kept")))
    by_number = ordered and not shape.quotas
    final = final.with_("numbered", as_=_numbered(source, kinds, shape, by_number))
    final = final.with_("coded", as_=_coded(shape))
    return final.with_("kept", as_=_kept(shape))


def _numbered(
    source: Source, kinds: Mapping[str, ColumnKind], shape: ReleaseShape, by_number: bool
) -> exp.Select:
    texts = [text_of(name, kinds[name]).as_(f"t{a}") for a, name in enumerate(shape.quasi)]
    others = [exp.column(name, quoted=True).as_(f"x{i}") for i, name in enumerate(shape.columns)]
    special = [text_of(name, kinds[name]).as_(f"q{i}") for i, name in enumerate(shape.quotas)]
    if shape.favoured is not None:
        special.append(text_of(shape.favoured, kinds[shape.favoured]).as_("favoured_text"))
    blanks = [
        text_of(name, kinds[name]).as_(f"b{i}")
        for i, (name, by_value) in enumerate(shape.blanked.items())
        if by_value
    ]
    dates = [text_of(name, kinds[name]).as_(f"d{i}") for i, name in enumerate(shape.shifts)]
    whose = [said(shape.persons, kinds).as_("whose")] if shape.persons else []
    lives = [text_of(column, kinds[column]).as_("home") for column in shape.home]
    name: exp.Expression = exp.Window(this=exp.RowNumber())
    if not by_number:
        name = own_name(shape.named, kinds)
    columns = [*texts, *others, *special, *blanks, *dates, *whose, *lives]
    return exp.select(*columns, name.as_("rn")).from_(source)


def own_name(columns: Sequence[str], kinds: Mapping[str, ColumnKind]) -> exp.Expression:
    """Return a digest of a row's content over some columns, with a number among equal rows."""
    digested = exp.func("MD5", said(columns, kinds))
    equals = exp.Window(this=exp.RowNumber(), partition_by=[digested.copy()])
    return exp.func("CONCAT", digested, exp.Literal.string(":"), exp.cast(equals, "TEXT"))


def said(columns: Sequence[str], kinds: Mapping[str, ColumnKind]) -> exp.Expression:
    """Return a row's content over some columns as one text.

    Each value comes after its length, so rows that differ have different texts.
    """
    parts: list[exp.Expression] = []
    for column in columns:
        # Keep empty and missing texts apart here: both may be released unchanged.
        raw = exp.cast(exp.column(column, quoted=True), "TEXT")
        text = raw if kinds[column] is ColumnKind.TEXT else text_of(column, kinds[column])
        length = exp.func(
            "COALESCE", exp.cast(exp.Length(this=text.copy()), "TEXT"), exp.Literal.string("-")
        )
        parts += [length, exp.Literal.string(":"), exp.func("COALESCE", text, exp.Literal.string(""))]
    return exp.func("CONCAT", *parts)


def content(source: Source, digested: exp.Expression) -> exp.Select:
    """Return the statement that counts the rows and adds up their digests as 64-bit integers."""
    rows = exp.select(exp.cast(digested, "DECIMAL(20, 0)").as_("digested")).from_(source)
    counted, total = exp.Count(this=exp.Star()).as_("rows"), exp.Sum(this=exp.column("digested"))
    return exp.select(counted, total.as_("total")).from_(rows.subquery("digests"))


def _text(table: str, shape: ReleaseShape, column: str) -> exp.Column:
    return exp.column(f"b{list(shape.blanked).index(column)}", table=table)


def _coded(shape: ReleaseShape) -> exp.Select:
    codes = [exp.column("code", table=MAPPING.format(a)).as_(f"k{a}") for a in range(len(shape.quasi))]
    labels_in = CLASSES if shape.by_groups else MAPPING
    labels = [
        exp.column(f"label{a}" if shape.by_groups else "label", table=labels_in.format(a)).as_(f"l{a}")
        for a in range(len(shape.quasi))
    ]
    groups = [exp.column("class", table=COMBINATIONS)] if shape.by_groups else []
    digests = []
    if shape.person:
        whose = exp.column("whose", table="numbered")
        digests.append(keyed(shape.secret, "person", whose).as_("person_digest"))
    if shape.shifts:
        drawn = exp.cast(exp.column("whose" if shape.persons else "rn", table="numbered"), "TEXT")
        digests.append(keyed(shape.shift_secret, "shift", drawn).as_("shift_digest"))
    result = exp.select("numbered.*", *codes, *labels, *groups, *digests).from_("numbered")
    for a in range(len(shape.quasi)):
        table = MAPPING.format(a)
        on = _is(exp.column(f"t{a}", table="numbered"), exp.column("value", table=table))
        result = result.join(table, on=on)
    if shape.by_groups:
        on = [
            exp.column("code", table=MAPPING.format(a)).eq(exp.column(f"k{a}", table=COMBINATIONS))
            for a in range(len(shape.quasi))
        ]
        result = result.join(COMBINATIONS, on=exp.and_(*on))
        result = result.join(CLASSES, on=exp.and_(*_same_keys(COMBINATIONS, CLASSES, ["class"])))
    return result


def _kept(shape: ReleaseShape) -> exp.Select:
    result = exp.select("coded.*").from_("coded")
    if shape.deleted:
        gone = exp.and_(*_same_keys("coded", DELETED, shape.keys))
        result = result.join(DELETED, on=gone, join_type="left")
        result = result.where(exp.column(shape.keys[0], table=DELETED).is_(exp.null()))
    if shape.household is not None:
        same = exp.column("home", table="coded").eq(exp.column("value", table=HOMES))
        result = result.join(HOMES, on=same, join_type="left")
        result = result.where(exp.column("value", table=HOMES).is_(exp.null()))
    if not shape.quotas:
        return result
    on = _same_keys("coded", QUOTAS, shape.keys)
    texts = [exp.column(f"q{i}", table="coded") for i in range(len(shape.quotas))]
    on += [_is(text, exp.column(f"value{i}", table=QUOTAS)) for i, text in enumerate(texts)]
    result = result.join(QUOTAS, on=exp.and_(*on), join_type="left")
    order: list[exp.Expression] = []
    if shape.favoured is not None:
        liked = _is(exp.column("favoured_text", table="coded"), exp.column("favoured", table=QUOTAS))
        order.append(exp.Case().when(liked, exp.Literal.number(1)).else_(exp.Literal.number(0)))
    order.append(draw(shape.seed, "delete", exp.column("rn", table="coded")))
    rank = exp.Window(
        this=exp.RowNumber(),
        partition_by=[
            *(exp.column(key, table="coded") for key in shape.keys),
            *(text.copy() for text in texts),
        ],
        order=exp.Order(expressions=[exp.Ordered(this=term) for term in order]),
    )
    ranked = result.select(rank.as_("rank"), exp.column("rows", table=QUOTAS).as_("quota"))
    quota = exp.column("quota")
    stays = exp.or_(quota.is_(exp.null()), exp.column("rank") > quota)
    return exp.select("*").from_(ranked.subquery("ranked")).where(stays)


def _shown(
    shape: ReleaseShape, kinds: Mapping[str, ColumnKind], dated: Mapping[str, str | None], i: int
) -> exp.Expression:
    """Return one released column under its own name."""
    name = shape.columns[i]
    value: exp.Expression = exp.column(f"x{i}", table="kept")
    if name in shape.quasi:
        value = exp.column(f"l{shape.quasi.index(name)}", table="kept")
    if name in shape.shifts:
        text = exp.column(f"d{list(shape.shifts).index(name)}", table="kept")
        days = days_of(exp.column("shift_digest", table="kept"), shape.shifts[name])
        value = shifted(text, days, dated.get(name))
    if name in shape.blanked:
        table = BLANKED.format(list(shape.blanked).index(name))
        hit = exp.column(shape.keys[0], table=table).is_(exp.null()).not_()
        value = exp.Case().when(hit, exp.null()).else_(value)
    if name in shape.safe and (name in shape.quasi or kinds[name] is ColumnKind.TEXT):
        value = harmless(value)
    return exp.alias_(value, name, quoted=True)


def risky(value: exp.Expression) -> exp.Expression:
    """Return whether a spreadsheet would run a text: it begins like a formula and is not a number."""
    starts = exp.RegexpLike(this=value.copy(), expression=exp.Literal.string("^[=+@\\t\\r-]"))
    number = exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(NUMBER))
    return exp.and_(starts, exp.not_(number))


def is_risky(text: str) -> bool:
    """Return whether a spreadsheet would run a text; `risky` in Python, for column names.

    >>> is_risky("=1+1"), is_risky("-5"), is_risky("a=1")
    (True, False, False)
    """
    return text[:1] in tuple("=+@\t\r-") and re.match(NUMBER, text) is None


def harmless(value: exp.Expression) -> exp.Expression:
    """Return a text with an apostrophe before what a spreadsheet would run."""
    quoted = exp.func("CONCAT", exp.Literal.string("'"), value.copy())
    return exp.Case().when(risky(value), quoted).else_(value)


def count_risky(source: Source, columns: Sequence[str]) -> exp.Select:
    """Return the statement that counts, for each text column, the cells a spreadsheet would run."""
    counts = [
        exp.CountIf(this=risky(exp.column(name, quoted=True))).as_(f"n{i}")
        for i, name in enumerate(columns)
    ]
    return exp.select(*counts).from_(source)


def draw(secret: int | str, purpose: str, number: exp.Expression) -> exp.Expression:
    """Return a text that orders rows as if at random, and reveals nothing without the secret."""
    prefix = exp.Literal.string(f"{secret}:{purpose}:")
    return exp.func("MD5", exp.func("CONCAT", prefix, exp.cast(number, "TEXT")))


def _same_keys(one: str, other: str, keys: Sequence[str]) -> list[exp.Expression]:
    return [exp.column(key, table=one).eq(exp.column(key, table=other)) for key in keys]


def _is(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    return exp.NullSafeEQ(this=one, expression=other)
