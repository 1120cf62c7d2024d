"""No command writes over what it reads, nor twice to one file, whatever is forced."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from shoal.data.files.own_files import check_other, own_files, replaces
from shoal.describe.places import ENDINGS
from shoal.describe.study_file import read_study_file
from shoal.errors import InputError
from shoal.questions.fields import fields_of
from shoal.questions.kinds import File, NewFile


def check_outputs(questions: Iterable[Any]) -> None:
    """Refuse a file to write that a command also reads, or writes for another option."""
    given: dict[str, tuple[Any, Path]] = {}
    for question in questions:
        for one in fields_of(type(question)):
            path = getattr(question, one.name)
            if isinstance(one.kind, File) and isinstance(path, str | Path):
                given[one.name] = (one, Path(path))
    written = {name: path for name, (one, path) in given.items() if isinstance(one.kind, NewFile)}
    for name, path in written.items():
        for other, (one, its) in given.items():
            if other != name and any(replaces(path, read) for read in _read(its)):
                what = "is written" if other in written else "is read"
                raise InputError(
                    f"{given[name][0].option} cannot be the file that {what} for "
                    f"{one.name.upper() if one.argument else one.option}; choose another name",
                    file=path,
                )
    if any(os.path.lexists(path) for path in written.values()):
        # A study may be written anew. Other files that end so are no studies, and say nothing of a table.
        read = (path for name, (_, path) in given.items() if name not in written)
        _check_studies((path for path in read if path.suffix in ENDINGS), written.values())


def _read(path: Path) -> Iterator[Path]:
    """Yield a file that is given, and if it is a folder, the tables and hierarchies in it."""
    yield path
    if path.is_dir():
        yield from (each for each in path.iterdir() if each.suffix not in ENDINGS)


def _check_studies(studies: Iterable[Path], written: Iterable[Path]) -> None:
    for study in studies:
        try:
            specification = read_study_file(study)
            # Whoever writes a hierarchy says where: it may be one of the study.
            read = list(own_files(specification, hierarchies=False))
        except InputError:
            continue  # said again, and whole, where the study is opened
        for path in written:
            check_other(path, read, f"{study} reads it")
