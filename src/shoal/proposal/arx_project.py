"""Reads a project of ARX's desktop tool (.deid): its table, roles, hierarchies, models and settings."""

from __future__ import annotations

import csv
import io
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shoal.describe import Role
from shoal.describe.hierarchies import write_hierarchy
from shoal.describe.study_schema import NAME
from shoal.errors import InputError, show
from shoal.proposal.arx_models import Requested, requested
from shoal.proposal.file_layout import file_name
from shoal.proposal.written import flow, scalar

MOST_BYTES = 4 << 30
"""No part of a project may unpack to more."""
_ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFYING,
    "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE,
    "INSENSITIVE_ATTRIBUTE": Role.INSENSITIVE,
}
_USUAL_WEIGHT = 0.5
"""The weight that ARX gives a column of which nobody said one."""


@dataclass(frozen=True)
class ArxColumn:
    """One column of a project: what it is, how it becomes coarser, and how far."""

    name: str
    roles: tuple[Role, ...]
    hierarchy: str | None
    min_level: int | None
    max_level: int | None
    weight: float


@dataclass(frozen=True)
class ArxProject:
    """A project as a study sees it; `hierarchies` has the texts of files, `table` that of a CSV."""

    name: str
    columns: tuple[ArxColumn, ...]
    hierarchies: Mapping[str, str]
    table: str
    rows: int
    asked: Requested

    def study_text(self, table: str, folder: str) -> str:
        """Return the study as YAML, with hierarchies in a folder beside it."""
        asked = " ".join(f"{option} {value}" for option, value in self.asked.options.items())
        lines = [
            f"# yaml-language-server: $schema={NAME}",
            f"# A study of the ARX project {show(self.name)}: {self.rows:,} rows.",
            f"# It asked for: {asked}",
            *(f"# - {note}" for note in self.asked.notes),
            "",
            f"table: {scalar(table)}",
            "",
            "attributes:",
        ]
        return "\n".join([*lines, *(f"  {line}" for line in self._entries(folder))]) + "\n"

    def _entries(self, folder: str) -> Iterator[str]:
        for column in self.columns:
            roles = [role.value for role in column.roles]
            entry: dict[str, Any] = {"role": roles[0] if len(roles) == 1 else roles}
            if column.hierarchy is not None:
                entry["hierarchy"] = f"{folder}/{column.hierarchy}"
            if column.min_level:
                entry["min_level"] = column.min_level
            if column.max_level is not None:
                entry["max_level"] = column.max_level
            if column.weight != 1 and Role.QUASI in column.roles:
                entry["weight"] = round(column.weight, 6)
            yield f"{scalar(column.name)}: {flow(entry)}"


def read_arx_project(path: Path) -> ArxProject:
    """Return what a project has, or say what in it cannot be read."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise InputError("there is no such file", file=path) from None
    except (OSError, zipfile.BadZipFile):
        raise InputError("is no ARX project (a .deid file is a zip archive)", file=path) from None
    with archive:
        try:
            return _read(_ArchiveParts(archive, path))
        except (ValueError, TypeError, csv.Error) as problem:
            raise InputError(f"its settings or tables are damaged: {problem}", file=path) from None


def _read(parts: _ArchiveParts) -> ArxProject:
    """Return what the parts of a project say; numbers and tables that make no sense are errors of Python."""
    project, config = parts.xml("project.xml"), parts.xml("input/config.xml")
    definition = parts.xml("input/definition.xml")
    delimiter, quote = project.findtext("separator") or ";", project.findtext("quote") or '"'
    table, header, rows = _comma_separated(parts.text("data/input.csv"), delimiter, quote, parts.path)
    weights = _weights(config)
    asked = requested(
        [one.text or "" for one in config.iterfind("criteria/criterion")],
        config.findtext("metric") or "",
        config.findtext("relativeMaxOutliers") or config.findtext("suppressionLimit") or "0",
    )
    taken: set[str] = set()
    hierarchies: dict[str, str] = {}
    said: dict[str, ArxColumn] = {}
    for entry in definition:
        column, text = _column(entry, parts, delimiter, taken, weights, asked.notes)
        if column.name in said:
            raise ValueError(f"the column {column.name} is defined twice")
        said[column.name] = column
        if column.hierarchy is not None and text is not None:
            hierarchies[column.hierarchy] = text
    if lost := [name for name in header if name not in said]:
        asked.notes.append(f"columns of which the project says nothing are undecided: {', '.join(lost)}")
    if len(set(header)) < len(header):
        raise ValueError("two columns have the same name")
    columns = tuple(said.get(name) or _undecided(name) for name in header)
    return ArxProject(
        project.findtext("name") or parts.path.stem, columns, hierarchies, table, rows, asked
    )


class _ArchiveParts:
    """The files inside a project."""

    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        self.archive, self.path = archive, path

    def text(self, name: str) -> str:
        """Return a part as text, or say that it is missing, too large or damaged."""
        try:
            if self.archive.getinfo(name).file_size > MOST_BYTES:
                raise InputError(f"its part {name} is larger than 4 GB", file=self.path)
            content = self.archive.read(name)
        except KeyError:
            raise InputError(f"is no whole ARX project: it has no {name}", file=self.path) from None
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, OSError):
            raise InputError(f"its part {name} is damaged", file=self.path) from None
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return content.decode("cp1252", errors="replace")

    def xml(self, name: str) -> ElementTree.Element:
        """Return a part as XML, or say that it is none; declarations of entities are refused."""
        text = self.text(name)
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise InputError(
                f"its part {name} declares entities, which no ARX project does", file=self.path
            )
        try:
            return ElementTree.fromstring(text)
        except ElementTree.ParseError as problem:
            raise InputError(f"its part {name} is no XML: {problem}", file=self.path) from None


def _column(
    entry: ElementTree.Element,
    parts: _ArchiveParts,
    delimiter: str,
    taken: set[str],
    weights: Mapping[str, float],
    notes: list[str],
) -> tuple[ArxColumn, str | None]:
    """Return one column of the definition, and the text of its hierarchy's file."""
    name, kind = entry.findtext("name") or "", entry.findtext("type") or ""
    roles = [_ROLES.get(kind, Role.UNDECIDED)]
    if entry.findtext("response") == "true" and roles == [Role.QUASI]:
        roles.append(Role.CLASS)
    if entry.findtext("microaggregationFunction") is not None:
        notes.append(f"{name} was microaggregated in ARX; here it becomes coarser by its hierarchy")
    text = file = None
    if (ref := entry.findtext("ref")) is not None:
        rows = list(csv.reader(io.StringIO(parts.text(f"input/{ref}"), newline=""), delimiter=delimiter))
        if not any(rows):
            raise ValueError(f"the hierarchy of {name} is empty")
        text, file = write_hierarchy(_rooted(rows)), file_name(name, taken)
    elif Role.QUASI in roles:
        roles = [Role.UNDECIDED]
        notes.append(f"{name} is quasi-identifying without a hierarchy; give it one and make it quasi")
    low, high = (_level(entry.findtext(word)) for word in ("min", "max"))
    if low is not None and high is not None and low > high:
        raise ValueError(f"the lowest level of {name} is {low}, and its highest {high}")
    return ArxColumn(name, tuple(roles), file, low, high, weights.get(name, 1.0)), text


def _rooted(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows that end in one root: ARX's need not, since it can always suppress."""
    kept = [list(row) for row in rows if row]
    alike = len({row[-1] for row in kept}) == 1
    return kept if alike and all(len(row) > 1 for row in kept) else [[*row, "*"] for row in kept]


def _level(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None


def _weights(config: ElementTree.Element) -> dict[str, float]:
    """Return the columns' weights, 1 for what ARX gives a column of which nobody said one."""
    found = {
        one.findtext("attribute") or "": float(one.findtext("weight") or _USUAL_WEIGHT) / _USUAL_WEIGHT
        for one in config.iterfind("attributeWeights/attributeWeight")
    }
    for name, weight in found.items():
        if not 0 <= weight < math.inf:
            raise ValueError(f"the column {name} has the weight {weight * _USUAL_WEIGHT}")
    return found


def _comma_separated(text: str, delimiter: str, quote: str, path: Path) -> tuple[str, list[str], int]:
    """Return a table as plain CSV, its header, and the number of its rows."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    written = io.StringIO()
    out = csv.writer(written, lineterminator="\n")
    header = next(rows, None)
    if header is None:
        raise InputError("its table is empty", file=path)
    out.writerow(header)
    count = 0
    for row in rows:
        if len(row) != len(header):
            what = f"row {count + 1} of its table has {len(row)} cells for {len(header)} columns"
            raise InputError(what, file=path)
        out.writerow(row)
        count += 1
    return written.getvalue(), header, count


def _undecided(name: str) -> ArxColumn:
    return ArxColumn(name, (Role.UNDECIDED,), None, None, None, 1.0)
