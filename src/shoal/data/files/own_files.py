"""The files that a study is made of, which nothing it makes may replace."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from shoal.data.files.table_files import find_files
from shoal.describe.places import Place, lies_in_a_folder
from shoal.describe.specification import Specification
from shoal.errors import InputError


def check_apart(out: Path, specification: Specification) -> None:
    """Refuse to write a study's answer over the study."""
    check_other(out, own_files(specification), "the study is read from it")


def check_other(out: Path, read: Iterable[Path], why: str) -> None:
    """Refuse to write to a file that is read, even by another name."""
    if os.path.lexists(out) and any(replaces(out, path) for path in read):
        raise InputError(f"cannot be replaced, because {why}; choose another name", file=out)


def replaces(out: Path, read: Path) -> bool:
    """Return whether writing to one path replaces what another stands for: its file, or a link on the way."""
    return _entry(out) in _entries(read)


def own_files(specification: Specification, *, hierarchies: bool = True) -> Iterator[Path]:
    """Yield the files of a study: its own, those of its tables and, if asked for, of its hierarchies."""
    if specification.file is not None:
        yield specification.file
    for table in (specification.table, specification.population):
        if isinstance(table, str | Path):
            yield from find_files(Path(table)).paths
        elif isinstance(table, Place) and lies_in_a_folder(table.engine, table.url):
            yield Path(table.url)
    for column in specification.attributes.values():
        if hierarchies and isinstance(column.hierarchy, str | Path):
            yield Path(column.hierarchy)


def _entries(path: Path) -> set[Path]:
    """Return the entries of folders that a path is read by: its own, and those that links lead to."""
    found: set[Path] = set()
    entry = _entry(path)
    while entry not in found:
        found.add(entry)
        if entry.is_symlink():
            entry = _entry(entry.parent / entry.readlink())
    return found


def _entry(path: Path) -> Path:
    """Return a path with all links followed but the last one, which would be replaced itself."""
    return Path(os.path.realpath(path.parent)) / path.name
