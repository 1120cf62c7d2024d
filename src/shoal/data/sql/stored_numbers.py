"""The statement that reads stored numbers as what they are: whole numbers, dates, moments, times of day."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlglot import exp

from shoal.data.files.calendars import DayCount
from shoal.data.files.codebook import Kind

_TYPES = {Kind.DATE: "DATE", Kind.MOMENT: "TIMESTAMP", Kind.TIME: "TIME"}


def read_stored(
    rows: exp.Select,
    stored: Mapping[str, Kind],
    kinds: Mapping[str, Kind],
    whole: Collection[str],
    calendar: DayCount,
) -> exp.Select:
    """Return the statement over stored rows; `stored` tells the unit of a column, `kinds` what it becomes."""
    columns = []
    for name, kind in kinds.items():
        column: exp.Expression = exp.column(name, quoted=True)
        if kind in _TYPES:
            scaled = exp.func("ROUND", column * exp.Literal.number(calendar.unit(stored[name])))
            since = exp.cast(scaled, "BIGINT") + exp.Literal.number(calendar.start(stored[name]))
            moment = exp.Anonymous(
                this="MAKE_TIMESTAMP", expressions=[exp.paren(since) * exp.Literal.number(1000)]
            )
            column = exp.cast(moment, _TYPES[kind])
        elif name in whole:
            column = exp.cast(column, "BIGINT")
        columns.append(exp.alias_(column, name, quoted=True))
    return exp.select(*columns).from_(rows.subquery("stored"))
