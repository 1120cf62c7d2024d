"""The statement that reads a table with missing values in place of the codes that stand for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from shoal.data.sql.statements import ColumnKind, Source, text_of

_WHOLE = re.compile("[+-]?[0-9]+")


def blanked(
    table: Source,
    columns: Mapping[str, ColumnKind],
    codes: Mapping[str, Sequence[str]],
    typed: Callable[[str, exp.Expression], exp.Expression] = lambda _, value: value,
) -> exp.Select:
    """Return the statement that reads a table with missing values in place of the `codes` of its columns.

    Codes are compared with the text of a value, without spaces around it; -9 is also -9.0 and -9.00. `typed`
    may give a column's values their type back where the engine forgets a part of it.
    """
    shown = []
    for name, kind in columns.items():
        value: exp.Expression = exp.column(name, quoted=True)
        if name in codes:
            value = typed(
                name,
                exp.Case().when(_is_code(text_of(name, kind), codes[name]), exp.null()).else_(value),
            )
        shown.append(exp.alias_(value, name, quoted=True))
    return exp.select(*shown).from_(table)


def _is_code(text: exp.Expression, codes: Sequence[str]) -> exp.Expression:
    bare = exp.Trim(this=text)
    found: exp.Expression = exp.In(this=bare, expressions=[exp.Literal.string(code) for code in codes])
    if whole := [code for code in codes if _WHOLE.fullmatch(code)]:
        # -9.00 without its last zeros
        rest = exp.Trim(this=bare.copy(), expression=exp.Literal.string("0"), position="TRAILING")
        ends = [exp.Literal.string(f"{code}.") for code in whole]
        found = exp.or_(found, exp.In(this=rest, expressions=ends))
    return found
