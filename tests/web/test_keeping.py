"""Work that outlives the server: saved as a project, or kept in a folder; public and private files apart."""

from __future__ import annotations

import io
import json
import stat
import zipfile

import pytest

from shoal.errors import InputError
from shoal.web.server.kept_folder import KeptFolder
from shoal.web.server.server_limits import Limits
from shoal.web.server.sessions import Sessions
from shoal.web.workspace.releasing import PARTS
from shoal.web.workspace.workspace import Workspace
from tests.web.test_guard import refused

STUDY = b"table: table.csv\nattributes: {age: {role: quasi, hierarchy: {mask: {digits: 1}}}}\n"


def pinned(work: Workspace) -> None:
    """Decide some things in a workspace, and pin a solution by groups."""
    work.decisions.set_roles({"occupation": ["insensitive"], "outcome": ["undecided"]})
    work.decisions.set_weight("age", "2")
    work.decisions.set_levels("zip", 1, 4)
    work.decisions.set_title("Mine")
    for k in (2, 3):
        work.pins.add(work.questions.anonymize("mondrian", k=k, suppress="5%"), f"the one for {k}")
    work.pins.remove(work.bench.state.pins[0].key)


def told(work: Workspace) -> tuple:
    state = work.bench.state
    columns = {name: (c.roles, c.weight, c.min_level, c.max_level) for name, c in state.columns.items()}
    pins = [(pin.title, pin.letter, dict(pin.solution)) for pin in state.pins]
    return state.title, columns, dict(state.units), pins


def test_a_project_opens_as_it_was_saved(server, client):
    key = client.post("/api/studies/built-in", json={"rows": 300}).json()["id"]
    session = server.sessions.get(client.cookies[server.place.cookie])
    pinned(session.studies[key])
    before = told(session.studies[key])
    saved = client.get(f"/api/studies/{key}/project.shoal").content
    client.delete(f"/api/studies/{key}")
    opened = client.post("/api/studies", params={"name": "mine.shoal"}, content=saved)
    assert opened.status_code == 201, opened.text
    work = session.studies[opened.json()["id"]]
    assert told(work) == before
    # What was pinned is released as before.
    made = work.releases.make(work.bench.state.pins[0].solution)
    assert made["certificate"]["measured"]["k"] >= 3
    with zipfile.ZipFile(io.BytesIO(client.get(f"/api/studies/{work.key}/study.zip").content)) as packed:
        assert "study.yaml" in packed.namelist()
        assert not any(name.startswith("table") for name in packed.namelist())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"project.json": None}, "no project"),
        ({"project.json": b"{"}, "damaged"),
        ({"project.json": b'{"title": "x", "table": "../../etc/passwd"}'}, "no table"),
        ({"project.json": b'{"title": "x", "table": "table.csv", "pins": [7, {"solution": {}}]}'}, ""),
        ({"project.json": b'{"title": "x", "table": "table.csv", "pins": 7, "wishes": 7}'}, ""),
        ({"study.yaml": STUDY.replace(b"age", b"nothing")}, "no column"),
        ({"table.csv": b""}, "empty"),
    ],
)  # fmt: skip
def test_a_project_that_was_tampered_with_is_refused_or_harmless(client, change, said):
    files = {
        "project.json": json.dumps({"title": "x", "table": "table.csv"}).encode(),
        "study.yaml": STUDY,
        "table.csv": b"age,sex\n1,m\n2,f\n",
        "../outside.csv": b"never written",
    } | change
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as writing:
        for name, text in files.items():
            if text is not None:
                writing.writestr(name, text)
    answer = client.post("/api/studies", params={"name": "x.shoal"}, content=packed.getvalue())
    if said:
        assert said in refused(answer, 422)
        assert client.get("/api/studies").json()["studies"] == []
    else:
        assert answer.status_code == 201, answer.text
        assert answer.json()["pins"] == 0
    refused(client.post("/api/studies", params={"name": "x.shoal"}, content=b"not a zip"), 422)


def test_public_and_private_files_are_two_downloads(client, study):
    asked = {"algorithm": "anatomy", "l": 2}
    solution = client.post(f"{study}/anonymize", json=asked).json()
    made = client.post(f"{study}/release", params={"wait": 60}, json={"solution": solution})
    assert made.status_code == 200, made.text
    codes = client.get(f"{study}/release").json()["to_acknowledge"]
    refused(client.get(f"{study}/release.zip", params={"part": "public"}), 409)
    client.post(f"{study}/release/acknowledge", json={"codes": codes})
    names = {}
    for part in PARTS:
        content = client.get(f"{study}/release.zip", params={"part": part}).content
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            names[part] = {*packed.namelist()}
    assert names["public"] | names["private"] == names["all"]
    assert not names["public"] & names["private"]
    assert "anonymized.csv.sensitive.csv" in names["public"]
    for private in ("anonymized.csv.record.json", "solution.json", "study.yaml", "release.py"):
        assert private in names["private"]
    refused(client.get(f"{study}/release.zip", params={"part": "some"}), 422)


def test_kept_work_is_there_again_for_its_owner_alone(tmp_path):
    keep = tmp_path / "kept"
    sessions = Sessions(Limits(), root=tmp_path, keep=keep)
    with pytest.raises(InputError, match="another server keeps its work here"):
        KeptFolder(keep)
    mine, other = sessions.open(), sessions.open("ann")
    work = mine.make(lambda root: Workspace.of_built_in(root, Limits(), rows=200))
    pinned(work)
    before, key = told(work), work.key
    theirs = other.make(lambda root: Workspace.of_built_in(root, Limits(), rows=100)).key
    (mine.folder / "upload-left").write_text("half an upload")
    sessions.close()
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in keep.rglob("*")}
    assert modes
    again = Sessions(Limits(), root=tmp_path, keep=keep)
    # Whoever keeps it may have copied it with other rights; they are taken away at the start.
    assert {
        m for p, m in ((p, stat.S_IMODE(p.stat().st_mode)) for p in keep.rglob("*")) if m & 0o077
    } == set()
    session = again.open()
    assert list(session.studies) == [key]
    assert told(session.studies[key]) == before
    assert session.studies[key].bench.history.can_undo
    assert not list(session.folder.glob("upload-*"))
    assert list(again.open("ann").studies) == [theirs]
    assert again.open().studies == {}
    # What its owner closes is gone.
    session.delete(key)
    again.close()
    last = Sessions(Limits(), root=tmp_path, keep=keep)
    assert last.open().studies == {}
    last.close()


def test_what_cannot_be_opened_again_is_set_aside(tmp_path, caplog):
    keep = tmp_path / "kept"
    sessions = Sessions(Limits(), root=tmp_path, keep=keep)
    session = sessions.open()
    work = session.make(lambda root: Workspace.of_built_in(root, Limits(), rows=100))
    sessions.close()
    (session.folder / work.key / "history.json").write_text("{")
    again = Sessions(Limits(), root=tmp_path, keep=keep)
    assert again.open().studies == {}
    assert "cannot be opened again" in caplog.text
    assert len(list(keep.glob(f"unreadable-{work.key}-*"))) == 1
    again.close()
