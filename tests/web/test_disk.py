"""Sessions have so much of the disk, each and together; what is refused says so, and room comes back."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import pytest

from shoal.errors import FullError, InputError
from shoal.web.server.disk import Disk, used
from shoal.web.server.sessions import Sessions
from tests.web.conftest import SMALL, run_server, take
from tests.web.test_guard import refused

MINE, ALL = 1_000_000, 1_500_000
TABLE = b"age,zip\n" + b"31,02138\n" * 70_000
"""630 KB: one in a session fits, two do not; and not three in all sessions."""


@pytest.fixture
def tight(tmp_path):
    limits = replace(SMALL, session_disk_bytes=MINE, disk_bytes=ALL, rows=100_000)
    yield from run_server(limits, tmp_path)


def test_a_session_has_its_share_and_gets_room_back(tight):
    with tight.client() as client:
        one = client.post("/api/studies", content=TABLE)
        assert one.status_code == 201
        said = refused(client.post("/api/studies", content=TABLE), 507)
        assert "your studies use" in said
        assert "delete one first" in said
        assert used(tight.sessions.root) < MINE  # nothing is left of what was refused
        assert client.delete(f"/api/studies/{one.json()['id']}").status_code == 204
        assert client.post("/api/studies", content=TABLE).status_code == 201


def test_all_sessions_together_have_theirs_and_room_comes_back_with_their_end(tight):
    with tight.client() as first, tight.client() as second, tight.client() as third:
        assert first.post("/api/studies", content=TABLE).status_code == 201
        assert second.post("/api/studies", content=TABLE).status_code == 201
        assert "this server's disk is full" in refused(third.post("/api/studies", content=TABLE), 507)
        assert first.delete("/api/session").status_code == 204
        assert third.post("/api/studies", content=TABLE).status_code == 201


def test_an_upload_is_refused_while_it_arrives(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.web.server.intake.LOOK", 1000)
    sessions = Sessions(replace(SMALL, session_disk_bytes=10_000), root=tmp_path)
    session = sessions.open()
    taken = 0

    def blocks():
        nonlocal taken
        for _ in range(100):
            taken += 1000
            yield b"x" * 1000

    with pytest.raises(FullError):
        take(session, blocks(), "much")
    assert taken <= 12_000
    assert used(session.folder) == 0
    sessions.close()


def test_what_unpacks_to_more_than_there_is_room_for_is_refused(tmp_path):
    import gzip

    sessions = Sessions(replace(SMALL, session_disk_bytes=MINE), root=tmp_path)
    session = sessions.open()
    with pytest.raises(InputError, match="larger than 9"):
        take(session, [gzip.compress(TABLE * 3)], "packed")
    assert used(session.folder) == 0
    sessions.close()


def test_a_release_to_verify_that_unpacks_to_more_than_there_is_room_for_is_refused(tmp_path):
    sessions = Sessions(replace(SMALL, session_disk_bytes=MINE), root=tmp_path)
    session = sessions.open()
    upload = session.upload_path()
    with zipfile.ZipFile(upload, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("out.csv", TABLE * 3)
        packed.writestr("out.csv.certificate.json", "{}")
    with pytest.raises(InputError, match="unpacked, the release is larger than 9"):
        session.verify_file(upload)
    assert used(session.folder) == 0
    sessions.close()


def test_a_release_that_has_no_room_is_refused_and_leaves_nothing(tmp_path):
    sessions = Sessions(SMALL, root=tmp_path)
    session = sessions.open()
    work = session.make(_built_in)
    solution = work.questions.anonymize(algorithm="flash", k=2, suppress="5%")
    before = used(session.folder)
    session.disk = Disk(sessions.root, replace(SMALL, session_disk_bytes=before + 1))
    with pytest.raises(FullError):  # found when it is written, if not before
        work.releases.make(solution)
    assert work.releases.current() is None
    assert not list(work.bench.folder.glob("release*"))
    session.disk = Disk(sessions.root, SMALL)
    assert work.releases.make(solution)["file"] == "anonymized.csv"
    sessions.close()


def _built_in(root):
    from shoal.web.workspace.workspace import Workspace

    return Workspace.of_built_in(root, SMALL, rows=200)


def test_the_disk_itself_is_kept_from_being_full(tmp_path):
    with pytest.raises(FullError, match="this server's disk is full"):
        Disk(tmp_path, replace(SMALL, free_disk_bytes=1 << 60)).left(tmp_path)
