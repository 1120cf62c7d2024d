"""The files of a release, whole or not there: claimed first, made beside, moved in when all is done."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from shoal.data.files import sources
from shoal.data.landed import landed
from shoal.describe.places import Place, names_a_table
from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.journal import PAPERS, THERE, Journal, commit, finish, roll_forward
from shoal.documents.whole.rights import make_private, private_folder, usual_mode
from shoal.errors import InputError
from shoal.verification.bucket_check import second_suffix

PRIVATE = (".record.json", ".report.html", ".mappings")
"""What is for the curator alone; all else is for the public."""


class Staging:
    """A private folder beside the output in which everything is made before it is moved in.

    Events have one order, wherever the rows go: all is made and verified; `prepare` writes the journal; the
    engine lets others see the rows, where they go to a `table`; `move_in` takes the one step after which the
    new files are the release, and moves them. What is killed before the engine's step leaves the old table
    and the old papers; what is killed after it is finished by the next command on the output, which finds the
    rows of the journal's fingerprint in the table (see `shoal.documents.whole`).
    """

    def __init__(
        self, out: Path, force: bool, *, table: bool = False, known: Place | None = None
    ) -> None:
        self.out = out
        self._landed = partial(landed, known=known)
        if not table:
            sources.ending_of(out)
        elif not names_a_table(out):
            raise InputError(
                "with `into`, this file says where the table lies; give it the ending .yaml", file=out
            )
        if not out.parent.is_dir():
            raise InputError("its folder is not there; make it first", file=out)
        self.force = force
        self._folder = hidden(out, "new")
        self._made: list[str] = []
        self._possible = PAPERS if table else (second_suffix(out), *PAPERS)

    def place(self, suffix: str) -> Path:
        """Return where a file of the release ends up."""
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
            # An engine that fails at its last step may have taken it: what is in the table decides.
            finish(self.out, self._landed)
        except OSError as left:
            problem = problem or left
        except InputError:  # it is told again, and settled, by the next command on the output
            if problem is None:
                raise
        finally:
            self._claim.release()
        if isinstance(problem, OSError) and os.path.lexists(hidden(self.out, "done")):
            raise InputError(
                f"is made, but not all could be moved in ({problem.strerror}); verify it, which goes on",
                file=self.out,
            ) from None
        # The place that could not be written is the output's, whatever file beside it was being made.
        if isinstance(problem, OSError):
            raise InputError(f"cannot be written: {problem.strerror}", file=self.out) from None
        if isinstance(problem, InputError) and str(problem.file).startswith(str(self._folder)):
            raise InputError(problem.what, file=self.out) from None

    def path(self, suffix: str = "") -> Path:
        """Return where to make a file of the release."""
        self._made.append(suffix)
        return self._folder / (self.out.name + suffix)

    def prepare(self, table: Mapping[str, Any] | None = None) -> None:
        """Say in the journal what is to be done, with the `table` that the engine is about to show."""
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
        """Let the new files be the release; what an earlier release left there goes."""
        commit(self.out)
        roll_forward(self.out)

    def _check(self) -> None:
        for suffix in ("", *self._possible):
            place = self.place(suffix)
            if os.path.lexists(place) and not self.force:
                raise InputError(THERE, file=place)
            if suffix != ".mappings" and place.is_dir():
                raise InputError("is a folder, so it is not replaced; choose another name", file=place)
