"""Where the files of a proposed study go, and how they name each other."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.data.files.sources import ending_of
from shoal.describe.hierarchies.files import write_hierarchy
from shoal.describe.places import names_a_table
from shoal.errors import InputError
from shoal.proposal.proposal import Proposal
from shoal.proposal.suggested import Suggestion


@dataclass(frozen=True)
class Layout:
    """The study file, and the table and the hierarchies as the study names them.

    `files` are the hierarchy files to write, with their text; all are in `folder`.
    """

    study: Path
    table: str
    folder: Path
    hierarchies: Mapping[str, str | Mapping[str, Any]]
    files: Mapping[Path, str]


def default_study(table: Path) -> Path:
    """Return the default path of a table's study.

    >>> default_study(Path("data/adult.csv.gz")).as_posix()
    'data/adult.study.yaml'
    """
    ending = table.suffix if names_a_table(table) else ending_of(table)
    return table.with_name(table.name[: -len(ending)] + ".study.yaml")


def lay_out(proposal: Proposal, table: Path, study: Path) -> Layout:
    """Return where everything goes for a study at this path; hierarchies go into a folder beside it."""
    stem = study.name.removesuffix(study.suffix).removesuffix(".study")
    folder = study.with_name(f"{stem}.hierarchies")
    hierarchies: dict[str, str | Mapping[str, Any]] = {}
    files: dict[Path, str] = {}
    taken: set[str] = set()
    for column in proposal.columns:
        given = column.hierarchy
        if isinstance(given, Path):
            hierarchies[column.name] = relative_to(given, study)
        elif isinstance(given, Suggestion) and given.description is not None:
            hierarchies[column.name] = given.description
        elif isinstance(given, Suggestion) and given.rows is not None:
            name = file_name(column.name, taken)
            hierarchies[column.name] = f"{folder.name}/{name}"
            files[folder / name] = write_hierarchy(given.rows)
    return Layout(study, relative_to(table, study), folder, hierarchies, files)


def write_study(layout: Layout, text: str, write: Callable[[Path, str], None]) -> None:
    """Write all files of a study, the study last; if one fails, remove the new ones."""
    folder = layout.folder
    if layout.files and folder.exists() and not folder.is_dir():
        raise InputError("is not a folder, but the hierarchies go there; rename it", file=folder)
    new = [path for path in (layout.study, *layout.files) if not path.exists()]
    made = bool(layout.files) and not folder.exists()
    try:
        if made:
            folder.mkdir()
        for path, rows in layout.files.items():
            write(path, rows)
        write(layout.study, text)
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        if made and folder.is_dir():
            folder.rmdir()
        raise


def relative_to(path: Path, study: Path) -> str:
    """Return a path relative to the study's folder.

    Links are resolved first, because `..` goes up from a link's target, not from the link.
    """
    real = path.parent.resolve() / path.name
    try:
        return Path(os.path.relpath(real, study.parent.resolve())).as_posix()
    except ValueError:  # another drive
        return real.as_posix()


def file_name(column: str, taken: set[str]) -> str:
    """Return an unused name for a column's file that is valid on every system.

    >>> file_name("native country/US", set()), file_name("..", set())
    ('native-country-US.csv', 'column.csv')
    """
    stem = re.sub(r"[^\w.-]+", "-", column)[:40].strip(".-") or "column"
    name, number = stem, 2
    while name.casefold() in taken:
        name, number = f"{stem}-{number}", number + 1
    taken.add(name.casefold())
    return f"{name}.csv"
