"""Sessions do not see each other, their folders are private, and nothing of them stays."""

from __future__ import annotations

import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shoal.errors import EndedError, TooManyError
from shoal.web.server.disk import PrivateFolder
from shoal.web.server.server_limits import Limits
from shoal.web.server.sessions import Sessions
from shoal.web.workspace.workspace import Workspace
from tests.web.test_guard import refused


def test_two_sessions_do_not_see_each_other(server, client, study):
    with server.client() as other:
        assert other.get("/api/studies").json() == {"studies": []}
        key = study.rpartition("/")[2]
        for method, path in (
            ("GET", ""), ("DELETE", ""), ("GET", "/risk"), ("POST", "/negotiate"), ("GET", "/release.zip"),
            ("POST", "/undo"), ("GET", "/rows"), ("GET", "/compare"),
        ):  # fmt: skip
            body = {"k": 2} if path == "/negotiate" else None
            refused(other.request(method, f"/api/studies/{key}{path}", json=body), 404)
        made = other.post("/api/studies/built-in", json={"rows": 40}).json()
        assert len(client.get("/api/studies").json()["studies"]) == 1
        refused(client.get(f"/api/studies/{made['id']}"), 404)
    assert client.get(study).status_code == 200  # the other's end is not this one's


def test_folders_are_private_and_go_with_their_sessions(server):
    with server.client() as client:
        client.post("/api/studies/built-in", json={"rows": 40})
        session = server.sessions.get(client.cookies[server.place.cookie])
        for folder in (
            server.sessions.root,
            session.folder,
            *(w.bench.folder for w in session.studies.values()),
        ):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not session.folder.exists()


@pytest.mark.parametrize("early", [True, False])
def test_a_study_that_is_made_for_an_ended_session_is_gone_with_it(server, early):
    with server.client() as client:
        session = server.sessions.get(client.cookies[server.place.cookie])

        def make(root):
            if early:
                server.sessions.end(session)
            made = Workspace.of_built_in(root, session.limits, rows=40)
            server.sessions.end(session)
            return made

        with pytest.raises(EndedError, match="has ended"):
            session.make(make)
        assert session.studies == {}
        assert not session.folder.exists()


def test_many_sessions_at_once_are_not_mixed(server):
    """Twenty programs, each with a table of its own size, ask at the same time."""

    def ask(i):
        with server.client() as client:
            rows = 30 + i
            made = client.post("/api/studies/built-in", json={"rows": rows, "seed": i}).json()
            study = f"/api/studies/{made['id']}"
            for k in (2, 3, rows):
                answer = client.post(f"{study}/negotiate", json={"k": k}).json()
                found = answer["exact"] or answer["suggestions"]["suppression"]
                assert found is None or found["suppressed"] < rows
            seen = client.get("/api/studies").json()["studies"]
            assert [one["rows"] for one in seen] == [rows]
            return client.get(f"{study}/risk").json()["rows"]

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(ask, range(20))) == [30 + i for i in range(20)]


def test_one_study_is_asked_by_many_at_once(client, study):
    """Whatever is asked at the same time, the answers are those of asking one after the other."""
    questions = [
        ("GET", "/risk", None),
        ("GET", "/tree?column=zip", None),
        ("GET", "/hierarchy?column=age", None),
        ("POST", "/negotiate", {"k": 3, "max_suppressed": "5%"}),
        ("POST", "/frontier", {"suppress": "1%"}),
        ("POST", "/explain", {"k": 9, "heights": {"age": 1}}),
        ("GET", "/compare", None),
    ]

    def ask(question):
        method, path, body = question
        answer = client.request(method, study + path, json=body)
        if answer.status_code == 429:  # as many jobs as there may be
            return None
        document = answer.json()
        return {name: document[name] for name in document if name not in ("seconds", "milliseconds")}

    client.put(f"{study}/levels", params={"column": "zip"}, json={"min_level": 1})
    with ThreadPoolExecutor(7) as pool:
        together = list(pool.map(ask, questions * 3))
    alone = list(map(ask, questions))
    for place, answer in enumerate(together):
        assert answer in (alone[place % len(questions)], None)
    assert None not in alone


def test_there_are_so_many_sessions_and_idle_ones_make_room(tmp_path):
    limits = replace(Limits(), sessions=2)
    sessions = Sessions(limits, root=tmp_path)
    first, second = sessions.open(), sessions.open()
    with pytest.raises(TooManyError, match="2 sessions are open"):
        sessions.open()
    sessions.get(first.key)  # seen later than the second
    sessions.limits = replace(limits, idle_seconds=0)
    third = sessions.open()
    assert sessions.get(second.key) is None
    assert not second.folder.exists()
    assert sessions.get(first.key) is first
    assert third.folder.is_dir()
    sessions.close()
    sessions.close()
    assert list(tmp_path.iterdir()) == []


def test_secrets_are_long_and_random(tmp_path):
    sessions = Sessions(Limits(), root=tmp_path)
    keys = {sessions.token, *(sessions.open().key for _ in range(20))}
    assert len(keys) == 21
    assert all(len(key) >= 43 for key in keys)
    assert sessions.is_token(sessions.token)
    assert not sessions.is_token(sessions.token[:-1])
    sessions.close()


def test_what_a_killed_server_left_is_removed_by_the_next(tmp_path):
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom shoal.web.server.disk import PrivateFolder\n"
        "made = PrivateFolder(Path(sys.argv[1]))\n(made.path / 'secret').write_text('x')\nos._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    alive = PrivateFolder(tmp_path)
    assert not left.exists()
    other = PrivateFolder(tmp_path)
    assert alive.path.is_dir()  # it is in use
    for folder in (alive, other):
        folder.remove()
    assert list(tmp_path.iterdir()) == []
