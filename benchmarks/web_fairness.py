"""Claim: while one session asks 45 questions at once about a table of 30 columns, every request of another
session is answered within a second, and SIGTERM ends the server within ten.

The server is a process of its own, with pages, on loopback. The greedy session asks for a negotiation, its
explanation and the risk, each many times at once, over all 30 columns, and asks again as soon as it is
answered or refused. The other session does what a curator does on a table of ten thousand rows of its own,
one request after the other, first alone and then beside that. At the end the server is told to stop while
the greedy session still asks.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.web import Client, served

BY_THE_WALL = True
GREEDY = 45
WIDTH = 30
COLUMNS = ("what", "requests", "failed", "p50 ms", "p95 ms", "worst ms", "greedy: answered",
           "greedy: refused", "seconds to stop")  # fmt: skip


def run(options: Options) -> Result:
    greedy, rows, seconds = (
        (3, 100, 0.1) if options.quick else (GREEDY, 20_000, 60.0 if options.full else 20.0)
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        with served(None, folder) as (process, client):
            made = client.post("/api/studies/built-in", {"rows": rows // 2})
            path = f"/api/studies/{made['id']}"
            _ask_all(client, path)  # the histograms are counted once
            measured = [_row("alone", client, path, seconds / 4, Counter())]
            other = Client(client.address, client.token)
            with _asking(other, _wide(other, rows), greedy) as told:
                measured.append(_row(f"beside {greedy} of another", client, path, seconds, told))
                start = time.perf_counter()
                process.terminate()
                process.wait(600)
                measured[-1]["seconds to stop"] = time.perf_counter() - start
    notes = [
        f"the greedy session's table has {WIDTH} quasi columns and {rows:,} rows",
        "refused are answers 429 (too many at once) and 503 (longer than is allowed)",
    ]
    return Result("One session asks for all it can", measured, notes)


def _wide(client: Client, rows: int) -> str:
    """Upload a table of many columns, all of them quasi, and return the study's address."""
    draw = Random(0)
    names = [f"c{i}" for i in range(WIDTH)]
    drawn = (",".join(str(int(draw.random() ** 3 * 64)) for _ in names) for _ in range(rows))
    lines = [",".join(names), *drawn]
    study = client.send("POST", "/api/studies", "\n".join(lines).encode())
    path = f"/api/studies/{study['id']}"
    client.send("PUT", f"{path}/roles", {"roles": {name: ["quasi"] for name in names}})
    return path


@contextmanager
def _asking(client: Client, path: str, many: int) -> Iterator[Counter[int]]:
    """Ask many questions at once for as long as this lasts, and count the statuses of the answers."""
    told: Counter[int] = Counter()
    end = threading.Event()
    asked = [
        ("POST", f"{path}/negotiate", {"k": 5, "max_suppressed": "2%"}),
        ("POST", f"{path}/explain", {"k": 5, "heights": {"c0": 1, "c1": 2}}),
        ("GET", f"{path}/risk", None),
    ]

    def ask(i: int) -> None:
        while not end.is_set():
            connection = HTTPConnection(client.address, timeout=600)
            method, where, body = asked[i % len(asked)]
            try:
                connection.request(method, where, body and json.dumps(body), client.headers)
                told[connection.getresponse().status] += 1
            except (OSError, HTTPException):
                return  # the server has stopped
            finally:
                connection.close()
            end.wait(0.1)

    threads = [threading.Thread(target=ask, args=(i,), daemon=True) for i in range(many)]
    for thread in threads:
        thread.start()
    try:
        yield told
    finally:
        end.set()
        for thread in threads:
            thread.join(30)


def _ask_all(client: Client, path: str) -> list[float]:
    """Ask what a curator asks, one after the other, and return how long each took."""
    took = []
    for method, where, body in (
        ("GET", path, None),
        ("POST", f"{path}/negotiate", {"k": 3, "max_suppressed": "2%"}),
        ("POST", f"{path}/explain", {"k": 3}),
        ("GET", f"{path}/risk", None),
        ("GET", f"{path}/tree?column=zip", None),
        ("POST", f"{path}/frontier", {"suppress": "1%"}),
    ):
        start = time.perf_counter()
        client.send(method, where, body)
        took.append(time.perf_counter() - start)
    return took


def _row(what: str, client: Client, path: str, seconds: float, greedy: Counter[int]) -> dict[str, Any]:
    took: list[float] = []
    failed, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        try:
            took += _ask_all(client, path)
        except (OSError, RuntimeError) as problem:
            print(problem)
            failed += 1
            time.sleep(0.1)
    cuts = [1000 * cut for cut in quantiles(took, n=100)] if len(took) > 1 else [0.0] * 99
    refused = greedy[429] + greedy[503]
    numbers = (what, len(took), failed, cuts[49], cuts[94], 1000 * max(took, default=0.0),
               sum(greedy.values()) - refused, refused, None)  # fmt: skip
    return dict(zip(COLUMNS, numbers, strict=True))


if __name__ == "__main__":
    alone(__file__)
