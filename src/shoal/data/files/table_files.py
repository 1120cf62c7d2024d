"""The files of a table: one file, a pattern, or a folder that may be partitioned."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from shoal.data.files import sources
from shoal.documents.digests import digest
from shoal.errors import InputError

_PATTERN = re.compile(r"[*?[]")


@dataclass(frozen=True)
class TableFiles:
    """Files that form one table. `given` is the file, pattern or folder that was asked for.

    `partitions` are the columns that folder names give, as in `day=2024-01-31/part.parquet`.
    """

    given: Path
    paths: tuple[Path, ...]
    partitions: tuple[str, ...] = ()

    @property
    def single(self) -> bool:
        """Whether it is one plain file."""
        return self.paths == (self.given,)

    def name(self, path: Path) -> str:
        """Return a file's name relative to the given folder, or to the folder where the pattern begins."""
        return path.relative_to(_root(self.given)).as_posix() if not self.single else path.name

    def digest(self) -> str:
        """Return the SHA-256 of the file, or of the names and digests of all files."""
        if self.single:
            return digest(self.given)
        lines = [f"{digest(path)}  {self.name(path)}\n" for path in self.paths]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def find_files(path: Path) -> TableFiles:
    """Return the files that a path stands for; refuse a path without files, or with several kinds."""
    try:
        folder, plain = path.is_dir(), path.is_file()
    except (OSError, ValueError):  # the name is too long, or has a NUL in it
        folder, plain = False, True
    if plain or not (folder or _PATTERN.search(str(path))):
        sources.check_file(path)
        return TableFiles(path, (path,))
    if folder and (path / "_delta_log").is_dir():
        # Its files include rows of older versions, which others have removed.
        raise InputError(
            "this is a table of Delta; write table: "
            f"{{engine: delta, url: {path.parent}, table: {path.name}}}",
            file=path,
        )
    if folder:
        what, seen = "the folder", [(file, file.relative_to(path).parts) for file in path.rglob("*")]
    else:
        root = _root(path)
        what, seen = (
            "the pattern",
            [(file, (file.name,)) for file in root.glob(str(path.relative_to(root)))],
        )
    hidden = {file for file, parts in seen if any(part.startswith((".", "_")) for part in parts)}
    found = sorted(file for file, _ in seen if file.is_file() and file not in hidden)
    if not found:
        raise InputError(f"{what} finds no file; check the path", file=path)
    kinds = {_kind(file) for file in found}
    if len(kinds) > 1:
        raise InputError(
            f"{what} finds files of several kinds ({', '.join(sorted(kinds))}); keep one kind", file=path
        )
    if not kinds <= {"CSV", "Parquet"} and len(found) > 1:
        raise InputError(
            f"a table in {kinds.pop()} is a single file; give Parquet or CSV files", file=path
        )
    for file in found:
        sources.check_file(file)
    return TableFiles(path, tuple(found), _partitions(path, found))


def _kind(path: Path) -> str:
    ending = sources.ending_of(path)
    if ending in sources.TEXT_ENDINGS:
        return "CSV"
    if ending in sources.PARQUET_ENDINGS:
        return "Parquet"
    return "Arrow" if ending in sources.ARROW_ENDINGS else ending


def _root(given: Path) -> Path:
    """Return the folder that file names are relative to: the part before the first pattern."""
    parts = []
    for part in given.parts:
        if _PATTERN.search(part):
            break
        parts.append(part)
    root = Path(*parts)
    return root if root.is_dir() else root.parent


def _partitions(given: Path, files: list[Path]) -> tuple[str, ...]:
    """Return the columns that the folders name; all files must name the same ones."""
    root = _root(given)
    named = {}
    for file in files:
        folders = file.relative_to(root).parts[:-1]
        named[file] = tuple(part.split("=", 1)[0] for part in folders if "=" in part)
    first = named[files[0]]
    for file, names in named.items():
        if names != first:
            raise InputError(
                f"is partitioned by {', '.join(names) or 'nothing'}, but {files[0]} by "
                f"{', '.join(first) or 'nothing'}; give files with the same partitions",
                file=file,
            )
    return first
