"""A new table of Delta for released rows: written beside its place, verified there, then moved in.

A table that is replaced goes with its whole folder. Delta itself would keep the files of the older version
for whoever asks for it, and two releases of the same persons tell more than either.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.data.engines.duckdb.lakes import delta_path
from shoal.describe import Place
from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.file import NO_FOLDER
from shoal.documents.whole.journal import THERE
from shoal.documents.whole.moving import exchanged, flush, remove
from shoal.documents.whole.rights import private_folder, usual_mode
from shoal.errors import InputError, MissingExtraError


class DeltaTarget:
    """The folder of a new table, beside the folder of the table whose rows are released."""

    def __init__(self, source: Place, target: str) -> None:
        self.place = source.at(target)
        where = delta_path(self.place)
        self._folder = Path(where)
        if "://" in where:
            raise self._refuse("a new table of Delta is written to a folder; release to a file")
        if any(Path(name).name != name for name in self.place.names):
            raise self._refuse("is no name for a table; write one without slashes")
        ours, theirs = self._folder.resolve(), Path(delta_path(source)).resolve()
        if ours == theirs or ours in theirs.parents or theirs in ours.parents:
            raise self._refuse("is the table that is released, or lies in it; choose another name")
        self._staged, self._before = (hidden(self._folder, what) for what in ("new", "before"))

    @contextmanager
    def written(self, rows: Any, *, replace: bool) -> Iterator[Place]:
        """Write a stream of rows, and yield where they can be read; in place when the block ends well.

        Killed at any instant, a process leaves the older table or the new one. What it leaves beside them
        goes with the next release to this name.
        """
        if not self._folder.parent.is_dir():
            raise self._refuse(NO_FOLDER)
        claim = Claim(self._folder)
        try:
            self._recover()
            self._check(replace)
            remove(self._staged)
            private_folder(self._staged)
            self._write(rows)
            yield Place("delta", f'"{self._staged.name}"', str(self._staged.parent))
            self._check(replace)
            self._open_up()
            self._move_in()
        finally:
            remove(self._staged)
            claim.release()

    def _write(self, rows: Any) -> None:
        try:
            from deltalake import write_deltalake
        except ImportError:
            raise MissingExtraError("tables of Delta", "deltalake", "delta") from None
        try:
            write_deltalake(str(self._staged), rows)
        except Exception as problem:  # it raises what it likes, and its words may have values in them
            raise self._refuse(
                f"cannot be written as a table of Delta ({type(problem).__name__}); release to a file"
            ) from None

    def _check(self, replace: bool) -> None:
        """Refuse to replace what is there, unless it may be replaced and is a table of Delta."""
        if self._folder.is_symlink() or (
            self._folder.exists() and not (self._folder / "_delta_log").is_dir()
        ):
            raise self._refuse("is no table of Delta, so it is not replaced; choose another name")
        if self._folder.exists() and not replace:
            raise self._refuse(THERE)

    def _recover(self) -> None:
        """Put back an older table that a killed run had set aside."""
        if self._before.exists() and not self._folder.exists():
            self._before.rename(self._folder)

    def _open_up(self) -> None:
        """Give the staged folder, until now its owner's alone, the rights of new files, and flush it."""
        mode = usual_mode(self._staged)
        self._staged.chmod(mode | (mode & 0o444) >> 2)  # a folder that may be read may be entered
        flush(self._staged)

    def _move_in(self) -> None:
        """Move the staged folder in; where folders cannot be exchanged, the older one is set aside first."""
        if not self._folder.exists():
            self._staged.rename(self._folder)
        elif not exchanged(self._staged, self._folder):
            remove(self._before)
            self._folder.rename(self._before)
            try:
                self._staged.rename(self._folder)
            except BaseException:
                self._before.rename(self._folder)
                raise
            remove(self._before)

    def _refuse(self, what: str) -> InputError:
        return InputError(what, file=str(self.place))
