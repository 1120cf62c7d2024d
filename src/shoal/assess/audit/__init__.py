"""Warnings about a release: attacks that its promise does not speak of, one file each.

A new one is a file with a `check` that yields warnings, and its name in `CHECKS`.
"""

from __future__ import annotations

from shoal.assess.audit import (
    homogeneity,
    minimality,
    skewness,
    suppressed,
    told_apart,
    uniqueness,
    untouched,
)
from shoal.assess.audit.look import LEVELS, AuditWarning, Evidence, Released

CHECKS = (told_apart, homogeneity, suppressed, uniqueness, untouched, minimality, skewness)

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
        found = [warning for check in CHECKS for warning in check.check(released)]
    return sorted(found, key=lambda warning: LEVELS.index(warning.level))
