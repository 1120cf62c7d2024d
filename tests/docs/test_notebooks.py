"""The notebooks of the documentation run from the first cell to the last, and show what they speak of."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def hook() -> Any:
    """Return the site's own way to run notebooks and to make pages of them."""
    place = ROOT / "docs" / "site" / "notebook_pages.py"
    described = importlib.util.spec_from_file_location("notebook_pages", place)
    assert described is not None
    assert described.loader is not None
    found = importlib.util.module_from_spec(described)
    described.loader.exec_module(found)
    return found


def test_there_are_three_and_the_menu_has_them() -> None:
    assert [notebook.stem for notebook in NOTEBOOKS] == ["hospital", "large", "survey"]
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert all(f"notebooks/{notebook.stem}.md" in menu for notebook in NOTEBOOKS)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_without_what_its_cells_show(notebook: Path) -> None:
    for cell in nbformat.read(notebook, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_pictures_and_tables(notebook: Path, tmp_path: Path) -> None:
    site = hook()
    done = site.run(notebook, tmp_path)
    page = site.markdown_of(done)
    shown = [output for cell in done.cells for output in cell.get("outputs", ())]
    assert not [output for output in shown if output.output_type == "error"]
    assert page.count("data:image/svg+xml;base64,") >= 1
    assert "every promise holds" in page
    assert str(tmp_path) not in page


def test_a_cell_that_fails_fails_the_notebook(tmp_path: Path) -> None:
    from nbclient.exceptions import CellExecutionError

    broken = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert False, 'broken'")])
    nbformat.write(broken, tmp_path / "broken.ipynb")
    with pytest.raises(CellExecutionError, match="broken"):
        hook().run(tmp_path / "broken.ipynb", tmp_path)
