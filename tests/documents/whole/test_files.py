"""Single outputs: whole or not there, claimed before the work, and private where they tell of persons."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import closing

import pytest

from shoal import Study
from shoal.demo import write_hospital
from shoal.documents.whole.claim import Claim, hidden
from shoal.documents.whole.file import WholeFile, whole_file
from shoal.documents.whole.journal import settle
from shoal.errors import InputError, TakenError
from tests.commands import shoal
from tests.documents.whole.dying import deaths


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def write(path, text, *, force=False, private=True):
    with whole_file(path, force=force, private=private) as place:
        place.write_text(text)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("force", [True, False])
def test_killed_at_any_step_the_old_or_the_new_file_stands(tmp_path, force):
    place = tmp_path / "a.json"

    def before():
        place.unlink(missing_ok=True)
        if force:
            write(place, "old")

    seen = []
    for _ in deaths(tmp_path, lambda: write(place, "new", force=force), before):
        for path in tmp_path.iterdir():
            assert mode(path) == 0o600
        settle(place)
        assert names(tmp_path) in ([], ["a.json"])
        text = place.read_text() if place.exists() else None
        assert text in {"new", "old" if force else None}
        seen.append(text == "new")
    assert len(seen) >= 4
    assert {True, False} == set(seen)
    assert seen == sorted(seen)


def test_a_name_that_is_taken_stays_as_it_is(tmp_path):
    there, link, folder = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    there.write_text("mine")
    link.symlink_to(tmp_path / "nowhere")
    folder.mkdir()
    for place in (there, link, folder):
        with pytest.raises(InputError, match="already exists"):
            write(place, "new")
    with pytest.raises(InputError, match="is not a file"):
        write(folder, "new", force=True)
    assert there.read_text() == "mine"
    assert link.is_symlink()
    write(link, "new", force=True)
    assert not link.is_symlink()
    assert names(tmp_path) == ["a", "b", "c"]


def test_another_program_that_takes_the_name_meanwhile_keeps_it(tmp_path):
    place = tmp_path / "a"
    file = WholeFile(place, force=False)
    place.write_text("theirs")
    with closing(file), pytest.raises(InputError, match="already exists"), file.making(private=True):
        pass
    assert place.read_text() == "theirs"
    assert names(tmp_path) == ["a"]


def test_a_file_system_without_links_is_written_too(tmp_path, monkeypatch):
    def unable(*_):
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", unable)
    write(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"
    with pytest.raises(InputError, match="already exists"):
        write(tmp_path / "a", "newer")


def test_a_claimed_file_is_refused_to_others_and_its_beginnings_are_left_alone(tmp_path):
    place = tmp_path / "a"
    with closing(WholeFile(place, force=True)) as file, file.making(private=True) as beside:
        beside.write_text("new")
        with pytest.raises(TakenError):
            write(place, "other", force=True)
        settle(place)
        assert beside.read_text() == "new"
    assert place.read_text() == "new"
    assert names(tmp_path) == ["a"]


@pytest.mark.usefixtures("open_umask")
def test_rights_are_given_from_the_start(tmp_path):
    for private, expected in ((True, 0o600), (False, 0o666)):
        with whole_file(tmp_path / "a", force=True, private=private) as beside:
            assert mode(beside) == expected
        assert mode(tmp_path / "a") == expected
    os.umask(0o077)
    write(tmp_path / "b", "", private=False)
    assert mode(tmp_path / "b") == 0o600


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    write_hospital(folder, 300, 5)
    assert shoal("frontier", folder / "study.yaml", "--save", folder / "f.json").returncode == 0
    return folder


ASKED = ("release", "study.yaml", "--solution", "f.json", "--seed", "1", "-o")


@pytest.mark.usefixtures("open_umask")
def test_what_tells_of_persons_is_its_owners_alone(hospital):
    assert shoal(*ASKED, "private.csv", cwd=hospital).returncode == 0
    assert shoal("tally", "study.yaml", "-o", "t.parquet", cwd=hospital).returncode == 0
    for command, save in (("frontier", "a"), ("optimize --k 2", "b"), ("negotiate --k 2", "c")):
        word, *options = command.split()
        run = shoal(word, "study.yaml", *options, "--save", f"{save}.json", cwd=hospital)
        assert run.returncode == 0, run.stderr
    secret = ["private.csv.record.json", "private.csv.report.html", "t.parquet", "study.yaml.index"]
    for name in (*secret, "a.json", "b.json", "c.json"):
        assert mode(hospital / name) == 0o600, name
    mappings = hospital / "private.csv.mappings"
    assert mode(mappings) == 0o700
    assert {mode(path) for path in mappings.iterdir()} == {0o600}
    for name in ("private.csv", "private.csv.certificate.json", "private.csv.public.html"):
        assert mode(hospital / name) == 0o666, name
    assert not [name for name in names(hospital) if name.startswith(".")]


def test_a_second_run_is_refused_before_it_does_any_work(hospital, monkeypatch):
    monkeypatch.setattr(Study, "open", None)  # who opens the table has begun to work
    for option, name in (("--save", "x.json"), ("--plot", "x.svg")):
        claim = Claim(hospital / name)
        run = shoal("frontier", "study.yaml", option, name, cwd=hospital)
        claim.release()
        assert run.returncode == 2
        assert run.stderr == f"shoal: {name}: is being written by another run; wait for it to end\n"
    claim = Claim(hospital / "x.parquet")
    run = shoal("tally", "study.yaml", "-o", "x.parquet", cwd=hospital)
    claim.release()
    assert (run.returncode, "is being written" in run.stderr) == (2, True)


def test_of_two_releases_to_one_output_one_is_made(hospital):
    both, ends = threading.Barrier(2), []

    def release():
        with Study.open(hospital / "study.yaml") as study:
            made = study.release(study.frontier(), seed=1)
            both.wait(60)
            try:
                ends.append(made.write(hospital / "both.csv"))
            except InputError as problem:
                ends.append(problem)

    threads = [threading.Thread(target=release) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (problem,) = [end for end in ends if isinstance(end, InputError)]
    assert "is being written by another run" in str(problem) or "already exists" in str(problem)
    assert shoal("verify", hospital / "both.csv").returncode == 0
    assert not list(hospital.glob(".both*"))


def test_leftovers_go_with_the_next_command_on_the_output(hospital):
    assert shoal(*ASKED, "left.csv", cwd=hospital).returncode == 0
    assert shoal("tally", "study.yaml", "-o", "left.parquet", cwd=hospital).returncode == 0
    assert shoal("negotiate", "study.yaml", "--k", "2", cwd=hospital).returncode == 0
    other = ("diff", "left.csv", "left.csv")
    for name, command in (
        ("left.csv", ("verify", "left.csv")),
        ("left.csv", ("risk", "left.csv")),
        ("left.csv", other),
        ("left.csv", ("apply", "left.csv.record.json", "hospital.csv", "-o", "new.csv", "--force")),
        ("left.csv", ("release", "--from", "left.csv.record.json", "-o", "new.csv", "--force")),
        ("left.csv", (*ASKED, "left.csv")),
        ("f.json", (*ASKED, "new.csv", "--force")),
        ("f.json", ("frontier", "study.yaml", "--save", "f.json", "--force")),
        ("left.parquet", ("frontier", "study.yaml", "--tally", "left.parquet")),
        ("left.parquet", ("tally", "study.yaml", "-o", "left.parquet", "--update")),
        ("study.yaml.index", ("negotiate", "study.yaml", "--k", "2")),
    ):
        for what in ("lock", "new"):
            hidden(hospital / name, what).write_text("left by a kill")
        run = shoal(*command, cwd=hospital)
        assert run.returncode in {0, 2}, run.stderr
        assert not [found for found in names(hospital) if found.startswith(".")], command
