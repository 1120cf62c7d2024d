"""One file that is complete or absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.journal import Journal, commit, finish, roll_forward
from shoal.documents.whole.moving import flush, in_place, remove
from shoal.documents.whole.rights import create, make_private, private_folder
from shoal.errors import InputError
from shoal.running.stop_signals import before_in_place

NO_FOLDER = "its folder does not exist; make it first"


class WholeFile:
    """A file to be made: its name is claimed until `close`, and the file appears when it is complete.

    A link at the name counts as an existing file; with `force` the new file replaces the link, and the link's
    target stays unchanged.
    """

    def __init__(
        self, path: Path, *, force: bool, advice: str = "choose another name, or use `force`"
    ) -> None:
        self.path = path
        self._force, self._advice = force, advice
        with _told(path):
            if not path.name:
                raise InputError("is no name for a file; choose one", file=path)
            if not path.parent.is_dir():
                raise InputError(NO_FOLDER, file=path)
            self._new = hidden(path, "new")
            self._claim = Claim(path)
            try:
                finish(path)
                self._check()
            except BaseException:
                self._claim.release()
                raise

    def close(self) -> None:
        """Give the name back, and remove an incomplete file."""
        with suppress(OSError):
            remove(self._new)
        self._claim.release()

    @contextmanager
    def making(self, *, private: bool) -> Iterator[Path]:
        """Yield an empty file to write to; put it in place in one step when the block ends without an error.

        A private file is its owner's alone from the start; other files get the usual rights.
        """
        with _told(self.path):
            remove(self._new)
            create(self._new, private=private)
        try:
            yield self._new
            flush(self._new)
            before_in_place()
            if not in_place(self._new, self.path, replace=self._force):
                raise self._there()
            flush(self.path.parent, inside=False)
        except OSError as problem:
            raise _refusal(problem, self.path) from None

    @contextmanager
    def making_with(self, suffix: str, *, wanted: bool) -> Iterator[Path]:
        """Yield a folder to make the file in, and if `wanted` another beside it whose name adds a suffix.

        Both are private, and are put in place together when the block ends without an error; one that is not
        wanted is removed if an earlier run left it.
        """
        other = self.path.with_name(self.path.name + suffix)
        with _told(self.path):
            if wanted and os.path.lexists(other) and not self._force:
                raise InputError(f"already exists; {self._advice}", file=other)
            remove(self._new)
            private_folder(self._new)
        try:
            yield self._new
            make_private(self._new)
            moves = ("", suffix) if wanted else ("",)
            Journal(moves, () if wanted else (suffix,), self._force).write(self._new)
            commit(self.path)
            roll_forward(self.path)
        except OSError as problem:
            raise _refusal(problem, self.path) from None

    def _check(self) -> None:
        if os.path.lexists(self.path) and not self._force:
            raise self._there()
        if self.path.exists() and not self.path.is_file():
            raise InputError("is not a file, so it is not replaced; choose another name", file=self.path)

    def _there(self) -> InputError:
        return InputError(f"already exists; {self._advice}", file=self.path)


@contextmanager
def whole_file(path: Path, *, force: bool, private: bool) -> Iterator[Path]:
    """Yield a file to write to, and move it to a path when the block ends without an error."""
    with closing(WholeFile(path, force=force)) as file, file.making(private=private) as place:
        yield place


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn the system's errors about a path into one sentence."""
    try:
        yield
    except OSError as problem:
        raise _refusal(problem, path) from None
    except ValueError as problem:  # a NUL in the path
        raise InputError(f"cannot be written: {problem}", file=path) from None


def _refusal(problem: OSError, path: Path) -> InputError:
    return InputError(f"cannot be written: {problem.strerror or problem}", file=path)
