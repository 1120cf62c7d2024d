"""Finds, in a folder of hierarchy files, those that fit the columns of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.data.engine import Engine, Profile
from shoal.data.tally import MOST_LEVELS
from shoal.describe.hierarchies import Hierarchy, read_hierarchy
from shoal.errors import InputError, show

ENDINGS = frozenset({".csv", ".tsv", ".txt"})


@dataclass(frozen=True)
class Fitting:
    """The files that fit, by column, with their numbers of levels, and why others were skipped."""

    files: dict[str, Path]
    levels: dict[str, int]
    notices: tuple[str, ...]


def fit_files(folder: Path, profiles: Sequence[Profile], engine: Engine) -> Fitting:
    """Return the files of a folder that have a column's name and contain all its values.

    Names are compared without case, `-`, `_` and spaces, and may have ARX's form cup_hierarchy_AGE.
    """
    files: dict[str, Path] = {}
    levels: dict[str, int] = {}
    notices: list[str] = []
    for path in _files(folder):
        profile = _named(path.stem, profiles)
        if profile is None:
            notices.append(f"{path} skipped: no column has this name")
        elif profile.column in files:
            notices.append(f"{path} skipped: {files[profile.column].name} already fits the column")
        else:
            try:
                hierarchy = read_hierarchy(path)
                why = _misfit(hierarchy, profile, engine)
            except InputError as problem:
                # The problem names the file and the line itself.
                notices.append(f"skipped: {problem}")
                continue
            if why:
                notices.append(f"{path} skipped: {why}")
            else:
                files[profile.column] = path
                levels[profile.column] = hierarchy.height + 1
    return Fitting(files, levels, tuple(notices))


def _files(folder: Path) -> list[Path]:
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    except FileNotFoundError:
        raise InputError("no such folder; check the path", file=folder) from None
    except NotADirectoryError:
        raise InputError("is not a folder; give one of hierarchy files", file=folder) from None
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", file=folder) from None
    return [path for path in found if path.is_file() and not path.name.startswith(".")]


def _misfit(hierarchy: Hierarchy, profile: Profile, engine: Engine) -> str:
    """Return why a hierarchy does not fit a column, or "" if it does."""
    column = show(profile.column)
    if profile.nested is not None:
        return f"the column {column} holds {profile.nested}, not plain values"
    if hierarchy.height >= MOST_LEVELS:
        return f"{hierarchy.height + 1} levels; {MOST_LEVELS} are the most"
    if profile.missing and hierarchy.height == 0:
        return f"a single level, so the missing values of {column} have no common root with the others"
    # One more value than the file has leaves is enough to find one that is missing there.
    most = len(hierarchy.leaves) + 1
    values = profile.values or engine.first_values(profile.column, most)
    leaves = set(hierarchy.leaves)
    absent = next((value for value in values if value not in leaves), None)
    return "" if absent is None else f"no row for the value {show(absent)} of the column {column}"


# ARX calls the file of AGE cup_hierarchy_AGE.csv, after the data and the column.
_ARX = re.compile(r"^(?:.*_)?hierarchy_(.+)$", re.IGNORECASE)


def _named(stem: str, profiles: Sequence[Profile]) -> Profile | None:
    """Return the column that a file is named after; of several, the one with the same spelling."""
    own = _ARX.sub(r"\1", stem)
    alike = [profile for profile in profiles if _plain(profile.column) in {_plain(stem), _plain(own)}]
    return min(alike, key=lambda profile: profile.column != stem, default=None)


def _plain(name: str) -> str:
    return "".join(mark for mark in name.casefold() if mark not in "-_ ")
