"""`shoal serve` as a process: what it prints, what it serves, and that it leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tests.web.conftest import connect
from tests.web.test_jobs import HARD

SHOAL = Path(sys.executable).with_name("shoal")


@contextmanager
def served(folder, *arguments):
    """A server as a process of its own, whose folders go below `folder`, and its link."""
    (folder / "temp").mkdir(exist_ok=True)
    (folder / "work").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [str(SHOAL), "serve", "--no-browser", "--port", "0", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder / "work",
        env={**os.environ, "TMPDIR": str(folder / "temp")},
        # Tests under nohup would hand on that the end of the terminal is ignored, as the server rightly does.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"Shoal is at (http://127\.0\.0\.1:\d+)/\?token=(\S+)\n", line)
        assert found, line + process.stderr.read()
        yield process, found[1], found[2]
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()
        process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_end_leaves_nothing_even_in_the_middle_of_a_job(tmp_path, number):
    with served(tmp_path) as (process, url, token), httpx.Client(base_url=url, timeout=60) as client:
        assert client.get("/", params={"token": token}).status_code == 303
        page = client.get("/")
        assert page.status_code == 200
        assert "Shoal" in page.text
        assert re.search(r"(src|href)=['\"]?https?://", page.text) is None
        assert "Traceback" not in client.get("/api/nothing").text
        name = re.search(r"client_id['\"]*: *['\"]([\w-]+)", page.text)[1]
        socket_url = url.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        with httpx.Client(base_url=url, timeout=60) as other:
            other.get("/", params={"token": token})
            foreign = "; ".join(f"{key}={value}" for key, value in other.cookies.items())
        cookie = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
        own = {"origin": url, "cookie": cookie}
        with connect(f"{socket_url}&client_id={name}", additional_headers=own) as opened:
            assert opened.recv(timeout=60).startswith("0{")  # as the pages' own sockets are greeted
        for headers in (
            {"origin": "http://evil.example", "cookie": cookie},
            {"origin": url},
            {"origin": url, "cookie": foreign},  # a page is its session's alone
        ):
            with pytest.raises(InvalidStatus):
                connect(f"{socket_url}&client_id={name}", additional_headers=headers)
        with pytest.raises(InvalidStatus):
            connect(socket_url, additional_headers=own)
        study = client.post("/api/studies/built-in", json={"rows": 10_000}).json()["id"]
        job = client.post(f"/api/studies/{study}/optimize", json=HARD).json()["id"]
        with client.stream("GET", f"/api/jobs/{job}/events") as events:
            lines = events.iter_lines()
            next(lines)
            assert len(list((tmp_path / "temp").glob("shoal-serve-*"))) == 1
            process.send_signal(number)
            assert [line for line in lines if line.startswith("event: ")][-1] == "event: stopped"
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()
    assert list((tmp_path / "temp").glob("shoal-serve-*")) == []
    assert list((tmp_path / "work").iterdir()) == []


def _wide(client, columns=30):
    """A study of so many quasi columns that a negotiation looks for minutes at least."""
    draw = Random(0)
    names = [f"c{i}" for i in range(columns)]
    rows = (",".join(str(int(64 * draw.random() ** 3)) for _ in names) for _ in range(2000))
    content = "\n".join([",".join(names), *rows]).encode()
    study = client.post("/api/studies", content=content).json()["id"]
    client.put(f"/api/studies/{study}/roles", json={"roles": {name: ["quasi"] for name in names}})
    return f"/api/studies/{study}"


def test_the_end_comes_whatever_is_asked_meanwhile(tmp_path):
    """Before, the process stayed until the last question was answered."""
    with served(tmp_path) as (process, url, token), httpx.Client(base_url=url, timeout=60) as client:
        client.get("/", params={"token": token})
        study = _wide(client)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(client.post, f"{study}/negotiate", json={"k": 5, "max_suppressed": "2%"})
            assert client.get(f"{study}/risk").status_code == 200  # in the session's other turn
            assert not asked.done()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            answer = asked.result(60)  # the best so far, or nothing where the counting was not done yet
            assert answer.status_code == 503 or not answer.json()["certified"]
        assert "Traceback" not in process.stderr.read()
    assert list((tmp_path / "temp").glob("shoal-serve-*")) == []


_DEAF = """
import sys, time
from shoal.web.server import server
from shoal.web.workspace.questions import Questions
Questions.risk = lambda self: print("begun", flush=True) or time.sleep(1000)
server.LONGEST_STOP = 0.5
server.serve(server.Settings(port=0, browser=False))
"""


def test_work_that_hears_of_nothing_does_not_keep_the_process(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", _DEAF],
        stdout=subprocess.PIPE, text=True, cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    try:
        found = re.search(r"(http://\S+)/\?token=(\S+)", process.stdout.readline())
        with httpx.Client(base_url=found[1], timeout=60) as client, ThreadPoolExecutor(1) as pool:
            client.get("/", params={"token": found[2]})
            study = client.post("/api/studies/built-in", json={"rows": 60}).json()["id"]
            asked = pool.submit(client.get, f"/api/studies/{study}/risk")
            while process.stdout.readline() != "begun\n":
                pass
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            assert asked.exception(60) is not None
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()
    assert list(tmp_path.glob("shoal-serve-*")) == []


def test_a_study_is_opened_and_a_bad_one_is_refused(tmp_path, shoal):
    from shoal.demo import write_hospital

    given = write_hospital(tmp_path / "given", 50)
    with served(tmp_path, given) as (_, url, token), httpx.Client(base_url=url, timeout=60) as client:
        client.get("/", params={"token": token})
        assert client.post("/api/studies/given").json()["rows"] == 50
    status, _, errors = shoal("serve", tmp_path / "nothing.yaml")
    assert status == 2
    assert "no such file" in errors


def test_a_taken_port_is_told_in_one_line(shoal):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, _, errors = shoal("serve", "--no-browser", "--port", taken.getsockname()[1])
    assert status == 2
    assert errors.count("\n") == 1
    assert "choose another --port" in errors


def test_without_the_extra_it_says_how_to_install_it(shoal, monkeypatch):
    monkeypatch.setattr("shoal.cli.serve.find_spec", lambda name: None)
    status, _, errors = shoal("serve")
    assert status == 2
    assert errors == "shoal: pages need nicegui: pip install 'shoal[web]'\n"
