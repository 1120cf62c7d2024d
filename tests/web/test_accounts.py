"""Accounts that a proxy names: it alone is believed, and nobody can say to be another."""

from __future__ import annotations

import socket

import pytest
from websockets.exceptions import InvalidStatus

from shoal.errors import InputError
from shoal.web.server.listening import ListeningPlace, Proxy
from tests.web.conftest import SMALL, connect, run_server
from tests.web.test_guard import refused

NAME = "shoal.example.org"
SECRET = "0123456789abcdef0123"


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """A server behind a proxy, which the clients of these tests play."""
    proxy = Proxy.of([], "X-Forwarded-User")
    yield from run_server(SMALL, tmp_path_factory.mktemp("team"), names=[NAME], proxy=proxy)


def asked_by(server, account, **headers):
    """A client whose requests the proxy passes on."""
    passed = {"host": NAME, "x-forwarded-proto": "https", "x-forwarded-user": account}
    return server.stranger(**{**passed, **headers})


def signed_in(server, account):
    """A client of an account with its session."""
    with asked_by(server, account) as client:
        given = client.get("/").headers["set-cookie"]
    # The cookie is for https alone, so what the proxy hands on is put in by hand.
    return asked_by(server, account, cookie=given.partition(";")[0])


def test_an_account_needs_no_token_and_gets_a_secure_cookie(team):
    with asked_by(team, "alice") as client:
        answer = client.get("/roles", params={"study": "x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/roles?study=x")
    assert {"Secure", "HttpOnly", "SameSite=Strict"} <= set(answer.headers["set-cookie"].split("; "))


def test_an_account_has_one_session_in_all_its_browsers_and_another_has_another(team):
    with signed_in(team, "ann") as one, signed_in(team, "ann") as same, signed_in(team, "bob") as other:
        made = one.post("/api/studies/built-in", json={"rows": 50}).json()["id"]
        assert [each["id"] for each in same.get("/api/studies").json()["studies"]] == [made]
        assert other.get("/api/studies").json() == {"studies": []}
        assert other.get(f"/api/studies/{made}").status_code == 404


def test_a_program_asks_for_its_session_by_its_account(team):
    with asked_by(team, "robot") as client:
        refused(client.get("/api/studies"), 401)
        opened = client.post("/api/session")
        assert opened.status_code == 201
        assert "; Secure" in opened.headers["set-cookie"]
        client.headers["authorization"] = f"Bearer {opened.json()['session']}"
        assert client.get("/api/studies").json() == {"studies": []}


def test_the_cookie_of_one_account_is_of_no_use_to_another(team):
    """Whoever gets hold of a cookie, or is given another's, is still who the proxy says."""
    with signed_in(team, "carol") as carol, asked_by(team, "mallory") as mallory:
        mallory.headers["cookie"] = carol.headers["cookie"]
        refused(mallory.get("/api/studies"), 401)
        mallory.headers["authorization"] = "Bearer " + carol.headers["cookie"].partition("=")[2]
        refused(mallory.get("/api/studies"), 401)
        with pytest.raises(InvalidStatus):
            connect(
                f"ws://127.0.0.1:{team.place.port}/_nicegui_ws/socket.io/?client_id=x",
                additional_headers={**mallory.headers, "origin": f"https://{NAME}"},
            )


def test_the_servers_own_token_opens_nothing(team):
    with asked_by(team, "dave", authorization=f"Bearer {team.sessions.token}") as client:
        refused(client.get("/api/studies"), 401)
    with team.stranger() as stranger:
        assert stranger.get("/", params={"token": team.sessions.token}).status_code == 401
        header = {"authorization": f"Bearer {team.sessions.token}"}
        refused(stranger.post("/api/session", headers=header), 401)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["X-Forwarded-User:"],
        ["X-Forwarded-User: alice", "X-Forwarded-User: eve"],
        ["X-Forwarded-User: alice", "x-forwarded-user: alice"],
        ["X-Forwarded-User: alice, eve"],
        ["X-Forwarded-User: alice eve"],
        ["X_Forwarded_User: alice"],
        ["X-Forwarded-User: \xff\xfe"],
        ["X-Forwarded-User: " + "x" * 201],
        ["Remote-User: alice"],
    ],
)
def test_an_account_that_is_not_named_once_and_plainly_is_refused(team, lines):
    head = ["POST /api/session HTTP/1.1", f"Host: {NAME}", "Connection: close", *lines, "", ""]
    with socket.create_connection(("127.0.0.1", team.place.port), timeout=60) as raw:
        raw.sendall("\r\n".join(head).encode("latin-1"))
        assert raw.recv(4096).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    ("origin", "proto", "let"),
    [
        (f"https://{NAME}", "https", True),
        (f"http://{NAME}", "https", False),
        (f"https://{NAME}", "http", False),
        (f"https://{NAME}:8443", "https", False),
        (f"https://evil.{NAME}", "https", False),
        ("https://evil.example", "https", False),
        ("null", "https", False),
    ],
)
def test_an_origin_is_that_of_the_very_host_and_scheme(team, origin, proto, let):
    with signed_in(team, "erin") as client:
        headers = {"origin": origin, "x-forwarded-proto": proto}
        answer = client.put("/api/studies/0123456789abcdef/roles", json={"roles": {}}, headers=headers)
    assert answer.status_code == (404 if let else 403)


@pytest.mark.parametrize("host", ["evil.example", f"{NAME}.evil.example", f"{NAME}:1", "x" + NAME, ""])
def test_other_names_are_refused_as_ever(team, host):
    with signed_in(team, "frank") as client:
        refused(client.get("/api/studies", headers={"host": host}), 403)


def test_who_is_not_the_proxy_is_not_believed(tmp_path):
    """The tests connect from loopback, which is not the proxy here."""
    proxy = Proxy.of(["192.0.2.7"], "X-Forwarded-User")
    for server in run_server(SMALL, tmp_path, names=[NAME], proxy=proxy):
        with asked_by(server, "alice") as client:
            said = refused(client.post("/api/session"), 403)
            assert "answers only its proxy" in said
            assert client.get("/").status_code == 403
            assert "set-cookie" not in client.get("/").headers


def test_without_the_secret_nobody_is_believed(tmp_path):
    """Everybody on a machine can connect from loopback."""
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n")
    file.chmod(0o600)
    proxy = Proxy.of([], "X-Forwarded-User", file)
    for server in run_server(SMALL, tmp_path, names=[NAME], proxy=proxy):
        for given in ({}, {"x-shoal-proxy": "wrong"}, {"x-shoal-proxy": SECRET + "x"}):
            with asked_by(server, "alice", **given) as client:
                refused(client.post("/api/session"), 403)
        with asked_by(server, "alice", **{"x-shoal-proxy": SECRET}) as client:
            assert client.post("/api/session").status_code == 201


def test_without_accounts_the_header_means_nothing(server):
    with server.stranger(**{"x-forwarded-user": "alice"}) as stranger:
        refused(stranger.get("/api/studies"), 401)
        refused(stranger.post("/api/session"), 401)
    with server.client() as client:
        headers = {"x-forwarded-user": "alice"}
        assert client.get("/api/studies", headers=headers).status_code == 200


@pytest.mark.parametrize("address", ["10.1.2.3", "::ffff:10.1.2.3"])
def test_a_network_is_believed_by_its_addresses(address):
    proxy = Proxy.of(["10.1.0.0/16"])
    assert proxy.is_believed({"client": (address, 1), "headers": []})
    for other in ("127.0.0.1", "10.2.0.1", "::1", "unix:", ""):
        assert not proxy.is_believed({"client": (other, 1), "headers": []})
    assert not proxy.is_believed({"client": None, "headers": []})


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"addresses": ["0.0.0.0/0"]}, "means everybody"),
        ({"addresses": ["proxy.example"]}, "is not the address of a proxy"),
        ({"account_header": "Cookie"}, "cannot be the header for accounts"),
        ({"account_header": "X User"}, "cannot be the header for accounts"),
    ],
)
def test_options_that_would_believe_everybody_are_refused(options, what):
    with pytest.raises(InputError, match=what):
        Proxy.of(**options)


@pytest.mark.parametrize(
    ("text", "mode"), [("short", 0o600), (SECRET, 0o644), ("x" * 20 + "\ny", 0o600)]
)
def test_a_secret_that_is_none_is_refused(tmp_path, text, mode):
    file = tmp_path / "secret"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(InputError, match="secret"):
        Proxy.of([], None, file)
    with pytest.raises(InputError, match="No such file"):
        Proxy.of([], None, tmp_path / "nothing")


def test_names_of_hosts():
    assert ListeningPlace.of("127.0.0.1", 8642, [NAME]).names == {NAME, f"{NAME}:8642"}
    assert ListeningPlace.of("127.0.0.1", 8642, [f"{NAME}:8443"]).names == {f"{NAME}:8443"}
    for bad in ("https://x", "a b", "", "*", "a/b"):
        with pytest.raises(InputError, match="not the name of a host"):
            ListeningPlace.of("127.0.0.1", 8642, [bad])


def test_every_address_of_a_machine_needs_a_name(shoal):
    status, _, errors = shoal("serve", "--no-browser", "--host", "0.0.0.0")
    assert status == 2
    assert "--allowed-host" in errors
    assert errors.count("\n") == 1
