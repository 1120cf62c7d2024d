"""Private folders of servers: made, marked as in use, and removed, even after a server was killed."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import IO

from shoal.web.server.sentences import PREFIX

_MARK = "in-use"


class PrivateFolder:
    """A folder that only its owner can read, and that no other server removes while it is in use."""

    def __init__(self, parent: Path | None = None) -> None:
        home = parent or Path(tempfile.gettempdir())
        _sweep(home)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        self._mark: IO[bytes] = (self.path / _MARK).open("wb")
        _lock(self._mark)

    def remove(self) -> None:
        """Remove the folder and everything in it; calling it again does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._mark.close()


def _sweep(home: Path) -> None:
    """Remove the folders of servers that were killed; those of other users are left alone."""
    for folder in home.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError), (folder / _MARK).open("rb+") as mark:
            if _lock(mark):
                shutil.rmtree(folder, ignore_errors=True)


def _lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; False if another process has locked it, or if nobody can tell."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
