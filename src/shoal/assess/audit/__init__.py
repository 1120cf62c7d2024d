"""Warnings about a release: attacks that its promise does not cover.

To add one, write a function that yields warnings and list it in `CHECKS`.
"""

from __future__ import annotations

from shoal.assess.audit.look import LEVELS, AuditWarning, Evidence, Released
from shoal.assess.audit.sensitive_groups import homogeneity, skewness
from shoal.assess.audit.told_apart import unique_rows, unique_values, untouched_quasi
from shoal.assess.audit.whole_release import minimality, suppressed_rows

CHECKS = (
    unique_rows,
    homogeneity,
    suppressed_rows,
    unique_values,
    untouched_quasi,
    minimality,
    skewness,
)

__all__ = ["CHECKS", "LEVELS", "AuditWarning", "Evidence", "Released", "audit_release"]


def audit_release(facts: Evidence) -> list[AuditWarning]:
    """Return every warning about a release, the serious ones first.

    >>> import pyarrow as pa
    >>> from shoal.describe.promise import Promise
    >>> rows = pa.table({"zip": ["021*"] * 3, "illness": ["flu"] * 3})
    >>> [warning.code for warning in audit_release(Evidence(rows, Promise(k=3), ("zip",), ("illness",)))]
    ['homogeneity']
    """
    with Released(facts) as released:
        if not released.rows:
            return []
        found = [warning for check in CHECKS for warning in check(released)]
    return sorted(found, key=lambda warning: LEVELS.index(warning.level))
