"""Private folders of servers: made, marked as in use, and removed, even those of a server that was killed."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import IO

from shoal.web.server.sentences import PREFIX

_MARK = "in-use"


class PrivateFolder:
    """A folder for its owner alone, which no other server takes for a leftover while it is in use."""

    def __init__(self, parent: Path | None = None) -> None:
        home = parent or Path(tempfile.gettempdir())
        _sweep(home)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        self._mark: IO[bytes] = (self.path / _MARK).open("wb")
        _lock(self._mark)

    def remove(self) -> None:
        """Take the folder away with all that is in it; a second time does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._mark.close()


def _sweep(home: Path) -> None:
    """Remove the folders of servers that were killed; those of other users are left alone."""
    for folder in home.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError), (folder / _MARK).open("rb+") as mark:
            if _lock(mark):
                shutil.rmtree(folder, ignore_errors=True)


def _lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; False where another has it locked, or where that cannot be told."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
