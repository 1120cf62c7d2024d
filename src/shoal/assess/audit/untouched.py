"""Quasi columns that were never generalized and tell many persons apart."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.assess.audit.look import AuditWarning, Released
from shoal.numbers import count

MANY, SOME = 50, 10


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning for each untouched quasi column with many values, or with few rows a value.

    Many are 50; 10 are enough where a value has fewer than 10 * k rows on average.
    """
    groups = released.groups
    for column, domain in zip(groups.columns, groups.domains, strict=True):
        if column not in released.facts.untouched:
            continue
        distinct = sum(value is not None for value in domain)
        few_rows = distinct * 10 * released.k > released.rows
        if distinct >= MANY or (distinct >= SOME and few_rows):
            sentence = (
                f"The quasi column {column} is not generalized at all and shows {distinct:,} different "
                f"values, {count(released.rows / distinct)} rows each on average: it stays the best column "
                "to link by; consider a lowest level for it."
            )
            details = {"column": column, "distinct": distinct, "rows": released.rows}
            yield AuditWarning("untouched-quasi", "note", sentence, details)
