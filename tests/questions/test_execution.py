"""Every command holds its work to the memory, the disk and the time that it is given."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from sqlglot import parse_one

from shoal import InputError, Study
from shoal.answering.named import pose, run
from shoal.data.engines.duckdb.connection import using
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.opening import opened
from shoal.errors import TimeOverError
from shoal.questions.execution import Execution
from shoal.questions.searches import AnonymizeQuestion
from shoal.running import stopping
from shoal.running.watching import watch, watched
from shoal.search.algorithms import algorithm_named


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A study with a release of it, and a frontier."""
    folder = tmp_path_factory.mktemp("made")
    rows = [f"{n % 4},{n % 3},{'ab'[n % 2]}" for n in range(48)]
    (folder / "people.csv").write_text("age,zip,ill\n" + "\n".join(rows) + "\n")
    (folder / "study.yaml").write_text(
        "table: people.csv\nattributes:\n  age: {role: quasi, hierarchy: {mask: {digits: 1}}}\n"
        "  zip: {role: quasi, hierarchy: {mask: {digits: 1}}}\n  ill: {role: sensitive}\n"
    )
    with Study.open(folder / "study.yaml") as study:
        front = study.frontier()
        (folder / "front.json").write_text(front.to_json())
        study.release(front, k=4, seed=1).write(folder / "out.csv")
        study.release(front, k=4, seed=2).write(folder / "other.csv")
    return folder


COMMANDS = {
    "frontier": ["study.yaml"],
    "optimize": ["study.yaml", "--k", "2"],
    "anonymize": ["study.yaml", "--algorithm", "flash", "--k", "2"],
    "negotiate": ["study.yaml", "--k", "2", "--no-index"],
    "release": ["study.yaml", "--solution", "front.json", "-o", "new.csv"],
    "verify": ["out.csv"],
    "apply": ["out.csv.record.json", "people.csv", "-o", "applied.csv"],
    "diff": ["out.csv", "other.csv"],
    "risk": ["study.yaml"],
    "attack": ["out.csv", "--source", "study.yaml"],
    "utility": ["out.csv", "--source", "study.yaml"],
    "tally": ["study.yaml", "-o", "people.tally"],
    "init": ["people.csv", "-o", "fresh.yaml"],
}


@pytest.mark.parametrize("command", [*COMMANDS, "compare"])
def test_every_command_keeps_to_the_memory_of_its_engine(shoal, made, monkeypatch, command):
    monkeypatch.chdir(made)
    given = COMMANDS.get(command, ["study.yaml", "--k", "2"])
    status, _, err = shoal(command, *given, "--memory-limit", "1KB")
    assert (status, err.count("\n")) == (2, 1)
    assert "memory" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_keeps_to_its_time(shoal, made, monkeypatch, command):
    monkeypatch.chdir(made)
    there = {path.name for path in made.iterdir()}
    status, out, err = shoal(command, *COMMANDS[command], "--time-limit", "1e-9")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "not done within" in err
    assert "so it was stopped; allow more (--time-limit)" in err
    assert {path.name for path in made.iterdir()} == there


@pytest.mark.parametrize("command", COMMANDS)
def test_enough_of_everything_is_enough(shoal, made, monkeypatch, tmp_path, command):
    monkeypatch.chdir(made)
    given = [
        str(tmp_path / word) if before == "-o" else word for before, word in pairs(COMMANDS[command])
    ]
    limits = ["--threads", "1", "--memory-limit", "500MB", "--temp-directory", str(tmp_path / "spill")]
    assert shoal(command, *given, *limits, "--tally-memory", "100MB", "--time-limit", "3600")[0] == 0


def pairs(words):
    return zip([None, *words], words, strict=False)


def test_what_is_opened_on_the_way_has_the_settings_of_the_whole(made):
    with (
        Execution(memory_limit="1KB").kept(),
        pytest.raises(InputError, match="memory"),
        opened(made / "out.csv") as engine,
    ):
        engine.cells(["age"])
    with opened(made / "out.csv") as engine:
        assert len(engine.cells(["age"]).counts)


def test_settings_that_are_not_given_stay_as_they_are():
    with using(threads=1, memory_limit="100MB"), using(threads=2, memory_limit=None):
        engine = DuckDBEngine(_table())
        assert engine.rows(parse_one("SELECT current_setting('threads')")) == [(2,)]
        ((memory,),) = engine.rows(parse_one("SELECT current_setting('memory_limit')"))
        assert memory.startswith("95.3")
        engine.close()


def test_a_study_releases_within_its_memory(made):
    with Study.open(made / "study.yaml", memory_limit="200MB") as study:
        release = study.release(study.frontier(), k=2)
        seen = []
        with release.material.limits.kept(), opened(made / "out.csv") as engine:
            seen += engine.rows(parse_one("SELECT current_setting('memory_limit')"))
    assert seen[0][0].startswith("190.7")


def _table():
    import pyarrow as pa

    return pa.table({"a": ["x", "y"]})


ENDLESS = "SELECT COUNT(*) FROM range(1000000000000) AS a(i) WHERE i % 7 = 3"


class TestTime:
    def test_a_statement_of_duckdb_ends_with_the_time(self):
        engine = DuckDBEngine(_table())
        # Should nothing end it, this does, and the error is another one.
        rescue = threading.Timer(60, engine._connection.interrupt)
        rescue.start()
        try:
            with watched(0.05), pytest.raises(TimeOverError, match=r"not done within 0\.05 seconds"):
                engine.rows(parse_one(ENDLESS))
            assert engine.rows(parse_one("SELECT 1")) == [(1,)]  # the next one is not disturbed
        finally:
            rescue.cancel()
            engine.close()

    def test_released_rows_end_with_the_time(self, made):
        with Study.open(made / "study.yaml") as study:
            release = study.release(study.frontier(), k=2)
            release.treatment  # noqa: B018  made before the time runs
            with watched(1e-9), pytest.raises(TimeOverError):
                release.verified_table()
            with watched(1e-9), pytest.raises(TimeOverError):
                release.write(made / "late.csv")
        assert not list(made.glob("late*"))

    def test_what_does_not_end_at_once_is_called_on_again(self):
        calls, ended = [], threading.Event()

        def call():
            calls.append(1)
            if len(calls) == 2:
                ended.set()

        with watched(0.001), watch().ending(call):
            assert ended.wait(60)
        assert len(calls) >= 2

    def test_nothing_is_called_after_the_end(self):
        calls = []
        with watched(3600), watch().ending(lambda: calls.append(1)):
            pass
        assert calls == []

    def test_long_loops_end_unless_something_is_kept(self):
        with watched(1e-9), pytest.raises(TimeOverError):
            stopping.look()
        with watched(1e-9, kept=True):
            stopping.look()

    def test_a_search_that_used_up_its_time_still_answers(self, made):
        """What its figures need, the class column too, is counted before the search."""
        (made / "classed.yaml").write_text(
            (made / "study.yaml").read_text().replace("sensitive", "class")
        )
        with Study.open(made / "classed.yaml") as study:
            asked = AnonymizeQuestion("flash", k=2)
            material = study.material()
            posed = pose(material, asked)
            counted = []

            def late(question, clock):
                counted.append(len(study._counted._tallies))
                return flash(question, clock)

            flash = algorithm_named("flash")
            found = run(material, posed, replace(flash, run=late), asked)
            assert "CM" in found.losses
            assert counted == [len(study._counted._tallies)]


def test_a_block_in_a_block_has_no_more_time_than_is_left():
    """Else a limit that the user gave would be lost where one function calls another."""
    said: list[str] = []
    with watched(5, say=said.append), watched():
        assert watch().limit == 5
        assert watch().left <= 5
        watch().say("heard")
        with watched(3600):
            assert watch().left <= 5
        with watched(1):
            assert watch().left <= 1
    assert said == ["heard"]
    assert watch().limit is None
