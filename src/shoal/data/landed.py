"""Whether rows got into their table before the process died that put them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.data.coding import fingerprint
from shoal.data.engine import Engine
from shoal.describe import Place
from shoal.describe.places import names_a_table, place_fields, place_of
from shoal.documents.whole import journal
from shoal.documents.whole.claim import hidden
from shoal.errors import InputError, NoTableError


def landing(place: Place, rows: Engine, mark: str, counted: Sequence[str], out: Path) -> dict[str, Any]:
    """Return by what a new table is known again: its place, its columns, and the digest of counted ones."""
    return {
        "place": place_fields(place, out),
        "columns": list(rows.columns),
        "counted": list(counted),
        "fingerprint": mark,
    }


def landed(told: Mapping[str, Any], out: Path, known: Place | None = None) -> bool:
    """Whether the table that `landing` told of holds its rows.

    A journal names no users and passwords; they are those of a `known` place at the same address. One that
    tells of no table, or lies beside an output that names none, came from elsewhere and opens nothing.
    """
    from shoal.data.opening import opened

    if not names_a_table(out):
        return False
    try:
        place = place_of(told["place"], out)
        if known is not None and known.at(place.table).public() == place:
            place = known.at(place.table)
        with opened(place) as engine:
            if list(engine.columns) != told["columns"]:
                return False
            return bool(fingerprint(engine.cells(told["counted"])) == told["fingerprint"])
    except (NoTableError, KeyError, TypeError, AttributeError):
        return False
    except InputError as problem:
        raise InputError(
            f"its release was interrupted, and whether the table has its rows cannot be told ({problem}); "
            f"try again, or remove {hidden(out, 'new').name} beside it to give that release up",
            file=out,
        ) from None


def settle(path: Path) -> None:
    """Finish or take back what a process that was killed left of an output, before the output is read."""
    journal.settle(path, landed)
