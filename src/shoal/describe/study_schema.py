"""The JSON Schema of study files, with which editors complete and check them as they are written."""

from __future__ import annotations

from typing import Any

from shoal.describe.hierarchies.intervals import INTERVALS
from shoal.describe.hierarchies.taxonomies import TAXONOMIES
from shoal.describe.places import ENGINES
from shoal.describe.specification import HELD_BACK, Role
from shoal.describe.study_file import ATTRIBUTE, PLACE, RARE, TOP

NAME = "shoal-study.schema.json"
"""The file's name; `shoal init` writes it into the first line of a study."""

_TEXT = {"type": "string"}
_NUMBER = {"type": ["number", "string"]}
_NUMBERS = {"type": "array", "items": _NUMBER, "minItems": 1}
_COLUMNS = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_CODES = {
    "anyOf": [_NUMBER, {"type": "array", "items": _NUMBER}],
    "description": "codes that stand for missing values",
}
_ROLES = {
    Role.IDENTIFYING: "points at a person: never released",
    Role.QUASI: "others may know it: released in coarser values",
    Role.SENSITIVE: "nobody should learn it about a person: groups must be mixed",
    Role.CLASS: "what the released table should predict: released unchanged",
    Role.INSENSITIVE: "harmless and unknown to others: released unchanged",
    Role.UNDECIDED: "not released until somebody decides",
}


def study_schema() -> dict[str, Any]:
    """Return the schema: every entry that the reader takes, and no other."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of Shoal",
        "type": "object",
        "required": list(TOP),
        "additionalProperties": False,
        "properties": {name: _entry(name) for name in (*TOP, *RARE)},
        "$defs": {"hierarchy": _hierarchy(), "table": _table()},
    }


def _entry(name: str) -> dict[str, Any]:
    known: dict[str, dict[str, Any]] = {
        "table": {"$ref": "#/$defs/table"},
        "population": {"$ref": "#/$defs/table"},
        "attributes": {"type": "object", "additionalProperties": _attribute()},
        "persons": {**_COLUMNS, "description": "rows that agree in it are about one person"},
        "households": {**_TEXT, "description": "rows that agree in it live together"},
        "sample_weight": {**_TEXT, "description": "how many people a row stands for"},
        "population_size": {**_NUMBER, "description": "how many people the sample is drawn from"},
        "sampling_fraction": {**_NUMBER, "description": "which part of the population is in the table"},
        "missing": _CODES,
        "encoding": {**_TEXT, "description": "how the bytes of a text file become text"},
        "decimal": {"enum": [".", ","], "description": "what stands before decimals in a text file"},
    }
    return known.get(name, {})


def _table() -> dict[str, Any]:
    fields: dict[str, Any] = dict.fromkeys(PLACE, _TEXT) | {"engine": {"enum": list(ENGINES)}}
    place = {
        "type": "object",
        "required": ["engine"],
        "additionalProperties": False,
        "properties": fields,
    }
    return {"anyOf": [{**_TEXT, "minLength": 1}, place]}


def _attribute() -> dict[str, Any]:
    role = {"oneOf": [{"const": role.value, "description": said} for role, said in _ROLES.items()]}
    several = {"enum": [role.value for role in Role if role not in HELD_BACK]}
    known: dict[str, dict[str, Any]] = {
        "role": {"anyOf": [role, {"type": "array", "items": several, "minItems": 1}]},
        "hierarchy": {"$ref": "#/$defs/hierarchy"},
        "min_level": {"type": "integer", "minimum": 0},
        "max_level": {"type": "integer", "minimum": 0},
        "weight": _NUMBER,
        "missing": _CODES,
        "order": {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "minItems": 1},
    }
    return {
        "type": "object",
        "required": ["role"],
        "additionalProperties": False,
        "properties": {name: known.get(name, {}) for name in ATTRIBUTE},
    }


def _hierarchy() -> dict[str, Any]:
    options = dict.fromkeys(INTERVALS, _NUMBER) | {
        "widths": _NUMBERS,
        "bounds": {"type": "array", "items": _NUMBERS, "minItems": 1},
    }
    mask = {"digits": {"type": "integer", "minimum": 1, "maximum": 64}, "character": _TEXT}
    described = {
        "intervals": {"type": "object", "additionalProperties": False, "properties": options},
        "mask": {"type": "object", "additionalProperties": False, "properties": mask},
        "dates": {"anyOf": [{"type": "array", "items": _TEXT, "minItems": 1}, {"type": "object"}]},
        "taxonomy": {"enum": list(TAXONOMIES)},
    }
    return {
        "anyOf": [
            {**_TEXT, "minLength": 1, "description": "the path of a file in ARX's form"},
            {"type": "object", "minProperties": 1, "properties": described},
        ]
    }
