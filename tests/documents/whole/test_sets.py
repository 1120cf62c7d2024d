"""A set of files is the old one or the new one, whole, at whichever step its writer dies."""

from __future__ import annotations

import json
import os
import shutil
import stat

import pytest

from shoal.data import opening
from shoal.documents.whole import journal
from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.journal import Journal, settle
from shoal.errors import InputError, TakenError
from shoal.release.papers import staging
from shoal.release.papers.staging import Staging
from tests.documents.whole.dying import DEAD, deaths, dies

OLD = ("", ".certificate.json", ".record.json", ".mappings", ".sensitive.csv")
NEW = ("", ".certificate.json", ".record.json", ".mappings", ".public.html", ".report.html")
PRIVATE = {".record.json", ".report.html", ".mappings"}


def write(out, suffixes, text, force):
    with Staging(out, force) as made:
        for suffix in suffixes:
            place = made.path(suffix)
            if suffix == ".mappings":
                place.mkdir()
                place /= "age.csv"
            place.write_text(text)
        made.prepare()
        made.move_in()


def dying_before(name, out):
    """Write, and die at the first call of a function; of `_move` at the third."""
    left = [3 if name == "_move" else 1]

    def instead(*given, **named):
        left[0] -= 1
        if not left[0]:
            os._exit(DEAD)
        return kept(*given, **named)

    home = Journal if name == "write" else staging if hasattr(staging, name) else journal
    kept = getattr(home, name)
    setattr(home, name, instead)
    write(out, NEW, "new", True)


def found(out):
    """The files of an output, by what each adds to its name, and all else that lies beside it."""
    texts = {}
    for path in out.parent.rglob("*"):
        if path.is_file():
            name = path.relative_to(out.parent).as_posix()
            texts[name.removeprefix(out.name).removesuffix("/age.csv")] = path.read_text()
    return texts


def whole(suffixes, text):
    return dict.fromkeys(suffixes, text)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """A kill does not lose what the kernel has: nothing here waits for the disk."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def out(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / "out [1]%s.csv"


def afresh(out, *, old):
    def make():
        shutil.rmtree(out.parent)
        out.parent.mkdir()
        if old:
            write(out, OLD, "old", False)

    return make


@pytest.mark.parametrize("force", [True, False])
def test_killed_at_any_step_the_old_or_the_new_set_stands_whole(out, force):
    before = whole(OLD, "old") if force else {}
    seen = []
    for _ in deaths(out.parent, lambda: write(out, NEW, "new", force), afresh(out, old=force)):
        for path in out.parent.iterdir():
            if path.name.startswith(".") or path.name.removeprefix(out.name) in PRIVATE:
                assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0, path
        settle(out)
        assert found(out) in (before, whole(NEW, "new"))
        seen.append(found(out) != before)
    assert len(seen) > 30
    # Old until the one step, new from then on, and both happen.
    assert seen == sorted(seen)
    assert True in seen
    assert False in seen
    assert found(out) == whole(NEW, "new")
    assert stat.S_IMODE(out.stat().st_mode) == 0o666  # for the public, by the umask of the writer


def test_who_settles_may_be_killed_too(out):
    def die(work):
        afresh(out, old=True)()
        assert dies(out.parent, 10**6, work)

    # Dead before the journal is written, before the one step, after it, and when half is moved in.
    for last in ("write", "commit", "roll_forward", "_move"):

        def die_first(last=last):
            die(lambda: dying_before(last, out))

        outcomes = []
        for _ in deaths(out.parent, lambda: settle(out), die_first):
            settle(out)
            assert found(out) in (whole(OLD, "old"), whole(NEW, "new"))
            outcomes.append(found(out))
        assert outcomes == outcomes[:1] * len(outcomes)


def test_a_paper_leads_to_its_output(out):
    write(out, OLD, "old", False)
    assert dies(out.parent, 10**6, lambda: dying_before("roll_forward", out))
    assert found(out)[""] == "old"
    settle(out.with_name(out.name + ".certificate.json"))
    assert found(out) == whole(NEW, "new")


def test_one_of_two_writers_is_refused_and_a_living_ones_work_is_left_alone(out):
    write(out, OLD, "old", False)
    with Staging(out, True) as made:
        made.path().write_text("half")
        with pytest.raises(TakenError, match=r"out \[1\]%s\.csv: is being written by another run"):
            write(out, NEW, "new", True)
        settle(out)
        assert hidden(out, "new").is_dir()
        assert {name for name in found(out) if not name.startswith(".out")} == set(OLD)
    assert found(out) == whole(OLD, "old")


def test_a_claim_outlives_neither_its_file_nor_its_owner(out):
    first = Claim(out)
    with pytest.raises(TakenError):
        Claim(out)
    first.release()
    assert list(out.parent.iterdir()) == []
    assert not dies(out.parent, 10**6, lambda: Claim(out))
    Claim(out).release()
    assert list(out.parent.iterdir()) == []


@pytest.mark.parametrize("suffix", ["", ".certificate.json", ".mappings"])
def test_a_link_that_leads_nowhere_is_something_that_is_there(out, suffix):
    link = out.with_name(out.name + suffix)
    link.symlink_to(out.parent / "elsewhere")
    with pytest.raises(InputError, match="already exists"):
        write(out, NEW, "new", False)
    assert link.is_symlink()
    assert [path.name for path in out.parent.iterdir()] == [link.name]
    write(out, NEW, "new", True)
    assert not link.is_symlink()
    assert not (out.parent / "elsewhere").exists()
    assert found(out) == whole(NEW, "new")


def test_a_folder_in_the_place_of_a_file_is_never_removed(out):
    (out / "mine").mkdir(parents=True)
    with pytest.raises(InputError, match="is a folder"):
        write(out, NEW, "new", True)
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert (out / "mine").is_dir()


def test_another_program_that_takes_the_name_meanwhile_keeps_it(out, monkeypatch):
    commit = staging.commit

    def late(path):
        commit(path)
        path.write_text("theirs")

    monkeypatch.setattr(staging, "commit", late)
    with pytest.raises(InputError, match="already exists"):
        write(out, NEW, "new", False)
    assert found(out) == {"": "theirs"}


def test_a_reader_makes_nothing_beside_what_others_have_sent(out):
    out.write_text("sent")
    out.parent.chmod(0o500)
    steps = []
    try:
        settle(out)
        steps = list(out.parent.iterdir())
    finally:
        out.parent.chmod(0o700)
    assert steps == [out]


def test_a_journal_from_anyone_leads_to_files_beside_the_output_alone(out):
    out.write_text("mine")
    victim = out.parent.parent / "victim"
    victim.write_text("mine too")
    sibling = out.with_name(f"{out.name}x")
    sibling.write_text("mine")
    for name in ("/../../victim", "../victim", "x", "\0", "/x"):
        folder = hidden(out, "done")
        folder.mkdir()
        told = {"moves": [], "removes": [name], "replace": True, "table": None}
        (folder / ".journal").write_text(json.dumps(told))
        settle(out)
        assert victim.read_text() == "mine too"
        assert found(out) == {"": "mine", "x": "mine"}


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("out.csv", {"place": {"engine": "postgres", "url": "postgresql://host/x", "table": "t"}}),
        ("out.yaml", {}),
        ("out.yaml", {"place": 3}),
    ],
)
def test_a_table_that_a_journal_makes_up_is_not_looked_for(tmp_path, name, table):
    out = tmp_path / name
    hidden(out, "new").mkdir()
    told = {"moves": [""], "removes": [], "replace": True, "table": table}
    (hidden(out, "new") / ".journal").write_text(json.dumps(told))
    opening.settle(out)
    assert list(tmp_path.iterdir()) == []


def test_what_another_user_began_is_not_finished_for_them(out, monkeypatch):
    write(out, OLD, "old", False)
    assert dies(out.parent, 10**6, lambda: dying_before("roll_forward", out))
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(InputError, match=r"was interrupted and cannot be finished here"):
        settle(out)
    monkeypatch.undo()
    settle(out)
    assert found(out) == whole(NEW, "new")
