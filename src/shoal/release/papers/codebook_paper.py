"""The codebook of a release, for the public: what its columns are, from the released rows.

Of the original file it has the labels of released columns and of released values, and the codes that it
declares as missing. A label of another value would tell that a suppressed row had it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.data.engine import Engine, Profile
from shoal.data.opening import opened
from shoal.describe import Role
from shoal.describe.table_reading import AS_WRITTEN
from shoal.numbers import many
from shoal.release.release import Release
from shoal.verification.bucket_check import second_path
from shoal.version import VERSION

KIND = "codebook"
FEW = 100
"""A column with at most so many values has all of them in the codebook."""
_RECODED = "Recoded: a value may stand for a group of original values, or be missing to protect persons."
_KEPT = "As in the original, or missing to protect persons."
_PSEUDONYM = "A random name: rows with the same name are about the same person."
_ADDED = (
    "Added: the group that links the two tables of the release, or the rows of a group with the value."
)


def codebook_of(release: Release, rows: Any, out: Path) -> dict[str, Any]:
    """Return the codebook of a release whose rows are, for now, in a file, a frame or a new table."""
    with opened(rows, AS_WRITTEN) as engine:
        files = [_file(release, engine, out.name, engine.columns)]
    if release.splits and isinstance(rows, Path):
        with opened(second_path(rows), AS_WRITTEN) as engine:
            files.append(_file(release, engine, second_path(out).name, engine.columns))
    return {"kind": KIND, "shoal": VERSION, "files": files}


def _file(release: Release, rows: Engine, name: str, columns: Sequence[str]) -> dict[str, Any]:
    profiles = {profile.column: profile for profile in rows.profile(FEW)}
    return {
        "fileName": name,
        "caseQnty": rows.count(),
        "varQnty": len(columns),
        "var": [_variable(release, rows, profiles[column]) for column in columns],
    }


def _variable(release: Release, rows: Engine, profile: Profile) -> dict[str, Any]:
    name = profile.column
    told = release.codebook.of(name)
    counted = {}
    if profile.nested is None and (profile.values or told.values or told.missing):
        cells = rows.cells([name])
        by_code = {int(code): int(n) for code, n in zip(cells.codes[:, 0], cells.counts, strict=True)}
        counted = {value: by_code[i] for i, value in enumerate(cells.domains[0]) if value is not None}
        told = told.only(counted)
    listed = counted if profile.distinct <= FEW else {value: counted[value] for value in told.values}
    numeric = profile.distinct > 0 and (profile.whole or profile.decimal)
    known = numeric and profile.lowest is not None and profile.highest is not None
    return {
        "name": name,
        "labl": told.label,
        "varFormat": "numeric" if numeric else "date" if profile.date else "character",
        "codInstr": _done(release, name),
        "distinct": profile.distinct,
        "missing": profile.missing,
        "invalrng": list(told.missing_texts),
        "valrng": {"min": profile.lowest, "max": profile.highest} if known else None,
        "catgry": [
            {"catValu": value, "labl": told.values.get(value), "catStat": listed[value]}
            for value in listed
        ],
    }


def _done(release: Release, name: str) -> str:
    """Say what was done to a column: by its role, whatever its values are."""
    if name not in release.material.specification.attributes:
        return _PSEUDONYM if name == release.person else _ADDED
    if name in release.shifts:
        return f"Dates, shifted by up to {many(release.shifts[name], 'day')} for each person or row."
    roles = release.material.specification.attributes[name].roles
    if Role.QUASI in roles and not release.splits:
        return _RECODED
    return _KEPT
