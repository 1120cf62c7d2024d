"""A real server on loopback in a thread, and clients with sessions of their own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest
import uvicorn
from websockets.sync import client as websockets_client

from shoal.web.api.application import make_app
from shoal.web.server.guard import Guard
from shoal.web.server.listening import ListeningPlace
from shoal.web.server.server import configured
from shoal.web.server.server_limits import Limits
from shoal.web.server.sessions import Sessions, WebSession
from shoal.web.workspace.workspace import Workspace

connect = partial(websockets_client.connect, open_timeout=60)
"""Opens a socket, with patience for a busy machine."""
SMALL = Limits(
    upload_bytes=8 << 20,
    body_bytes=2 << 20,
    unpacked_bytes=16 << 20,
    rows=50_000,
    columns=300,
    line_bytes=1 << 18,
    cell_characters=5000,
    read_seconds=120,
    sessions=200,
    studies=3,
    jobs=3,
    questions=5,
)


@dataclass(frozen=True)
class Running:
    """A server that runs in this process, without pages."""

    sessions: Sessions
    place: ListeningPlace
    url: str
    connections: set

    @contextmanager
    def client(self, **headers: str) -> Iterator[httpx.Client]:
        """A client that has opened the link, as a browser does."""
        with httpx.Client(base_url=self.url, headers=headers, timeout=60, verify=False) as client:
            assert client.get("/", params={"token": self.sessions.token}).status_code == 303
            yield client
            client.delete("/api/session")

    def stranger(self, **headers: str) -> httpx.Client:
        """A client without a session."""
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, verify=False)


def run_server(limits: Limits, root: Path, study: Path | None = None, **place):
    """Yield a running server, and stop it afterwards."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    sessions = Sessions(limits, study, root)
    place = ListeningPlace.of("127.0.0.1", port, **place)
    app = Guard(make_app(sessions), sessions, place)
    server = uvicorn.Server(configured(app, limits))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.01)
    try:
        yield Running(sessions, place, f"http://127.0.0.1:{port}", server.server_state.connections)
    finally:
        sessions.jobs.closing.set()
        server.should_exit = True
        thread.join(60)
    assert not sessions.root.exists()


def take(session: WebSession, blocks: Iterable[bytes], title: str) -> Workspace:
    """Return the workspace of a table that arrives in blocks, as the API takes it."""

    async def arriving():
        for block in blocks:
            yield block

    # In a thread of its own: the tests of the browser leave their loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(asyncio.run, session.receive(arriving())).result()
    return session.take_file(taken, title)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    yield from run_server(SMALL, tmp_path_factory.mktemp("web"))


@pytest.fixture
def client(server):
    with server.client() as client:
        yield client


@pytest.fixture
def study(client):
    """The address of a study of built-in data."""
    made = client.post("/api/studies/built-in", json={"rows": 800})
    assert made.status_code == 201
    return f"/api/studies/{made.json()['id']}"
