"""A workspace as one file: the table, the study with its hierarchies, and what is pinned.

A project is opened by whoever has it, so nothing in it is trusted: the reading process unpacks it, the table
is read like an upload, the study like one that is given, and each solution is checked like any other.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from shoal.documents.whole.rights import create
from shoal.errors import InputError, ShoalError
from shoal.version import VERSION
from shoal.web.server.server_limits import Limits, in_words
from shoal.web.workspace.exported import write_study
from shoal.web.workspace.state import HIERARCHIES

if TYPE_CHECKING:
    from shoal.web.workspace.workspace import Workspace

ENDING = ".shoal"
_TABLES = (
    *("csv", "tsv", "parquet", "arrow", "feather", "ipc", "txt", "pq"),
    *("sav", "zsav", "dta", "xpt", "sas7bdat"),
)
_TOLD = "project.json"
_STUDY = "study.yaml"
_BLOCK = 1 << 20
_WISHES = ("negotiate", "methods")
"""The settings that go with a project."""


def pack_study(work: Workspace, place: Path) -> None:
    """Write the study with its hierarchies into a zip file."""
    with TemporaryDirectory(dir=work.bench.folder) as name:
        _write_study(work, Path(name), _table_name(work))
        _pack(Path(name), place)


def pack_project(work: Workspace, place: Path) -> None:
    """Write all of a workspace into one file; refuse where the table is no file that opens again."""
    table = work.bench.table()
    named = _table_name(work)
    if not isinstance(table, Path) or not table.is_file() or table.suffix.lstrip(".") not in _TABLES:
        raise InputError(
            "the table is not a file that can be uploaded, so it cannot be in a project; save the study, and "
            "open it with its table again"
        )
    state, asked = work.bench.state, work.wishes.get("asked", {})
    told = {
        "project": 1,
        "shoal": VERSION,
        "title": state.title,
        "table": named,
        "wishes": {name: work.wishes.get(name) for name in _WISHES if work.wishes.get(name) is not None},
        "pins": [
            {
                "title": pin.title,
                "letter": pin.letter,
                "solution": dict(pin.solution),
                "asked": asked.get(pin.key, {}),
                "fits": pin.made_for == state.recoding_key,
            }
            for pin in state.pins
        ],
    }
    with TemporaryDirectory(dir=work.bench.folder) as name:
        folder = Path(name)
        _write_study(work, folder, named)
        (folder / _TOLD).write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
        shutil.copyfile(table, folder / named)
        _pack(folder, place)


def _table_name(work: Workspace) -> str:
    table = work.bench.table()
    ending = table.suffix if isinstance(table, Path) else ".csv"
    return f"table{ending}"


def _write_study(work: Workspace, folder: Path, table: str) -> None:
    state = work.bench.state
    write_study(folder, table, state.columns, work.decisions.hierarchy, state.units, state.reading)


def _pack(folder: Path, place: Path) -> None:
    place.unlink(missing_ok=True)
    create(place, private=True)
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                packed.write(path, path.relative_to(folder).as_posix())


def unpack(upload: Path, folder: Path, limits: Limits) -> dict[str, Any]:
    """Return what a project says, with its table unpacked beside; runs in the reading process.

    Names in the file are compared, never used as paths.
    """
    try:
        with zipfile.ZipFile(upload) as packed:
            names = packed.namelist()
            if _TOLD not in names or _STUDY not in names:
                raise InputError("this is no project that Shoal saved: it has no study in it")
            left = limits.unpacked_bytes
            told, left = _text(packed, _TOLD, left)
            files = {}
            for name in names:
                if name == _STUDY or (name.startswith(f"{HIERARCHIES}/") and name.endswith(".csv")):
                    files[name], left = _text(packed, name, left)
            project = json.loads(told)
            table = str(project["table"])
            if table not in names or table.partition(".")[2] not in _TABLES:
                raise InputError("the project has no table in it")
            _unpack(packed, table, folder / "the-table", left)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        raise InputError("this is no project that Shoal saved, or it is damaged") from None
    except (KeyError, TypeError, ValueError):
        raise InputError("this project is damaged; open one that was saved whole") from None
    return {"table": "the-table", "title": str(project["title"])[:100], "files": files, "told": project}


def _text(packed: zipfile.ZipFile, name: str, most: int) -> tuple[str, int]:
    """Return a text of the file, and how many bytes may still be unpacked."""
    with packed.open(name) as source:
        found = source.read(most + 1)
    if len(found) > most:
        raise InputError(f"unpacked, the project is larger than {in_words(most)}")
    return found.decode(), most - len(found)


def _unpack(packed: zipfile.ZipFile, name: str, place: Path, most: int) -> None:
    with packed.open(name) as source, place.open("wb") as target:
        while block := source.read(_BLOCK):
            most -= len(block)
            if most < 0:
                raise InputError("unpacked, the project is too large")
            target.write(block)


def restore(work: Workspace, found: Mapping[str, Any]) -> None:
    """Decide everything in a workspace as an unpacked project has it; pins that do not fit are left out."""
    told = found["told"]
    work.decisions.adopt(dict(found["files"]))
    work.decisions.set_title(str(found["title"]))
    asked: dict[str, Any] = {}
    pins = told.get("pins")
    for pin in pins if isinstance(pins, list) else ():
        if (
            not isinstance(pin, Mapping)
            or not isinstance(pin.get("solution"), Mapping)
            or not pin.get("fits")
        ):
            continue
        try:
            kept = work.pins.add(
                pin["solution"], str(pin.get("title", "")), letter=str(pin.get("letter", ""))
            )
        except ShoalError:
            continue
        if isinstance(pin.get("asked"), Mapping):
            asked[kept.key] = dict(pin["asked"])
    work.wishes.keep(asked=asked, **_sound(told.get("wishes", {})))


def _sound(wishes: Any) -> dict[str, Any]:
    """Return the settings of a project that are what they should be."""
    found: dict[str, Any] = {}
    if not isinstance(wishes, Mapping):
        return found
    request, methods = wishes.get("negotiate"), wishes.get("methods")
    if isinstance(request, Mapping):
        numbers = {name: request.get(name) for name in ("k", "l", "suppressed")}
        heights = request.get("heights")
        if all(_whole(value) for value in numbers.values()) and isinstance(heights, Mapping):
            levels = {str(name): level for name, level in heights.items() if _whole(level)}
            found["negotiate"] = {**numbers, "heights": levels, "prefer": str(request.get("prefer", ""))}
    if isinstance(methods, Mapping) and isinstance(methods.get("given"), Mapping):
        given = {str(name): str(text) for name, text in methods["given"].items()}
        found["methods"] = {"method": str(methods.get("method", "")), "given": given}
    return found


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
