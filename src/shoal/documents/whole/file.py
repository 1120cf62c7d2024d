"""One file that is whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.journal import finish
from shoal.documents.whole.moving import flush, in_place, remove
from shoal.documents.whole.rights import create
from shoal.errors import InputError


class WholeFile:
    """A file that is to be: its name is claimed from now on until `close`, and it is there once it is made.

    A link at the name is something that is there; with `force` the file takes its place, and what it leads to
    stays as it is.
    """

    def __init__(
        self, path: Path, *, force: bool, advice: str = "choose another name, or use `force`"
    ) -> None:
        self.path = path
        self._force, self._advice = force, advice
        with _told(path):
            if not path.parent.is_dir():
                raise InputError("its folder is not there; make it first", file=path)
            self._new = hidden(path, "new")
            self._claim = Claim(path)
            try:
                finish(path)
                self._check()
            except BaseException:
                self._claim.release()
                raise

    def close(self) -> None:
        """Give the name back, and leave nothing but the file if it was made."""
        with suppress(OSError):
            remove(self._new)
        self._claim.release()

    @contextmanager
    def making(self, *, private: bool) -> Iterator[Path]:
        """Give an empty file beside to write to; put it in its place in one step when the block ends well.

        A private file is its owner's alone from the start; others get the rights that files usually get.
        """
        with _told(self.path):
            remove(self._new)
            create(self._new, private=private)
        try:
            yield self._new
            flush(self._new)
            if not in_place(self._new, self.path, replace=self._force):
                raise self._there()
            flush(self.path.parent, inside=False)
        except OSError as problem:
            raise _refusal(problem, self.path) from None

    def _check(self) -> None:
        if os.path.lexists(self.path) and not self._force:
            raise self._there()
        if self.path.exists() and not self.path.is_file():
            raise InputError("is no file, so it is not replaced; choose another name", file=self.path)

    def _there(self) -> InputError:
        return InputError(f"is there already; {self._advice}", file=self.path)


@contextmanager
def whole_file(path: Path, *, force: bool, private: bool) -> Iterator[Path]:
    """Give a place beside a path to write to, and move it in when the block ends well."""
    with closing(WholeFile(path, force=force)) as file, file.making(private=private) as place:
        yield place


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Tell in one line what the system has against a path."""
    try:
        yield
    except OSError as problem:
        raise _refusal(problem, path) from None
    except ValueError as problem:  # a NUL in the path
        raise InputError(f"cannot be written: {problem}", file=path) from None


def _refusal(problem: OSError, path: Path) -> InputError:
    return InputError(f"cannot be written: {problem.strerror or problem}", file=path)
