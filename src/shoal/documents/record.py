"""Records: all that is needed to make a release again, for the curator alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.documents.json_files import document_of, read_bytes

RECORD = "record"


def record_in(path: Path) -> dict[str, Any]:
    """Return the record in a file, or refuse what its schema does not allow."""
    return document_of(read_bytes(path), path, RECORD)
