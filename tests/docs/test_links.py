"""Links of the pages lead to files that exist, in the repository and on the site."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import PAGES, ROOT, named

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)")


def hook() -> Any:
    """Return the site's own list of files from outside docs/."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (requirements-test.txt)")
    place = ROOT / "docs" / "site" / "pages_from_outside.py"
    found = importlib.util.spec_from_file_location("pages_from_outside", place)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def targets(page: Path) -> list[str]:
    """The files of the repository that a page leads to."""
    found = LINK.findall(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    return [(page.parent / link).resolve().relative_to(ROOT).as_posix() for link in found]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_to_files(page: Path) -> None:
    assert [target for target in targets(page) if not (ROOT / target).exists()] == []


def test_the_site_has_what_its_pages_lead_to() -> None:
    """Strict builds say nothing of links whose names have no ending, or are of no page."""
    outside = hook()
    there = {*outside.PAGES, *outside.TEXTS, "benchmarks/measured.json"}
    for page in PAGES:
        if named(page) in outside.PAGES or named(page).startswith("docs/"):
            missing = [
                target
                for target in targets(page)
                if target not in there and not target.startswith(("docs/", "src/shoal/documents/"))
            ]
            assert missing == [], named(page)
