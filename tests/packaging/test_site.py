"""The documentation as a site: built strictly, so that no link leads nowhere, with every public name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (requirements-test.txt)")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed (requirements-test.txt)")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    # Another test runs the notebooks.
    quick = {**os.environ, "SHOAL_SITE_QUICK": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quick, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_of_the_docs_is_in_the_menu(site: Path) -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        assert page.relative_to(ROOT / "docs").as_posix() in menu


def test_every_notebook_is_a_page_that_others_lead_to(site: Path) -> None:
    led = (site / "notebooks" / "index.html").read_text()
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        assert "<h1" in (site / "notebooks" / notebook.stem / "index.html").read_text()
        assert f'href="{notebook.stem}/"' in led


def test_every_public_name_is_described(site: Path) -> None:
    page = (site / "api" / "index.html").read_text()
    for name in shoal.__all__:
        if not name.startswith("__"):
            assert f'id="shoal.{name}"' in page


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    page = (site / "index.html").read_text()
    assert not re.findall(r'(?:src|href)="(?:https?:)?//[^"]+\.(?:js|css|woff2?)"', page)
