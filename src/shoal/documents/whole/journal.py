"""What is to be done after the instant at which a set of files is made, kept so that others can do it."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.documents.json_files import check, read_json
from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.moving import flush, in_place, remove
from shoal.documents.whole.rights import write_private
from shoal.errors import InputError, TakenError

PAPERS = (
    ".certificate.json",
    ".certificate.json.sig",
    ".record.json",
    ".report.html",
    ".public.html",
    ".mappings",
)
"""What the files beside a released table are called, after its own name."""
THERE = "is there already; choose another name, or use `force`"
_JOURNAL = ".journal"
_PATIENCE = 10.0
"""How many seconds a reader waits for a living writer that is moving files in."""

Landed = Callable[[Mapping[str, Any], Path], bool]
"""Whether the table of a journal is in its engine: what it is and its fingerprint, and the output's path."""


@dataclass(frozen=True)
class Journal:
    """What moves in and what goes, by what is added to the output's name; and the table that rows go to."""

    moves: tuple[str, ...]
    removes: tuple[str, ...]
    replace: bool
    table: Mapping[str, Any] | None = None

    def write(self, folder: Path) -> None:
        """Keep the journal in a folder, whole or not at all, with all that is in the folder on the disk."""
        beside = folder / f"{_JOURNAL}.new"
        fields = {name: getattr(self, name) for name in ("moves", "removes", "replace", "table")}
        write_private(beside, json.dumps(fields))
        flush(folder)
        beside.replace(folder / _JOURNAL)
        flush(folder, inside=False)


def settle(path: Path, landed: Landed | None = None) -> None:
    """Finish or take back what a writer that was killed left of an output, or of one that a paper is of.

    Where nothing is left, which is nearly always, this looks and does nothing else: no file is made beside
    what others have sent.
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
            # What a living writer makes is its own, and what stands is whole until files are moved in.
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
    """Say that a release is not whole here; what is merely left over does not matter to a reader."""
    if os.path.lexists(hidden(out, "done")):
        raise InputError(
            f"its release was interrupted and cannot be finished here ({problem.strerror}); run the same "
            "command where its folder can be written, by the user who made it",
            file=out,
        ) from None


def finish(out: Path, landed: Landed | None = None) -> None:
    """Do what is left to be done of an output that is claimed: all of the rest, or nothing was made."""
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
    """Whether the rows got into their table before the writer died: its papers then stand for them."""
    if landed is None or journal.table is None:
        raise InputError("its release was interrupted; verify it first", file=out)
    _check_ours(hidden(out, "new"))
    return landed(journal.table, out)


def commit(out: Path) -> None:
    """Take the one step after which the new files are the output."""
    hidden(out, "new").rename(hidden(out, "done"))
    flush(out.parent, inside=False)


def roll_forward(out: Path) -> None:
    """Move in what a journal says, and remove what it says, as far as that is not done."""
    folder = hidden(out, "done")
    journal = _read(folder)
    if journal is not None:
        for suffix in journal.removes:
            remove(_place(out, suffix))
        # The table first: where another program has taken its name meanwhile, nothing was moved yet.
        for suffix in sorted(journal.moves):
            _move(folder / (out.name + suffix), _place(out, suffix), out, replace=journal.replace)
        flush(out.parent, inside=False)
        (folder / _JOURNAL).unlink()  # there is nothing left to be done
    remove(folder)


def _move(made: Path, place: Path, out: Path, *, replace: bool) -> None:
    if not os.path.lexists(made) or in_place(made, place, replace=replace):
        return
    if place == out:
        remove(made.parent)
        raise InputError(THERE, file=out)
    raise InputError(
        f"was put in the place of the release of {out.name} while that was made; move it away, and verify "
        "the release",
        file=place,
    )


def _place(out: Path, suffix: str) -> Path:
    return out.with_name(out.name + suffix)


def _read(folder: Path) -> Journal | None:
    """Return the journal of a folder; None where it was not written, or its schema does not allow it."""
    with suppress(OSError, InputError):
        path = folder / _JOURNAL
        told = check(read_json(path), "journal", path)
        return Journal(tuple(told["moves"]), tuple(told["removes"]), told["replace"], told["table"])
    return None


def _check_ours(folder: Path) -> None:
    """Refuse to finish what another user began, or what is a link to elsewhere."""
    found = folder.lstat()
    mine = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    if not (mine and stat.S_ISDIR(found.st_mode)):
        raise PermissionError(1, "another user began it")
