"""The head of a saved tally: what its counts are about. It lies in the metadata of a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.documents.json_files import document_of
from shoal.errors import InputError
from shoal.version import VERSION

TALLY = "tally"
KEY = b"shoal"
"""Under what the metadata has it."""


def tally_head(metadata: Mapping[bytes, bytes] | None, path: Path) -> dict[str, Any]:
    """Return the head in the metadata of a file, or refuse what its schema does not allow."""
    if metadata is None or KEY not in metadata:
        raise InputError("this is not a tally of Shoal; make one with shoal tally", file=path)
    return document_of(metadata[KEY], path, TALLY)


def tally_metadata(**head: Any) -> dict[bytes, bytes]:
    """Return the metadata of a file that holds a tally."""
    text = json.dumps({"kind": TALLY, "shoal": VERSION, **head}, ensure_ascii=False)
    return {KEY: text.encode()}
