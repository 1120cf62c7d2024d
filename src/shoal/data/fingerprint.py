"""A digest of counted rows: the same wherever the rows lie, in whichever order."""

from __future__ import annotations

import hashlib
import json

from shoal.data.engine import Cells


def fingerprint(cells: Cells) -> str:
    """Return the SHA-256 of distinct rows and their counts, which come in one order from every engine."""
    made = hashlib.sha256(json.dumps([cells.columns, cells.domains]).encode())
    made.update(cells.codes.astype("<i4").tobytes())
    made.update(cells.counts.astype("<i8").tobytes())
    return made.hexdigest()
