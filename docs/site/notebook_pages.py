"""A hook of mkdocs: every notebook becomes a page, with what its cells show.

Notebooks are committed without outputs, so that nothing in them can be out of date: they are run when the
site is built, and fail it if a cell does. `SHOAL_SITE_QUICK=1` leaves the outputs out, for tests of the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
LONGEST = 600
"""Seconds that a cell may take, on a busy machine."""


def run(notebook: Path, folder: Path) -> Any:
    """Return a notebook with what its cells show, run in a folder; a cell that fails raises an error."""
    from nbclient import NotebookClient

    found = nbformat.read(notebook, as_version=4)
    NotebookClient(found, timeout=LONGEST, resources={"metadata": {"path": str(folder)}}).execute()
    return found


def markdown_of(notebook: Any) -> str:
    """Return a notebook as Markdown, with what its cells show."""
    parts: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.source:
            parts.append(f"```python\n{cell.source}\n```")
            parts += [shown for output in cell.outputs for shown in _shown(output)]
    return "\n\n".join(parts) + "\n"


def _shown(output: Any) -> Iterator[str]:
    """Yield what is to be seen of an output; warnings are not."""
    data = output.get("data", {})
    if "text/html" in data:
        # Without empty lines Markdown leaves HTML as it is.
        lines = "".join(data["text/html"]).splitlines()
        html = "\n".join(line for line in lines if line.strip())
        yield f'<div class="shown">\n{html}\n</div>'
    elif "text/plain" in data:
        yield f"```text\n{''.join(data['text/plain'])}\n```"
    elif output.output_type == "stream" and output.name == "stdout":
        yield f"```text\n{output.text.rstrip()}\n```"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every notebook."""
    quick = bool(os.environ.get("SHOAL_SITE_QUICK"))
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        read = nbformat.read(notebook, as_version=4) if quick else run(notebook, NOTEBOOKS)
        page = f"notebooks/{notebook.stem}.md"
        files.append(File.generated(config, page, content=markdown_of(read)))
    return files
