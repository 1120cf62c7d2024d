"""The settings of the pages' controls."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Lock
from typing import Any

from shoal.web.workspace.state import keep_text


class Wishes:
    """Settings by name, kept in a file. They are no steps for undo, because a slider moves often."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changing, self._writing = Lock(), Lock()
        self._wishes: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def get(self, name: str, default: Any = None) -> Any:
        """Return the setting of a name."""
        return self._wishes.get(name, default)

    def know(self, **wishes: Any) -> None:
        """Take settings at once, without writing the file; `keep` does that."""
        with self._changing:
            self._wishes = self._wishes | json.loads(json.dumps(wishes))

    def keep(self, **wishes: Any) -> None:
        """Take settings, and write all of them to the file."""
        self.know(**wishes)
        with self._writing:
            keep_text(self._path, json.dumps(self._wishes, ensure_ascii=False))
