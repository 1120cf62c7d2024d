"""The public names with their signatures, as `docs/compatibility.md` promises them: every change is seen.

`SHOAL_WRITE_API=1 pytest tests/test_public_api.py` writes the list again; the change then shows in the diff.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

import shoal
from shoal.tabular import Tabular

LISTED = Path(__file__).with_name("public_api.txt")
PAGE = Path(__file__).parents[1] / "docs" / "compatibility.md"


def signature_of(given: Any) -> str:
    """Return a signature without what is not promised: the modules that types live in."""
    try:
        text = str(inspect.signature(given))
    except (TypeError, ValueError):
        return "(...)"
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text).replace("'", "")


def described(name: str, given: Any) -> Iterator[str]:
    """Yield a line for a public name, and one for each public member of a class."""
    if not inspect.isclass(given):
        yield f"{name}{signature_of(given)}" if callable(given) else name
        return
    bases = [base.__name__ for base in given.__bases__ if base is not object]
    yield f"class {name}{signature_of(given)}" + (f" of {', '.join(bases)}" if bases else "")
    for member in sorted({key for kind in given.__mro__ for key in vars(kind)} - set(dir(object))):
        if member.startswith("_"):
            continue
        what = inspect.getattr_static(given, member)
        if isinstance(what, (property, cached_property)):
            yield f"    {name}.{member}"
        elif callable(getattr(given, member, None)) and not issubclass(given, Enum):
            yield f"    {name}.{member}{signature_of(getattr(given, member))}"


def listed() -> str:
    """Return all lines."""
    names = [name for name in shoal.__all__ if name != "__version__"]
    return "\n".join(line for name in names for line in described(name, getattr(shoal, name))) + "\n"


def test_the_public_names_and_signatures_are_those_that_are_written_down() -> None:
    if os.environ.get("SHOAL_WRITE_API"):
        LISTED.write_text(listed(), encoding="utf-8")
    assert listed() == LISTED.read_text(encoding="utf-8")


def test_the_page_about_compatibility_names_every_public_name() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in shoal.__all__ if f"`{name}`" not in page] == []


def test_every_public_class_says_what_it_is_in_a_line() -> None:
    """A dataclass's own representation lists all that it holds: fine for a few numbers, not for tables."""
    for name in shoal.__all__:
        given = getattr(shoal, name)
        if not inspect.isclass(given) or issubclass(given, Exception):
            continue
        assert given.__repr__ is not object.__repr__, name
        assert given.__doc__, name
        if issubclass(given, Tabular):
            assert given.__repr__ is not object.__repr__
            assert not is_dataclass(given) or not given.__dataclass_params__.repr, name


def test_public_names_are_sorted_and_found() -> None:
    assert shoal.__all__ == sorted(shoal.__all__)
    assert dir(shoal) == shoal.__all__
