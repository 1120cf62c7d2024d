"""Columns that are released as they are and break the groups up: who knows their value too finds the row."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.audit.base import AuditWarning, Released
from shoal.audit.uniqueness import FEWEST, SOME


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning for each other column that, with the quasi columns, has a value for every second row.

    The groups of rows that look alike are then of fewer than two rows on average for whoever knows the
    column besides. The combinations are counted by a sketch, so no figure is told. A column that has so
    many values by itself is told of by `uniqueness`.
    """
    facts = released.facts
    many = SOME * released.rows
    for column in facts.others:
        if column in facts.quasi or not FEWEST <= released.profiles[column].distinct < many:
            continue
        if released.about_groups_with(column) >= many:
            sentence = (
                f"The column {column} is released as it is, and with the quasi columns it tells most rows "
                "apart: whoever knows it too finds persons; make it quasi or leave it out, unless nobody can."
            )
            details = {"column": column, "groups": len(released.groups.counts), "rows": released.rows}
            yield AuditWarning("unchanged-column", "warning", sentence, details)
