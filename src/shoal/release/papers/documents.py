"""The two documents of a release: the certificate for the public, the record for the curator.

They are separate because knowing that a release is optimal, and how, helps an attacker.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.data.files.table_files import find_files
from shoal.data.opening import settle
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.places import Place, place_fields, place_of
from shoal.describe.quantities import shift_days, weight
from shoal.describe.specification import Attribute, Role, Specification
from shoal.describe.table_reading import Reading
from shoal.describe.units import Units
from shoal.documents import CERTIFICATE, RECORD, record_in
from shoal.errors import InputError
from shoal.numbers import many
from shoal.release.papers.kept_hierarchies import hierarchies_in, listed
from shoal.release.release import Release
from shoal.verification.verdict import Measurement, Verdict
from shoal.version import VERSION

RECOUNTED = "The promise is about persons: rows with the same pseudonym are about one person."
NOT_RECOUNTED = (
    "The promise is about persons. They were counted by the publisher, and cannot be recounted from the "
    "released rows, which do not tell whose they are."
)


def certificate(
    release: Release, verdict: Verdict, file: str | None, sha256: str | None, beside: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what is promised, and what was measured on the released rows.

    It is for the public, so all of it follows from the released rows and from what the curator asked for
    (docs/schemas/README.md). `beside` is what it says about a second table.
    """
    whose: dict[str, Any] = {}
    if release.persons:
        named = release.pseudonyms is not None
        column = release.person if named else None
        whose["persons"] = {"column": column, "said": RECOUNTED if named else NOT_RECOUNTED}
    if release.shifts:
        whose["shifted"] = release.shifts
    return {
        "kind": CERTIFICATE,
        "shoal": VERSION,
        "file": file,
        "sha256": sha256,
        "columns": list(release.columns),
        "quasi": list(release.quasi),
        "sensitive": list(release.sensitive),
        "promise": verdict.promise.to_dict(),
        "measured": verdict.measured.to_dict(),
        **whose,
        **({} if release.household_k is None else {"households": _alike(release.household_k)}),
        **beside,
    }


def _alike(k: int) -> dict[str, Any]:
    said = (
        "Every household of which a row is released has the same members as at least "
        f"{many(k - 1, 'other')}, by the released values of the quasi columns. They were counted by the "
        "publisher, and cannot be recounted from the released rows, which do not tell who lives together."
    )
    return {"k": k, "said": said}


def record(
    release: Release,
    out: Path,
    sha256: str,
    measured: Measurement,
    beside: Mapping[str, Any],
    followed: Mapping[str, Any] | None = None,
    accepted: Sequence[str] = (),
    groups: Mapping[str, Any] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return everything that is needed to make the same release again, for the curator alone.

    `followed` says what pseudonyms tell of persons with several rows, `accepted` which attacks break it;
    `groups` and `hierarchies` stand in the place of those that are kept in a file of their own.
    """
    specification, treatment = release.material.specification, release.treatment
    population, coarse = release.population, release.tally.coarse
    crowd = {}
    if population is not None:
        where, rows = _relative(specification.population, out), population.tally.rows
        crowd["population"] = {"path": where, "sha256": population.sha256, "rows": rows}
    whose: dict[str, Any] = {"persons": list(release.persons)} if release.persons else {}
    if release.pseudonyms is not None:
        whose["pseudonyms"] = release.pseudonyms.to_dict(release.person or "")
        whose["followed"] = followed
    counts = {"persons": treatment.suppressed_persons} if release.persons else {}
    if release.household_k is not None:
        homes = len(treatment.homes)
        told = {"column": release.household, "k": release.household_k, "suppressed": homes}
        crowd["households"] = told
    return {
        "kind": RECORD,
        "shoal": VERSION,
        "table": {
            **_source(release, out),
            "rows": treatment.rows,
            **({"persons": treatment.persons} if release.persons else {}),
        },
        **crowd,
        **whose,
        **({"reading": reading} if (reading := specification.reading.to_dict()) else {}),
        "attributes": {
            name: {
                "roles": sorted(role.value for role in given.roles),
                "description": None if given.described is None else dict(given.described),
                **({"weight": str(given.weight)} if given.weight != 1 else {}),
                **({"counted_from": coarse[name].level} if name in coarse else {}),
                **({"shift": {"days": given.shift}} if given.shift is not None else {}),
            }
            for name, given in specification.attributes.items()
        },
        **(hierarchies or listed(hierarchies_of(release))),
        "decision": release.decision.to_dict(groups),
        "seed": release.seed,
        "order_key": release.order_key,
        "spreadsheet_safe": release.spreadsheet_safe,
        **({"accepted_attacks": list(accepted)} if accepted else {}),
        "release": {
            "file": out.name,
            "sha256": sha256,
            "rows": measured.rows,
            "measured": measured.to_dict(),
            **beside,
        },
        "suppressed": {
            "rows": treatment.suppressed_rows,
            "values": treatment.suppressed_values,
            **counts,
        },
    }


def hierarchies_of(release: Release) -> dict[str, Hierarchy]:
    """Return the hierarchies that its record keeps."""
    return {name: release.material.hierarchies[name] for name in release.quasi}


def _source(release: Release, out: Path) -> dict[str, Any]:
    """Return where the original table is, and what shows that it is unchanged."""
    table = release.material.specification.table
    if isinstance(table, Place):
        return {
            "path": None,
            "place": place_fields(table, out),
            "sha256": None,
            "fingerprint": release.tally.fingerprint(),
        }
    return {"path": _relative(table, out), "sha256": release.source_digest}


def _relative(table: Any, out: Path) -> str | None:
    """Return the path of a table relative to the release; None for a frame in memory."""
    if not isinstance(table, (str, Path)):
        return None
    return os.path.relpath(Path(table).absolute(), out.parent.absolute())


def read_record(path: Path) -> dict[str, Any]:
    """Return the record in a file, after finishing its release if that was interrupted; or refuse it."""
    settle(path)
    return record_in(path)


def specification_of(document: Mapping[str, Any], table: Any, path: Path) -> Specification:
    """Return the study of the record at a path, over its own table or another."""
    hierarchies = hierarchies_in(document, path)
    attributes = {
        name: Attribute(
            frozenset(Role.of(role) for role in given["roles"]),
            Hierarchy.from_rows(hierarchies[name], f"the record's hierarchy of {name}")
            if name in hierarchies
            else None,
            int(given.get("counted_from", 0)),
            weight=weight(given.get("weight", 1)),
            shift=shift_days(given.get("shift")),
            description=given["description"],
        )
        for name, given in document["attributes"].items()
    }
    population = document.get("population") or {}
    if population and population.get("path") is None:
        raise InputError(
            "the population was in no file, so the record cannot find it; release the study anew",
            file=path,
        )
    where = path.parent / str(population["path"]) if population else None
    homes = document.get("households") or {}
    units = Units(persons=tuple(document.get("persons", ())), households=homes.get("column"))
    reading = Reading.from_dict(document.get("reading", {}))
    return Specification(table, attributes, population=where, units=units, reading=reading)


def recorded_table(document: Mapping[str, Any], path: Path) -> Path | Place:
    """Return the table of a record, or refuse a file that has changed."""
    given = document["table"]
    if given.get("place") is not None:
        return place_of(given["place"], path)
    if given["path"] is None:
        raise InputError("the table was a frame in memory, so the record cannot find it", file=path)
    table = path.parent / str(given["path"])
    try:
        found = find_files(table)
    except InputError:
        raise InputError("the record's table no longer exists", file=table) from None
    if found.digest() != given["sha256"]:
        raise InputError("the table has changed since the release was made", file=table)
    return table


def check_unchanged(document: Mapping[str, Any], tally: Tally, path: Path) -> None:
    """Refuse a table in an engine if its counts are not those of its record at a path."""
    expected = document["table"].get("fingerprint")
    if expected is not None and tally.fingerprint() != expected:
        raise InputError("the table has changed since the release was made", file=path)
