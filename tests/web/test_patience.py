"""Connections that stay half open, or send and take too slowly, are given up; the limits here are tiny."""

from __future__ import annotations

import contextlib
import socket
import time
from dataclasses import replace

import pytest

from tests.web.conftest import SMALL, run_server

TINY = replace(
    SMALL, head_bytes=4096, head_seconds=1.0, body_seconds=0.5, body_rate=1000, stalled_seconds=0.5
)
GIVE_UP = 60.0


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    yield from run_server(TINY, tmp_path_factory.mktemp("hasty"))


@pytest.fixture
def raw(hasty):
    with connected(hasty) as raw:
        yield raw


def connected(server):
    return socket.create_connection(("127.0.0.1", server.place.port), timeout=GIVE_UP)


def head(server, client, first, *lines):
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    told = [first, f"Host: 127.0.0.1:{server.place.port}", f"Cookie: {cookie}", *lines, "", ""]
    return "\r\n".join(told).encode()


def trickle(raw, piece):
    """Send a piece again and again, and return what the server says before it ends the connection."""
    raw.settimeout(0.05)
    said, until = b"", time.monotonic() + GIVE_UP
    while time.monotonic() < until:
        try:
            block = raw.recv(4096)
            if not block:
                return said
            said += block
        except TimeoutError:
            with contextlib.suppress(OSError):  # what was said before the end is still to be read
                raw.sendall(piece)
        except OSError:
            return said
    raise AssertionError("the connection is still there")


@pytest.fixture
def server_of_three(tmp_path):
    yield from run_server(replace(SMALL, connections=3), tmp_path)


def test_one_connection_too_many_is_told_so_and_others_go_on(server_of_three):
    server = server_of_three
    with contextlib.ExitStack() as stack:
        first = [stack.enter_context(connected(server)) for _ in range(3)]
        for one in first:  # each is answered, so that it counts before the next comes
            one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert one.recv(100).startswith(b"HTTP/1.1 4")
        more = stack.enter_context(connected(server))
        said = b"".join(iter(lambda: more.recv(4096), b""))
        assert said.startswith(b"HTTP/1.1 503")
        assert b"try again soon" in said
        first.pop().close()
        until = time.monotonic() + GIVE_UP
        while len(server.connections) > 2 and time.monotonic() < until:
            time.sleep(0.01)
        again = stack.enter_context(connected(server))
        again.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert again.recv(100).startswith(b"HTTP/1.1 4")


def test_a_connection_that_says_nothing_is_ended(raw):
    with contextlib.suppress(ConnectionResetError):
        assert raw.recv(100) == b""


def test_a_head_that_never_ends_is_ended(raw):
    raw.sendall(b"GET /api HTTP/1.1\r\nX-Slow: ")
    assert trickle(raw, b"x") == b""


def test_a_second_head_that_never_ends_is_ended(hasty):
    with hasty.client() as client, connected(hasty) as raw:
        raw.sendall(head(hasty, client, "GET /api/studies HTTP/1.1"))
        assert raw.recv(4096).startswith(b"HTTP/1.1 200")
        raw.sendall(b"GET /api HTTP/1.1\r\nX-Slow: ")
        assert trickle(raw, b"x") in (b"", b'{"studies": []}')


def test_a_head_that_is_too_large_is_ended(raw):
    raw.sendall(b"GET /api HTTP/1.1\r\n")
    assert trickle(raw, b"X-Much: " + b"x" * 1000 + b"\r\n") == b""


@pytest.mark.parametrize("path", ["/api/studies", "/api/studies/built-in"])
@pytest.mark.parametrize("length", ["Content-Length: 100000", "Transfer-Encoding: chunked"])
def test_a_body_that_comes_too_slowly_is_refused(hasty, path, length):
    with hasty.client() as client, connected(hasty) as raw:
        raw.sendall(head(hasty, client, f"POST {path} HTTP/1.1", length))
        said = trickle(raw, b"1\r\nx\r\n" if "chunked" in length else b"x")
        assert said.startswith(b"HTTP/1.1 408 ")
        assert b"did not arrive in time" in said
        assert client.get("/api/studies").json() == {"studies": []}
    assert not list(hasty.sessions.root.glob("*/upload-*"))


def test_the_rest_of_a_body_that_was_answered_is_not_waited_for(hasty, raw):
    lines = [
        "POST /api/studies HTTP/1.1",
        f"Host: 127.0.0.1:{hasty.place.port}",
        "Content-Length: 100000",
    ]
    raw.sendall("\r\n".join([*lines, "", ""]).encode())
    assert trickle(raw, b"x").startswith(b"HTTP/1.1 401 ")


def test_who_does_not_take_the_answer_is_given_up(hasty):
    with hasty.client() as client, socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", hasty.place.port))
        raw.settimeout(GIVE_UP)
        raw.sendall(head(hasty, client, "GET /api/openapi.json HTTP/1.1") * 200)
        until = time.monotonic() + GIVE_UP
        mine = raw.getsockname()
        while any(each.client == mine for each in list(hasty.connections)):
            assert time.monotonic() < until
            time.sleep(0.02)


def test_a_body_that_comes_in_time_is_taken(hasty):
    """More bytes than `body_seconds` alone would allow, in a few pieces."""

    def pieces():
        yield b"a,b\n"
        for i in range(20):
            yield b"%d,x\n" % i * 100
            time.sleep(0.02)

    with hasty.client() as client:
        assert client.post("/api/studies", content=pieces()).status_code == 201
