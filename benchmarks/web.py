"""Claim: POST negotiate answers within 10 ms at the 99th percentile on Adult's 3,600-node lattice, and fifty
clients at once for a minute get no error and nobody else's answer, while the server's memory stays.

The server is a process of its own, with pages, on loopback. The requests are those of `negotiation.py` over
six attributes. First one program asks one request after the other; then it does so while the server searches
for a best cut; then fifty programs ask at once, each in its own session with a table of its own, and compare
every answer with the one that the study gave in this process.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.data import adult
from benchmarks.negotiation import ORDER, SENSITIVE, _hierarchies, _requests
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal import Study
from shoal.demo import write_hospital

BY_THE_WALL = True
CLIENTS = 50
ROUNDS = 10
"""A round's percentiles tell what others on the machine did meanwhile; the best round tells what they hid."""
COLUMNS = ("what", "clients", "requests", "errors", "mixed up", "p50 ms", "p95 ms", "p99 ms", "worst ms",
           "p99 ms of the best round", "requests a second", "MB before", "MB after")  # fmt: skip


def adult_study(folder: Path, attributes: Sequence[str]) -> Path:
    """Write a study of Adult into a folder, and return its file; with all attributes it has 3,600 nodes."""
    data, file = adult(), folder / "adult.yaml"
    paths = _hierarchies(data)
    quasi = [f"  {each}: {{role: quasi, hierarchy: {paths[each]}}}" for each in attributes]
    lines = [f"table: {data.table}", "attributes:", *quasi, f"  {SENSITIVE}: {{role: sensitive}}"]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def run(options: Options) -> Result:
    with TemporaryDirectory() as name:
        folder = Path(name)
        attributes = ORDER[:3] if options.quick else ORDER
        file = adult_study(folder, attributes)
        with Study.open(file) as study:
            asked = [_body(one) for one in _requests(len(attributes), study.negotiator(index=False))]
        with served(file, folder) as (process, client):
            opened = client.post("/api/studies/given", {})
            path = f"/api/studies/{opened['id']}"
            client.post(f"{path}/negotiate", asked[0])  # the histograms are counted once
            times = 1 if options.quick else 200 if options.full else 50
            rows = [_alone("one after another", client, path, asked, times, process.pid)]
            job = client.post(f"{path}/optimize", {"l": 6, "metric": "DM", "time_limit": 60})["id"]
            rows.append(_alone("during a search", client, path, asked, times, process.pid))
            client.post(f"/api/jobs/{job}/cancel", {})
        with served(None, folder) as (process, client):
            clients, seconds = (2, 0.1) if options.quick else (CLIENTS, 60.0 if options.full else 15.0)
            rows.append(_together(client, folder, clients, seconds, process.pid))
    notes = [
        "each request is one HTTP request of Python's http.client, timed by the client",
        "the claim is about one client's requests; fifty wait for each other, and for the machine's cores",
        adult().source,
    ]
    return Result("The web application's API", rows, notes)


def _body(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name != "name"}


class Client:
    """A program with a session of its own, over one connection."""

    def __init__(self, address: str, token: str) -> None:
        self.address, self.token = address, token
        self._connection = HTTPConnection(address, timeout=120)
        self.headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        self.headers["authorization"] = f"Bearer {self.post('/api/session', {})['session']}"

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.send("POST", path, body)

    def send(self, method: str, path: str, body: dict[str, Any] | bytes | None) -> Any:
        given = json.dumps(body) if isinstance(body, dict) else body
        try:
            self._connection.request(method, path, given, self.headers)
            answer = self._connection.getresponse()
        except (
            BrokenPipeError,
            RemoteDisconnected,
        ):  # it was idle for so long that the server closed it
            self._connection.close()
            self._connection.request(method, path, given, self.headers)
            answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{path}: {answer.status} {content[:200]!r}")
        return json.loads(content)


@contextmanager
def served(study: Path | None, folder: Path) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """Give a server as a process, and a client of it; stop it afterwards."""
    command = [
        str(Path(sysconfig.get_path("scripts")) / "shoal"),
        "serve",
        "--no-browser",
        "--port",
        "0",
    ]
    process = subprocess.Popen(
        command if study is None else [*command, str(study)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://(\S+)/\?token=(\S+)", process.stdout.readline())
        assert found is not None
        yield process, Client(found[1], found[2])
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def _alone(
    what: str, client: Client, path: str, asked: list[dict[str, Any]], times: int, pid: int
) -> dict[str, Any]:
    before, begun, seconds = _megabytes(pid), time.perf_counter(), []
    for _ in range(times):
        for body in asked:
            start = time.perf_counter()
            client.post(f"{path}/negotiate", body)
            seconds.append(time.perf_counter() - start)
    return _row(what, 1, seconds, 0, 0, time.perf_counter() - begun, before, _megabytes(pid))


def _together(first: Client, folder: Path, clients: int, seconds: float, pid: int) -> dict[str, Any]:
    """Ask with many clients at once, each about a table of its own, and compare with what is right."""
    crowd = []
    for i in range(clients):
        made = folder / f"table-{i}"
        with Study.open(write_hospital(made, 200 + i, i)) as study:
            session = study.negotiator(index=False)
            right = {k: session.ask(k=k, max_suppressed="2%").to_dict() for k in (2, 3, 5, 10, 20)}
        client = first if i == 0 else Client(first.address, first.token)
        path = "/api/studies/" + client.post("/api/studies/built-in", {"rows": 200 + i, "seed": i})["id"]
        client.post(f"{path}/negotiate", {"k": 2})  # the histograms are counted once
        crowd.append((client, path, right))
    took: list[float] = []
    failed: list[str] = []
    mixed: list[str] = []
    end = time.perf_counter() + seconds * 1.1
    half: list[float] = []

    def ask(client: Client, path: str, right: dict[int, dict[str, Any]]) -> None:
        while time.perf_counter() < end:
            for k, expected in right.items():
                start = time.perf_counter()
                try:
                    answer = client.post(f"{path}/negotiate", {"k": k, "max_suppressed": "2%"})
                except (OSError, RuntimeError, ValueError) as problem:
                    failed.append(str(problem))
                    return
                took.append(time.perf_counter() - start)
                if answer | {"milliseconds": 0} != expected | {"milliseconds": 0}:
                    mixed.append(path)

    threads = [threading.Thread(target=ask, args=each) for each in crowd]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    time.sleep(seconds * 0.1)  # what is counted once is counted by then
    half.append(_megabytes(pid))
    for thread in threads:
        thread.join()
    passed = time.perf_counter() - begun
    for message in failed[:3]:
        print(message, file=sys.stderr)
    what = f"at once, for {passed:.0f} s"
    return _row(what, clients, took, len(failed), len(mixed), passed, half[0], _megabytes(pid))


def _megabytes(pid: int) -> float:
    """What a process holds in memory now."""
    status = Path(f"/proc/{pid}/status")
    if not status.is_file():
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text(encoding="utf-8"))
    return int(found[1]) / 1024 if found else 0.0


def _row(
    what: str,
    clients: int,
    took: list[float],
    errors: int,
    mixed: int,
    passed: float,
    before: float,
    after: float,
) -> dict[str, Any]:
    cuts = [1000 * cut for cut in quantiles(took, n=100)]
    size = max(len(took) // ROUNDS, 2)
    rounds = [took[i : i + size] for i in range(0, len(took) - size + 1, size)]
    best = min(1000 * quantiles(each, n=100)[98] for each in rounds)
    numbers = (what, clients, len(took), errors, mixed, cuts[49], cuts[94], cuts[98], 1000 * max(took),
               best, len(took) / passed, before, after)  # fmt: skip
    return dict(zip(COLUMNS, numbers, strict=True))


if __name__ == "__main__":
    alone(__file__)
