"""Who may read what is written: private files are their owner's alone, whatever the umask."""

from __future__ import annotations

import os
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
_ANYONE = 0o666


def create(path: Path, *, private: bool) -> None:
    """Make an empty file that was not there, with its rights from the start."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE if private else _ANYONE))
    if private:  # a strict umask may have taken the owner's rights too
        path.chmod(FILE)


def private_folder(path: Path) -> None:
    """Make a folder that was not there, for its owner alone."""
    path.mkdir(mode=FOLDER)
    path.chmod(FOLDER)


def write_private(path: Path, text: str) -> None:
    """Write a text to a new file for its owner alone; an older one of the name goes first."""
    path.unlink(missing_ok=True)
    create(path, private=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def usual_mode(folder: Path) -> int:
    """Return the rights that a new file gets in a folder of ours, by umask and the folder's own rules.

    The umask cannot be asked for without changing it, which other threads would notice.
    """
    probe = folder / ".probe"
    create(probe, private=False)
    try:
        return probe.stat().st_mode & 0o777
    finally:
        probe.unlink()


def make_private(path: Path) -> None:
    """Take a file, or a folder and all that is in it, from everyone but its owner."""
    if not path.is_dir():
        path.chmod(FILE)
        return
    path.chmod(FOLDER)
    for inside in path.rglob("*"):
        inside.chmod(FOLDER if inside.is_dir() else FILE)
