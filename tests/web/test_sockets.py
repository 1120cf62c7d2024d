"""The sockets of pages: each is its session's alone, and what makes no sense ends it, with one line."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import dataclass

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.web.conftest import connect
from tests.web.test_stop import served

PATH = "/_nicegui_ws/socket.io/"


@dataclass(frozen=True)
class Page:
    """A page that a browser has opened: its name, and what the browser sends along."""

    url: str
    name: str
    headers: dict[str, str]

    def query(self, *names: str) -> str:
        """The query under which its socket comes, or that of other names."""
        named = "".join(f"&client_id={name}" for name in names or [self.name])
        return f"EIO=4&transport=websocket{named}"

    def socket(self, *names: str):
        address = f"{self.url.replace('http', 'ws')}{PATH}?{self.query(*names)}"
        return connect(address, additional_headers=self.headers)

    def shake_hands(self, socket, name: str | None = None):
        """Do as NiceGUI's script does, and return what is answered to the handshake."""
        assert socket.recv(timeout=60).startswith("0{")
        socket.send("40")
        assert socket.recv(timeout=60).startswith("40{")
        given = {"client_id": name or self.name, "tab_id": "t", "document_id": "d", "next_message_id": 0}
        socket.send("420" + json.dumps(["handshake", given]))
        while True:
            answer = socket.recv(timeout=60)
            if answer.startswith("430"):
                return json.loads(answer[3:])[0]


@dataclass(frozen=True)
class Browser:
    """A browser with a session."""

    url: str
    headers: dict[str, str]

    @classmethod
    def of(cls, url: str, token: str) -> Browser:
        with httpx.Client(base_url=url, timeout=60, verify=False) as client:
            client.get("/", params={"token": token})
            cookie = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
        return cls(url, {"origin": url, "cookie": cookie})

    def page(self) -> Page:
        """Open a page."""
        text = httpx.get(self.url, headers=self.headers, timeout=60, verify=False).text
        name = re.search(r"client_id['\"]*: *['\"]([\w-]+)", text)[1]
        return Page(self.url, name, self.headers)


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A server with pages; when it has ended, its log has a line for what it refused and nothing more."""
    with served(tmp_path_factory.mktemp("sockets")) as (process, url, token):
        yield url, token
        process.send_signal(signal.SIGTERM)
        log = process.communicate(timeout=60)[1]
    assert "Traceback" not in log, log
    assert "Task exception" not in log, log
    assert "forged" not in log
    assert all(len(line) < 200 for line in log.splitlines())


@pytest.fixture(scope="module")
def browser(started):
    return Browser.of(*started)


@pytest.fixture
def mine(browser):
    return browser.page()


@pytest.fixture(scope="module")
def other(started):
    """A page of another session."""
    return Browser.of(*started).page()


def is_ended(socket) -> int:
    """The code with which the server ends a socket."""
    while True:
        try:
            socket.recv(timeout=60)
        except ConnectionClosed as closed:
            return closed.rcvd.code


def test_a_page_has_its_own_socket(mine):
    with mine.socket() as socket:
        assert mine.shake_hands(socket) is True
        socket.send("42" + json.dumps(["ack", {"client_id": mine.name, "next_message_id": 1}]))
        socket.send("3")
        assert socket.ping().wait(60)


@pytest.mark.parametrize("own_first", [True, False])
def test_a_socket_that_names_two_pages_is_refused(mine, other, own_first):
    """The guard took the last name and the pages took the first, so a foreign page could be had."""
    names = (mine.name, other.name) if own_first else (other.name, mine.name)
    for named in (names, (mine.name, mine.name)):
        with pytest.raises(InvalidStatus) as refused:
            mine.socket(*named)
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("event", "more"),
    [
        ("handshake", {"tab_id": "t", "document_id": "d"}),
        ("event", {"id": 4, "listener_id": "x", "args": []}),
        ("javascript_response", {"request_id": "x", "result": 1}),
        ("ack", {"next_message_id": 10**9}),
        ("log", {"level": "error", "message": "from elsewhere"}),
    ],
)
def test_an_event_for_a_page_of_another_session_ends_the_socket(mine, other, event, more):
    with mine.socket() as socket:
        assert mine.shake_hands(socket) is True
        socket.send("42" + json.dumps([event, {"client_id": other.name, **more}]))
        assert is_ended(socket) == 1008


def test_a_handshake_for_another_page_of_the_same_session_ends_the_socket(browser, mine):
    """Every page has a socket of its own."""
    other = browser.page().name
    with mine.socket() as socket:
        socket.recv(timeout=60)
        socket.send("40")
        socket.send("42" + json.dumps(["ack", {"client_id": other, "next_message_id": 1}]))
        assert is_ended(socket) == 1008


FRAMES = (
    "", "x", "9", "4", "4x", "42", "42{", "42[]", "42[1]", '42["event"]', '42["event",7]', '42["event",{}]',
    '42["nothing",{"client_id":"{own}"}]', '42/x,["ack",{"client_id":"{own}"}]', "4null", '4"x"',
    "40/admin,",
    "451-[]", '451-["event",{"_placeholder":true,"num":0}]', "44", "43[]", "49", b"\x00\x01", b"",
    "b" + "A" * 9,
    "2" + "9" * 5000, "42" + "[" * 20_000, "42" + "9" * 200 + "[]", "5", "0", "b!",
    "é", "\ud7ff",
)  # fmt: skip


@pytest.mark.parametrize("frames", [FRAMES[i::4] for i in range(4)])
def test_a_frame_that_makes_no_sense_ends_the_socket(mine, frames):
    for frame in frames:
        with mine.socket() as socket:
            assert mine.shake_hands(socket) is True
            socket.send(frame.replace("{own}", mine.name) if isinstance(frame, str) else frame)
            assert is_ended(socket) == 1008, frame


EVENTS = (
    ["event", {}],
    ["event", {"id": "x", "args": 7}],
    ["event", {"id": 4, "listener_id": "nothing", "args": ["{"]}],
    ["event", {"id": [], "listener_id": {}, "args": {"a": 1}}],
    ["ack", {}],
    ["ack", {"next_message_id": "x"}],
    ["handshake", {}],
    ["handshake", {"tab_id": [], "document_id": {}, "next_message_id": "x"}],
    ["javascript_response", {"request_id": {}}],
    ["log", {"level": "nothing"}],
    ["log", {"level": "error", "message": "forged\nline"}],
)


def test_an_event_that_lacks_something_does_nothing(mine):
    with mine.socket() as socket:
        assert mine.shake_hands(socket) is True
        for name, told in EVENTS:
            socket.send("42" + json.dumps([name, {**told, "client_id": mine.name}]))
        assert socket.ping().wait(60)


RAW = (
    b"\x81\x02\xff\xfe",  # text that is no UTF-8; and not masked
    b"\x83\x80\x00\x00\x00\x00",  # no such kind of frame
    b"\xf1\x80\x00\x00\x00\x00",  # bits that mean nothing here
    b"\x81\x82\x00\x00\x00\x00\xff\xfe",  # text that is no UTF-8
    b"\x80\x80\x00\x00\x00\x00",  # goes on with nothing
)


def test_bytes_that_are_no_frame_end_the_socket(mine):
    for raw in RAW:
        with mine.socket() as socket:
            assert mine.shake_hands(socket) is True
            socket.socket.sendall(raw)
            assert is_ended(socket) in (1002, 1007, 1008), raw


@pytest.mark.parametrize(
    "query", ["transport=polling&EIO=4", "transport=websocket&EIO=4", "transport=polling&EIO=4&sid=x"]
)
def test_pages_are_spoken_to_over_sockets_alone(mine, query):
    """What is asked piece by piece is told apart by a name that is no secret of its session."""
    with httpx.Client(base_url=mine.url, headers=mine.headers, verify=False, timeout=60) as client:
        for answer in (
            client.get(f"{PATH}?{query}&client_id={mine.name}"),
            client.post(f"{PATH}?{query}&client_id={mine.name}", content="40"),
        ):
            assert answer.status_code == 403
    with pytest.raises(InvalidStatus):
        connect(
            f"{mine.url.replace('http', 'ws')}{PATH}?{mine.query()}&sid=x",
            additional_headers=mine.headers,
        )


@pytest.mark.parametrize("query", ["&implicit_handshake=true", "&implicit_handshake=true&tab_id=t"])
def test_a_socket_that_leaves_out_what_it_says_is_refused_quietly(mine, query):
    address = f"{mine.url.replace('http', 'ws')}{PATH}?{mine.query()}{query}"
    with pytest.raises(InvalidStatus):
        connect(address, additional_headers=mine.headers)


def test_a_session_that_has_ended_has_no_socket(started):
    mine = Browser.of(*started).page()
    with mine.socket() as socket:
        assert mine.shake_hands(socket) is True
        with httpx.Client(base_url=mine.url, headers=mine.headers, verify=False, timeout=60) as client:
            assert client.delete("/api/session").status_code == 204
        socket.send("42" + json.dumps(["ack", {"client_id": mine.name, "next_message_id": 1}]))
        assert is_ended(socket) == 1008


def test_an_upload_to_a_page_of_another_session_is_refused(mine, other):
    with httpx.Client(base_url=mine.url, headers=mine.headers, verify=False, timeout=60) as client:
        answer = client.post(f"/_nicegui/client/{other.name}/upload/1", content=b"x")
    assert answer.status_code == 403
