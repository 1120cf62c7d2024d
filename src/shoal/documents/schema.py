"""Checks a document against a JSON Schema: the part of the language that Shoal's own schemas use.

`tests/documents/test_schema.py` compares it with the library `jsonschema`, and checks that the schemas use no
other keyword.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from shoal.errors import show

Schema = Mapping[str, Any]


@cache
def schema_named(kind: str) -> Schema:
    """Return the schema of a kind of document, from the file beside this one."""
    found: Schema = json.loads(Path(__file__).with_name(f"{kind}.schema.json").read_text("utf-8"))
    return found


def first_fault(document: Any, schema: Schema) -> str | None:
    """Return what is wrong with a document, and where in it; None if nothing is.

    >>> first_fault({"k": 0}, {"properties": {"k": {"type": "integer", "minimum": 1}}})
    'k is 0, less than 1'
    """
    return next(_faults(document, schema, schema, ""), None)


def _faults(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    """Yield the faults of a value; those inside it only if the value itself has none."""
    if "$ref" in schema:
        yield from _faults(value, *_target(schema["$ref"], root), place)
    wrong = False
    for word, check in _OWN.items():
        if word in schema and (said := check(value, schema[word])):
            wrong = True
            yield f"{place or 'the document'} {said}"
    if wrong:
        return
    for word, forms in ((word, schema[word]) for word in ("oneOf", "anyOf") if word in schema):
        tried = [next(_faults(value, form, root, place), None) for form in forms]
        fits = tried.count(None)
        if not fits:
            yield " or ".join(dict.fromkeys(said for said in tried if said))
        elif word == "oneOf" and fits > 1:
            yield f"{place or 'the document'} has two forms at once"
    if isinstance(value, dict):
        yield from _inside(value, schema, root, place)
    if isinstance(value, list):
        first, others = schema.get("prefixItems", ()), schema.get("items")
        for i, (item, one) in enumerate(zip(value, first, strict=False)):
            yield from _faults(item, one, root, f"{place}[{i}]")
        if others is not None and not _all_plain(value[len(first) :], others):
            for i, item in enumerate(value[len(first) :], len(first)):
                yield from _faults(item, others, root, f"{place}[{i}]")


def _all_plain(items: list[Any], schema: Schema) -> bool:
    """Return whether a schema asks only for a type, and all items have it; saves time on long lists."""
    kinds = schema.get("type")
    if schema.keys() != {"type"} or kinds is None:
        return False
    named = [kinds] if isinstance(kinds, str) else kinds
    return {*map(type, items)} <= {_KINDS[kind] for kind in named}


def _inside(value: Mapping[str, Any], schema: Schema, root: Schema, place: str) -> Iterator[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    for name, inner in value.items():
        where = f"{place}.{_named(name)}" if place else _named(name)
        if name in known:
            yield from _faults(inner, known[name], root, where)
        elif others is False:
            yield f"{where} is not known"
        else:
            yield from _faults(inner, others, root, where)


def _named(name: str) -> str:
    """Return a name as places show it: in quotes if it could be mistaken for something else."""
    return name if re.fullmatch(r"[\w-]{1,60}", name) else show(name)


def _target(reference: str, root: Schema) -> tuple[Schema, Schema]:
    """Return the schema that a reference names, and the root for references inside it."""
    file, _, path = reference.partition("#/")
    if file:
        root = schema_named(file.removesuffix(".schema.json"))
    found = root
    for name in path.split("/"):
        found = found[name]
    return found, root


_KINDS: dict[str, type] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": float,
    "null": type(None),
}


def _is(value: Any, kind: str) -> bool:
    if kind == "integer":  # 5.0 is one, says the specification
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return whole and not isinstance(value, bool)
    return _number(value) if kind == "number" else isinstance(value, _KINDS[kind])


def _type(value: Any, kinds: str | list[str]) -> str | None:
    named = [kinds] if isinstance(kinds, str) else kinds
    return None if any(_is(value, kind) for kind in named) else f"{_shown(value)}, not {_or(named)}"


def _or(words: list[Any]) -> str:
    return " or ".join(map(str, words))


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"is an {'object' if isinstance(value, dict) else 'array'}"
    if isinstance(value, str):
        return f"is {show(value)}"
    return f"is {show(json.dumps(value))[1:-1]}"


def _pattern(value: Any, pattern: str) -> str | None:
    # In a schema $ matches only the end; in Python also before a line break at the end.
    fits = not isinstance(value, str) or re.search(re.sub(r"\$$", r"\\Z", pattern), value)
    return None if fits else f"{_shown(value)}, not of the form {pattern}"


def _required(value: Any, names: list[str]) -> str | None:
    lacking = [name for name in names if name not in value] if isinstance(value, dict) else []
    return f"has no {lacking[0]}" if lacking else None


def _unique(value: Any, wanted: bool) -> str | None:
    seen: set[str] = set()
    for item in value if wanted and isinstance(value, list) else ():
        key = json.dumps(item, sort_keys=True)
        if key in seen:
            return f"names {show(str(item))} twice"
        seen.add(key)
    return None


def _among(value: Any, words: list[str]) -> str | None:
    fits = isinstance(value, str) and value in words
    return None if fits else f"{_shown(value)}, not {_or(words)}"


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_OWN: dict[str, Callable[[Any, Any], str | None]] = {
    "type": _type,
    "const": lambda value, word: _among(value, [word]),
    "enum": _among,
    "required": _required,
    "minProperties": lambda value, least: (
        "is empty" if isinstance(value, dict) and len(value) < least else None
    ),
    "minimum": lambda value, least: (
        f"{_shown(value)}, less than {least}" if _number(value) and value < least else None
    ),
    "maximum": lambda value, most: (
        f"{_shown(value)}, more than {most}" if _number(value) and value > most else None
    ),
    "maxLength": lambda value, most: (
        f"has more than {most} characters" if isinstance(value, str) and len(value) > most else None
    ),
    "pattern": _pattern,
    "minItems": lambda value, least: (
        f"has fewer than {least} entries" if isinstance(value, list) and len(value) < least else None
    ),
    "maxItems": lambda value, most: (
        f"has more than {most} entries" if isinstance(value, list) and len(value) > most else None
    ),
    "uniqueItems": _unique,
}
"""What each keyword asks of a value itself: returns what is wrong, or None."""
WORDS = {*_OWN, "$ref", "oneOf", "anyOf", "properties", "additionalProperties", "prefixItems", "items"}
"""All keywords that are understood, besides those that only describe."""
