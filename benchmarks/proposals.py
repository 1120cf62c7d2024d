"""Claim: what `shoal init` proposes is safe and mostly right, on thirty made-up tables whose truth is known.

The truth was written before the rules were tuned. A role counts as right if a curator would take it; a study
needs no edit if every role, and whom its rows stand for, is right.
"""

from __future__ import annotations

from benchmarks.corpus.scoring import of_roles, scored
from benchmarks.runner import Options
from benchmarks.table import Result


def run(options: Options) -> Result:
    found = scored()
    rows = [
        {"role": role, "columns": there, "precision": round(precision, 3), "recall": round(recall, 3)}
        for role, (precision, recall, there) in of_roles(found).items()
    ]
    right = sum(not one.wrong and not one.units_wrong for one in found)
    leaked = sum(len(one.leaked) for one in found)
    notes = [
        f"{right} of {len(found)} studies need no edit; identifying columns released exactly: {leaked}"
    ]
    for one in found:
        if one.wrong or one.units_wrong:
            changed = ", ".join(f"{name} ({role})" for name, role in one.wrong.items())
            notes.append(f"{one.made.name}: {'; '.join(filter(None, [changed, *one.units_wrong]))}")
    return Result("Proposed roles of columns", rows, notes)
