"""A folder on a Hadoop file system, and the hidden ones beside it, reached through Spark's Java."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from shoal.documents.whole.moving import exchanged


class Folder:
    """A folder to be written; it is `staged` beside the target under a hidden name."""

    def __init__(self, session: Any, path: str) -> None:
        self._java = session._jvm
        configuration = session._jsc.hadoopConfiguration()
        given = self._java.org.apache.hadoop.fs.Path(path)
        self._files = given.getFileSystem(configuration)
        self._path = self._files.makeQualified(given)
        self._staged = self._beside(f"shoal-{secrets.token_hex(6)}")
        self._before = self._beside("shoal-before")

    @property
    def staged(self) -> str:
        """The hidden folder to which rows are written."""
        return str(self._staged.toString())

    def exists(self) -> bool:
        """Whether the target exists."""
        return bool(self._files.exists(self._path))

    def stranger(self) -> str | None:
        """Return the name of something at the target that does not belong to a Parquet table, if any."""
        if not self.exists():
            return None
        if not self._files.getFileStatus(self._path).isDirectory():
            return "a file"
        for status in self._files.listStatus(self._path):
            name = str(status.getPath().getName())
            known = name.startswith(("_", ".")) or name.endswith(".parquet")
            if not known and not (status.isDirectory() and "=" in name):
                return name
        return None

    def recover(self) -> None:
        """Put back an older folder that a killed run had set aside."""
        if not self.exists() and self._files.exists(self._before):
            self._rename(self._before, self._path)

    def move_in(self) -> None:
        """Move the staged folder to the target, replacing an older one.

        On a disk of this machine they are exchanged in one step. Elsewhere the older one is set aside first:
        if the process is killed between the two steps, it is still there under its hidden name, and the next
        run puts it back.
        """
        if not self.exists():
            self._rename(self._staged, self._path)
            return
        if self._exchanged():
            return
        self._delete(self._before)
        self._rename(self._path, self._before)
        try:
            self._rename(self._staged, self._path)
        except BaseException:
            self._rename(self._before, self._path)
            raise
        self._delete(self._before)

    def drop_staged(self) -> None:
        """Remove the hidden folder with all its content."""
        self._delete(self._staged)

    def _beside(self, what: str) -> Any:
        hidden = f".{self._path.getName()}.{what}"
        return self._java.org.apache.hadoop.fs.Path(self._path.getParent(), hidden)

    def _rename(self, old: Any, new: Any) -> None:
        if self._files.exists(new) or not self._files.rename(old, new):
            raise ConnectionError(f"{old.getName()} cannot be renamed to {new.getName()}")

    def _delete(self, path: Any) -> None:
        if self._files.exists(path):
            self._files.delete(path, True)

    def _exchanged(self) -> bool:
        """Exchange both folders in one step, if Linux can do it here."""
        if str(self._path.toUri().getScheme()) != "file":
            return False
        ours, theirs = (Path(str(path.toUri().getPath())) for path in (self._staged, self._path))
        if not (ours.is_dir() and theirs.is_dir()):  # the disk of another machine
            return False
        return exchanged(ours, theirs)
