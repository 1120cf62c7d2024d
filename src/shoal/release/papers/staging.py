"""The files of a release, all or none: claimed first, made beside their place, moved in when complete."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from shoal.data.files.labelled import check_writable
from shoal.data.opening import landed
from shoal.describe.places import Place, names_a_table
from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.file import NO_FOLDER
from shoal.documents.whole.journal import PAPERS, THERE, Journal, commit, finish, roll_forward
from shoal.documents.whole.rights import make_private, private_folder, usual_mode
from shoal.errors import InputError
from shoal.verification.bucket_check import second_suffix

PRIVATE = (".record.json", ".report.html", ".mappings", ".groups.parquet", ".hierarchies.parquet")
"""Only the curator may read these; everything else is for the public."""


class Staging:
    """A private folder beside the output in which everything is made before it is moved in.

    The order of events is always the same: everything is made and verified; `prepare` writes the journal; the
    engine lets others see the rows, if they go to a `table`; `move_in` takes the one step after which the new
    files are the release, and moves them. A kill before the engine's step leaves the old table and the old
    papers; after it, the next command on the output finds the rows of the journal's fingerprint in the table
    and finishes the release (see `shoal.documents.whole`).
    """

    def __init__(
        self, out: Path, force: bool, *, table: bool = False, known: Place | None = None
    ) -> None:
        self.out = out
        self._landed = partial(landed, known=known)
        if not table:
            check_writable(out)
        elif not names_a_table(out):
            raise InputError(
                "with `into`, this file says where the table is; give it the ending .yaml", file=out
            )
        if not out.parent.is_dir():
            raise InputError(NO_FOLDER, file=out)
        self.force = force
        self._folder = hidden(out, "new")
        self._made: list[str] = []
        self._possible = PAPERS if table else (second_suffix(out), *PAPERS)

    def place(self, suffix: str) -> Path:
        """Return the final path of a file of the release."""
        return self.out.with_name(self.out.name + suffix)

    def __enter__(self) -> Staging:
        try:
            self._claim = Claim(self.out)
            try:
                finish(self.out, self._landed)
                self._check()
                private_folder(self._folder)
            except BaseException:
                self._claim.release()
                raise
        except OSError as problem:
            raise InputError(f"cannot be written: {problem.strerror}", file=self.out) from None
        return self

    def __exit__(self, kind: type | None, problem: BaseException | None, trace: object) -> None:
        try:
            # An engine that fails at its last step may still have taken it: the table's content decides.
            finish(self.out, self._landed)
        except OSError as left:
            problem = problem or left
        except InputError:  # the next command on the output reports it again, and settles it
            if problem is None:
                raise
        finally:
            self._claim.release()
        if isinstance(problem, OSError) and os.path.lexists(hidden(self.out, "done")):
            raise InputError(
                f"is made, but not all of it could be moved in ({problem.strerror}); verify it to finish",
                file=self.out,
            ) from None
        # Name the output, whichever file beside it could not be written.
        if isinstance(problem, OSError):
            raise InputError(f"cannot be written: {problem.strerror}", file=self.out) from None
        if isinstance(problem, InputError) and str(problem.file).startswith(str(self._folder)):
            raise InputError(problem.what, file=self.out) from None

    def path(self, suffix: str = "") -> Path:
        """Return where to make a file of the release."""
        self._made.append(suffix)
        return self._folder / (self.out.name + suffix)

    def write(self, suffix: str, text: str) -> None:
        """Make a file of the release from a text."""
        self.path(suffix).write_text(text, encoding="utf-8", newline="")

    def prepare(self, table: Mapping[str, Any] | None = None) -> None:
        """Write into the journal what is to be done, and the `table` that the engine is about to show."""
        usual = usual_mode(self._folder)
        for suffix in self._made:
            made = self._folder / (self.out.name + suffix)
            if suffix in PRIVATE:
                make_private(made)
            else:
                made.chmod(usual)
        self._check()
        gone = tuple(suffix for suffix in self._possible if suffix not in self._made)
        Journal(tuple(self._made), gone, self.force, table).write(self._folder)

    def move_in(self) -> None:
        """Make the new files the release, and remove what is left of an earlier one."""
        commit(self.out)
        roll_forward(self.out)

    def _check(self) -> None:
        for suffix in ("", *self._possible):
            place = self.place(suffix)
            if os.path.lexists(place) and not self.force:
                raise InputError(THERE, file=place)
            if suffix != ".mappings" and place.is_dir():
                raise InputError("is a folder, so it is not replaced; choose another name", file=place)
