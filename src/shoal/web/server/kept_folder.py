"""The folder in which work outlives the server: `shoal serve --keep FOLDER`.

It holds a folder for each session, with its owner (an account, or nobody in particular) and its studies, just
as they are while the server runs: tables, decisions, hierarchies, pins, settings, releases. Only the user who
runs the server can read them.
"""

from __future__ import annotations

import logging
import secrets
import shutil
from pathlib import Path
from typing import IO

from shoal.documents.whole.rights import make_private, write_private
from shoal.errors import InputError
from shoal.web.server.disk import lock

log = logging.getLogger("shoal.web")

_MARK = "in-use"
_OWNER = "owner"
STUDY = "history.json"
"""The file that tells a study's folder from others."""


class KeptFolder:
    """A folder of sessions; one server at a time uses it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(self.path)
            self._mark: IO[bytes] = (self.path / _MARK).open("wb")
        except OSError as problem:
            raise InputError(f"work cannot be kept here: {problem.strerror}", file=path) from None
        if not lock(self._mark):
            self._mark.close()
            raise InputError("another server keeps its work here; choose another --keep", file=path)
        self._earlier = {
            each: (each / _OWNER).read_text(encoding="utf-8")
            for each in sorted(self.path.iterdir())
            if (each / _OWNER).is_file()
        }

    def begin(self, folder: Path, owner: str | None) -> list[Path]:
        """Make a session's folder; return the studies of its owner's earlier sessions, now in it."""
        folder.mkdir(mode=0o700)
        write_private(folder / _OWNER, owner or "")
        found: list[Path] = []
        for before in [each for each, whose in self._earlier.items() if whose == (owner or "")]:
            del self._earlier[before]
            studies = [each for each in before.iterdir() if (each / STUDY).is_file()]
            studies.sort(key=lambda each: each.stat().st_mtime)
            found += [study.rename(folder / study.name) for study in studies]
            shutil.rmtree(before, ignore_errors=True)
        return found

    def leave(self, folder: Path, owner: str | None) -> None:
        """Keep a session's folder for the next session of its owner."""
        if any((each / STUDY).is_file() for each in folder.iterdir()):
            self._earlier[folder] = owner or ""
        else:
            shutil.rmtree(folder, ignore_errors=True)

    def set_aside(self, study: Path) -> Path:
        """Keep a study that cannot be opened, but out of the way."""
        place = study.rename(self.path / f"unreadable-{study.name}-{secrets.token_hex(2)}")
        log.warning("a kept study cannot be opened again; it is now %s", place)
        return place

    def close(self) -> None:
        """Let another server use the folder."""
        self._mark.close()
