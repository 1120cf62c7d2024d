"""What the controls of pages are set to, by the pages' own names."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Lock
from typing import Any

from shoal.web.workspace.state import keep_text


class Wishes:
    """Kept in a file, and no step that undo takes back: a slider moves often."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changing, self._writing = Lock(), Lock()
        self._wishes: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def get(self, name: str, default: Any = None) -> Any:
        """Return what was set under a name."""
        return self._wishes.get(name, default)

    def know(self, **wishes: Any) -> None:
        """Know wishes at once, without a file; `keep` writes them."""
        with self._changing:
            self._wishes = self._wishes | json.loads(json.dumps(wishes))

    def keep(self, **wishes: Any) -> None:
        """Know wishes, and write all that are known."""
        self.know(**wishes)
        with self._writing:
            keep_text(self._path, json.dumps(self._wishes, ensure_ascii=False))
