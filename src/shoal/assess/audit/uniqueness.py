"""Sensitive columns that are nearly unique: each value names its person."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.assess.audit.look import AuditWarning, Released
from shoal.numbers import percent

SOME, NEARLY_ALL = 0.5, 0.9
FEWEST = 10
"""Fewer different values are nothing unusual, however few rows there are."""


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning for each sensitive column with a value of its own for most rows.

    Serious where nine tenths of the rows have a value that nobody else has; a warning where there is a
    different value for every second row. Of columns that are neither quasi nor sensitive, `told_apart` tells.
    """
    facts = released.facts
    for column in facts.sensitive:
        if column in facts.quasi:
            continue
        profile = released.profiles[column]
        alone, distinct = profile.once / released.rows, profile.distinct / released.rows
        if profile.distinct < FEWEST or (alone < NEARLY_ALL and distinct < SOME):
            continue
        sentence = (
            f"The column {column} is released as it is and has {profile.distinct:,} different values in "
            f"{released.rows:,} rows; {profile.once:,} rows ({percent(alone)}) are alone with theirs, so "
            "whoever knows it finds the row: make it quasi, coarsen it or leave it out."
        )
        details = {
            "column": column,
            "role": "sensitive",
            "distinct": profile.distinct,
            "alone": profile.once,
            "rows": released.rows,
        }
        yield AuditWarning(
            "uniqueness", "serious" if alone >= NEARLY_ALL else "warning", sentence, details
        )
