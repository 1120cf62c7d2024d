"""One file that is whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import InputError
from shoal.whole.claim import Claim, hidden
from shoal.whole.journal import finish
from shoal.whole.moving import flush, in_place, remove
from shoal.whole.rights import create


class WholeFile:
    """A file that is to be: its name is claimed while the block runs, and it is there after `move_in`.

    A private file is its owner's alone; others get the rights that files usually get. A link at the name is
    something that is there; with `force` the file takes its place, and where it leads to stays as it is.
    """

    def __init__(
        self, path: Path, *, force: bool, private: bool, advice: str = "choose another name, or use --force"
    ) -> None:
        self.path = path
        self._force, self._private, self._advice = force, private, advice
        self._new = hidden(path, "new")

    def __enter__(self) -> WholeFile:
        with told(self.path):
            if not self.path.parent.is_dir():
                raise InputError("its folder is not there; make it first", file=self.path)
            self._check()
            self._claim = Claim(self.path)
            try:
                finish(self.path)
                self._check()
            except BaseException:
                self._claim.release()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            remove(self._new)
        self._claim.release()

    def begin(self) -> Path:
        """Return where to write the file: an empty one is there, with its rights."""
        with told(self.path):
            remove(self._new)
            create(self._new, private=self._private)
        return self._new

    def move_in(self) -> None:
        """Put what was written in its place, in one step."""
        with told(self.path):
            flush(self._new)
            if not in_place(self._new, self.path, replace=self._force):
                raise InputError(f"is there already; {self._advice}", file=self.path)
            flush(self.path.parent, inside=False)

    def _check(self) -> None:
        if os.path.lexists(self.path) and not self._force:
            raise InputError(f"is there already; {self._advice}", file=self.path)
        if self.path.exists() and not self.path.is_file():
            raise InputError("is no file, so it is not replaced; choose another name", file=self.path)


@contextmanager
def whole_file(path: Path, *, force: bool, private: bool) -> Iterator[Path]:
    """Give a place beside a path to write to, and move it in when the block ends well."""
    with WholeFile(path, force=force, private=private) as file, told(path):
        yield file.begin()
        file.move_in()


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Tell in one line what the system has against a path."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"cannot be written: {problem.strerror or problem}", file=path) from None
    except ValueError as problem:  # a NUL in the path
        raise InputError(f"cannot be written: {problem}", file=path) from None
