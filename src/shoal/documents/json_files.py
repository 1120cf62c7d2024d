"""Reads and writes JSON documents. Anyone may have written one, so faults are refused in one sentence."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.documents.digests import reading
from shoal.documents.schema import first_fault, schema_named
from shoal.errors import InputError, show
from shoal.numbers import whole_number

MOST_BYTES = 4 << 30
"""The largest document: a saved solution may contain every combination of a large table."""

_WAY_OUT = {
    "record": "; use the record as it was written",
    "solution": "; search again",
    "tally": "; make it again",
}
"""What to do about an invalid document, by its kind."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the bytes of a file; refuse what is not a file, or is too large for a document.

    It is opened without waiting, so that a pipe to which nobody writes is refused too.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with reading(path), os.fdopen(os.open(path, flags), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InputError("is not a file that can be read; check the path", file=path)
        # The file may grow meanwhile, so the read has a limit too.
        found = b"" if about.st_size > most else file.read(about.st_size + 1)
    if max(about.st_size, len(found)) > most:
        raise InputError(f"is larger than {most:,} bytes, too large for such a document", file=path)
    return found


def parse_json(text: bytes, path: Path) -> Any:
    """Return what the text of a JSON file says, or refuse it in one sentence.

    Whatever readers of JSON disagree about is refused too: a name that appears twice in an object, NaN and
    infinity, and half of a character.
    """
    try:
        decoded = text.decode("utf-8")
        found = json.loads(
            decoded,
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_float=_float,
            parse_int=whole_number,
        )
        if _SURROGATE.search(decoded):
            json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as problem:
        raise InputError(f"this is not JSON ({problem}); is it the right file?", file=path) from None
    except UnicodeDecodeError:
        raise InputError("this is not text in UTF-8; is it the right file?", file=path) from None
    except UnicodeEncodeError:
        raise InputError("it contains half of a character (a lone surrogate)", file=path) from None
    except _RefusedError as problem:
        raise InputError(str(problem), file=path) from None
    except ValueError:  # Python limits the digits of a number
        raise InputError("it contains a number with too many digits", file=path) from None
    except RecursionError:
        raise InputError("it is nested too deeply to be a document of Shoal", file=path) from None
    return found


class _RefusedError(Exception):
    """Something that JSON allows, or nearly allows, but no document of Shoal contains."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise _RefusedError(f"{show(twice)} appears twice in one object")
    return found


def _no_number(word: str) -> float:
    raise _RefusedError(f"{word} is not a number")


def _float(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise _RefusedError(f"{show(text)} is too large to be a number")
    return found


def read_json(path: Path, most: int = MOST_BYTES) -> Any:
    """Return what a JSON file says, or refuse it in one sentence."""
    return parse_json(read_bytes(path, most), path)


def document_of(text: bytes, path: Path, kind: str) -> dict[str, Any]:
    """Return the document in a file's text, or say what in it its schema does not allow."""
    document = parse_json(text, path)
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise InputError(f"this is not a {kind} of Shoal", file=path)
    return check(document, kind, path)


def check(document: dict[str, Any], kind: str, path: Path | None, form: str = "") -> dict[str, Any]:
    """Return a document if the schema of its kind, or of one form of it, allows it; else refuse it."""
    schema = {"$ref": f"{kind}.schema.json#/$defs/{form}"} if form else schema_named(kind)
    fault = first_fault(document, schema)
    if fault is not None:
        way_out = _WAY_OUT.get(kind, "")
        raise InputError(f"this is not a valid {form or kind}: {fault}{way_out}", file=path)
    return document


def text_of(document: Mapping[str, Any]) -> str:
    """Return a document as the text of a file, with plain lists on one line: a record lists hierarchies.

    >>> print(text_of({"k": 2, "rows": [["17", "10-19"], ["23", None]], "none": []}), end="")
    {
     "k": 2,
     "rows": [
      ["17", "10-19"],
      ["23", null]
     ],
     "none": []
    }
    """
    return "".join(_text(document, "\n")) + "\n"


def _text(value: Any, line: str) -> Iterator[str]:
    inner = line + " "
    if isinstance(value, Mapping) and value:
        for i, (name, one) in enumerate(value.items()):
            yield f"{',' if i else '{'}{inner}{json.dumps(name, ensure_ascii=False)}: "
            yield from _text(one, inner)
        yield line + "}"
    elif isinstance(value, list | tuple) and any(
        isinstance(one, Mapping | list | tuple) for one in value
    ):
        for i, one in enumerate(value):
            yield ("," if i else "[") + inner
            yield from _text(one, inner)
        yield line + "]"
    else:
        yield json.dumps(value, ensure_ascii=False)


class Streamed:
    """A long list in a document, whose items are made when they are written."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)


def json_pieces(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JSON text of a document in pieces; its `Streamed` lists are never whole in memory.

    >>> "".join(json_pieces({"k": 2, "groups": Streamed(iter([[1], [2]])), "no": Streamed([])}))
    '{"k": 2, "groups": [[1], [2]], "no": []}'
    """
    before = "{"
    for name, value in document.items():
        yield f"{before}{json.dumps(name, ensure_ascii=False)}: "
        before = ", "
        if not isinstance(value, Streamed):
            yield json.dumps(value, ensure_ascii=False)
            continue
        mark = "["
        for item in value:
            yield mark + json.dumps(item, ensure_ascii=False)
            mark = ", "
        yield "[]" if mark == "[" else "]"
    yield "{}" if before == "{" else "}"


@contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """Refuse a document in which something is missing or of the wrong type."""
    try:
        yield
    except InputError as problem:
        raise problem if problem.file is not None else InputError(problem.what, file=path) from None
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as problem:
        raise InputError(
            f"the document is damaged ({type(problem).__name__}: {show(str(problem))})", file=path
        ) from None
