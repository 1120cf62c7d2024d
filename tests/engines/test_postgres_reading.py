"""PostgreSQL where only reading is allowed: a hot standby, a role that only reads, one without tables."""

from __future__ import annotations

import json
import os
import time

import psycopg
import pyarrow as pa
import pytest

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.data.engines.postgres.engine import PostgresEngine
from shoal.describe import Place
from shoal.describe.promise import Promise
from tests.commands import shoal
from tests.engines.homes import AbsentError
from tests.engines.postgres_home import PostgresHome, at, served
from tests.engines.suite import test_reading, test_releasing
from tests.engines.suite.tables import multiset
from tests.engines.test_postgres import DECISION, OURS, TREES, refused, study_of
from tests.release.test_publish import one_line

READS = "options=-c%20default_transaction_read_only%3Don"
ROWS = range(120)
TABLE = pa.table(
    {
        "zip": [str(21300 + i % 10) for i in ROWS],
        "age": pa.array([20 + i % 30 for i in ROWS], pa.int32()),
        "illness": [["flu", "cold", "gout", None][i % 4] for i in ROWS],
    }
)
STUDY = """table: {engine: postgres, url: "${SHOAL_TEST_DATABASE}", table: public."People"}
attributes:
  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}
  age: {role: quasi, hierarchy: {intervals: {origin: 0, widths: [10, 20, 40]}}}
  illness: {role: sensitive}
"""


class Standby(PostgresHome):
    """Tables that are put at the primary, and found at its standby."""

    slowness = 8

    def __init__(self) -> None:
        super().__init__()
        self.run("SET synchronous_commit = on")  # so that all is sent at once
        try:
            self.reading = at(served("standby", self._server), database=self.database)
        except RuntimeError as problem:  # a server of somebody else's may not let itself be copied
            raise AbsentError(f"no standby can be made: {problem}") from None

    def put(self, table: pa.Table, name: str = "people") -> Place:
        place = super().put(table, name)
        self.caught_up()
        return Place("postgres", place.table, self.reading)

    def caught_up(self) -> None:
        """Wait until the standby has all that was written."""
        written = self.run("SELECT pg_current_wal_insert_lsn()").fetchone()[0]
        until = time.monotonic() + 60
        with psycopg.connect(at(self.reading, database="postgres"), autocommit=True) as standby:
            there = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
            while not standby.execute(there, (written,)).fetchone()[0]:
                assert time.monotonic() < until
                time.sleep(0.01)


@pytest.fixture(scope="module")
def standby():
    """A hot standby of the server of the tests."""
    try:
        home = Standby()
    except AbsentError as reason:
        pytest.skip(str(reason))
    yield home
    home.close()


@pytest.mark.parametrize(
    "check",
    [
        test_reading.test_cells_and_counts_are_the_same,
        test_reading.test_values_that_are_merged_are_counted_together,
        test_reading.test_profiles_and_first_values_are_the_same,
        test_releasing.test_the_same_rows_are_released_and_measured,
        test_releasing.test_both_tables_of_anatomy_are_the_same,
        test_releasing.test_a_label_with_a_nul_is_released_or_refused_in_a_sentence,
    ],
)
def test_what_is_read_is_the_same_as_elsewhere(standby, check):
    check(standby)


def test_hostile_values_and_labels_come_through_unchanged(standby):
    table, trees = test_releasing.hostile_case()
    found = []
    for source in (standby.put(table), table):
        with Study(source, quasi=trees, sensitive="s", insensitive="select") as study:
            decision = Decision(NodeRecoding({"q": 1}), Promise(2))
            found.append(multiset(study.release(decision, seed=3).table()))
    assert found[0] == found[1]


def test_the_whole_job_but_for_new_tables(standby, tmp_path, monkeypatch):
    standby.put(TABLE, "People")
    (tmp_path / "study.yaml").write_text(STUDY)
    monkeypatch.setenv("SHOAL_TEST_DATABASE", standby.reading)

    def run(*arguments, status=0):
        done = shoal(*arguments, cwd=tmp_path)
        assert done.returncode == status, done.stderr
        return done

    front = json.loads(run("frontier", "study.yaml", "--json", "--save", "front.json").stdout)
    assert front["rows"] == len(ROWS)
    run("tally", "study.yaml", "-o", "kept.tally")
    run("risk", "study.yaml")
    run("anonymize", "study.yaml", "--algorithm", "mondrian", "--k", "5", "--save", "groups.json")
    for solution in ("front", "groups"):
        run("release", "study.yaml", "--solution", f"{solution}.json", "-o", f"{solution}.csv")
    run("verify", "front.csv")
    into = ("release", "study.yaml", "--solution", "front.json", "--into", "safe", "-o", "safe.yaml")
    one_line(run(*into, status=2), 2, "the server is a standby, which only reads")
    assert not list(tmp_path.glob("*safe*"))

    # What the primary makes is verified at the standby.
    monkeypatch.setenv("SHOAL_TEST_DATABASE", standby.address)
    run(*into)
    standby.caught_up()
    monkeypatch.setenv("SHOAL_TEST_DATABASE", standby.reading)
    run("verify", "safe.yaml")


def test_a_standby_that_must_give_way_to_its_primary_says_so(standby):
    place = standby.put(TABLE, "dropped")
    with psycopg.connect(standby.reading, autocommit=True) as other:
        other.execute("ALTER SYSTEM SET max_standby_streaming_delay = 0")
        other.execute("SELECT pg_reload_conf()")
        engine = PostgresEngine(place)
        engine.count()
        standby.run("DROP TABLE dropped")
        standby.caught_up()
        until = time.monotonic() + 60
        while other.execute(f"SELECT count(*) {OURS}").fetchone()[0]:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert "keep up with its primary" in refused(engine.count)
        engine.close()
        other.execute("ALTER SYSTEM RESET max_standby_streaming_delay")
        other.execute("SELECT pg_reload_conf()")


def test_a_role_that_only_reads_is_not_overridden(postgres, tmp_path):
    place = postgres.put(TABLE, "read_people")
    reads = Place("postgres", place.table, f"{place.url}?{READS}")
    with study_of(reads) as study, study_of(place) as writes:
        made = study.release(DECISION, seed=1)
        assert multiset(made.table()) == multiset(writes.release(DECISION, seed=1).table())
        made.write_rows(tmp_path / "out.csv")

        def into():
            with made.into("public.unwritten"):
                pass

        said = refused(into)
    assert "the role only reads here" in said
    assert "without `into`" in said
    assert postgres.run("SELECT to_regclass('public.unwritten')").fetchone()[0] is None


def test_a_role_without_tables_of_its_own_reads_and_writes(postgres, tmp_path):
    name = f"bare_{os.getpid()}"
    place = postgres.put(TABLE, "bare_people")
    postgres.run(f"REVOKE TEMP ON DATABASE {postgres.database} FROM PUBLIC")
    postgres.run(f"CREATE ROLE {name} LOGIN PASSWORD 'x'; CREATE SCHEMA bare AUTHORIZATION {name}")
    postgres.run(f"GRANT SELECT ON bare_people TO {name}; GRANT USAGE ON SCHEMA public TO {name}")
    postgres.run(f"GRANT CONNECT ON DATABASE {postgres.database} TO {name}")
    try:
        bare = Place("postgres", place.table, at(postgres.address, user=name, password="x"))
        with Study(bare, quasi=TREES, sensitive="illness") as study:
            made = study.release(DECISION, seed=1)
            with made.into("bare.safe") as engine:
                assert made.check(engine).measured.rows == len(ROWS)
            assert multiset(made.table()) == multiset(postgres.read(Place("postgres", "bare.safe")))
    finally:
        postgres.run(f"DROP SCHEMA bare CASCADE; DROP OWNED BY {name}; DROP ROLE {name}")
