"""The pictures of the documentation that are drawn from the package itself are what is drawn of it now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def script(name: str) -> ModuleType:
    """A script that draws pictures."""
    found = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def committed(name: str) -> str:
    return (DOCS / "screenshots" / f"{name}.svg").read_text(encoding="utf-8")


def test_the_picture_of_the_rooms_has_the_imports_of_today() -> None:
    pytest.importorskip("grimp", reason="grimp is not installed (requirements-test.txt)")
    drawn = script("rooms_picture").picture()
    assert committed("rooms") == drawn, (
        "draw it again: python docs/rooms_picture.py > docs/screenshots/rooms.svg"
    )


def test_the_pictures_of_the_demo_show_what_the_demo_does(tmp_path: Path) -> None:
    drawn = script("demo_pictures").pictures(tmp_path / "demo")
    stale = [name for name, picture in drawn.items() if committed(name) != picture]
    assert not stale, "draw them again: python docs/demo_pictures.py"
