"""The listed hierarchies of a workspace: files in its folder, named by the digest of their text."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.describe.hierarchies import Hierarchy, read_hierarchy, write_hierarchy
from shoal.web.workspace.state import Listed, keep_text

FOLDER = "hierarchies"


def keep_listed(folder: Path, rows: Any) -> Listed:
    """Keep a hierarchy's rows in a workspace's folder, and return their digest."""
    text = write_hierarchy(rows)
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / FOLDER).mkdir(exist_ok=True, mode=0o700)
    place = folder / FOLDER / f"{digest}.csv"
    if not place.is_file():
        keep_text(place, text)
    return Listed(digest)


def read_listed(folder: Path, given: Listed, name: str) -> Hierarchy:
    """Return a kept hierarchy; errors call it by its column's name."""
    found = read_hierarchy(folder / FOLDER / f"{given.digest}.csv")
    return replace(found, source=f"the hierarchy of {name}")
