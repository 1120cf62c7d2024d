"""A workspace as files for use elsewhere: the study with its hierarchies, and the script of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.describe.hierarchies import Hierarchy, write_hierarchy
from shoal.describe.specification import Role
from shoal.proposal.file_layout import file_name
from shoal.proposal.written import flow, scalar
from shoal.version import VERSION
from shoal.web.workspace.state import HIERARCHIES, DecidedColumn, Described, Listed

QUESTIONS = ("frontier", "negotiate", "optimize", "anonymize")


def write_study(
    folder: Path, table: str, columns: Mapping[str, DecidedColumn], hierarchy: Callable[[str], Hierarchy]
) -> Path:
    """Write study.yaml and its hierarchies into a folder; `table` is the table's name in the study."""
    places = _places(columns)
    lines = [
        f"# A study by Shoal {VERSION}; paths are relative to this file.",
        f"table: {scalar(table)}",
        "",
        "attributes:",
    ]
    for name, column in columns.items():
        if column.roles:
            lines.append(f"  {scalar(name)}: {flow(_entry(column, places.get(name)))}")
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
    return entry


def script(
    table: str, out: str, seed: int, safe: bool, asked: Mapping[str, Any], again: bool = False
) -> str:
    """Return a Python script that repeats a release from the original table, byte for byte."""
    found = ""
    if asked.get("question") in QUESTIONS:
        options = ", ".join(
            f"{name}={value!r}"
            for name, value in asked.items()
            if name != "question" and name.isidentifier() and value is not None
        )
        found = f"\n    # The solution was found by: study.{asked['question']}({options})"
    return f'''"""Repeats this release, row for row, from the original table.

    python release.py ORIGINAL-TABLE [OUT]

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

with shoal.Study.open(here / "study.yaml", table=table) as study:{found}
    release = study.release(solution, seed={seed}, spreadsheet_safe={safe}, again={again})
    published = release.write(out)
print(f"{{published.path}}: {{published.verdict.measured.rows:,}} rows, verified.")
'''
