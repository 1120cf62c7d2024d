"""What the guide for newcomers names is there: `tests/packaging` looks for the files, this for the names."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

GUIDE = (ROOT / "docs" / "first-change.md").read_text(encoding="utf-8")
CODE = [
    path.read_text(encoding="utf-8") for top in ("src", "tests") for path in (ROOT / top).rglob("*.py")
]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`_?([A-Z]\w+|[a-z]+_[a-z_]+)`", GUIDE))))
def test_names_that_the_guide_tells_exist(name: str) -> None:
    found = re.compile(rf"\b_?{name}\b")
    assert any(found.search(text) for text in CODE)


def test_every_change_has_its_first_hour() -> None:
    for title in ("criterion", "attack", "engine"):
        section = GUIDE.split(f"## An {title}" if title[0] in "aeio" else f"## A {title}")[1]
        assert "first hour**" in section.split("\n## ")[0]
