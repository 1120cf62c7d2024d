"""The audit log says who did what to which study, and nothing of what is in it."""

from __future__ import annotations

import json
import os
import stat
from contextlib import closing

import pytest

from shoal.errors import InputError
from shoal.web.server.audit_log import DONE, Audit
from shoal.web.server.sessions import Sessions
from shoal.web.workspace.workspace import Workspace
from tests.web.conftest import SMALL, take

SAID = ("Zebulon", "02138", "age-of-person", "flu", "my-secret-file", "k9")
TABLE = "name,age-of-person,zip,disease\n" + "".join(
    f"Zebulon{i},{20 + i % 9},0213{i % 5},{'flu' if i % 2 else 'cold'}\n" for i in range(60)
)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "audit.jsonl"


@pytest.fixture
def session(log, tmp_path):
    sessions = Sessions(SMALL, root=tmp_path, audit=Audit(log))
    yield sessions.of_account("alice")
    sessions.close()


def told(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_what_is_done_is_told_in_its_order_and_nothing_else(log, session):
    work = take(session, [TABLE.encode()], "my-secret-file.csv")
    work.decisions.set_roles({"name": "identifying", "disease": ["sensitive"]})
    work.decisions.import_hierarchy(
        "zip", work.decisions.export_hierarchy("zip").encode()
    )  # which lists it, too
    work.questions.risk()
    for k in (2, 3, 4):
        work.questions.negotiate(k=k)
    solution = work.questions.anonymize(algorithm="flash", k=2, suppress="50%")
    work.pins.add(solution, "k9")
    made = work.releases.make(solution)
    work.releases.acknowledge([one["code"] for one in made["warnings"]])
    work.releases.download()
    work.releases.verify()
    with pytest.raises(InputError):
        work.decisions.set_roles({"nothing": "quasi"})
    work.decisions.undo()
    key = work.key
    session.delete(key)
    lines = told(log)
    assert [one["did"] for one in lines if one["study"] == key] == [
        "opened", "decided roles", "downloaded a hierarchy", "decided hierarchies",
        "asked risk", "asked negotiate", "asked anonymize", "decided pins",
        "released", "acknowledged warnings", "downloaded the release", "verified",
        "took a decision back or again", "closed",
    ]  # fmt: skip
    assert lines[0]["did"] == "opened a session"
    assert {one["account"] for one in lines} == {"alice"}
    assert {one["session"] for one in lines} == {session.name}
    assert {frozenset(one) for one in lines} == {
        frozenset(["time", "account", "session", "study", "did"])
    }
    text = log.read_text()
    assert not [word for word in SAID if word in text]
    assert session.key not in text


def test_the_end_of_a_session_is_told(log, tmp_path):
    sessions = Sessions(SMALL, root=tmp_path, audit=Audit(log))
    sessions.end(sessions.open())
    sessions.close()
    sessions.close()
    assert [one["did"] for one in told(log)] == ["opened a session", "ended the session"]
    assert told(log)[0]["account"] is None


def test_every_word_is_of_a_method_that_workspaces_have(tmp_path):
    with closing(Workspace.of_built_in(tmp_path, SMALL, rows=20)) as work:
        for part, methods in DONE.items():
            assert [
                name for name in methods if not callable(getattr(getattr(work, part), name, None))
            ] == []


def test_it_is_its_owners_alone_and_only_added_to(log):
    log.write_text("before\n")
    log.chmod(0o644)
    mask = os.umask(0)
    try:
        audit = Audit(log)
    finally:
        os.umask(mask)
    audit.tell("a\nb", "s", "opened")
    audit.close()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    before, line = log.read_text().splitlines()
    assert before == "before"
    assert json.loads(line)["account"] == "a\nb"


def test_a_link_or_a_folder_is_no_log(log, tmp_path):
    log.symlink_to(tmp_path / "elsewhere")
    for place in (log, tmp_path, tmp_path / "no" / "such"):
        with pytest.raises(InputError, match="cannot keep an audit log here"):
            Audit(place)


def test_nothing_is_handed_out_that_cannot_be_told(session, monkeypatch):
    work = session.make(lambda root: Workspace.of_built_in(root, SMALL, rows=100))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shoal.web.server.audit_log.os.write", full)
    with pytest.raises(InputError, match="the audit log cannot be written"):
        work.decisions.export_hierarchy("age")
    with pytest.raises(InputError, match="the audit log cannot be written"):
        session.make(lambda root: Workspace.of_built_in(root, SMALL, rows=100))
    assert sorted(path.name for path in session.folder.iterdir()) == [work.key]
    session.end()
    assert not session.folder.exists()
