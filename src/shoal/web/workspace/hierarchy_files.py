"""Hierarchies given as files: which column each is for, and what a file is that is no hierarchy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from shoal.describe.hierarchies import Label
from shoal.errors import InputError, show
from shoal.web.workspace.bench import Bench
from shoal.web.workspace.study_given import read_given_hierarchy

_STUDY = re.compile(rb"^(attributes|table):", re.MULTILINE)
_FORM = "a hierarchy has one line for each value, from the value to *, separated by ;"


def columns_named(files: Iterable[str], columns: Iterable[str]) -> dict[str, str]:
    """Return the column that each file is for, by its name; refuse two for one column."""
    there = list(columns)
    found = {file: column_named(file, there) for file in files}
    for column in {*found.values()}:
        several = [show(file) for file, other in found.items() if other == column]
        if len(several) > 1:
            raise InputError(f"{' and '.join(several)} are both for the column {show(column)}; give one")
    return found


def column_named(file: str, columns: Iterable[str]) -> str:
    """Return the column that a hierarchy file is for, by its name; ARX writes adult_hierarchy_age.csv.

    >>> column_named("C:/x/adult_hierarchy_marital-status.csv", ["status", "marital-status"])
    'marital-status'
    """
    plain = _plain(PurePosixPath(file.replace("\\", "/")).stem)
    named = [each for each in columns if _plain(each)]
    fitting = [each for each in named if plain == _plain(each)]
    fitting = fitting or [each for each in named if plain.endswith(f" {_plain(each)}")]
    longest = [each for each in fitting if len(each) == max(map(len, fitting))]
    if len(longest) != 1:
        raise InputError(
            f"the file {show(file)} has no column's name; call it like its column, such as "
            f"{next(iter(named), 'age')}.csv"
        )
    return longest[0]


def _plain(name: str) -> str:
    """Return the letters and digits of a name, with one space for all else."""
    return " ".join("".join(mark if mark.isalnum() else " " for mark in name.casefold()).split())


def read_file(bench: Bench, column: str, text: bytes, file: str = "") -> list[list[Label]]:
    """Return the rows of a hierarchy file; one that is no hierarchy of the column is refused as such."""
    called = show(file) if file else "this file"
    if b"\0" in text:
        raise InputError(f"{called} is not text, so it is no hierarchy; choose another file")
    if len(_STUDY.findall(text[:100_000])) > 1:
        raise InputError(
            f"{called} is a study, not a hierarchy; open it on the step Table, with its hierarchies"
        )
    heads = {cell.strip().strip('"') for cell in re.split("[,;\t]", _first_line(text))}
    if len(heads & {*bench.state.columns}) > 1:
        raise InputError(f"{called} is a table with a header, not a hierarchy; {_FORM}")
    try:
        rows = read_given_hierarchy(text, bench.folder, bench.limits)
    except InputError as problem:
        raise InputError(f"{called} cannot be read as a hierarchy: {problem.what}; {_FORM}") from None
    _check_values(bench, column, rows, called)
    return rows


def _check_values(bench: Bench, column: str, rows: Sequence[Sequence[Label]], called: str) -> None:
    """Refuse rows of which none begins with a value of the column, and say what they seem to be."""
    first = {row[0] for row in rows}
    values = _values(bench, column)
    if not values or first & values:
        return
    no = f"{called} is no hierarchy of {show(column)}"
    for other in bench.state.columns:
        if other != column and first & _values(bench, other):
            raise InputError(f"{no}: its values are those of {show(other)}; choose another file")
    raise InputError(
        f"{no}: none of its {len(rows):,} lines begins with a value of the column, such as "
        f"{show(min(values))}; choose another file"
    )


def _first_line(text: bytes) -> str:
    return text[:100_000].decode(errors="replace").lstrip("\ufeff").partition("\n")[0]


def _values(bench: Bench, column: str) -> set[str]:
    return {value for value in bench.values(column) if value is not None}
