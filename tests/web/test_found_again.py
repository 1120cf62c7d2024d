"""A search that goes on is found again at once, whatever else the page still waits for."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

pytest.importorskip("nicegui", reason="the pages need the extra web")

from nicegui import Client, core, ui

from shoal.web.pages.optimizing import optimize_step
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.workspace import Workspace


async def _never(*_: object, **__: object) -> None:
    await asyncio.Event().wait()


async def told(work: Workspace) -> set[str]:
    """What the step Optimize says while a search goes on, and while the table answers no question."""
    job = SimpleNamespace(kind="optimize", status="running", version=0, progress={}, standings=[])
    session = SimpleNamespace(name="me", jobs=SimpleNamespace(of=lambda *_: [job]))
    frame = SimpleNamespace(ask=_never, attempt=_never, session=session)
    before, core.loop = core.loop, asyncio.get_running_loop()
    try:
        with Client(ui.page("/")) as client:
            await optimize_step.build(work, frame)
            await asyncio.sleep(0.1)  # what it left to others begins
            found = {each.content for each in client.elements.values() if isinstance(each, ui.html)}
        client.delete()
        return found
    finally:
        core.loop = before


def test_a_search_is_shown_before_the_table_has_answered_anything(tmp_path):
    # Such a search holds the table, for seconds where hierarchies have many leaves.
    work = Workspace.of_built_in(tmp_path, Limits(), rows=50)
    with ThreadPoolExecutor(1) as thread:  # tests of the browser leave a loop running in this one
        found = thread.submit(asyncio.run, asyncio.wait_for(told(work), 60)).result()
    work.close()
    assert {"Searching …", "Counting the values …"} <= found
