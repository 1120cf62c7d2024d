"""Releases into a new table of the engine that holds the original, here a database file of DuckDB."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import duckdb
import pytest

from shoal import Study
from shoal.again import remake
from shoal.describe.places import read_place
from shoal.errors import InputError, VerificationError
from shoal.release.release import Release
from shoal.verification import verify_release
from tests.commands import shoal
from tests.release.test_publish import one_line, valid

STUDY = """table: {engine: duckdb, url: people.duckdb, table: people}
attributes:
  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}
  illness: {role: sensitive}
  note: {role: insensitive}
"""


@pytest.fixture
def folder(tmp_path):
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT (21300 + i % 7)::VARCHAR AS zip, "
            "['flu', 'cold', NULL][1 + i % 3] AS illness, i * 1.5 AS note, 'p' || i AS name "
            "FROM range(60) t(i)"
        )
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def rows_of(folder, table):
    with duckdb.connect(str(folder / "people.duckdb"), read_only=True) as connection:
        return sorted(connection.sql(f"FROM {table}").fetchall(), key=str)


def release(folder, out="out.yaml", **options):
    with Study.open(folder / "study.yaml") as study:
        return study.release(study.frontier(), k=20, seed=7).write(folder / out, **options)


def test_a_table_is_written_documented_verified_and_made_again(folder):
    published = release(folder, into="safe")
    assert (folder / "out.yaml").read_text() == "engine: duckdb\nurl: people.duckdb\ntable: safe\n"
    assert read_place(folder / "out.yaml").table == "safe"
    certificate = json.loads((folder / "out.yaml.certificate.json").read_text())
    record = json.loads((folder / "out.yaml.record.json").read_text())
    valid(certificate, "certificate.schema.json")
    valid(record, "record.schema.json")
    assert certificate["table"]["name"] == "safe"
    assert record["table"]["place"] == {"engine": "duckdb", "url": "people.duckdb", "table": "people"}
    assert verify_release(folder / "out.yaml").holds
    rows = rows_of(folder, "safe")
    assert len(rows) == published.verdict.measured.rows
    # A file of the same seed holds the same rows, with their types.
    release(folder, "out.parquet")
    assert sorted(duckdb.sql(f"FROM '{folder}/out.parquet'").fetchall(), key=str) == rows
    remake(folder / "out.yaml.record.json", folder / "again.yaml", into="again")
    assert rows_of(folder, "again") == rows


def test_the_risk_of_a_table_and_of_its_release(folder):
    release(folder, into="safe")
    (folder / "place.yaml").write_text("engine: duckdb\nurl: people.duckdb\ntable: people\n")
    # What is no place is a study, and the certificate of a release names its quasi columns.
    whole = [
        shoal("risk", folder / "study.yaml", "--json"),
        shoal("risk", folder / "out.yaml", "--json"),
    ]
    named = shoal("risk", folder / "place.yaml", "--quasi", "zip", "--json")
    documents = [json.loads(done.stdout) for done in [*whole, named]]
    assert [each["quasi"] for each in documents] == [["zip"]] * 3
    assert {**documents[0], "table": None} == {**documents[2], "table": None}
    assert documents[1]["k"] >= 20 > documents[0]["k"]


def test_a_changed_table_is_found_out_and_is_not_released_again(folder):
    release(folder, into="safe")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute("UPDATE safe SET illness = 'gout' WHERE illness = 'flu'")
        connection.execute("INSERT INTO people SELECT * FROM people LIMIT 1")
    assert any("fingerprint" in failure for failure in verify_release(folder / "out.yaml").failures)
    with pytest.raises(InputError, match="has changed since the release"):
        remake(folder / "out.yaml.record.json", folder / "again.yaml", into="again")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute("DROP TABLE safe")
    with pytest.raises(InputError, match="safe"):
        verify_release(folder / "out.yaml")


def test_an_older_table_goes_only_by_force_and_only_when_all_is_well(folder, monkeypatch):
    release(folder, into="safe")
    before = rows_of(folder, "safe")
    with pytest.raises(InputError, match="already exists"):
        release(folder, into="safe")
    with pytest.raises(InputError, match="'safe' already exists"):
        release(folder, "other.yaml", into="safe")
    assert not list(folder.glob("other*"))

    def broken(*_):
        raise VerificationError("no")

    papers = {path: path.read_bytes() for path in folder.glob("out.yaml*") if path.is_file()}
    with monkeypatch.context() as patched:
        patched.setattr(Release, "check", broken)
        with pytest.raises(VerificationError):
            release(folder, into="safe", force=True)
        with pytest.raises(VerificationError):
            release(folder, "other.yaml", into="new")
    assert rows_of(folder, "safe") == before
    assert {path: path.read_bytes() for path in papers} == papers
    with pytest.raises(duckdb.CatalogException):
        rows_of(folder, "new")
    with Study.open(folder / "study.yaml") as study:
        study.release(study.frontier(), k=1, seed=7).write(folder / "out.yaml", into="safe", force=True)
        assert study.tally().rows == 60  # the file is read again as before
    assert rows_of(folder, "safe") != before
    assert verify_release(folder / "out.yaml").holds


def test_killed_before_the_end_the_table_is_as_before(folder):
    release(folder, into="safe")
    before = rows_of(folder, "safe")
    script = (
        "import sys, time\nfrom shoal import Study\nfrom shoal.release.release import Release\n"
        "def wait(self, rows):\n"
        "    print(rows.count(), flush=True)\n"
        "    time.sleep(600)\n"
        "Release.check = wait\n"
        "study = Study.open(sys.argv[1])\n"
        "study.release(study.frontier(), k=1).write(sys.argv[2], into='safe', force=True)\n"
    )
    arguments = [sys.executable, "-c", script, str(folder / "study.yaml"), str(folder / "out.yaml")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, env=os.environ) as running:
        assert int(running.stdout.readline()) == 60
        running.send_signal(signal.SIGKILL)
    time.sleep(0.1)
    assert rows_of(folder, "safe") == before
    assert verify_release(folder / "out.yaml").holds


def test_names_may_be_anything(folder):
    name = 'main."a.b; DROP TABLE people; -- ""x"""'
    release(folder, into=name)
    assert verify_release(folder / "out.yaml").holds
    assert len(rows_of(folder, "people")) == 60


def test_the_command_line_says_where_the_rows_are(folder):
    run = shoal("frontier", "study.yaml", "--save", "f.json", cwd=folder)
    assert run.returncode == 0
    asked = ("release", "study.yaml", "--solution", "f.json", "--k", "20", "-o")
    run = shoal(*asked, "out.yaml", "--into", "safe", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "The table safe: 60 rows" in run.stdout
    assert shoal("verify", "out.yaml", cwd=folder).returncode == 0
    one_line(shoal(*asked, "out.csv", "--into", "x", cwd=folder), 2, "ending .yaml")
    one_line(shoal(*asked, "x.yaml", "--into", 'a."b', cwd=folder), 2, "cannot be read")
    (folder / "plain.yaml").write_text(
        STUDY.replace("{engine: duckdb, url: people.duckdb, table: people}", "p.csv")
    )
    (folder / "p.csv").write_text("zip,illness,note\n" + "21300,flu,1\n" * 60)
    one_line(
        shoal(
            "release",
            "plain.yaml",
            "--solution",
            "f.json",
            "--again",
            "-o",
            "x.yaml",
            "--into",
            "t",
            cwd=folder,
        ),
        2,
        "there is no database for the table 't'",
    )
    assert not list(folder.glob("x*"))


def test_a_file_that_names_a_table_stands_for_it_everywhere(folder):
    (folder / "people.yaml").write_text("engine: duckdb\nurl: people.duckdb\ntable: people\n")
    assert shoal("init", "people.yaml", cwd=folder).returncode == 0
    proposed = (folder / "people.study.yaml").read_text()
    assert "table: people.yaml" in proposed
    run = shoal("risk", "people.study.yaml", "--json", cwd=folder)
    assert json.loads(run.stdout)["rows"] == 60
    release(folder, "out.parquet")
    checked = shoal("verify", "people.yaml", "--quasi", "zip", "--k", "8", "--json", cwd=folder)
    assert json.loads(checked.stdout)["measured"]["rows"] == 60
    run = shoal("apply", "out.parquet.record.json", "people.yaml", "-o", "new.csv", "--json", cwd=folder)
    assert json.loads(run.stdout)["certificate"]["measured"]["rows"] == 60
    with Study(folder / "people.yaml", quasi={"zip": {"mask": {"digits": 5}}}) as study:
        assert study.tally().rows == 60
    (folder / "wrong.yaml").write_text("engine: duckdb\nurl: people.duckdb\n")
    one_line(
        shoal("verify", "wrong.yaml", "--quasi", "zip", "--k", "8", cwd=folder), 2, "engine, url, table"
    )
