"""Where a release comes from, as an event of OpenLineage: for catalogues and schedulers, not for the public.

It names tables and columns and says in words what was done; it has no value of any row, and no secret.
Every facet must name its specification; these addresses are names, and nothing is fetched from them.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shoal.answers.recoding import CutRecoding, NodeRecoding
from shoal.criteria import sensitive_of
from shoal.describe.places import Place, lies_in_a_folder
from shoal.numbers import many
from shoal.release.bucket_release import AnatomyRelease
from shoal.release.release import Release
from shoal.verification.bucket_check import second_path
from shoal.version import VERSION

PRODUCER = f"urn:shoal:{VERSION}"
_STANDARD = "https://openlineage.io/spec"
_EVENT = f"{_STANDARD}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_FACETS = {
    "jobType": "2-0-3/JobTypeJobFacet",
    "schema": "1-1-1/SchemaDatasetFacet",
    "version": "1-0-1/DatasetVersionDatasetFacet",
    "columnLineage": "1-2-0/ColumnLineageDatasetFacet",
    "inputStatistics": "1-0-0/InputStatisticsInputDatasetFacet",
    "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
}
"""The specification of each facet, in the standard's folder of facets."""

Step = tuple[str, str, str, bool]
"""What is done on the way from one column to another: type, subtype, words, whether it hides values."""
_KEPT: Step = ("DIRECT", "IDENTITY", "Unchanged.", False)


def lineage(release: Release, out: Path, record: dict[str, Any]) -> dict[str, Any]:
    """Return the event of a release that is written and verified; the record has its digests and counts."""
    table, released = record["table"], record["release"]
    source = _dataset(release.material.specification.table)
    job = f"{Path(source['name']).name} to {out.name}"
    rows = {"inputStatistics": {"rowCount": table["rows"]}}
    inputs = [
        source
        | {"facets": _said(release.material.engine.columns, table["sha256"] or table.get("fingerprint"))}
        | {"inputFacets": _facets(rows)}
    ]
    if (crowd := record.get("population")) is not None:
        people = _dataset(release.material.specification.population)
        version = {"version": {"datasetVersion": crowd["sha256"]}} if crowd["sha256"] else {}
        rows = {"inputStatistics": {"rowCount": crowd["rows"]}}
        inputs.append(people | {"facets": _facets(version), "inputFacets": _facets(rows)})
    return {
        "eventType": "COMPLETE",
        "eventTime": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": _EVENT,
        "run": {"runId": str(uuid.uuid4())},
        "job": {
            "namespace": "shoal",
            "name": job,
            "facets": _facets(
                {"jobType": {"processingType": "BATCH", "integration": "SHOAL", "jobType": "JOB"}}
            ),
        },
        "inputs": inputs,
        "outputs": _outputs(release, out, source, released),
    }


def _outputs(
    release: Release, out: Path, source: dict[str, str], released: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the released tables, with the columns that each of theirs comes from."""
    filters = _whole(release)

    def written(where: dict[str, str], columns: Sequence[str], version: str, rows: int | None) -> Any:
        fields = {
            name: {
                "inputFields": [_from(source, column, [step]) for column, step in _ways(release, name)]
            }
            for name in columns
        }
        through = {"fields": fields, "dataset": [_from(source, name, steps) for name, steps in filters]}
        counted = {} if rows is None else {"outputStatistics": {"rowCount": rows}}
        return (
            where
            | {"facets": _said(columns, version) | _facets({"columnLineage": through})}
            | {"outputFacets": _facets(counted)}
        )

    table, place = released.get("table"), release.material.engine.place
    where, version = _dataset(out), released["sha256"]
    if table is not None and place is not None:
        where, version = _dataset(place.at(table["name"])), table["fingerprint"]
    found = [written(where, release.columns, version, released["rows"])]
    if isinstance(release, AnatomyRelease):
        second = released["buckets"]
        found.append(written(_dataset(second_path(out)), second["columns"], second["sha256"], None))
    return found


def _dataset(table: Any) -> dict[str, str]:
    """Return the name of a table as the standard has it: the same from every folder, without users.

    >>> _dataset(Place("postgres", "public.visits", "postgresql://ann:secret@db.example/hospital"))
    {'namespace': 'postgres://db.example:5432', 'name': 'hospital.public.visits'}
    """
    if isinstance(table, (str, Path)):
        return {"namespace": "file", "name": str(Path(table).absolute())}
    if not isinstance(table, Place):
        return {"namespace": "shoal", "name": "a table in memory"}
    if table.engine == "duckdb":
        return {"namespace": "duckdb", "name": f"{Path(table.url).absolute()}#{table.table}"}
    if lies_in_a_folder(table.engine, table.url):
        return {"namespace": "file", "name": str(Path(table.url, *table.names).absolute())}
    if "://" in table.table:  # what Spark reads from a path
        scheme, host, path = urlsplit(table.table)[:3]
        return {"namespace": f"{scheme}://{host.rpartition('@')[2]}", "name": path or "/"}
    address = urlsplit(table.public().url)
    host, database = address.netloc.rpartition("@")[2], address.path.strip("/")
    if not host or table.engine != "postgres":
        return {"namespace": f"{table.engine}://{host}" if host else table.engine, "name": table.table}
    host += "" if ":" in host else ":5432"
    return {"namespace": f"postgres://{host}", "name": f"{database}.{table.table}".lstrip(".")}


def _facets(facets: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return facets that say who made them, and by what specification."""
    return {
        name: {"_producer": PRODUCER, "_schemaURL": _specification(name)} | said
        for name, said in facets.items()
    }


def _specification(facet: str) -> str:
    file = _FACETS[facet]
    return f"{_STANDARD}/facets/{file}.json#/$defs/{file.partition('/')[2]}"


def _said(columns: Iterable[str], version: str | None) -> dict[str, dict[str, Any]]:
    """Return the columns of a table, and the digest by which its version is known."""
    facets: dict[str, dict[str, Any]] = {"schema": {"fields": [{"name": name} for name in columns]}}
    if version is not None:
        facets["version"] = {"datasetVersion": version}
    return _facets(facets)


def _from(source: dict[str, str], column: str, steps: Iterable[Step]) -> dict[str, Any]:
    named = [
        {"type": kind, "subtype": subtype, "description": words, "masking": hides}
        for kind, subtype, words, hides in steps
    ]
    return {**source, "field": column, "transformations": named}


def _ways(release: Release, name: str) -> list[tuple[str, Step]]:
    """Return the columns that a released column comes from, with what was done on the way."""
    if name not in release.material.specification.attributes:
        if name == release.person:
            pseudonym: Step = ("DIRECT", "TRANSFORMATION", "A pseudonym, by a secret key.", True)
            return [(column, pseudonym) for column in release.persons]
        dealt: Step = ("INDIRECT", "GROUP_BY", "Rows are dealt into groups by its values.", False)
        return [(column, dealt) for column in release.sensitive]
    return [(name, _step(release, name))]


def _step(release: Release, name: str) -> Step:
    if name in release.shifts:
        days = many(release.shifts[name], "day")
        return "DIRECT", "TRANSFORMATION", f"Dates, shifted by up to {days}.", True
    coarser = _recoded(release, name)
    hides = [coarser] if coarser is not None else []
    if name in release.treatment.blanked:
        hides.append("Some values are blanked.")
    shown = []
    reading = release.material.specification.reading
    if reading.decimal == ",":
        shown.append("Numbers have a point before decimals.")
    if reading.codes(name):
        shown.append("Codes of missing values are empty.")
    if release.spreadsheet_safe:
        shown.append("An apostrophe stands before what a spreadsheet would run.")
    if not hides and not shown:
        return _KEPT
    return "DIRECT", "TRANSFORMATION", " ".join([*hides, *shown]), bool(hides)


def _recoded(release: Release, name: str) -> str | None:
    """Say how the values of a column are made coarser; None if they are released as they are."""
    if name not in release.quasi or release.splits:
        return None
    if release.maps is None:
        details = release.decision.details
        return "Some cells are blanked." if "blanked_cells" in details else "Recoded by groups of rows."
    if all(value == label for value, label in release.maps[name].items()):
        return None
    recoding = release.decision.recoding
    if isinstance(recoding, NodeRecoding):
        height = release.material.hierarchies[name].height
        return f"Generalized to level {recoding.levels[name]} of {height} of its hierarchy."
    if isinstance(recoding, CutRecoding):
        return "Generalized to a cut of its hierarchy."
    return None


def _whole(release: Release) -> list[tuple[str, list[Step]]]:
    """Return the columns that decide about whole rows, and how."""
    counted = (*release.quasi, *sensitive_of(release.decision.promise, release.sensitive))
    homes = () if release.household is None else (release.household,)
    decide = dict.fromkeys((*counted, *release.persons, *homes))
    gone: Step = ("INDIRECT", "FILTER", "It decides which rows are suppressed.", False)
    steps: dict[str, list[Step]] = {name: [] for name in decide}
    for name in decide if release.treatment.suppressed_rows else ():
        steps[name].append(gone)
    for name in release.quasi if release.maps is None and not release.splits else ():
        steps[name].append(("INDIRECT", "GROUP_BY", "Rows are grouped by it.", False))
    return [(name, found) for name, found in steps.items() if found]
