"""Who may read what is written: only their owner can read private files, whatever the umask."""

from __future__ import annotations

import os
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
_ANYONE = 0o666


def create(path: Path, *, private: bool) -> None:
    """Create a new empty file, with its rights from the start."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE if private else _ANYONE))
    if private:  # a strict umask may have taken the owner's rights too
        path.chmod(FILE)


def private_folder(path: Path) -> None:
    """Create a new folder for its owner alone."""
    path.mkdir(mode=FOLDER)
    path.chmod(FOLDER)


def write_private(path: Path, text: str) -> None:
    """Write a text to a new file for its owner alone, after removing an older one."""
    path.unlink(missing_ok=True)
    create(path, private=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def usual_mode(folder: Path) -> int:
    """Return the rights that a new file gets in a folder of ours, by the umask and the folder's own rules.

    The umask cannot be read without changing it, which other threads would notice.
    """
    probe = folder / ".probe"
    create(probe, private=False)
    try:
        return probe.stat().st_mode & 0o777
    finally:
        probe.unlink()


def make_private(path: Path) -> None:
    """Let only its owner use a file, or a folder and everything in it."""
    if not path.is_dir():
        path.chmod(FILE)
        return
    path.chmod(FOLDER)
    for inside in path.rglob("*"):
        inside.chmod(FOLDER if inside.is_dir() else FILE)
