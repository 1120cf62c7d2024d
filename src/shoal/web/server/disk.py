"""The server's folders: private, limited in size, and removed, even after a server was killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

from shoal.errors import FullError
from shoal.web.server.sentences import PREFIX
from shoal.web.server.server_limits import Limits, in_words

_MARK = "in-use"


class PrivateFolder:
    """A folder that only its owner can read, and that no other server removes while it is in use."""

    def __init__(self, parent: Path | None = None) -> None:
        home = parent or Path(tempfile.gettempdir())
        _sweep(home)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        self._mark: IO[bytes] = (self.path / _MARK).open("wb")
        lock(self._mark)

    def remove(self) -> None:
        """Remove the folder and everything in it; calling it again does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._mark.close()


def _sweep(home: Path) -> None:
    """Remove the folders of servers that were killed; those of other users are left alone."""
    for folder in home.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError), (folder / _MARK).open("rb+") as mark:
            if lock(mark):
                shutil.rmtree(folder, ignore_errors=True)


def lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; False if another process has locked it, or if nobody can tell."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


class Disk:
    """The server's folder, counted anew each time, so that removed files free their room."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self._root, self._limits = root, limits

    def left(self, folder: Path) -> int:
        """Return how many bytes a session may still add to its folder; refuse if none."""
        mine = self._limits.session_disk_bytes - used(folder)
        if mine <= 0:
            most = in_words(self._limits.session_disk_bytes)
            raise FullError(f"your studies use {most} of disk, which is your limit; delete one first")
        everybody = self._limits.disk_bytes - used(self._root)
        free = shutil.disk_usage(self._root).free - self._limits.free_disk_bytes
        if min(everybody, free) <= 0:
            raise FullError("this server's disk is full; delete a study, or try again later")
        return min(mine, everybody, free)


def used(folder: Path) -> int:
    """Return the bytes of all files below a folder; files that vanish meanwhile count nothing."""
    total = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    total += used(Path(entry.path))
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        pass
    return total
