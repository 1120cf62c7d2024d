"""The settings of the pages' controls."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Lock
from typing import Any

from shoal.numbers import whole_number
from shoal.web.workspace.state import keep_text

LARGE = 20_000
"""Settings with more characters than this, such as a solution by groups, have files of their own."""


class Wishes:
    """Settings by name, kept in a file. They are no steps for undo, because a slider moves often."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changing, self._writing = Lock(), Lock()
        self._wishes: dict[str, Any] = (
            json.loads(path.read_text("utf-8"), parse_int=whole_number) if path.exists() else {}
        )
        self._large: dict[str, str] = {}
        """The texts that have files of their own, by name."""
        for place in path.parent.glob(f"{path.stem}-*.json"):
            text = place.read_text("utf-8")
            name = place.stem.removeprefix(f"{path.stem}-")
            self._wishes[name], self._large[name] = json.loads(text, parse_int=whole_number), text

    def get(self, name: str, default: Any = None) -> Any:
        """Return the setting of a name."""
        return self._wishes.get(name, default)

    def know(self, **wishes: Any) -> None:
        """Take settings at once, without writing the file; `keep` does that."""
        with self._changing:
            self._wishes = self._wishes | json.loads(json.dumps(wishes))

    def keep(self, **wishes: Any) -> None:
        """Take settings, and write to files what has changed."""
        self.know(**wishes)
        with self._writing:
            for name in wishes:
                self._keep_large(name, json.dumps(self._wishes[name], ensure_ascii=False))
            small = {name: value for name, value in self._wishes.items() if name not in self._large}
            keep_text(self._path, json.dumps(small, ensure_ascii=False))

    def _keep_large(self, name: str, text: str) -> None:
        place = self._path.with_name(f"{self._path.stem}-{name}.json")
        if len(text) > LARGE:
            if self._large.get(name) != text:
                keep_text(place, text)
                self._large[name] = text
        elif self._large.pop(name, None) is not None:
            place.unlink(missing_ok=True)
