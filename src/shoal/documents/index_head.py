"""The head of a saved histogram index: what the histograms behind it are about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal.documents.json_files import check

INDEX = "index"


def index_head(text: bytes, path: Path) -> dict[str, Any]:
    """Return the head that a part of a file is, or refuse what its schema does not allow.

    What is not JSON raises a ValueError: an index that cannot be read is rebuilt.
    """
    return check(json.loads(text), INDEX, path)


def index_text(**head: Any) -> bytes:
    """Return the text of a head."""
    return json.dumps(head).encode()
