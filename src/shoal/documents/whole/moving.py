"""Steps on the file system: each is done or not done, and can be repeated."""

from __future__ import annotations

import ctypes
import os
import shutil
from contextlib import nullcontext, suppress
from pathlib import Path

_EXCHANGE, _HERE = 2, -100
"""RENAME_EXCHANGE and AT_FDCWD of Linux."""


def in_place(made: Path, place: Path, *, replace: bool) -> bool:
    """Move a file or a folder to its place; return False if something is there and `replace` is not given.

    A link at the place counts, wherever it leads; it is replaced, never followed.
    """
    if made.is_dir():
        if os.path.lexists(place):
            if not replace:
                return False
            remove(place)
        made.rename(place)
    elif replace:
        made.replace(place)
    else:
        return _moved_new(made, place)
    return True


def _moved_new(made: Path, place: Path) -> bool:
    """Move a file by a step that fails if the name exists, whoever took it."""
    try:
        os.link(made, place)
    except FileExistsError:
        # If a process is killed between the two steps, the file has both names.
        if place.is_symlink() or not place.samefile(made):
            return False
    except OSError:  # a file system without links: there only other programs can interfere
        if os.path.lexists(place):
            return False
        made.rename(place)
        return True
    made.unlink()
    return True


def exchanged(one: Path, other: Path) -> bool:
    """Let two folders exchange their names in one step; return False where Linux cannot do it."""
    with suppress(OSError, AttributeError):
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
        return bool(exchange(_HERE, bytes(one), _HERE, bytes(other), _EXCHANGE) == 0)
    return False


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all its content, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def flush(path: Path, *, inside: bool = True) -> None:
    """Wait until a file, or a folder with all its files, is on the disk."""
    if inside and path.is_dir():
        for file in path.rglob("*"):
            flush(file, inside=False)
    if path.is_symlink():
        return
    # Windows flushes only files that are open for writing, and no folders; some systems flush none.
    with suppress(OSError) if path.is_dir() else nullcontext():
        opened = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
