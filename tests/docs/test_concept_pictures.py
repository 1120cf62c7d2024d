"""The pictures of the concepts are what their script draws, and the page shows and names what is in them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    found = importlib.util.spec_from_file_location("concept_pictures", DOCS / "concept_pictures.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.pictures()


def test_the_pictures_are_what_the_script_draws(drawn: dict[str, str]) -> None:
    there = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "concepts").glob("*.svg")}
    assert there == drawn, "draw them again: python docs/concept_pictures.py"


def test_the_page_shows_every_picture(drawn: dict[str, str]) -> None:
    page = (DOCS / "concepts.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\(concepts/(\w+)\.svg\)", page)) == sorted(drawn)


def test_what_the_page_says_is_in_the_pictures(drawn: dict[str, str]) -> None:
    """Figures and labels that the text names; if the answers change, so must the words."""
    for picture, words in {
        "k": ("20-39, 10*: 7",),
        "l": ("40-59, 20*: 5",),
        "t": ("4 of 12", "3 of 5"),
        "cut": ("101", "102", "20*"),
        "node": ("10*", "20*"),
        "groups": ("21-33, 101: 3", "41-58, 203-204: 5"),
    }.items():
        for said in words:
            assert said in drawn[picture], (picture, said)
