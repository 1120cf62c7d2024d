"""A study given as texts: its YAML and the hierarchy files it names; names are never used as paths.

The texts are not trusted: the reading process (`reader.py`) reads them and returns plain data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from shoal.describe.hierarchies import Hierarchy, read_hierarchy
from shoal.describe.quantities import weight
from shoal.describe.specification import Attribute, HierarchyLike, Role, Specification
from shoal.describe.study_file import read_study_file
from shoal.describe.table_reading import Reading
from shoal.describe.units import Units
from shoal.errors import InputError, TooLargeError, show
from shoal.web.server.intake import read_apart
from shoal.web.server.server_limits import Limits, in_words
from shoal.web.workspace.beginning import as_said

ENDINGS = (".yaml", ".yml")


def read_given(files: Mapping[str, str], scratch: Path, limits: Limits) -> Specification:
    """Return what a study says; `files` holds texts by name, `scratch` is a private folder for reading."""
    named = [name for name in files if name.lower().endswith(ENDINGS)]
    if len(named) != 1:
        raise InputError(
            f"{len(named) or 'no'} files end in .yaml; give one study, with the hierarchies it names"
        )
    study = files[named[0]]
    try:
        size = {name: len(text.encode()) for name, text in files.items()}[named[0]]
    except UnicodeEncodeError:
        raise InputError("a file contains half a character; save it as UTF-8") from None
    if size > limits.study_bytes:
        raise TooLargeError(
            f"the study is larger than {in_words(limits.study_bytes)}; move its hierarchies into files"
        )
    texts = {_last(name): text for name, text in files.items() if name != named[0]}
    with TemporaryDirectory(dir=scratch) as folder:
        upload = Path(folder) / "given.json"
        upload.write_text(json.dumps({"study": study, "texts": texts}), encoding="utf-8")
        found = read_apart("study", upload, Path(folder), limits)
    columns = {name: _attribute(name, given) for name, given in found["columns"].items()}
    reading = Reading.from_dict(found["reading"])
    return Specification(None, columns, units=Units.said(**found["units"]), reading=reading)


def read_given_hierarchy(text: bytes, scratch: Path, limits: Limits) -> list[list[str | None]]:
    """Return the rows of a hierarchy given as text, from the leaf to the root."""
    with TemporaryDirectory(dir=scratch) as folder:
        upload = Path(folder) / "given.csv"
        upload.write_bytes(text)
        rows: list[list[str | None]] = read_apart("hierarchy", upload, Path(folder), limits)["rows"]
    return rows


def _attribute(name: str, given: Mapping[str, Any]) -> Attribute:
    hierarchy: HierarchyLike | None = given["description"]
    if given["rows"] is not None:
        hierarchy = Hierarchy.from_rows(given["rows"], f"the hierarchy of {name}")
    return Attribute(
        frozenset(map(Role, given["roles"])),
        hierarchy,
        given["min_level"],
        given["max_level"],
        weight=weight(given["weight"]),
        order=tuple(given["order"]),
        shift=given["shift"],
    )


def parse_study(study: str, texts: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """Return the columns of a study and its units as plain data; runs in the reading process."""
    place = folder / "study.yaml"
    place.write_text(study, encoding="utf-8", newline="\n")
    try:
        given = read_study_file(place)
    except InputError as problem:
        raise _told(problem, "the study") from None
    columns = {}
    for column, attribute in given.attributes.items():
        rows = description = None
        if isinstance(attribute.hierarchy, Path):
            name = _last(str(attribute.hierarchy))
            if name not in texts:
                raise InputError(
                    f"the study names the hierarchy {show(name)} for the column {show(column)}, which is "
                    "not among the files; choose it together with the study"
                )
            file = folder / "hierarchy.csv"
            file.write_text(texts[name], encoding="utf-8", newline="")
            rows = parse_hierarchy(file, f"the hierarchy {name}")
        else:
            description = attribute.hierarchy
        columns[column] = {
            "roles": sorted(attribute.roles),
            "rows": rows,
            "description": description,
            "min_level": attribute.min_level,
            "max_level": attribute.max_level,
            "weight": str(attribute.weight),
            "order": attribute.order,
            "shift": attribute.shift,
        }
    return {"columns": columns, "units": as_said(given.units), "reading": given.reading.to_dict()}


def parse_hierarchy(file: Path, called: str = "the hierarchy") -> list[tuple[str | None, ...]]:
    """Return the rows of a hierarchy file, which errors call so; runs in the reading process."""
    try:
        return read_hierarchy(file).rows()
    except InputError as problem:
        raise _told(problem, called) from None


def _told(problem: InputError, called: str) -> InputError:
    """Return the error with a file name that means something to the user."""
    return InputError(str(InputError(problem.what, file=called, line=problem.line)))


def _last(name: str) -> str:
    """Return the last part of a file name from any operating system."""
    return PurePosixPath(name.replace("\\", "/")).name
