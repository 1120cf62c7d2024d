"""What requests wait for: refused above a number, given up after a time or where the client has left."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event, Semaphore
from time import sleep

import pytest

from shoal.running import stopping
from shoal.running.stopping import StoppedError
from shoal.web.workspace.decisions import Decisions
from shoal.web.workspace.pins import Pins
from shoal.web.workspace.questions import Questions
from shoal.web.workspace.releasing import Releases
from tests.web.conftest import SMALL
from tests.web.test_guard import refused

SOON = 60.0
PARTS = (Decisions, Questions, Pins, Releases)


class Long:
    """A question that goes on until it is stopped, and tells of both."""

    def __init__(self, monkeypatch, question):
        self.begun, self.ended = Semaphore(0), Semaphore(0)
        part = next(part for part in PARTS if hasattr(part, question))
        monkeypatch.setattr(part, question, lambda part, *_, **__: self._work(part._bench.folder.name))
        self.held: set[str] = set()

    def hold(self, study):
        self.held.add(study.rpartition("/")[2])

    def _work(self, key):
        if key not in self.held:
            return {"done": True}
        self.begun.release()
        try:
            while True:
                stopping.look()
                sleep(0.001)
        except StoppedError:
            self.ended.release()
            raise


QUESTIONS = [
    ("risk", "GET", "/risk", None),
    ("explain", "POST", "/explain", {"k": 2}),
    ("compare", "GET", "/compare", None),
    ("adopt", "PUT", "/decisions", {"files": {}}),
    ("tree", "GET", "/tree?column=age", None),
    ("verify", "POST", "/verify", None),
]


@pytest.fixture
def studies(server):
    """Two sessions, each with a study."""
    with server.client() as one, server.client() as two:
        yield [
            (
                client,
                "/api/studies/" + client.post("/api/studies/built-in", json={"rows": 60}).json()["id"],
            )
            for client in (one, two)
        ]


@pytest.mark.parametrize(("name", "method", "path", "body"), QUESTIONS)
def test_who_asks_too_much_is_refused_and_others_are_answered(
    server, studies, monkeypatch, name, method, path, body
):
    (client, study), (other, others) = studies
    long = Long(monkeypatch, name)
    long.hold(study)
    many = SMALL.questions
    with ThreadPoolExecutor(many) as pool:
        asked = [pool.submit(client.request, method, study + path, json=body) for _ in range(many)]
        assert long.begun.acquire(timeout=SOON)
        assert long.begun.acquire(timeout=SOON)
        while len(server.sessions.jobs.answering._questions) < many:
            sleep(0.001)
        assert "wait for one" in refused(client.request(method, study + path, json=body), 429)
        assert other.request(method, others + path, json=body).status_code == 200
        assert client.get(study).status_code == 200
        client.delete(study)  # ends what is asked about it
        statuses = {future.result(SOON).status_code for future in asked}
    assert statuses == {503}


def test_an_answer_that_takes_too_long_is_told_so(server, studies, monkeypatch):
    (client, study), _ = studies
    Long(monkeypatch, "risk").hold(study)
    monkeypatch.setattr(server.sessions.jobs.answering, "_limits", replace(SMALL, question_seconds=0.05))
    assert "within 0.05 seconds" in refused(client.get(f"{study}/risk"), 503)


@pytest.mark.parametrize("path", ["/risk", "/frontier?wait=60"])
def test_who_leaves_gives_the_question_up(server, studies, monkeypatch, path):
    (client, study), _ = studies
    long = Long(monkeypatch, path[1:].partition("?")[0])
    if "frontier" in path:
        ended = Event()

        def frontier(work, progress, **_):
            long.begun.release()
            while not progress(0.5, "at it"):
                sleep(0.001)
            ended.set()
            return {}

        monkeypatch.setattr(Questions, "frontier", frontier)
    long.hold(study)
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    body = "" if path == "/risk" else "{}"
    method = "GET" if path == "/risk" else "POST"
    host = server.url.removeprefix("http://")
    with socket.create_connection(host.split(":")) as line:
        line.sendall(
            f"{method} {study}{path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookies}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        assert long.begun.acquire(timeout=SOON)
    assert ended.wait(SOON) if "frontier" in path else long.ended.acquire(timeout=SOON)


def test_a_slider_waits_for_nobody(server, studies, monkeypatch):
    """What is counted is answered without a turn, even where the session has none left."""
    (client, study), _ = studies
    assert client.post(f"{study}/negotiate", json={"k": 2}).status_code == 200
    long = Long(monkeypatch, "risk")
    long.hold(study)
    many = SMALL.questions
    with ThreadPoolExecutor(many) as pool:
        asked = [pool.submit(client.get, f"{study}/risk") for _ in range(many)]
        assert long.begun.acquire(timeout=SOON)
        assert client.post(f"{study}/negotiate", json={"k": 3}).status_code == 200
        while len(server.sessions.jobs.answering._questions) < many:
            sleep(0.001)  # one that arrived later would find no study
        client.delete(study)
        assert {future.result(SOON).status_code for future in asked} == {503}
