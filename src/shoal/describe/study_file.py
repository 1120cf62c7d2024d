"""The study file: YAML, read with line numbers so that errors can point at them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from shoal.describe.hierarchies.files import read_text
from shoal.describe.places import ENGINES, Place
from shoal.describe.quantities import shift_days, weight
from shoal.describe.specification import Attribute, Role, Specification
from shoal.describe.table_reading import Reading, codes_of
from shoal.describe.units import Units
from shoal.errors import InputError, did_you_mean, show

_NULL = "tag:yaml.org,2002:null"
_MOST_DEPTH = 100
_MOST_REPEATED = 2_000_000
"""How many values and characters aliases may add to the text itself."""
TOP = ("table", "attributes")
UNITS = ("persons", "households", "sample_weight", "population_size", "sampling_fraction")
TEXT = ("encoding", "decimal")
RARE = ("population", *UNITS, "missing", *TEXT)
PLACE = ("engine", "url", "table")
ATTRIBUTE = ("role", "hierarchy", "min_level", "max_level", "weight", "order", "shift", "missing")


def read_study_file(path: str | Path) -> Specification:
    """Return what a study file says; paths in it are relative to the file."""
    specification = _read(_Reader(Path(path)))
    specification.check()
    return specification


def look_through(path: str | Path) -> tuple[Specification | None, list[InputError]]:
    """Return what a study file says, as far as it can be read, and all that is wrong in it."""
    reader = _Reader(Path(path), [])
    try:
        found = _read(reader)
    except InputError as problem:
        return None, [*reader.problems, problem]
    return found, [*reader.problems, *found.problems()]


def _read(reader: _Reader) -> Specification:
    top = reader.mapping(reader.compose(), "a study", TOP, RARE)
    for needed in TOP:
        if needed not in top:
            raise reader.refuse(f"the entry {needed} is missing; a study has table and attributes")
    columns = reader.mapping(top["attributes"], "attributes")
    lines = reader.lines(top["attributes"])
    attributes = {}
    for name, node in columns.items():
        try:
            attributes[name] = _attribute(reader, name, node, lines[name])
        except InputError as problem:
            reader.wrong(problem)
    population = _table(reader, top["population"], "population") if "population" in top else None
    units = _units(reader, {name: top[name] for name in UNITS if name in top})
    reading = _reading(reader, top, columns)
    return Specification(
        _table(reader, top["table"]), attributes, reader.path, population, units, reading
    )


def _reading(reader: _Reader, top: dict[str, yaml.Node], columns: dict[str, yaml.Node]) -> Reading:
    own = {}
    for name, node in columns.items():
        fields = reader.mapping(node, f"the column {show(name)}", ATTRIBUTE)
        if "missing" in fields:
            own[name] = _codes(reader, fields["missing"])
    codes = _codes(reader, top["missing"]) if "missing" in top else ()
    said = {name: reader.plain(top[name]) for name in TEXT if name in top}
    for name, value in said.items():
        if not isinstance(value, str) or not value:
            raise reader.refuse(f"{name} is a single value", top[name])
    try:
        return replace(Reading.said(codes, **said), missing_in=own)
    except InputError as problem:
        raise reader.refuse(problem.what, top["decimal"]) from None


def _codes(reader: _Reader, node: yaml.Node) -> tuple[str, ...]:
    given = reader.plain(node)
    listed = given if isinstance(given, list) else [given]
    if not all(isinstance(code, str) for code in listed):
        raise reader.refuse('missing is a list of codes, such as ["?", NA, -9]', node)
    return codes_of(listed)


def _units(reader: _Reader, given: dict[str, yaml.Node]) -> Units:
    found = {name: reader.plain(node) for name, node in given.items()}
    for name, value in found.items():
        listed = isinstance(value, list) and value and name == "persons"
        if not all(isinstance(each, str) and each for each in (value if listed else [value])):
            what = "a column, or a list of columns" if name == "persons" else "a single value"
            raise reader.refuse(f"{name} is {what}", given[name])
    try:
        return Units.said(**found)
    except InputError as problem:
        raise reader.refuse(problem.what, next(reversed(given.values()), None)) from None


def _table(reader: _Reader, node: yaml.Node, what: str = "table") -> Path | Place:
    if isinstance(node, yaml.ScalarNode) and node.value:
        return reader.path.parent / str(node.value)
    if not isinstance(node, yaml.MappingNode):
        raise reader.refuse(f"{what} is a file's path, or a mapping with engine, url and table", node)
    fields = reader.mapping(node, what, PLACE)
    given = {name: str(reader.plain(field) or "") for name, field in fields.items()}
    if not given.get("engine"):
        raise reader.refuse(f"a table in an engine names it; write engine: {', '.join(ENGINES)}", node)
    url = given.get("url", "")
    if given["engine"] == "duckdb":
        url = str(reader.path.parent / url) if url else ""
    try:
        return Place(given["engine"], given.get("table", ""), url)
    except InputError as problem:
        raise reader.refuse(problem.what, node) from None


def _attribute(reader: _Reader, name: str, node: yaml.Node, line: int) -> Attribute:
    fields = reader.mapping(node, f"the column {show(name)}", ATTRIBUTE)
    given = reader.plain(fields["role"]) if "role" in fields else None
    if not given:
        roles = ", ".join(Role)
        raise reader.refuse(f"the column {show(name)} has no role; give it one of {roles}", node)
    found = []
    for word in given if isinstance(given, list) else [given]:
        try:
            found.append(Role.of(str(word)))
        except InputError as problem:
            raise reader.refuse(str(problem), fields["role"]) from None
    return Attribute(
        frozenset(found),
        _hierarchy(reader, fields["hierarchy"]) if "hierarchy" in fields else None,
        reader.level(fields["min_level"]) if "min_level" in fields else 0,
        reader.level(fields["max_level"]) if "max_level" in fields else None,
        line,
        reader.weight(fields["weight"]) if "weight" in fields else Fraction(1),
        _order(reader, name, fields["order"]) if "order" in fields else (),
        reader.shift(fields["shift"]) if "shift" in fields else None,
    )


def _order(reader: _Reader, name: str, node: yaml.Node) -> tuple[str, ...]:
    given = reader.plain(node)
    if not (isinstance(given, list) and given and all(isinstance(value, str) for value in given)):
        raise reader.refuse(f"the order of {show(name)} is a list of its values", node)
    return tuple(given)


def _hierarchy(reader: _Reader, node: yaml.Node) -> Path | dict[str, Any]:
    given = reader.plain(node)
    if isinstance(given, dict):
        return given
    if isinstance(given, str) and given and node.tag != _NULL:
        return reader.path.parent / given
    raise reader.refuse("a hierarchy is the path of a file, or a mapping that describes it", node)


class _Reader:
    """Reads YAML nodes of one file. All scalars stay text: `NO` is Norway, and 007 keeps its zeros."""

    def __init__(self, path: Path, problems: list[InputError] | None = None) -> None:
        """Read a file; what is wrong is collected where a list is given, and raised otherwise."""
        self.path = path
        self.problems = [] if problems is None else problems
        self._collects = problems is not None

    def wrong(self, problem: InputError) -> None:
        """Raise a problem, or collect it and go on."""
        if not self._collects:
            raise problem
        self.problems.append(problem)

    def compose(self) -> yaml.Node | None:
        """Return the root node of the file: not nested too deeply, and not too large with all its aliases."""
        text = read_text(self.path)
        try:
            root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            line = mark.line + 1 if mark else None
            what = ", ".join(part for part in (problem.context, problem.problem) if part)
            raise InputError(f"not YAML: {what}", file=self.path, line=line) from None
        except yaml.reader.ReaderError as problem:
            what = str(problem).splitlines()[0]
            line = text.count("\n", 0, problem.position) + 1
            raise InputError(f"not YAML: {what}", file=self.path, line=line) from None
        except RecursionError:
            raise InputError("nested too deeply; flatten it", file=self.path) from None
        # Without aliases there are at most as many values as characters, so at most twice the text in all.
        self._measure(root, 0, 2 * len(text) + _MOST_REPEATED, {})
        return root

    def _measure(
        self, node: yaml.Node | None, depth: int, most: int, known: dict[int, tuple[int, int]]
    ) -> tuple[int, int]:
        """Return how many values and characters a node expands to, and how deep it is.

        Aliases of aliases multiply, and a node can even contain itself. Each node is visited once, so this
        takes no longer than reading the file.
        """
        if node is None:
            return 0, 0
        size, height = known.get(id(node), (0, 0))
        if not size:
            if depth > _MOST_DEPTH:
                raise self.refuse("nested too deeply; is it part of itself?", node)
            parts = node.value
            if isinstance(node, yaml.MappingNode):
                parts = [part for pair in parts for part in pair]
            if isinstance(parts, str):
                size = 1 + len(parts)
            else:
                found = [self._measure(part, depth + 1, most, known) for part in parts]
                size = 1 + sum(part[0] for part in found)
                height = 1 + max((part[1] for part in found), default=0)
            if size > most:
                raise self.refuse("too large with all its aliases; put the hierarchy into a file", node)
            known[id(node)] = size, height
        if depth + height > _MOST_DEPTH:
            raise self.refuse("nested too deeply; flatten it", node)
        return size, height

    def refuse(self, what: str, node: yaml.Node | None = None) -> InputError:
        """Return the error that points at a node."""
        return InputError(what, file=self.path, line=self.line(node) if node else None)

    def line(self, node: yaml.Node) -> int:
        """Return the line on which a node begins."""
        return int(node.start_mark.line) + 1

    def lines(self, node: yaml.Node) -> dict[str, int]:
        """Return the line of every entry of a mapping."""
        return {str(key.value): self.line(key) for key, _ in node.value}

    def mapping(
        self,
        node: yaml.Node | None,
        what: str,
        known: tuple[str, ...] | None = None,
        rare: tuple[str, ...] = (),
    ) -> dict[str, yaml.Node]:
        """Return the entries of a mapping; refuse duplicates and names that are neither known nor `rare`."""
        if not isinstance(node, yaml.MappingNode):
            shape = " and ".join(known) if known else "one entry per column"
            raise self.refuse(f"{what} is a mapping with {shape}", node)
        entries: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.refuse("a name is plain text, not a list or a mapping", key)
            name = str(key.value)
            if known is not None and name not in (*known, *rare):
                hint = did_you_mean(name, (*known, *rare))
                self.wrong(self.refuse(f"unknown entry {show(name)} of {what}; {hint}", key))
            elif name in entries:
                self.wrong(self.refuse(f"the entry {show(name)} appears twice; keep one", key))
            else:
                entries[name] = value
        return entries

    def plain(self, node: yaml.Node) -> Any:
        """Return a node as text, lists and dictionaries, None if nothing is written."""
        if isinstance(node, yaml.MappingNode):
            return {key: self.plain(value) for key, value in self.mapping(node, "this").items()}
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(value) for value in node.value]
        return None if node.tag == _NULL and node.value == "" else node.value

    def level(self, node: yaml.Node) -> int:
        """Return a level: a whole number that is not negative."""
        text = self.plain(node)
        if not (isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 10):
            written = show(None if text is None else str(text))
            raise self.refuse(f"a level is a whole number from 0 on, not {written}", node)
        return int(text)

    def shift(self, node: yaml.Node) -> int | None:
        """Return by how many days dates are shifted at most."""
        try:
            return shift_days(self.plain(node) or "")
        except InputError as problem:
            raise self.refuse(str(problem), node) from None

    def weight(self, node: yaml.Node) -> Fraction:
        """Return a weight: a number that is not negative."""
        try:
            return weight(str(self.plain(node) or ""))
        except InputError as problem:
            raise self.refuse(str(problem), node) from None
