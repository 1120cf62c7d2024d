"""The study file: YAML, read with line numbers so that errors can point at them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from shoal.describe.places import ENGINES, Place, lies_in_a_folder
from shoal.describe.specification import Attribute, Role, Specification
from shoal.describe.table_reading import Reading, codes_of
from shoal.describe.units import Units
from shoal.describe.yaml_reading import NULL, YamlReader
from shoal.errors import InputError, show

TOP = ("table", "attributes")
UNITS = ("persons", "households", "sample_weight", "population_size", "sampling_fraction")
TEXT = ("encoding", "decimal")
RARE = ("population", *UNITS, "missing", *TEXT)
PLACE = ("engine", "url", "table")
ATTRIBUTE = ("role", "hierarchy", "min_level", "max_level", "weight", "order", "shift", "missing")


def read_study_file(path: str | Path) -> Specification:
    """Return what a study file says; paths in it are relative to the file."""
    specification = _read(YamlReader(Path(path)))
    specification.check()
    return specification


def look_through(path: str | Path) -> tuple[Specification | None, list[InputError]]:
    """Return what a study file says, as far as it can be read, and all that is wrong in it."""
    reader = YamlReader(Path(path), [])
    try:
        found = _read(reader)
    except InputError as problem:
        return None, [*reader.problems, problem]
    return found, [*reader.problems, *found.problems()]


def _read(reader: YamlReader) -> Specification:
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


def _reading(reader: YamlReader, top: dict[str, yaml.Node], columns: dict[str, yaml.Node]) -> Reading:
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


def _codes(reader: YamlReader, node: yaml.Node) -> tuple[str, ...]:
    given = reader.plain(node)
    listed = given if isinstance(given, list) else [given]
    if not all(isinstance(code, str) for code in listed):
        raise reader.refuse('missing is a list of codes, such as ["?", NA, -9]', node)
    return codes_of(listed)


def _units(reader: YamlReader, given: dict[str, yaml.Node]) -> Units:
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


def _table(reader: YamlReader, node: yaml.Node, what: str = "table") -> Path | Place:
    if isinstance(node, yaml.ScalarNode) and node.value:
        return reader.path.parent / str(node.value)
    if not isinstance(node, yaml.MappingNode):
        raise reader.refuse(f"{what} is a file's path, or a mapping with engine, url and table", node)
    fields = reader.mapping(node, what, PLACE)
    given = {name: str(reader.plain(field) or "") for name, field in fields.items()}
    if not given.get("engine"):
        raise reader.refuse(f"a table in an engine names it; write engine: {', '.join(ENGINES)}", node)
    url = given.get("url", "")
    if lies_in_a_folder(given["engine"], url) and (url or given["engine"] == "delta"):
        url = str(reader.path.parent / url)
    try:
        return Place(given["engine"], given.get("table", ""), url)
    except InputError as problem:
        raise reader.refuse(problem.what, node) from None


def _attribute(reader: YamlReader, name: str, node: yaml.Node, line: int) -> Attribute:
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


def _order(reader: YamlReader, name: str, node: yaml.Node) -> tuple[str, ...]:
    given = reader.plain(node)
    if not (isinstance(given, list) and given and all(isinstance(value, str) for value in given)):
        raise reader.refuse(f"the order of {show(name)} is a list of its values", node)
    return tuple(given)


def _hierarchy(reader: YamlReader, node: yaml.Node) -> Path | dict[str, Any]:
    given = reader.plain(node)
    if isinstance(given, dict):
        return given
    if isinstance(given, str) and given and node.tag != NULL:
        return reader.path.parent / given
    raise reader.refuse("a hierarchy is the path of a file, or a mapping that describes it", node)
