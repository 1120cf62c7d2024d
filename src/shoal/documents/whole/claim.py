"""The claim of an output's name: one writer at a time, and the claim of a dead one is nobody's."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from shoal.errors import TakenError

_UNLOCKABLE = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""What file systems say that have no locks. Their users are one writer at a time by themselves."""


def hidden(path: Path, what: str) -> Path:
    """Return the name beside an output under which something of it lies for a while."""
    return path.with_name(f".{path.name}.shoal-{what}")


class Claim:
    """A name that is ours from `Claim(path)` on until `release`, or until this process ends."""

    def __init__(self, path: Path) -> None:
        self._path = hidden(path, "lock")
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        while True:
            self._file = os.open(self._path, flags, 0o600)
            try:
                if not _locked(self._file):
                    raise TakenError("is being written by another run; wait for it to end", file=path)
                # Who had it before may have removed the file after we opened it: then it claims nothing.
                if os.path.samestat(os.fstat(self._file), self._path.stat()):
                    return
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(self._file)
                raise
            os.close(self._file)

    def release(self) -> None:
        """Give the name back; the file goes while the lock is held, so that none locks it in vain."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)
        with contextlib.suppress(OSError):  # Windows removes no file that is open
            if os.name == "nt":
                self._path.unlink()


def _locked(file: int) -> bool:
    """Lock an open file until it is closed; False where another has it locked."""
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
