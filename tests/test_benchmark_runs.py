"""A run of benchmarks keeps what it measured, whatever becomes of some of them, and ends in time."""

from __future__ import annotations

import copy
import time
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", autouse=True)
def benchmarks_can_be_imported():
    """The benchmarks are no part of the installed package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield


@pytest.fixture
def runner():
    return import_module("benchmarks.runner")


@pytest.fixture
def store():
    return import_module("benchmarks.figures.store")


@pytest.fixture
def committed(store):
    """What the repository says was measured."""
    return store.read(store.MEASURED)


@pytest.fixture
def kept(store, committed, tmp_path, monkeypatch, runner):
    """A file that takes the place of the committed one, with the same figures; no page is written."""
    file = tmp_path / "measured.json"
    store.write(committed, file)
    monkeypatch.setattr(store, "MEASURED", file)
    monkeypatch.setattr(store, "committed", lambda: copy.deepcopy(committed))
    monkeypatch.setattr(runner, "_write_pages", lambda _: None)
    return file


@pytest.fixture
def made_up(runner, committed, monkeypatch):
    """Benchmarks that take no time: what each does is looked up in the returned table, by name."""
    doing = {}

    def measured(name, _options):
        return doing.get(name, lambda: {**committed["lattice"], "date": "2099-01-01T00:00+00:00"})()

    monkeypatch.setattr(runner, "_measured", measured)
    return doing


def raising(problem):
    def act():
        raise problem

    return act


def test_one_benchmark_replaces_its_own_entry_and_no_other(runner, store, kept, committed, monkeypatch):
    table = import_module("benchmarks.table")
    found = table.Result("Made up", [{"way": "one", "best s": 0.1234567891}], ["/a/b/c/d.csv"])
    monkeypatch.setattr(import_module("benchmarks.lattice"), "run", lambda _: found)
    assert runner._run(["lattice"], runner.Options(), kept).ran == ["lattice"]
    now = store.read(kept)
    assert {name for name in now if now[name] != committed.get(name)} == {"lattice"}
    assert now["lattice"]["rows"] == [["one", 0.123457]]
    assert now["lattice"]["notes"] == ["c/d.csv"]
    assert len(now["lattice"]["calibration s"]) == 2
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_a_benchmark_that_misses_something_keeps_its_figures(
    runner, store, kept, committed, made_up, capsys
):
    made_up["lattice"] = raising(runner.SkipError("nothing is here"))
    outcome = runner._run(["lattice"], runner.Options(), kept)
    assert outcome.left_out == {"lattice": "nothing is here"}
    assert store.read(kept) == committed
    assert f"its figures are of {committed['lattice']['date']}" in capsys.readouterr().out


def test_a_benchmark_that_fails_stops_no_other_and_is_named_at_the_end(
    runner, store, kept, committed, made_up, capsys
):
    made_up["lattice"] = raising(RuntimeError("no such thing"))
    with pytest.raises(SystemExit) as ended:
        runner.main(["lattice", "start"])
    assert ended.value.code == 1
    told = capsys.readouterr()
    assert told.out.splitlines()[-1] == "lattice has failed: RuntimeError: no such thing"
    assert "Traceback" in told.err
    now = store.read(kept)
    assert now["lattice"] == committed["lattice"]
    assert now["start"]["date"].startswith("2099")


def test_data_that_is_missing_is_no_failure(runner):
    assert issubclass(import_module("benchmarks.data").DataMissingError, runner.SkipError)


def test_ctrl_c_keeps_and_shows_what_was_measured_before(
    runner, store, kept, committed, made_up, monkeypatch
):
    shown = []
    monkeypatch.setattr(runner, "_write_pages", shown.append)
    made_up["start"] = raising(KeyboardInterrupt())
    made_up["kills"] = raising(AssertionError("it goes on"))
    with pytest.raises(SystemExit) as ended:
        runner.main(["lattice", "start", "kills"])
    assert ended.value.code == 130
    now = store.read(kept)
    assert now["lattice"]["date"].startswith("2099")
    assert now["start"] == committed["start"]
    assert shown == [now]


def test_a_whole_run_begins_with_the_oldest(runner, store, kept, committed, made_up):
    store.write({"lattice": committed["lattice"]}, kept)
    ran = runner._run([], runner.Options(), kept).ran
    assert sorted(ran) == sorted(runner.NAMES)
    assert ran[-1] == "lattice"


def test_the_shares_leave_room_in_the_minutes_of_a_whole_run(runner):
    assert sum(runner.SHARES.values()) <= 60 * 38 < 60 * runner.WITHIN <= 60 * 40


def test_what_does_not_fit_any_more_is_left_out_and_what_is_shorter_is_not(
    runner, kept, made_up, monkeypatch
):
    monkeypatch.setattr(runner, "SHARES", {**dict.fromkeys(runner.NAMES, 100), "lattice": 20})
    monkeypatch.setattr(runner, "WITHIN", 50 / 60)
    outcome = runner._run([], runner.Options(), kept)
    assert outcome.ran == ["lattice"]
    assert set(outcome.left_out) == {*runner.NAMES} - {"lattice"}
    assert "and its share is 100 s" in outcome.left_out["start"]
    assert runner._run(["start"], runner.Options(), kept).ran == ["start"]  # alone it may take its time


def test_one_that_hangs_is_stopped_and_the_others_go_on(
    runner, store, kept, committed, made_up, monkeypatch
):
    monkeypatch.setattr(runner, "NAMES", ("lattice", "start"))
    monkeypatch.setattr(runner, "SHARES", {"lattice": 0.05, "start": 60})
    made_up["lattice"] = lambda: time.sleep(600)
    outcome = runner._run([], runner.Options(), kept)
    assert outcome.ran == ["start"]
    assert "it was not done after" in outcome.left_out["lattice"]
    assert store.read(kept)["lattice"] == committed["lattice"]
    time.sleep(0.01)  # no alarm is left over
