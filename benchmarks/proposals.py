"""Claim: what `shoal init` proposes releases no identifying column, and is mostly right, on made-up tables.

Thirty tables whose truth was written before the rules were tuned on them: their score must not fall, and
says little about other tables. Six more were written afterwards, and nothing was tuned on them. A role counts
as right if a curator would take it, and undecided is taken where a name says little to anybody; a study needs
no edit if every role, and whom its rows stand for, is right.
"""

from __future__ import annotations

from typing import Any

from benchmarks.corpus.held_out_tables import HELD_OUT
from benchmarks.corpus.made_table import Made
from benchmarks.corpus.scoring import CORPUS, of_roles, scored
from benchmarks.runner import Options
from benchmarks.table import Result


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    for name, tables in (("tuned on", CORPUS), ("held out", HELD_OUT)):
        _score(name, tables[:2] if options.quick else tables, rows, notes)
    return Result("Proposed roles of columns", rows, notes)


def _score(name: str, tables: tuple[Made, ...], rows: list[dict[str, Any]], notes: list[str]) -> None:
    found = scored(tables)
    rows += [
        {
            "tables": name,
            "role": role,
            "columns": there,
            "precision": round(precision, 3),
            "recall": round(recall, 3),
        }
        for role, (precision, recall, there) in of_roles(found).items()
    ]
    right = sum(not one.wrong and not one.units_wrong for one in found)
    leaked = sum(len(one.leaked) for one in found)
    unedited = f"{right} of {len(found)} studies need no edit"
    notes.append(f"{name}: {unedited}; identifying columns released exactly: {leaked}")
    for one in found:
        if one.wrong or one.units_wrong:
            changed = ", ".join(f"{column} ({role})" for column, role in one.wrong.items())
            notes.append(f"{one.made.name}: {'; '.join(filter(None, [changed, *one.units_wrong]))}")
