"""The pages in a notebook's frame: this notebook shows them, no other page does, and the choice is known."""

from __future__ import annotations

import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from tests.browser.conftest import PATIENCE, comes

TABLE = pa.table(
    {
        "age": [20 + i % 12 for i in range(60)],
        "sex": ["f" if i % 2 else "m" for i in range(60)],
        "illness": [f"ill {i % 5}" for i in range(60)],
    }
)
QUASI = {"age": {"intervals": {"widths": [3, 6]}}, "sex": {"*": ["f", "m"]}}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and writes no log."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def notebooks(tmp_path: Path):
    """Two servers of pages at different ports of this machine, each with a folder of its own."""
    servers = []
    for name in ("this", "other"):
        (tmp_path / name).mkdir()
        handler = partial(Quiet, directory=str(tmp_path / name))
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
    yield [
        (tmp_path / name, f"http://localhost:{one.server_port}")
        for name, one in zip(("this", "other"), servers, strict=True)
    ]
    for one in servers:
        one.shutdown()
        one.server_close()


def test_the_notebook_shows_the_pages_in_a_frame_and_no_other_page_does(browser, notebooks) -> None:
    (mine, origin), (theirs, elsewhere) = notebooks
    with shoal.Study(TABLE, quasi=QUASI, sensitive="illness") as study:
        explored = study.explore(notebook=origin)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE * 1000)

        (theirs / "page.html").write_text(explored.frame(600))
        other = context.new_page()
        refused: list[str] = []
        other.on("console", lambda message: refused.append(message.text))
        other.goto(f"{elsewhere}/page.html")
        comes(other, lambda: any("frame-ancestors" in text for text in refused), True)
        assert all(frame.url in (other.url, "chrome-error://chromewebdata/") for frame in other.frames)

        (mine / "page.html").write_text(explored.frame(600))
        page = context.new_page()
        page.goto(f"{origin}/page.html")
        inside = page.frame_locator("iframe")
        inside.get_by_role("heading", name="Columns", exact=True).wait_for()
        inside.get_by_role("navigation", name="Steps").get_by_role("link", name="Negotiate").click()
        inside.get_by_role("button", name=re.compile("^Pin: ")).first.click()
        comes(page, lambda: len(explored.pinned), 1)
        context.close()

        explored.close()
        assert study.release(explored.chosen).decision.promise.k is not None
        with pytest.raises(shoal.InputError, match="the pages are closed"):
            _ = explored.url
