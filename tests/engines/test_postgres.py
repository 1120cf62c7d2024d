"""What PostgreSQL alone has: types, rights, snapshots, transactions, refusals, and secrets to keep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pytest

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.postgres.copy import fetch
from shoal.data.engines.postgres.engine import PostgresEngine
from shoal.describe import Place
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise
from shoal.errors import InputError, MissingExtraError, ShoalError, TimeOverError
from shoal.running.watching import watched
from tests.engines.postgres_home import at
from tests.engines.suite.tables import multiset, same_cells

TREES = {"zip": Hierarchy.from_rows([(str(21300 + i), "213**", "*") for i in range(10)])}
DECISION = Decision(NodeRecoding({"zip": 1}), Promise(2))
PASSWORD = "p@ss/w:rd%?#&= 'x\"\\${HOME}"
ENCODED = "p%40ss%2Fw%3Ard%25%3F%23%26%3D%20%27x%22%5C%24%7BHOME%7D"


@pytest.fixture
def people(postgres):
    """A table of sixty persons."""
    table = pa.table(
        {
            "zip": [str(21300 + i % 7) for i in range(60)],
            "illness": [["flu", "cold", None][i % 3] for i in range(60)],
            "name": [f"p{i}" for i in range(60)],
        }
    )
    return postgres.put(table)


@pytest.fixture
def clerk(postgres):
    """A role with no more rights than a release needs, and its address."""
    name = f"clerk_{os.getpid()}"
    postgres.run(f"DROP SCHEMA IF EXISTS desk CASCADE; DROP ROLE IF EXISTS {name}")
    with postgres.connection.cursor() as cursor:
        literal = psycopg.sql.Literal(PASSWORD)
        cursor.execute(
            psycopg.sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                psycopg.sql.Identifier(name), literal
            )
        )
    postgres.run("CREATE SCHEMA desk")
    postgres.run(f"REVOKE ALL ON DATABASE {postgres.database} FROM PUBLIC")
    postgres.run("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    postgres.run(f"GRANT CONNECT, TEMP ON DATABASE {postgres.database} TO {name}")
    postgres.run(f"GRANT USAGE ON SCHEMA public TO {name}")
    postgres.run(f"GRANT USAGE, CREATE ON SCHEMA desk TO {name}")
    yield name, at(postgres.address, user=name, password=ENCODED)
    postgres.run("DROP SCHEMA desk CASCADE")
    postgres.run(f"DROP OWNED BY {name}; DROP ROLE {name}")


OURS = "FROM pg_stat_activity WHERE application_name = 'shoal' AND datname = current_database()"


def slow(home, statements="%"):
    """Make a view of the people that takes its time for their illnesses, in statements that are like this."""
    home.run(
        "CREATE OR REPLACE FUNCTION snail(value text) RETURNS text LANGUAGE plpgsql STABLE AS "
        f"$$BEGIN IF current_query() LIKE '{statements}' THEN PERFORM pg_sleep(0.5); END IF; "
        "RETURN value; END$$"
    )
    home.run("CREATE OR REPLACE VIEW slowly AS SELECT zip, snail(illness) AS illness FROM people")


def study_of(place):
    return Study(place, quasi=TREES, sensitive="illness")


def refused(place_or_call):
    """The one sentence in which something is refused."""
    with pytest.raises(InputError) as problem:
        place_or_call() if callable(place_or_call) else PostgresEngine(place_or_call)
    said = str(problem.value)
    assert "\n" not in said
    assert problem.value.__cause__ is None
    assert problem.value.__context__ is None or problem.value.__suppress_context__
    return said


class TestTypes:
    def test_every_plain_type_becomes_a_text(self, postgres):
        postgres.run(
            "DROP TABLE IF EXISTS typed; DROP TYPE IF EXISTS mood; DROP DOMAIN IF EXISTS zipcode"
        )
        postgres.run("CREATE TYPE mood AS ENUM ('sad', 'Ok'); CREATE DOMAIN zipcode AS varchar(5)")
        cases = {
            "char(5)": ("'ab'", "ab"),
            "varchar(5)": ("'ab '", "ab "),
            "name": ("'Ab'", "Ab"),
            "mood": ("'Ok'", "Ok"),
            "zipcode": ("'02138'", "02138"),
            "numeric": ("1.50", "1.5"),
            "numeric(5,2)": ("1.5", "1.50"),
            "numeric(5,-2)": ("1234", "1200"),
            "real": ("2991887.75", "2991887.75"),
            "double precision": ("1e-7", "1e-07"),
            "boolean": ("true", "true"),
            "date": ("'0044-03-15 BC'", "0044-03-15 (BC)"),
            "timestamp": ("'0044-03-15 01:02:03.50 BC'", "0044-03-15 (BC) 01:02:03.5"),
            "timestamptz": ("'2020-01-02 03:04:05+02'", "2020-01-02 01:04:05"),
            "time": ("'03:04:05.50'", "03:04:05.5"),
            "timetz": ("'03:04:05+02'", "03:04:05+02"),
            "interval": ("'1 year 2 days 3 hours'", "1 year 2 days 03:00:00"),
            "uuid": ("'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
            "json": ('\'{"b":1, "a":2}\'', '{"b":1, "a":2}'),
            "jsonb": ('\'{"b":1, "a":2}\'', '{"a": 2, "b": 1}'),
            "inet": ("'10.0.0.1'", "10.0.0.1/32"),
            "oid": ("7", "7"),
        }
        columns = ", ".join(f'"{kind}" {kind}' for kind in cases)
        postgres.run(f"CREATE TABLE typed ({columns})")
        postgres.run(f"INSERT INTO typed VALUES ({', '.join(value for value, _ in cases.values())})")
        postgres.run("INSERT INTO typed DEFAULT VALUES")
        engine = PostgresEngine(Place("postgres", "public.typed", postgres.address))
        found = {kind: engine.cells([kind]).domains[0] for kind in cases}
        assert found == {kind: (text, None) for kind, (_, text) in cases.items()}
        engine.close()

    def test_what_is_no_number_is_missing_and_infinity_is_not(self, postgres):
        postgres.run("DROP TABLE IF EXISTS odd")
        postgres.run(
            "CREATE TABLE odd (f float8, r real, n numeric, d date, t timestamp, z timestamptz)"
        )
        for value in ("NaN", "Infinity", "-Infinity"):
            times = "NULL" if value == "NaN" else f"'{value}'"
            numbers = ", ".join([f"'{value}'"] * 3)
            postgres.run(f"INSERT INTO odd VALUES ({numbers}, {', '.join([times] * 3)})")
        engine = PostgresEngine(Place("postgres", "public.odd", postgres.address))
        for column in "frn":
            assert engine.cells([column]).domains[0] == ("-inf", "inf", None)
        for column in "dtz":
            assert engine.cells([column]).domains[0] == ("-infinity", "infinity", None)
        engine.close()

    def test_lists_and_bytes_are_not_counted_but_released(self, postgres):
        postgres.run("DROP TABLE IF EXISTS nested")
        postgres.run("CREATE TABLE nested (zip text, list integer[], bytes bytea, pair point)")
        postgres.run(
            r"INSERT INTO nested VALUES ('21300', '{1,2}', '\x00ff', '(1,2)'), ('21301', NULL, NULL, NULL)"
        )
        place = Place("postgres", "public.nested", postgres.address)
        engine = PostgresEngine(place)
        said = refused(lambda: engine.cells(["zip", "list"]))
        assert "the column 'list' holds integer[], not plain values" in said
        assert [seen.nested for seen in engine.profile(3)] == [None, "integer[]", "bytea", "point"]
        engine.close()
        with Study(place, quasi=TREES, insensitive=["list", "bytes", "pair"]) as study:
            made = study.release(DECISION, seed=1)
            assert ("213**", "{1,2}", r"\x00ff", "(1,2)") in [
                tuple(r.values()) for r in made.table().to_pylist()
            ]
            with made.into("nested_out", replace=True):
                pass
        kinds = postgres.run(
            "SELECT pg_typeof(list)::text, pg_typeof(bytes)::text FROM nested_out"
        ).fetchone()
        assert kinds == ("integer[]", "bytea")

    def test_case_and_collation_of_a_column_do_not_count(self, postgres):
        postgres.run("DROP TABLE IF EXISTS folded")
        postgres.run(
            "CREATE COLLATION IF NOT EXISTS blind (provider = icu, locale = 'und-u-ks-level2', "
            "deterministic = false)"
        )
        postgres.run("CREATE TABLE folded (zip text COLLATE blind)")
        postgres.run("INSERT INTO folded VALUES ('a'), ('A'), ('é'), ('e')")
        place = Place("postgres", "public.folded", postgres.address)
        engine = PostgresEngine(place)
        assert engine.cells(["zip"]).domains[0] == ("A", "a", "e", "é")
        engine.close()
        trees = {"zip": Hierarchy.from_rows([(v, f"is {v}", "*") for v in ("a", "A", "e", "é")])}
        with Study(place, quasi=trees) as study:
            released = study.release(Decision(NodeRecoding({"zip": 1}), Promise(1)), seed=1).table()
        assert sorted(released["zip"].to_pylist()) == ["is A", "is a", "is e", "is é"]

    def test_spreadsheets_are_kept_safe_from_enumerations_too(self, postgres):
        postgres.run("DROP TABLE IF EXISTS formulas; DROP TYPE IF EXISTS formula")
        postgres.run(
            "CREATE TYPE formula AS ENUM ('=1+1', 'x'); CREATE TABLE formulas (zip text, f formula)"
        )
        postgres.run("INSERT INTO formulas VALUES ('21300', '=1+1'), ('21301', 'x')")
        place = Place("postgres", "public.formulas", postgres.address)
        with Study(place, quasi=TREES, insensitive="f") as study:
            rows = study.release(DECISION, seed=1, spreadsheet_safe=True).table()
        assert sorted(rows["f"].to_pylist()) == ["'=1+1", "x"]

    def test_floats_of_all_sizes_are_written_alike(self, postgres):
        import random

        draw = random.Random(7)
        doubles = [draw.uniform(-1, 1) * 10.0 ** draw.randint(-300, 17) for _ in range(5_000)]
        doubles += [10.0**power for power in range(-300, 18)] + [2.0**power for power in range(-300, 59)]
        reals = [draw.uniform(-1, 1) * 10.0 ** draw.randint(-35, 17) for _ in range(5_000)]
        reals += [draw.uniform(0, 1e7) for _ in range(5_000)]
        for kind, values in ((pa.float64(), doubles), (pa.float32(), reals)):
            table = pa.table({"x": pa.array(values, pa.float64()).cast(kind)})
            engine = PostgresEngine(postgres.put(table, "floats"))
            assert same_cells(engine.cells(["x"]), DuckDBEngine(table).cells(["x"]))
            engine.close()


def test_joins_with_mapping_tables_are_hash_joins(postgres, people):
    with study_of(people) as study:
        outlet = study.release(DECISION, seed=1)._outlet()
        outlet._columns()
        plan = "\n".join(
            row[0]
            for row in outlet._session._connection.execute(
                b"EXPLAIN " + outlet._statement.sql(dialect="postgres").encode()
            ).fetchall()
        )
        outlet.close()
    assert "Hash Join" in plan
    assert "Nested Loop" not in plan


def test_one_engine_sees_the_rows_of_one_moment(postgres, people, tmp_path):
    with study_of(people) as study:
        counted = study.tally().rows
        postgres.run("INSERT INTO people SELECT * FROM people; UPDATE people SET zip = '21309'")
        made = study.release(DECISION, seed=1)
        assert made.table().num_rows == counted == 60
        made.write_rows(tmp_path / "out.csv")
        with made.into("moment", replace=True) as engine:
            assert made.check(engine).measured.rows == 60
        assert study._engine.count() == 60
    with study_of(people) as study:
        assert study.tally().rows == 120


def test_a_write_that_fails_leaves_the_engine_as_it_was(postgres, tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.data.engines.postgres.copy._BLOCK", 100_000)
    table = pa.table(
        {"zip": [str(21300 + i % 7) for i in range(30_000)], "illness": ["long text"] * 30_000}
    )
    place = postgres.put(table, "many")
    with study_of(place) as study:
        made = study.release(DECISION, seed=1)
        said = refused_write(made, tmp_path / "no folder" / "out.csv")
        assert "cannot be written" in said
        outlet = made._outlet()
        rows = fetch(study._engine.session, outlet._statement, outlet._columns())
        assert next(rows).num_rows < len(table)
        rows.close()
        assert study._engine.count() == len(table)
        made.write_rows(tmp_path / "out.parquet")
        order = made.table()["zip"].to_pylist()
        assert duckdb.sql(f"FROM '{tmp_path}/out.parquet'").to_arrow_table()["zip"].to_pylist() == order


def waits(home):
    """Whether somebody in this database waits for what another transaction has not yet decided.

    Other tests have databases of their own on the same server, and wait there.
    """
    blocked = "datname = current_database() AND pg_blocking_pids(pid) <> '{}'"
    with home.connection.cursor() as cursor:
        return cursor.execute(f"SELECT 1 FROM pg_stat_activity WHERE {blocked}").fetchone() is not None


@pytest.mark.parametrize("replace", [False, True])
def test_two_releases_to_one_new_name(postgres, people, replace):
    """The second waits for the first, and is then refused in a sentence."""
    postgres.run("DROP TABLE IF EXISTS twice")
    with study_of(people) as one, study_of(people) as other, ThreadPoolExecutor(1) as threads:

        def write():
            with other.release(DECISION, seed=2).into("twice", replace=replace):
                pass

        with one.release(DECISION, seed=1).into("twice"):
            second = threads.submit(write)
            while not (second.done() or waits(postgres)):
                time.sleep(0.01)
        assert "made at the same time; choose another name" in refused(lambda: second.result(60))
    assert postgres.read(people.at("twice")).num_rows == 60


def refused_write(made, path):
    with pytest.raises(InputError) as problem:
        made.write_rows(path)
    assert "\n" not in str(problem.value)
    return str(problem.value)


class TestRights:
    def test_few_rights_are_enough(self, postgres, people, clerk, tmp_path):
        name, address = clerk
        postgres.run(f"GRANT SELECT ON people TO {name}")
        with study_of(Place("postgres", "public.people", address)) as study:
            made = study.release(DECISION, seed=1)
            made.write_rows(tmp_path / "out.parquet")
            for _ in range(2):
                with made.into("desk.safe", replace=True) as engine:
                    made.check(engine)
        found = duckdb.sql(f"FROM '{tmp_path}/out.parquet'").to_arrow_table()
        assert multiset(postgres.read(Place("postgres", "desk.safe"))) == multiset(found)

    def test_rights_that_are_missing_are_told(self, postgres, people, clerk):
        name, address = clerk
        place = Place("postgres", "public.people", address)
        assert "permission denied for table people; ask for the right" in refused(place)
        postgres.run(f"GRANT SELECT ON people TO {name}")
        with study_of(place) as study:
            made = study.release(DECISION, seed=1)

            def into(target):
                with made.into(target, replace=True):
                    pass

            assert "permission denied for schema public" in refused(lambda: into("public.safe"))
            postgres.run("CREATE TABLE desk.theirs (x int)")
            assert "must be owner of table theirs" in refused(lambda: into("desk.theirs"))
            assert "there is no such schema" in refused(lambda: into("nowhere.safe"))
            assert "choose another schema" in refused(lambda: into("pg_temp.safe"))
            into("desk.safe")


class TestRefusals:
    def test_what_cannot_be_reached_or_found(self, postgres, people, clerk):
        name, address = clerk
        wrong = at(address, user=name, password="Wr0ngS3cret")
        said = [
            refused(Place("postgres", "public.people", wrong)),
            refused(Place("postgres", "public.people", at(address, user="nobody_s3cret", password="x"))),
        ]
        assert all("refuses the user or the password" in one for one in said)
        said.append(refused(Place("postgres", "t", at(address, database="no_such_database"))))
        assert "no such database" in said[-1]
        said.append(refused(Place("postgres", "t", f"postgresql://{name}:Wr0ngS3cret@127.0.0.1:1/x")))
        assert "cannot be reached" in said[-1]
        said.append(refused(Place("postgres", "t", f"postgresql://{name}:Wr0ngS3cret%@127.0.0.1/x")))
        assert "the url cannot be read" in said[-1]
        said.append(refused(Place("postgres", "t", f"user={name} password='Wr0ngS3cret nonsense=1")))
        assert "the url cannot be read" in said[-1]
        said.append(refused(Place("postgres", "public.PEOPLE", address)))
        assert "no such table or view" in said[-1]
        said.append(refused(Place("postgres", "a.b.c", address)))
        assert "schema.name" in said[-1]
        said.append(refused(Place("postgres", "x" * 64, address)))
        assert "at most 63 bytes" in said[-1]
        for one in said:
            assert "s3cret" not in one.lower()
            assert name not in one

    def test_a_password_of_any_characters_comes_from_the_environment(
        self, postgres, people, clerk, monkeypatch
    ):
        name, address = clerk
        postgres.run(f"GRANT SELECT ON people TO {name}")
        monkeypatch.setenv("PW", PASSWORD)
        monkeypatch.setenv("WHOLE", address)
        info = psycopg.conninfo.conninfo_to_dict(address)
        keys = f"host={info['host']} port={info['port']} user={name} password=${{PW}} dbname={info['dbname']}"
        for url in (at(address, user=name, password="${PW}"), "${WHOLE}", keys):
            engine = PostgresEngine(Place("postgres", "public.people", url))
            assert engine.count() == 60
            engine.close()
        monkeypatch.delenv("PW")
        said = refused(Place("postgres", "public.people", keys))
        assert "the url names the variable PW, which is not set" in said

    def test_a_lost_connection_and_a_time_limit_are_told(self, postgres, people, caplog):
        engine = PostgresEngine(people)
        postgres.run(f"SELECT pg_terminate_backend(pid) {OURS}")
        for asked in (engine.count, lambda: engine.cells(["zip"]), lambda: engine.profile(3)):
            assert "the connection to the server was lost" in refused(asked)
        engine.close()
        assert caplog.records == []
        slow(postgres)
        limited = people.url + "?options=-c%20statement_timeout%3D3000"
        engine = PostgresEngine(Place("postgres", "public.slowly", limited))
        assert "the server stopped the statement" in refused(lambda: engine.cells(["illness"]))
        assert engine.count() == 60
        engine.close()

    def test_a_time_limit_stops_the_server(self, postgres, people):
        slow(postgres)
        for ours, theirs in ((2, "0"), (2, "60s"), (60, "2s")):
            url = f"{people.url}?options=-c%20statement_timeout%3D{theirs}"
            with (
                watched(ours),
                closing(PostgresEngine(Place("postgres", "public.slowly", url))) as engine,
            ):
                with pytest.raises(ShoalError) as problem:
                    engine.cells(["illness"])
                expected = TimeOverError if ours == 2 else InputError
                assert type(problem.value) is expected
                if ours == 2:
                    assert "not done within 2 seconds" in str(problem.value)
                    with pytest.raises(TimeOverError):
                        engine.count()

    def test_a_table_in_use_or_needed_is_not_replaced(self, postgres, people, monkeypatch):
        monkeypatch.setattr("shoal.data.engines.postgres.outlet._PATIENCE", "100ms")
        postgres.run("DROP TABLE IF EXISTS needed CASCADE; CREATE TABLE needed AS SELECT 1 AS x")

        def into():
            with study_of(people) as study, study.release(DECISION, seed=1).into("needed", replace=True):
                pass

        with psycopg.connect(postgres.address) as reader:
            reader.execute("SELECT * FROM needed")
            assert "others are using the table" in refused(into)
        postgres.run("CREATE VIEW needing AS SELECT * FROM needed")
        assert "other tables or views of the database need it" in refused(into)
        postgres.run("DROP VIEW needing; DROP TABLE needed; CREATE VIEW needed AS SELECT 1 AS x")
        assert "is not a table" in refused(into)
        assert postgres.run("SELECT * FROM needed").fetchall() == [(1,)]
        postgres.run("DROP VIEW needed")

    def test_columns_that_differ_by_case_alone(self, postgres):
        postgres.run('DROP TABLE IF EXISTS twice; CREATE TABLE twice ("A" text, a text)')
        said = refused(Place("postgres", "public.twice", postgres.address))
        assert "appears twice" in said

    def test_without_the_driver(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[postgres\]'"):
            PostgresEngine(Place("postgres", "t", "postgresql://localhost/x"))


KILLED = """
import sys, time
from shoal import Study
from shoal.describe import Place
from tests.engines.test_postgres import DECISION, study_of

url, source, replace = sys.argv[1:]
with study_of(Place("postgres", source, url)) as study:
    made = study.release(DECISION, seed=1)
    study.tally()
    print("writing", flush=True)  # it waits inside of the next line
    with made.into("public.target", replace=replace == "yes") as engine:
        made.check(engine)
        print("written", flush=True)
        time.sleep(600)
"""


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("moment", ["writing", "written"])
def test_killed_while_it_writes_everything_is_as_before(postgres, people, older, moment):
    postgres.run("DROP TABLE IF EXISTS target")
    if older:
        postgres.run("CREATE TABLE target AS SELECT 'before' AS zip")
    slow(postgres, "CREATE TABLE%")
    source = "public.slowly" if moment == "writing" else "public.people"
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, postgres.address, source, "yes" if older else "no"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    try:
        for line in child.stdout:
            if line.strip() == moment:
                break
        busy = "query LIKE 'CREATE TABLE%'" if moment == "writing" else "state LIKE 'idle in tr%'"
        wait_for(postgres, f"SELECT count(*) = {1 if moment == 'writing' else 2} {OURS} AND {busy}")
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    wait_for(postgres, f"SELECT count(*) = 0 {OURS}")
    there = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename ~ 'target|shoal'"
    assert postgres.run(there).fetchall() == ([("target",)] if older else [])
    if older:
        assert postgres.run("SELECT * FROM target").fetchall() == [("before",)]


def wait_for(home, question):
    until = time.monotonic() + 60
    while not home.run(question).fetchone()[0]:
        assert time.monotonic() < until, question
        time.sleep(0.05)
