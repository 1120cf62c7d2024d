"""The page about the REST API is what the server says about itself."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_made_from_the_description_of_the_server() -> None:
    pytest.importorskip("fastapi")
    found = importlib.util.spec_from_file_location("rest_page", DOCS / "rest_page.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    written = (DOCS / "rest.md").read_text(encoding="utf-8")
    assert written == module.page(), "make it again: python docs/rest_page.py > docs/rest.md"
