"""Who is let in: the token, the cookie, the host, the origin; and what every answer tells the browser."""

from __future__ import annotations

import socket

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from shoal.web.server.listening import ListeningPlace
from tests.web.conftest import connect


def refused(answer, status):
    """The sentence of a refusal."""
    assert answer.status_code == status, answer.text[:300]
    sentence = answer.json()["error"]
    assert sentence
    assert "Traceback" not in answer.text
    return sentence


def test_the_link_gives_a_cookie_and_leads_to_the_page_without_the_token(server):
    with server.stranger() as stranger:
        answer = stranger.get("/", params={"token": server.sessions.token, "a": "1 2"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?a=1+2"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"shoal-{server.place.port}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))


def test_the_link_opened_again_keeps_the_session(server, client):
    before = dict(client.cookies)
    client.get("/", params={"token": server.sessions.token}, follow_redirects=False)
    assert dict(client.cookies) == before


def test_the_browsers_link_opens_one_session_and_is_spent_then(server):
    """Everybody on a machine may see with which words a program is started."""
    once = server.sessions.once()
    with server.stranger() as first, server.stranger() as thief:
        assert first.get("/", params={"token": once}).status_code == 303
        # A browser that asks twice has its session by then.
        again = first.get("/", params={"token": once, "a": "1"})
        assert (again.status_code, again.headers["location"]) == (303, "/?a=1")
        assert first.get("/api/studies").status_code == 200
        spent = thief.get("/", params={"token": once})
        assert (spent.status_code, "works no more" in spent.text) == (403, True)
        header = {"authorization": f"Bearer {once}"}
        refused(thief.post("/api/session", headers=header), 401)
        unused = server.sessions.once()
        refused(thief.post("/api/session", headers={"authorization": f"Bearer {unused}"}), 401)


def test_the_browsers_link_is_of_no_use_later(server, monkeypatch):
    monkeypatch.setattr("shoal.web.server.sessions.ONCE", -1.0)
    with server.stranger() as stranger:
        late = stranger.get("/", params={"token": server.sessions.once()})
        assert (late.status_code, "works no more" in late.text) == (403, True)


@pytest.mark.parametrize(
    "other", ['prefs={"a":1}', "a b=c", "n=é", "flag", "path=/", "{own}=x", ";;", "=", "a=b=c"]
)
def test_cookies_of_other_servers_of_this_machine_do_no_harm(server, client, other):
    """Browsers send the cookies of all ports along."""
    name, key = next(iter(client.cookies.items()))
    for pair in (f"{other}; {{own}}={key}", f"{{own}}={key}; {other}"):
        cookie = pair.replace("{own}", name).encode("utf-8")
        with server.stranger() as stranger:
            answer = stranger.get("/api/studies", headers={b"cookie": cookie})
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("path", ["/", "/api", "/api/studies", "/api/openapi.json", "/nothing"])
def test_without_a_session_nothing_is_shown(server, path):
    with server.stranger() as stranger:
        answer = stranger.get(path)
    assert answer.status_code == 401
    assert "open the link" in answer.text


@pytest.mark.parametrize("token", ["", "wrong", "é", "x" * 10_000])
def test_a_wrong_token_is_refused(server, token):
    with server.stranger() as stranger:
        answer = stranger.get("/", params={"token": token})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_a_wrong_cookie_or_authorization_is_refused(server):
    with server.stranger(cookie=f"{server.place.cookie}=wrong") as stranger:
        refused(stranger.get("/api/studies"), 401)
    with server.stranger(authorization="Bearer wrong") as stranger:
        refused(stranger.get("/api/studies"), 401)
        refused(stranger.post("/api/session"), 401)


def test_a_program_gets_a_session_by_the_token_and_asks_with_it(server):
    with server.stranger(authorization=f"Bearer {server.sessions.token}") as program:
        refused(program.get("/api/studies"), 401)  # the token opens sessions, and nothing else
        one = program.post("/api/session").json()["session"]
        other = program.post("/api/session").json()["session"]
    assert one != other
    with server.stranger(authorization=f"Bearer {one}") as program:
        assert program.get("/api/studies").json() == {"studies": []}
        refused(program.post("/api/session"), 403)
        assert program.delete("/api/session").status_code == 204
        refused(program.get("/api/studies"), 401)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost:1", "", "127.0.0.1.evil.example"]
)
def test_another_host_is_refused(server, client, host):
    refused(client.get("/api/studies", headers={"host": host}), 403)


def test_every_name_of_loopback_is_the_same_server(server, client):
    for name in ("localhost", "127.0.0.1", "[::1]"):
        answer = client.get("/api/studies", headers={"host": f"{name}:{server.place.port}"})
        assert answer.status_code == 200


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"]
)
def test_another_origin_is_refused(client, method, origin):
    answer = client.request(method, "/api/studies", headers={"origin": origin})
    assert "from other pages" in refused(answer, 403)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_browser_says_another_site_sent_is_refused(client, site):
    refused(client.get("/api/studies", headers={"sec-fetch-site": site}), 403)
    loaded = client.post("/x", headers={"sec-fetch-site": site, "sec-fetch-mode": "navigate"})
    refused(loaded, 403)
    followed = {"sec-fetch-site": site, "sec-fetch-mode": "navigate"}
    refused(client.get("/api/studies", headers=followed), 403)
    assert client.get("/", headers=followed).status_code == 404  # let through; there are no pages here


def test_the_own_origin_is_let_through(server, client):
    for origin in server.place.origins:
        answer = client.post("/api/studies/built-in", json={"rows": 50}, headers={"origin": origin})
        assert answer.status_code == 201


def test_every_answer_has_the_security_headers(server, client):
    with server.stranger() as stranger:
        answers = [
            stranger.get("/"),
            stranger.get("/api"),
            client.get("/api"),
            client.get("/api/studies"),
        ]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        policy = answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy  # nothing is loaded from elsewhere
    assert answers[-1].headers["cache-control"] == "no-store"


def test_the_list_of_endpoints_loads_nothing(client):
    page = client.get("/api").text
    assert "/api/studies" in page
    assert "src=" not in page
    assert "http://" not in page
    assert "https://" not in page


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://evil.example"},
        {"origin": "own"},
        {"origin": "own", "cookie": "shoal-1=x"},
        {"cookie": "mine"},
        {"cookie": "mine", "origin": "null"},
    ],
)
def test_a_socket_needs_the_own_origin_and_a_session(server, client, headers):
    mine = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    given = {"origin": server.url if headers.get("origin") == "own" else headers.get("origin")}
    given["cookie"] = mine if headers.get("cookie") == "mine" else headers.get("cookie")
    sent = {name: value for name, value in given.items() if value is not None}
    with pytest.raises(InvalidStatus) as stopped:
        connect(server.url.replace("http", "ws") + "/_nicegui_ws/", additional_headers=sent)
    assert stopped.value.response.status_code == 403


def test_a_body_that_says_it_is_too_large_is_refused_before_it_is_read(server, client):
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    head = (
        f"POST /api/studies HTTP/1.1\r\nHost: 127.0.0.1:{server.place.port}\r\nCookie: {cookie}\r\n"
        f"Content-Length: {2 << 30}\r\nConnection: close\r\n\r\nage"
    )
    with socket.create_connection(("127.0.0.1", server.place.port), timeout=60) as raw:
        raw.sendall(head.encode())
        answer = raw.recv(10_000)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"larger than 8 MB" in answer
    assert client.get("/api/studies").status_code == 200


@pytest.mark.parametrize("path", ["/api/studies", "/api/studies/0123456789abcdef/roles"])
def test_a_body_that_turns_out_too_large_is_refused(client, path):
    blocks = (b"a,b\n" * (1 << 18) for _ in range(12))
    try:
        refused(client.request("POST" if path == "/api/studies" else "PUT", path, content=blocks), 413)
    except httpx.TransportError:  # the server has answered and gone while we were still writing
        assert client.get("/api/studies").status_code == 200
    assert client.get("/api/studies").json() == {"studies": []}


def test_places_beyond_loopback_answer_to_their_own_name_alone():
    assert ListeningPlace.of("192.0.2.1", 80).hosts == {"192.0.2.1:80"}
    assert ListeningPlace.of("::1", 80).hosts == ListeningPlace.of("127.0.0.1", 80).hosts
    assert ListeningPlace.of("fe80::1", 80).origins == {"http://[fe80::1]:80"}


@pytest.mark.parametrize(
    "path",
    [
        "/api/studies/..%2f..%2fetc%2fpasswd",
        "/api/studies/../../etc/passwd",
        "/api/studies/%2e%2e/release.zip",
        "/api/studies/0123456789abcdef/../x",
        "/api/jobs/..%5c..%5cwindows",
        "//evil.example/",
        "/api/%00",
    ],
)
def test_tricks_with_paths_lead_nowhere(client, path):
    answer = client.send(
        client.build_request("GET", httpx.URL(str(client.base_url)).copy_with(raw_path=path.encode()))
    )
    assert answer.status_code in (404, 422)
    assert "root:" not in answer.text


def test_the_link_never_leads_elsewhere(server):
    with server.stranger() as stranger:
        url = httpx.URL(server.url).copy_with(
            raw_path=b"//evil.example/?token=" + server.sessions.token.encode()
        )
        answer = stranger.send(stranger.build_request("GET", url))
    assert answer.headers["location"] == "/"
