"""PostgreSQL's types, and Shoal's statements adapted to PostgreSQL.

Every value becomes the text that DuckDB writes for it, and texts are compared by their bytes, whatever the
collation of the column or the database is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp, parse_one

from shoal.data.sql.statements import ColumnKind

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS = ("text", "varchar", "bpchar", "name", "char")
_FLOATS = ("float4", "float8")
_WHOLE = {"int2": "int16", "int4": "int32", "int8": "int64"}
_DATED = ("date", "timestamp", "timestamptz")
_AS_TEXT = ("interval", "timetz", "uuid", "json", "jsonb", "inet", "cidr", "macaddr", "macaddr8")
"""Types that are fetched as text; their columns still count as plain values."""
_MOST_DIGITS = 38
"""The most digits of a decimal number in Arrow and DuckDB."""

# In these templates x stands for the column.
_DOUBLE = """CASE WHEN ABS(x) >= 1e5 AND ABS(x) < 1e16
    THEN CAST(CAST(CAST(x AS TEXT) AS DECIMAL) AS TEXT) ELSE CAST(x AS TEXT) END"""
_DOUBLE_OF_REAL = _DOUBLE.replace("CAST(x AS TEXT)", "CAST(CAST(x AS DOUBLE PRECISION) AS TEXT)")
_TEXT_OF = {
    # PostgreSQL writes exponents from 1e+15 (1e+06 for real); DuckDB only where it must.
    "float8": _DOUBLE,
    # If two shortest texts are equally near, DuckDB writes one digit more.
    "float4": f"""CASE WHEN LENGTH({_DOUBLE_OF_REAL}) = LENGTH({_DOUBLE}) + 1
        AND RIGHT({_DOUBLE_OF_REAL}, 1) = '5' THEN {_DOUBLE_OF_REAL} ELSE {_DOUBLE} END""",
    "decimal": "CASE WHEN x = 'NaN' THEN NULL ELSE CAST(x AS TEXT) END",
    # In a column without a scale, 1.5 and 1.50 are the same number.
    "numeric": """CASE WHEN x = 'NaN' THEN NULL WHEN x = 'Infinity' THEN 'inf'
        WHEN x = '-Infinity' THEN '-inf' ELSE CAST(TRIM_SCALE(x) AS TEXT) END""",
    "dated": r"""CASE WHEN x < '0001-01-01'
        THEN REGEXP_REPLACE(CAST(x AS TEXT), '^([^ ]+)(.*) BC$', '\1 (BC)\2') ELSE CAST(x AS TEXT) END""",
    "": "CAST(x AS TEXT)",
}
# Integers, because CSV has many date formats; infinity as DuckDB encodes it.
_DAYS = """CASE WHEN x = 'infinity' THEN 2147483647 WHEN x = '-infinity' THEN -2147483647
    ELSE x - CAST('1970-01-01' AS DATE) END"""
_MICROSECONDS = """CASE WHEN x = 'infinity' THEN 9223372036854775807
    WHEN x = '-infinity' THEN -9223372036854775807
    ELSE CAST(EXTRACT(EPOCH FROM x) * 1000000 AS BIGINT) END"""
_TIME = "CAST(EXTRACT(EPOCH FROM x) * 1000000 AS BIGINT)"
# Whether a text that looks like a date is one.
_CALENDAR = (
    "^([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))"
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$"
)
_IS_DATE = f"CASE WHEN x ~ '{_CALENDAR}' THEN 1 END"
_ANY = "(ARRAY_AGG(x ORDER BY x IS NULL))[1]"


@dataclass(frozen=True)
class PostgresColumn:
    """A column of a table or a statement: its name, and the catalog's name of its type.

    `shown` is what people call the type. `precision` and `scale` are given for numeric columns that have
    them. `kind` is None for a column of lists, structures or bytes.
    """

    name: str
    type: str
    shown: str
    kind: ColumnKind | None
    precision: int | None = None
    scale: int | None = None

    @property
    def decimal(self) -> bool:
        """Whether the column is numeric with a scale that Arrow's decimals can represent."""
        return (
            self.precision is not None
            and self.scale is not None
            and 0 <= self.scale <= self.precision <= _MOST_DIGITS
        )

    @property
    def known(self) -> ColumnKind:
        """How the column becomes text, even if it has no plain values."""
        return self.kind or ColumnKind.OTHER


def kind_of(name: str, category: str, sort: str) -> ColumnKind | None:
    """Return how the values of a type become text; None if they are not plain.

    `category` and `sort` come from PostgreSQL's catalog: S is text, e an enumeration.
    """
    if sort == "e" or category == "S" or name in _TEXTS:
        return ColumnKind.TEXT
    if name in _FLOATS:
        return ColumnKind.FLOAT
    if name == "timestamptz":
        return ColumnKind.MOMENT
    if name in (*_WHOLE, *_DATED, *_AS_TEXT, "bool", "numeric", "time", "oid"):
        return ColumnKind.OTHER
    return None


def fetched(column: PostgresColumn) -> tuple[exp.Expression, pa.DataType, pa.DataType]:
    """Return the expression to fetch for a column, the Arrow type to read it as, and its final Arrow type."""
    import pyarrow as pa

    name = exp.column(column.name, quoted=True)
    if column.type in _WHOLE:
        whole = getattr(pa, _WHOLE[column.type])()
        return name, whole, whole
    if column.type == "bool":
        return name, pa.bool_(), pa.bool_()
    if column.type in _FLOATS:
        float_ = pa.float32() if column.type == "float4" else pa.float64()
        return name, float_, float_
    if column.type == "oid":
        return exp.cast(name, "BIGINT"), pa.int64(), pa.int64()
    if column.type == "numeric" and column.decimal:
        decimal = pa.decimal128(column.precision, column.scale)
        return exp.func("NULLIF", name, exp.Literal.string("NaN")), decimal, decimal
    if column.type == "date":
        return _filled(_DAYS, name), pa.int32(), pa.date32()
    if column.type == "time":
        return _filled(_TIME, name), pa.int64(), pa.time64("us")
    if column.type in _DATED:
        zone = "UTC" if column.type == "timestamptz" else None
        return _filled(_MICROSECONDS, name), pa.int64(), pa.timestamp("us", tz=zone)
    return exp.cast(name, "TEXT"), pa.string(), pa.string()


def again_decimal(
    columns: Mapping[str, PostgresColumn],
) -> Callable[[str, exp.Expression], exp.Expression]:
    """Return what gives decimals their precision and scale back, which PostgreSQL forgets in a CASE."""

    def typed(name: str, value: exp.Expression) -> exp.Expression:
        column = columns[name]
        if column.type != "numeric" or column.precision is None:
            return value
        return exp.cast(value, f"DECIMAL({column.precision}, {column.scale})")

    return typed


def as_text(source: exp.Table | exp.Subquery, columns: Iterable[PostgresColumn]) -> exp.Subquery:
    """Return a table whose texts of other types (enumerations, char(n), ...) are plain text."""
    shown = []
    for column in columns:
        name = exp.column(column.name, quoted=True)
        turned = column.kind is ColumnKind.TEXT and column.type not in {"text", "varchar"}
        value = exp.cast(name, "TEXT") if turned else name
        shown.append(exp.alias_(value, column.name, quoted=True))
    return exp.select(*shown).from_(source.copy()).subquery("source")


def adapted(statement: exp.Expression, columns: Mapping[str, PostgresColumn]) -> exp.Expression:
    """Return one of Shoal's statements adapted to PostgreSQL; `columns` are those of its source.

    In these statements a quoted name without a table is always a column of the source.
    """
    statement = statement.copy()
    for cast in _inner_first(statement, exp.Cast):
        if cast.is_type("text") and not isinstance(cast, exp.TryCast):
            cast.replace(_by_bytes(_written(cast, columns)))
        elif cast.is_type("date"):
            cast.replace(_filled(_IS_DATE, cast.this))
    for same in _inner_first(statement, exp.NullSafeEQ):
        # IS NOT DISTINCT FROM would compare every row with every value.
        sides = (_never_missing(same.this), _never_missing(same.expression))
        same.replace(exp.EQ(this=sides[0], expression=sides[1]))
    for joined in _inner_first(statement, exp.Concat):
        joined.set("expressions", [_or_empty(part) for part in joined.expressions])
    for digest in _inner_first(statement, exp.MD5):
        digest.replace(_by_bytes(digest.copy()))
    for digest in statement.find_all(exp.SHA2):
        # Of bytes, whatever the database's encoding.
        digest.set("this", exp.func("CONVERT_TO", digest.this.copy(), exp.Literal.string("UTF8")))
    for match in statement.find_all(exp.RegexpLike):
        # In all other engines a dot does not match a line end.
        match.expression.replace(exp.Literal.string("(?p)" + match.expression.name))
    return statement


def with_any(statement: exp.Expression) -> exp.Expression:
    """Return a statement with any value in place of MIN, because some types have no MIN."""
    statement = statement.copy()
    for least in _inner_first(statement, exp.Min):
        least.replace(_filled(_ANY, least.this))
    return statement


def renamed(statement: exp.Expression, names: Mapping[str, exp.Table | exp.Subquery]) -> exp.Expression:
    """Return a statement that reads other tables under the names it knows."""
    statement = statement.copy()
    for table in list(statement.find_all(exp.Table)):
        if table.name in names and not table.args.get("db"):
            table.replace(exp.alias_(names[table.name].copy(), table.name, table=True))
    return statement


def _written(cast: exp.Cast, columns: Mapping[str, PostgresColumn]) -> exp.Expression:
    """Return a cast to text rewritten so that source columns look as DuckDB writes them."""
    value = cast.this
    named = value.this if isinstance(value, exp.AtTimeZone) else value
    if not (isinstance(named, exp.Column) and named.this.quoted and not named.table):
        return cast.copy()
    column = columns[named.name]
    form = column.type if column.type in _FLOATS else ""
    if column.type in _DATED:
        form = "dated"
    elif column.type == "numeric":
        form = "numeric" if column.scale is None else "decimal"
    return _filled(_TEXT_OF[form], value)


def _inner_first(statement: exp.Expression, kind: type[Any]) -> list[Any]:
    return list(reversed(list(statement.find_all(kind))))


def _by_bytes(text: exp.Expression) -> exp.Expression:
    return exp.Collate(this=text, expression=exp.to_identifier("C", quoted=True))


def _never_missing(text: exp.Expression) -> exp.Expression:
    """Return a text that tells all texts apart, and the missing value from every text."""
    marked = exp.DPipe(this=exp.Literal.string("v"), expression=text.copy())
    return _by_bytes(exp.func("COALESCE", marked, exp.Literal.string("n")))


def _or_empty(part: exp.Expression) -> exp.Expression:
    if isinstance(part, (exp.Literal, exp.Coalesce)):
        return part
    return exp.func("COALESCE", part.copy(), exp.Literal.string(""))


def _filled(template: str, value: exp.Expression) -> exp.Expression:
    made = _parsed(template).copy()
    for place in list(made.find_all(exp.Column)):
        place.replace(value.copy())
    return made


@cache
def _parsed(template: str) -> exp.Expression:
    return parse_one(template, read="postgres")
