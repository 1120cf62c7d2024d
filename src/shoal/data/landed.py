"""Finds out whether rows reached their table before the process writing them died."""

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
    """Return what identifies a new table: its place, its columns, and the digest of some of them."""
    return {
        "place": place_fields(place, out),
        "columns": list(rows.columns),
        "counted": list(counted),
        "fingerprint": mark,
    }


def landed(told: Mapping[str, Any], out: Path, known: Place | None = None) -> bool:
    """Return whether the table that `landing` described contains its rows.

    A journal contains no users or passwords; they come from a `known` place at the same address. A journal
    without a table, or beside an output that names no table, is not ours and opens nothing.
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
            f"its release was interrupted, and it is unknown whether the table has its rows ({problem}); "
            f"try again, or remove {hidden(out, 'new').name} beside it to abandon that release",
            file=out,
        ) from None


def settle(path: Path) -> None:
    """Finish or undo what a killed process left of an output, before the output is read."""
    journal.settle(path, landed)
