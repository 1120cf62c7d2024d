"""A file that says where a table lies, and stands for it wherever the path of a table may."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shoal.describe.places import Place
from shoal.errors import InputError

ENDINGS = (".yaml", ".yml")
_FIELDS = ("engine", "url", "table")


def names_a_table(path: Path) -> bool:
    """Whether a path is that of a file which says where a table lies, by its ending."""
    return path.suffix.lower() in ENDINGS


def holds_a_place(path: Path) -> bool:
    """Whether a file says where a table lies; a study, which has the same ending, does not."""
    try:
        read_place(path)
    except InputError:
        return False
    return True


def followed(table: Any) -> Any:
    """Return the place that a file names; any other table as it is."""
    named = isinstance(table, (str, Path)) and names_a_table(Path(table))
    return read_place(Path(table)) if named else table


def place_fields(place: Place, document: Path) -> dict[str, str]:
    """Return where a table lies as a document shows it: no secrets, and paths as seen from the document."""
    public = place.public()
    fields = {name: getattr(public, name) for name in _FIELDS if getattr(public, name)}
    if place.engine == "duckdb":
        fields["url"] = os.path.relpath(Path(place.url).absolute(), document.parent.absolute())
    return fields


def place_of(fields: Mapping[str, Any], document: Path) -> Place:
    """Return the place that a document shows."""
    engine, table, url = (str(fields.get(name) or "") for name in ("engine", "table", "url"))
    return Place(engine, table, str(document.parent / url) if engine == "duckdb" else url)


def write_place(path: Path, place: Place, out: Path) -> None:
    """Write where a table lies into a file that is to lie at `out`."""
    text = yaml.safe_dump(place_fields(place, out), allow_unicode=True, sort_keys=False)
    path.write_text(text, encoding="utf-8")


def read_place(path: Path) -> Place:
    """Return where a table lies, or refuse a file that does not say it."""
    try:
        # Of plain texts alone: aliases and merges of others' making could multiply.
        found = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except FileNotFoundError:
        raise InputError("no such file; check the path", file=path) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        found = None
    if (
        not isinstance(found, dict)
        or not {"engine", "table"} <= set(found) <= set(_FIELDS)
        or not all(isinstance(value, str) for value in found.values())
    ):
        raise InputError("does not say where a table lies (engine, url, table)", file=path)
    return place_of(found, path)
