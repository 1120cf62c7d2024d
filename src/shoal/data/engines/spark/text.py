"""Makes Spark write values as text just as DuckDB does, whatever the session's settings.

Columns have plain names here: s0, s1, ... are the table's columns, and w0, w1, ... their texts, if Spark's
own text would differ.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from sqlglot import exp, parse_one

from shoal.data.sql.statements import ColumnKind

NUMBER = "number_among_equals"

_SHORTEST = "com.fasterxml.jackson.core.io.schubfach.{}ToDecimal"
"""Java before 19 writes some numbers with too many digits; this class, which ships with Spark, does not."""
_AS_THEY_ARE = {"byte", "short", "integer", "long", "boolean", "void"}


def raw_name(column: int) -> str:
    """Return a column's name in Shoal's statements."""
    return f"s{column}"


def text_name(column: int) -> str:
    """Return the name of a column's text there."""
    return f"w{column}"


def digits_name(column: int) -> str:
    """Return the name of a floating-point number's digits, before they become its text."""
    return f"j{column}"


def kind_of(field: Any) -> ColumnKind | None:
    """Return how a column becomes text; None for one without plain values."""
    kind = _type(field)
    if kind in {"string", "char", "varchar"}:
        return ColumnKind.TEXT
    return ColumnKind.OTHER if kind in _AS_THEY_ARE or written(field, 0) is not None else None


def _type(field: Any) -> str:
    """Return the name of a column's type without its details."""
    given = field.metadata.get("__CHAR_VARCHAR_TYPE_STRING")
    name = given if isinstance(given, str) else field.dataType.typeName()
    return re.split(r"[^a-z_]", name)[0]


def raw(field: Any, column: int) -> exp.Expression:
    """Return a column unchanged, except that text compares by bytes and loses the padding of char(n)."""
    name = exp.column(raw_name(column))
    kind = _type(field)
    if kind not in {"string", "char", "varchar"}:
        return name
    plain = exp.Anonymous(this="COLLATE", expressions=[name, exp.Literal.string("UTF8_BINARY")])
    text = plain if field.dataType.simpleString() not in {"string"} else name
    return exp.Anonymous(this="RTRIM", expressions=[text]) if kind == "char" else text


def written(field: Any, column: int) -> exp.Expression | None:
    """Return the text of a column whose type Spark writes differently; None for all other types."""
    name, kind = raw_name(column), _type(field)
    if kind in {"float", "double"}:
        return _float(name, digits_name(column))
    if kind == "decimal":
        places = field.dataType.scale
        return _parsed(f"REPLACE(FORMAT_NUMBER({name}, {places}), ',', '')")
    if kind in {"date", "timestamp_ntz"}:
        return _date(f"CAST({name} AS STRING)")
    if kind == "timestamp":
        return _date(f"CAST({_in_utc(name)} AS STRING)")
    if kind == "time":
        return _parsed(f"CAST({name} AS STRING)")
    if field.dataType.simpleString() == "interval day to second":
        return _duration(name)
    return None


@cache
def _parsed(text: str) -> exp.Expression:
    """Return a parsed Spark expression; callers must copy it before they change it."""
    return parse_one(text, read="spark")


def _in_utc(name: str) -> str:
    """Return a moment as UTC time, whatever the session's time zone."""
    micros = f"UNIX_MICROS({name})"
    days = f"CAST(FLOOR({micros} / 86400000000D) AS INT)"
    seconds = f"CAST(PMOD({micros}, 86400000000) AS DECIMAL(18, 0)) / 1000000"
    return (
        "CAST('1970-01-01 00:00:00' AS TIMESTAMP_NTZ) + "
        f"MAKE_DT_INTERVAL({days}, 0, 0, CAST({seconds} AS DECIMAL(18, 6)))"
    )


def _date(text: str) -> exp.Expression:
    """Return a date's or a time's text with years as DuckDB writes them.

    After 9999 there is no plus; the year 0 is 0001 (BC), and so on.
    """
    year = f"CAST(1 + CAST(REGEXP_EXTRACT({text}, '^-?([0-9]+)', 1) AS INT) AS STRING)"
    day = f"REGEXP_EXTRACT({text}, '^-?[0-9]+(-[0-9]+-[0-9]+)', 1)"
    rest = f"REGEXP_EXTRACT({text}, '^-?[0-9]+-[0-9]+-[0-9]+(.*)', 1)"
    return _parsed(
        f"CASE WHEN {text} LIKE '+%' THEN SUBSTRING({text}, 2) "
        f"WHEN {text} LIKE '-%' OR {text} LIKE '0000-%' THEN "
        f"CONCAT(LPAD({year}, GREATEST(4, LENGTH({year})), '0'), {day}, ' (BC)', {rest}) "
        f"ELSE {text} END"
    )


def _duration(name: str) -> exp.Expression:
    """Return a span of time as hours, minutes and seconds."""
    part = "ABS(CAST(EXTRACT({} FROM {}) AS BIGINT))"
    hours = f"({part.format('DAY', name)} * 24 + {part.format('HOUR', name)})"
    minutes = part.format("MINUTE", name)
    seconds = f"CAST(ABS(EXTRACT(SECOND FROM {name})) AS STRING)"
    digits = f"LPAD(SPLIT_PART({seconds}, '.', 1), 2, '0')"
    places = f"TRIM(TRAILING '0' FROM SPLIT_PART({seconds}, '.', 2))"
    return _parsed(
        f"CASE WHEN {name} IS NULL THEN NULL ELSE CONCAT("
        f"CASE WHEN {name} < INTERVAL '0' SECOND THEN '-' ELSE '' END, "
        f"LPAD(CAST({hours} AS STRING), GREATEST(2, LENGTH(CAST({hours} AS STRING))), '0'), ':', "
        f"LPAD(CAST({minutes} AS STRING), 2, '0'), ':', {digits}, "
        f"CASE WHEN {places} = '' THEN '' ELSE CONCAT('.', {places}) END) END"
    )


def java_texts(field: Any, column: int, *, reflect: bool) -> dict[str, exp.Expression]:
    """Return a floating-point number as Java writes it, and one of single precision also as a double.

    Whole numbers need no digits. Without `reflect` no Java method is called, and Java before 19 then writes
    some numbers with too many digits.
    """
    name, kind = raw_name(column), _type(field)
    if kind not in {"float", "double"}:
        return {}
    texts = {}
    for precision in {kind, "double"}:
        value = f"ABS(CAST({name} AS {precision.upper()}))"
        java = f"CAST({value} AS STRING)"
        if reflect:
            java = f"JAVA_METHOD('{_SHORTEST.format(precision.title())}', 'toString', {value})"
        asked = f"CASE WHEN {name} IS NULL OR ({_whole(name)}) THEN NULL ELSE {java} END"
        texts[_java_name(column, precision)] = _parsed(asked)
    return texts


def digits_text(field: Any, column: int) -> exp.Expression | None:
    """Return Java's text of a floating-point number with DuckDB's digits; None for all other types.

    Java writes two digits where one is enough, 4.9E-324. If a single-precision number is exactly between two
    shortest texts, DuckDB writes one digit more.
    """
    name, kind = raw_name(column), _type(field)
    if kind not in {"float", "double"}:
        return None
    java, exact = _java_name(column, kind), _java_name(column, "double")
    rounded = f"CAST(ROUND(CAST(SPLIT_PART({java}, 'E', 1) AS DOUBLE)) AS INT)"
    power = f"CAST(SPLIT_PART({java}, 'E', 2) AS INT)"
    ten = f"WHEN {rounded} = 10 THEN CONCAT('1.0E', {power} + 1)"
    one = f"CASE {ten} ELSE CONCAT({rounded}, '.0E', {power}) END"
    same = f"{java} LIKE '_._E-%' AND TRY_CAST({one} AS {kind.upper()}) = ABS({name})"
    text = f"CASE WHEN {same} THEN {one} "
    if kind == "float":
        count = "LENGTH(TRIM('0' FROM REPLACE(SPLIT_PART({}, 'E', 1), '.', '')))"
        between = f"SPLIT_PART({exact}, 'E', 1) LIKE '%5'"
        text += f"WHEN {count.format(exact)} = {count.format(java)} + 1 AND {between} THEN {exact} "
    return _parsed(f"{text} ELSE {java} END")


def _java_name(column: int, precision: str) -> str:
    return f"{precision}{column}"


def _whole(name: str) -> str:
    # In strict (ANSI) sessions FLOOR fails for numbers beyond the integers.
    return f"ABS({name}) < 1e18D AND {name} % 1D = 0"


def _float(name: str, java: str) -> exp.Expression:
    """Return a floating-point number as DuckDB writes it, with the fewest digits that identify it.

    Java writes 1.5E-5 and 1.2345E-4, DuckDB 1.5e-05 and 0.00012345.
    """
    sign = f"CASE WHEN {name} < 0 THEN '-' ELSE '' END"
    mantissa = f"REGEXP_REPLACE(SPLIT_PART({java}, 'E', 1), '[.]0$', '')"
    digits = f"REPLACE({mantissa}, '.', '')"
    power = f"CAST(NULLIF(SPLIT_PART({java}, 'E', 2), '') AS INT)"
    text = f"""CASE
        WHEN {name} = CAST('NaN' AS DOUBLE) THEN NULL
        WHEN {name} = CAST('Infinity' AS DOUBLE) THEN 'inf'
        WHEN {name} = CAST('-Infinity' AS DOUBLE) THEN '-inf'
        WHEN {_whole(name)} THEN CAST(TRY_CAST({name} AS BIGINT) AS STRING)
        WHEN {java} NOT LIKE '%E%' THEN CONCAT({sign}, {java})
        WHEN {power} BETWEEN 0 AND 15
            THEN CONCAT({sign}, LEFT({digits}, {power} + 1), '.', SUBSTRING({digits}, {power} + 2))
        WHEN {power} BETWEEN -4 AND -1 THEN CONCAT({sign}, '0.', REPEAT('0', -1 - {power}), {digits})
        ELSE CONCAT({sign}, {mantissa}, CASE WHEN {power} < 0 THEN 'e-' ELSE 'e+' END,
            LPAD(CAST(ABS({power}) AS STRING), GREATEST(2, LENGTH(CAST(ABS({power}) AS STRING))), '0'))
        END"""
    return _parsed(text)
