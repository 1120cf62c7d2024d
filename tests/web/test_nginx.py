"""Behind nginx, with the very blocks that docs/team.md shows: TLS, accounts, sockets, and no forgeries."""

from __future__ import annotations

import getpass
import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.docs.pages import ROOT, blocks
from tests.web.conftest import connect
from tests.web.test_stop import SHOAL

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(
    NGINX is None or OPENSSL is None, reason="no nginx or openssl on this machine (Debian: nginx-light)"
)
NAME = "shoal.example.org"
DOCS = ROOT / "docs" / "team.md"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def block_of_the_docs(language: str, *instead: tuple[str, str], place: int = 0) -> str:
    """A block that the page shows, with ports, paths and users of this test."""
    text = [one.text for one in blocks(DOCS) if one.language == language][place]
    for shown, here in instead:
        assert shown in text
        text = text.replace(shown, here)
    return text


def run(*command: str, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, **more)


@contextmanager
def started(command, **more):
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """The address of a Shoal behind nginx, and its audit log."""
    folder = tmp_path_factory.mktemp("nginx")
    listen, behind = free_port(), free_port()
    run(
        OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1",
        "-keyout", f"{folder}/shoal.key", "-out", f"{folder}/shoal.crt",
    )  # fmt: skip
    users = [f"{who}:{run(OPENSSL, 'passwd', '-apr1', 'pw-' + who).stdout}" for who in ("alice", "bob")]
    (folder / "shoal.htpasswd").write_text("".join(users))
    user, proxy = ("-o shoal", f"-o {getpass.getuser()}"), ("/etc/nginx/", f"{folder}/")
    own = ("/etc/shoal/", f"{folder}/")
    run("sh", "-e", "-c", block_of_the_docs("sh", user, own, proxy))
    for written in ("proxy-secret", "shoal-secret.conf"):
        assert (folder / written).stat().st_mode & 0o777 == 0o600
    temp = "".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # Started by root, nginx would work as a user who may not read pytest's folders.
    who = "user root;" if os.geteuid() == 0 else ""
    listening = ("listen 443 ssl;", f"listen 127.0.0.1:{listen} ssl;")
    server = block_of_the_docs("nginx", listening, ("127.0.0.1:8642", f"127.0.0.1:{behind}"), proxy)
    (folder / "nginx.conf").write_text(
        f"{who} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
        "events {}\n"
        f"http {{ access_log off; {temp}\n{server} }}\n"
    )
    hosts = ("--allowed-host shoal.example.org", f"--allowed-host {NAME}:{listen}")
    ports, logs = ("8642", str(behind)), ("/var/log/shoal/", f"{folder}/")
    command = block_of_the_docs("sh", hosts, ports, own, logs, place=1).replace("\\\n", " ")
    shoal = [str(SHOAL), *shlex.split(command)[1:], "--allowed-host", f"127.0.0.1:{listen}"]
    with (
        started(shoal, cwd=folder) as server,
        started([NGINX, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]) as proxy,
    ):
        said = server.stdout.readline()
        assert "for the proxy" in said, said
        assert "token" not in said
        until = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", listen), timeout=5).close()
                break
            except OSError:
                assert proxy.poll() is None, (folder / "error.log").read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
        yield listen, behind, folder


def trusting(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "shoal.crt"))


def client_of(team, who: str, **headers: str) -> httpx.Client:
    listen, _, folder = team
    return httpx.Client(
        base_url=f"https://127.0.0.1:{listen}",
        verify=trusting(folder),
        auth=(who, f"pw-{who}"),
        headers=headers,
        timeout=60,
    )


def test_a_page_its_socket_and_the_api_go_through_the_proxy(team):
    listen, _, folder = team
    origin = f"https://127.0.0.1:{listen}"
    with client_of(team, "alice") as client:
        answer = client.get("/")
        assert answer.status_code == 303
        assert {"Secure", "HttpOnly", "SameSite=Strict"} <= set(answer.headers["set-cookie"].split("; "))
        page = client.get("/")
        assert page.status_code == 200
        assert f"wss://127.0.0.1:{listen}" in page.headers["content-security-policy"]
        assert page.headers["strict-transport-security"]
        assert "Stays on this server" in page.text
        name = re.search(r"client_id['\"]*: *['\"]([\w-]+)", page.text)[1]
        cookie = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
        sign = httpx.BasicAuth("alice", "pw-alice")._build_auth_header("alice", "pw-alice")
        address = (
            f"wss://127.0.0.1:{listen}/_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id={name}"
        )
        sent = {"cookie": cookie, "authorization": sign}
        with connect(
            address, additional_headers={**sent, "origin": origin}, ssl=trusting(folder)
        ) as opened:
            assert opened.recv(timeout=60).startswith("0{")
        with pytest.raises(Exception, match="403"):
            connect(
                address,
                additional_headers={**sent, "origin": "https://evil.example"},
                ssl=trusting(folder),
            )
        made = client.post("/api/studies/built-in", json={"rows": 60}, headers={"origin": origin})
        assert made.status_code == 201
        evil = client.post(
            "/api/studies/built-in", json={"rows": 60}, headers={"origin": "https://evil.example"}
        )
        assert evil.status_code == 403
        study = f"/api/studies/{made.json()['id']}"
        assert client.post(f"{study}/negotiate", json={"k": 2}).status_code == 200
        table = b"age,zip\n" + b"31,02138\n" * 1000
        assert client.post("/api/studies", content=table).status_code == 201
    with client_of(team, "bob") as other:
        assert other.post("/api/session").status_code == 201
        assert other.get("/api/studies").json() == {"studies": []}
        assert other.get(study).status_code == 404
    log = [json.loads(line) for line in (folder / "audit.jsonl").read_text().splitlines()]
    assert {one["account"] for one in log} == {"alice", "bob"}
    assert [one["did"] for one in log if one["study"] == made.json()["id"]] == [
        "opened",
        "asked negotiate",
    ]


def test_a_program_signs_in_as_the_page_says_and_the_log_is_as_it_shows(team, monkeypatch):
    listen, _, folder = team
    here = (
        (f"https://{NAME}", f"https://127.0.0.1:{listen}"),
        ('("robot", "...")', '("alice", "pw-alice")'),
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "shoal.crt"))
    names: dict[str, httpx.Client] = {}
    exec(compile(block_of_the_docs("python", *here), "docs/team.md", "exec"), names)
    assert names["server"].get("/api/studies").status_code == 200
    names["server"].close()
    shown = json.loads(block_of_the_docs("json"))
    log = [json.loads(line) for line in (folder / "audit.jsonl").read_text().splitlines()]
    assert {frozenset(line) for line in log} == {frozenset(shown)}
    assert shown["account"] in {line["account"] for line in log}


def test_nobody_is_another_by_headers_of_his_own(team):
    """The proxy puts its own in their place."""
    secret = (team[2] / "proxy-secret").read_text().strip()
    forged = {"x-forwarded-user": "alice", "x-shoal-proxy": secret, "x-forwarded-proto": "http"}
    with client_of(team, "alice") as alice:
        assert alice.post("/api/session").status_code == 201
        assert alice.post("/api/studies/built-in", json={"rows": 50}).status_code == 201
    with client_of(team, "bob", **forged) as client:
        opened = client.post("/api/session")
        assert opened.status_code == 201
        assert "; Secure" in opened.headers["set-cookie"]
        assert client.get("/api/studies").json() == {"studies": []}
    listen, _, folder = team
    with httpx.Client(
        base_url=f"https://127.0.0.1:{listen}", verify=trusting(folder), headers=forged, timeout=60
    ) as client:
        assert client.post("/api/session").status_code == 401  # by nginx: nobody has signed in


def test_who_goes_around_the_proxy_gets_nothing(team):
    listen, behind, _ = team
    for headers in (
        {"x-forwarded-user": "alice"},
        {"x-forwarded-user": "alice", "x-shoal-proxy": "x" * 64},
        {"x-forwarded-user": "alice", "host": f"{NAME}:{listen}", "x-forwarded-proto": "https"},
    ):
        answer = httpx.post(f"http://127.0.0.1:{behind}/api/session", headers=headers)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_a_name_that_is_not_allowed_is_refused_behind_the_proxy_too(team):
    with client_of(team, "alice", host="evil.example") as client:
        answer = client.post("/api/session")
    assert answer.status_code == 403
    assert "does not answer to that host" in answer.text
