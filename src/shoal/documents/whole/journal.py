"""What remains to be done once a set of files is made, written down so that any later command can do it."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal.documents.json_files import check, read_json
from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.moving import flush, in_place, remove
from shoal.documents.whole.rights import write_private
from shoal.errors import InputError, TakenError
from shoal.running.stop_signals import before_in_place

PAPERS = (
    ".certificate.json",
    ".certificate.json.sig",
    ".record.json",
    ".report.html",
    ".public.html",
    ".codebook.md",
    ".codebook.json",
    ".mappings",
    ".groups.parquet",
    ".hierarchies.parquet",
)
"""What the names of the files beside a released table add to its own."""
THERE = "already exists; choose another name, or use `force`"
_JOURNAL = ".journal"
_PATIENCE = 10.0
"""Seconds that a reader waits for a living writer that is moving files in."""

Landed = Callable[[Mapping[str, Any], Path], bool]
"""Tells whether a journal's table has its rows, from what the journal says of it and the output's path."""


@dataclass(frozen=True)
class Journal:
    """What moves in and what is removed, by what their names add to the output's; and the rows' new table."""

    moves: tuple[str, ...]
    removes: tuple[str, ...]
    replace: bool
    table: Mapping[str, Any] | None = None

    def write(self, folder: Path) -> None:
        """Write the journal into a folder, all or nothing, once everything in the folder is on the disk."""
        beside = folder / f"{_JOURNAL}.new"
        write_private(beside, json.dumps(asdict(self)))
        flush(folder)
        beside.replace(folder / _JOURNAL)
        flush(folder, inside=False)


def settle(path: Path, landed: Landed | None = None) -> None:
    """Finish or undo what a killed writer left of an output; the path may also be that of one of its papers.

    Nearly always nothing is left, and this only looks: no file is made beside what others have sent.
    """
    for suffix in ("", *PAPERS):
        if path.name.endswith(suffix) and path.name != suffix:
            _settle(path.with_name(path.name.removesuffix(suffix)), landed)


def _settle(out: Path, landed: Landed | None) -> None:
    done, deadline = hidden(out, "done"), time.monotonic() + _PATIENCE
    while _left(out):
        try:
            claim = Claim(out)
        except TakenError:
            # Leave a living writer alone; the old files are complete until it moves the new ones in.
            if not os.path.lexists(done):
                return
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        except OSError as problem:
            _cannot_finish(out, problem)
            return
        try:
            finish(out, landed)
        except OSError as problem:
            _cannot_finish(out, problem)
        finally:
            claim.release()
        return


def _left(out: Path) -> bool:
    return any(os.path.lexists(hidden(out, what)) for what in ("lock", "new", "done"))


def _cannot_finish(out: Path, problem: OSError) -> None:
    """Refuse a release that is incomplete here; mere leftovers do not matter to a reader."""
    if os.path.lexists(hidden(out, "done")):
        raise InputError(
            f"its release was interrupted and cannot be finished here ({problem.strerror}); run the same "
            "command where its folder can be written, by the user who made it",
            file=out,
        ) from None


def finish(out: Path, landed: Landed | None = None) -> None:
    """Finish a claimed output that a killed writer had made, or remove what it had not."""
    new, done = hidden(out, "new"), hidden(out, "done")
    if os.path.lexists(done):
        _check_ours(done)
        roll_forward(out)
    if not os.path.lexists(new):
        return
    journal = _read(new) if new.is_dir() and not new.is_symlink() else None
    if journal is not None and journal.table is not None and _has_landed(journal, out, landed):
        commit(out)
        roll_forward(out)
    else:
        remove(new)


def _has_landed(journal: Journal, out: Path, landed: Landed | None) -> bool:
    """Return whether the rows reached their table before the writer died, so that its papers are due."""
    if landed is None or journal.table is None:
        raise InputError("its release was interrupted; verify it first", file=out)
    _check_ours(hidden(out, "new"))
    return landed(journal.table, out)


def commit(out: Path) -> None:
    """Take the one step after which the new files are the output."""
    before_in_place()
    hidden(out, "new").rename(hidden(out, "done"))
    flush(out.parent, inside=False)


def roll_forward(out: Path) -> None:
    """Move in and remove what a journal says, as far as that is not yet done."""
    folder = hidden(out, "done")
    journal = _read(folder)
    if journal is not None:
        for suffix in journal.removes:
            remove(_place(out, suffix))
        # The table first: if another program has taken its name meanwhile, nothing has been moved yet.
        for suffix in sorted(journal.moves):
            _move(folder / (out.name + suffix), _place(out, suffix), out, replace=journal.replace)
        flush(out.parent, inside=False)
        (folder / _JOURNAL).unlink()  # nothing is left to be done
    remove(folder)


def _move(made: Path, place: Path, out: Path, *, replace: bool) -> None:
    if not os.path.lexists(made) or in_place(made, place, replace=replace):
        return
    if place == out:
        remove(made.parent)
        raise InputError(THERE, file=out)
    raise InputError(
        f"was put where a file of the release of {out.name} goes, while that was made; move it away, and "
        "verify the release",
        file=place,
    )


def _place(out: Path, suffix: str) -> Path:
    return out.with_name(out.name + suffix)


def _read(folder: Path) -> Journal | None:
    """Return the journal in a folder; None if it was not written, or its schema does not allow it."""
    with suppress(OSError, InputError):
        path = folder / _JOURNAL
        told = check(read_json(path), "journal", path)
        return Journal(tuple(told["moves"]), tuple(told["removes"]), told["replace"], told["table"])
    return None


def _check_ours(folder: Path) -> None:
    """Refuse to finish what another user began, or a link to elsewhere."""
    found = folder.lstat()
    mine = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    if not (mine and stat.S_ISDIR(found.st_mode)):
        raise PermissionError(1, "another user began it")
