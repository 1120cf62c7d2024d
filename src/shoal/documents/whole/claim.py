"""The claim on an output's name: one writer at a time; a writer's claim ends when it dies."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from shoal.errors import TakenError

_UNLOCKABLE = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""The errors of file systems without locks, whose users must keep two writers apart themselves."""


def hidden(path: Path, what: str) -> Path:
    """Return the hidden name beside an output for something temporary."""
    return path.with_name(f".{path.name}.shoal-{what}")


class Claim:
    """A name that is ours from `Claim(path)` until `release`, or until this process ends."""

    def __init__(self, path: Path) -> None:
        self._path = hidden(path, "lock")
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        while True:
            self._file = os.open(self._path, flags, 0o600)
            try:
                if not _locked(self._file):
                    raise TakenError("is being written by another run; wait for it to end", file=path)
                # The previous owner may have removed the file after we opened it: then it claims nothing.
                if os.path.samestat(os.fstat(self._file), self._path.stat()):
                    return
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(self._file)
                raise
            os.close(self._file)

    def release(self) -> None:
        """Give the name back; the file is removed under the lock, so that nobody locks it in vain."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)
        with contextlib.suppress(OSError):  # Windows does not remove open files
            if os.name == "nt":
                self._path.unlink()


def _locked(file: int) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        return problem.errno in _UNLOCKABLE
    return True
