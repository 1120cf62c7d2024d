"""A workspace as files for use elsewhere: the study with its hierarchies, and the script of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.describe.hierarchies import Hierarchy, write_hierarchy
from shoal.describe.specification import Role
from shoal.proposal.file_layout import file_name
from shoal.proposal.written import flow, scalar
from shoal.questions.releases import FRESH, STABLE
from shoal.release.study_release import StudyRelease
from shoal.version import VERSION
from shoal.web.workspace.state import HIERARCHIES, DecidedColumn, Described, Listed

QUESTIONS = ("frontier", "negotiate", "optimize", "anonymize")


def write_study(
    folder: Path,
    table: str,
    columns: Mapping[str, DecidedColumn],
    hierarchy: Callable[[str], Hierarchy],
    units: Mapping[str, Any],
    reading: Mapping[str, Any],
) -> Path:
    """Write study.yaml and its hierarchies into a folder; `table` is the table's name in the study."""
    places = _places(columns)
    own = reading.get("missing_in", {})
    told = {name: list(given) if isinstance(given, tuple) else given for name, given in units.items()}
    told |= {name: given for name, given in reading.items() if name != "missing_in"}
    lines = [
        f"# A study by Shoal {VERSION}; paths are relative to this file.",
        f"table: {scalar(table)}",
        *(f"{name}: {flow(given)}" for name, given in told.items()),
        "",
        "attributes:",
    ]
    for name, column in columns.items():
        if column.roles:
            codes = {"missing": list(own[name])} if name in own else {}
            lines.append(f"  {scalar(name)}: {flow(_entry(column, places.get(name)) | codes)}")
    for name, place in places.items():
        (folder / HIERARCHIES).mkdir(exist_ok=True)
        text = write_hierarchy(hierarchy(name).rows())
        (folder / place).write_text(text, encoding="utf-8", newline="\n")
    study = folder / "study.yaml"
    study.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return study


def _places(columns: Mapping[str, DecidedColumn]) -> dict[str, str]:
    """Return the file name of each listed hierarchy."""
    taken: set[str] = set()
    return {
        name: f"{HIERARCHIES}/{file_name(name, taken)}"
        for name, column in columns.items()
        if isinstance(column.used, Listed)
    }


def _entry(column: DecidedColumn, place: str | None) -> dict[str, Any]:
    roles = list(column.roles)
    entry: dict[str, Any] = {"role": roles[0] if len(roles) == 1 else roles}
    if place is not None:
        entry["hierarchy"] = place
    elif isinstance(column.used, Described):
        entry["hierarchy"] = column.used.description
    if Role.QUASI in column.roles:
        if column.min_level:
            entry["min_level"] = column.min_level
        if column.max_level is not None:
            entry["max_level"] = column.max_level
        if column.weight != "1":
            entry["weight"] = column.weight
    if column.order:
        entry["order"] = list(column.order)
    if column.shift is not None:
        entry["shift"] = {"days": column.shift}
    return entry


def script(
    table: str,
    out: str,
    made: StudyRelease,
    asked: Mapping[str, Any],
    again: bool = False,
    population: bool = False,
) -> str:
    """Return a Python script that repeats a release from the original table, byte for byte.

    What is drawn anew for every release is drawn anew by the script: fresh names, and shifts of dates. The
    `population`, if there was one, is given to it beside the table.
    """
    seed, safe, names = made.seed, made.spreadsheet_safe, made.pseudonyms
    repeats = "Repeats this release, row for row, from the original table."
    if made.shifts or (names is not None and names.kind == FRESH):
        repeats = "Makes this release from the original table, with other pseudonyms and shifted dates."
    more = ""
    if names is not None:
        record = f', secret=here / "{out}.record.json"' if names.kind == STABLE else ""
        more = f', pseudonyms="{names.kind}"{record}'
    if made.household_k is not None:
        more += f", household_k={made.household_k}"
    if made.accept_attack:
        more += f", accept_attack={made.accept_attack!r}"
    people = ", population=Path(sys.argv[3])" if population else ""
    found = ""
    if asked.get("question") in QUESTIONS:
        options = ", ".join(
            f"{name}={value!r}"
            for name, value in asked.items()
            if name != "question" and name.isidentifier() and value is not None
        )
        found = f"\n    # The solution was found by: study.{asked['question']}({options})"
    return f'''"""{repeats}

    python release.py ORIGINAL-TABLE {"OUT POPULATION" if population else "[OUT]"}

It needs Shoal {VERSION}, and the files beside it: study.yaml, {HIERARCHIES} and solution.json.
"""

import json
import sys
from pathlib import Path

import shoal

here = Path(__file__).parent
table = Path(sys.argv[1] if len(sys.argv) > 1 else here / {table!r})
out = Path(sys.argv[2] if len(sys.argv) > 2 else "again-" + {out!r})
solution = json.loads((here / "solution.json").read_text(encoding="utf-8"))

with shoal.Study.open(here / "study.yaml", table=table{people}) as study:{found}
    release = study.release(solution, seed={seed}, spreadsheet_safe={safe}, again={again}{more})
    published = release.write(out)
print(f"{{published.path}}: {{published.verdict.measured.rows:,}} rows, verified.")
'''
