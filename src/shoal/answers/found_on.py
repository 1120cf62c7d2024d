"""The counts that a solution was found on, so that it is not released as proven on others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy

DIGITS = 16
"""How much of a digest is kept: enough to notice changes, not to prove anything."""


def found_on(
    tally: Tally, hierarchies: Mapping[str, Hierarchy], lowest: Mapping[str, int]
) -> dict[str, Any]:
    """Return what a solution keeps of the counts and hierarchies it was found on: digests, no values.

    `counts` is about combinations, and `columns` about each column's values alone, to say what has
    changed. A tally counted from higher `levels` on has other combinations of the same rows. `lowest` levels
    above 0 tell attackers, who must not take a label for the finest possible, where the search began.
    """
    return {
        "rows": tally.rows,
        "columns": {
            name: _digest([tally.domain(name), tally.totals(name).tolist()])
            for name in (*tally.attributes, *tally.others)
        },
        "counts": tally.fingerprint()[:DIGITS],
        "levels": {name: coarse.level for name, coarse in tally.coarse.items()},
        "hierarchies": {name: _digest([*hierarchies[name].rows()]) for name in tally.attributes},
        **({"lowest": dict(lowest)} if lowest else {}),
    }


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return in words what has changed since a solution was found."""
    told = []
    if before["rows"] != now["rows"]:
        told.append(f"{before['rows']:,} rows then, {now['rows']:,} now")
    if values := _differing(before["columns"], now["columns"]):
        told.append(f"other values in {values}")
    # Combinations of columns in another order, or counted from other levels on, cannot be compared.
    same = all([*before[of].items()] == [*now[of].items()] for of in ("columns", "levels"))
    if not told and same and before["counts"] != now["counts"]:
        told.append("the same values in other combinations")
    if changed := _differing(before["hierarchies"], now["hierarchies"]):
        told.append(f"another hierarchy of {changed}")
    return told


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    names = dict.fromkeys([*before, *now])
    return ", ".join(name for name in names if before.get(name) != now.get(name))


def _digest(given: Any) -> str:
    return hashlib.sha256(json.dumps(given).encode()).hexdigest()[:DIGITS]
