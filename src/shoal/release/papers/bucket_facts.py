"""What the papers add about a release in buckets (Anatomy)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.assess.audit import AuditWarning
from shoal.describe.specification import Role
from shoal.numbers import share_of
from shoal.release.bucket_release import AnatomyRelease
from shoal.verification.bucket_check import second_path
from shoal.verification.verdict import Verdict


def warnings(release: AnatomyRelease) -> list[AuditWarning]:
    """Return what a curator must know: quasi values are exact, and which columns are withheld for that."""
    tally, column = release.tally, release.recoding.sensitive
    alone = int((tally.counts == 1).sum())
    share = f"{alone:,} of {tally.rows:,} rows ({share_of(alone, tally.rows)}) are unique in them"
    sentence = (
        f"All quasi values are released unchanged, and {share}: anyone who knows a person's values sees "
        f"whether the person is in the table, and the rest of the row; only {column} is hidden, among "
        f"{release.recoding.l} or more values, one of which may be the missing value."
    )
    found = [AuditWarning("exact-values", "warning", sentence, {"alone": alone, "rows": tally.rows})]
    if release.persons:
        sentence = (
            "Persons are dealt with all their rows, and the second table counts those who have each value of "
            f"{column}: anyone who knows how many rows the persons of a group have may guess better than "
            f"1 in {release.recoding.l}."
        )
        found.append(AuditWarning("known-numbers", "note", sentence, {}))
    others = [name for name in release.material.specification.having(Role.SENSITIVE) if name != column]
    if others:
        names = ", ".join(others)
        sentence = f"Not released, because exact quasi values would expose them: {names}."
        found.append(AuditWarning("left-out", "note", sentence, {"columns": others}))
    return found


def facts(release: AnatomyRelease, out: Path, verdict: Verdict) -> Mapping[str, Any]:
    """Return the facts of the second table."""
    measured = verdict.measured.buckets
    return {
        "file": second_path(out).name,
        "columns": release.second.names,
        "sensitive": release.second.sensitive,
        "group": release.second.group,
        **({} if measured is None else measured.to_dict()),
    }
