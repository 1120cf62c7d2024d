"""How much of the disk each session, and all together, may use."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from shoal.errors import FullError
from shoal.web.server.server_limits import Limits, in_words


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
