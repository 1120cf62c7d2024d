"""The whole job on a table in PostgreSQL by the command line, and nowhere a trace of who asked."""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pytest

from shoal.verification import verify_release
from tests.commands import shoal
from tests.engines.postgres_home import at
from tests.release.test_publish import one_line, valid

USER, PASSWORD = f"curator_{os.getpid()}_of_secrets", "t0p/s3cret:w@rd%41"
STUDY = """table: {{engine: postgres, url: "{url}", table: public."People"}}
attributes:
  zip: {{role: quasi, hierarchy: {{mask: {{digits: 5}}}}}}
  age: {{role: quasi, hierarchy: {{intervals: {{origin: 0, widths: [10, 20, 40]}}}}}}
  illness: {{role: sensitive}}
  note: {{role: insensitive}}
  name: {{role: identifying}}
"""


@pytest.fixture(scope="module")
def folder(postgres, tmp_path_factory):
    """A folder with the study of a table that one role may read; its password is in the environment."""
    folder = tmp_path_factory.mktemp("study")
    rows = range(200)
    table = pa.table(
        {
            "zip": [str(21300 + i % 5) for i in rows],
            "age": pa.array([20 + i % 30 for i in rows], pa.int32()),
            "illness": [["flu", "cold", "gout", None][i % 4] for i in rows],
            "note": pa.array([i * 1.5 for i in rows], pa.float64()),
            "name": [f"person {i}" for i in rows],
        }
    )
    postgres.put(table, "People")
    postgres.run(f"CREATE SCHEMA out; CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
    postgres.run(f'GRANT SELECT ON "People" TO {USER}; GRANT USAGE, CREATE ON SCHEMA out TO {USER}')
    postgres.run(f"GRANT USAGE ON SCHEMA public TO {USER}")
    postgres.run(f"GRANT CONNECT, TEMP ON DATABASE {postgres.database} TO {USER}")
    url = at(postgres.address, user=USER, password="${SHOAL_TEST_PASSWORD}")
    (folder / "study.yaml").write_text(STUDY.format(url=url))
    os.environ["SHOAL_TEST_PASSWORD"] = PASSWORD
    yield folder
    del os.environ["SHOAL_TEST_PASSWORD"]
    postgres.run(f"DROP SCHEMA out CASCADE; DROP OWNED BY {USER}; DROP ROLE {USER}")


@pytest.fixture
def run(folder):
    """Runs a command in the folder, and looks for secrets in all that it says."""

    def run(*arguments, status=0):
        done = shoal(*arguments, cwd=folder)
        for said in (done.stdout, done.stderr):
            assert PASSWORD not in said
            assert USER not in said
        assert done.returncode == status, done.stderr
        return done

    return run


def test_the_whole_job(folder, run, postgres, monkeypatch):
    # A released paper names no user, so whoever checks it says who they are.
    monkeypatch.setenv("PGUSER", USER)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    front = json.loads(run("frontier", "study.yaml", "--json", "--save", "front.json").stdout)
    assert front["rows"] == 200
    assert json.loads(run("optimize", "study.yaml", "--l", "2", "--json").stdout)["optimal"]
    run("optimize", "study.yaml", "--l", "3", "--scheme", "vioRec", "--save", "best.json")
    assert json.loads(run("negotiate", "study.yaml", "--k", "4", "--json").stdout)["exact"]["k"] >= 4
    run("anonymize", "study.yaml", "--algorithm", "mondrian", "--k", "5", "--save", "groups.json")
    run("anonymize", "study.yaml", "--algorithm", "anatomy", "--l", "3", "--save", "anatomy.json")
    run("risk", "study.yaml")
    run("tally", "study.yaml", "-o", "kept.tally")
    from_tally = json.loads(run("frontier", "study.yaml", "--tally", "kept.tally", "--json").stdout)
    assert from_tally["points"] == front["points"]

    for solution in ("front", "best", "groups"):
        out = f"{solution}.csv"
        run("release", "study.yaml", "--solution", f"{solution}.json", "-o", out, "--seed", "3")
        run("verify", out)
        into = ("--into", f"out.{solution}", "-o", f"{solution}.yaml")
        run("release", "study.yaml", "--solution", f"{solution}.json", *into, "--seed", "3")
        run("verify", f"{solution}.yaml")
        assert verify_release(folder / f"{solution}.yaml").holds
        for kind in ("certificate", "record"):
            valid(
                json.loads((folder / f"{solution}.yaml.{kind}.json").read_text()), f"{kind}.schema.json"
            )
        written = (folder / out).read_text().splitlines()
        assert postgres.run(f"SELECT count(*) FROM out.{solution}").fetchone()[0] == len(written) - 1
    run("release", "study.yaml", "--solution", "anatomy.json", "-o", "anatomy.parquet")
    run("verify", "anatomy.parquet")

    again = ("release", "--from", "front.yaml.record.json", "--into", "out.again", "-o", "again.yaml")
    run(*again)
    same = "SELECT count(*) FROM (SELECT * FROM out.again EXCEPT ALL SELECT * FROM out.front) x"
    assert postgres.run(same).fetchone()[0] == 0
    taken = (
        "release",
        "study.yaml",
        "--solution",
        "front.json",
        "--into",
        "out.front",
        "-o",
        "other.yaml",
    )
    one_line(run(*taken, status=2), 2, "already exists")
    run(*taken, "--force")
    run("diff", "front.csv", "groups.csv")

    postgres.run("DELETE FROM out.again WHERE ctid IN (SELECT ctid FROM out.again LIMIT 1)")
    assert "BROKEN" in run("verify", "again.yaml", status=1).stdout
    run("init", "front.yaml")
    secrets_in(folder)


def secrets_in(folder):
    """No file but the study holds the user, and none the password."""
    looked = 0
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert PASSWORD.encode() not in content, path
            if path.name != "study.yaml":
                looked += 1
                assert USER.encode() not in content, path
    assert looked > 20


def test_refusals_are_one_line_without_secrets(folder, run, monkeypatch):
    monkeypatch.setenv("SHOAL_TEST_PASSWORD", "wrong-" + PASSWORD)
    one_line(run("frontier", "study.yaml", status=2), 2, "refuses the user or the password")
    monkeypatch.delenv("SHOAL_TEST_PASSWORD")
    one_line(
        run("frontier", "study.yaml", status=2), 2, "variable SHOAL_TEST_PASSWORD, which is not set"
    )
    monkeypatch.setenv("SHOAL_TEST_PASSWORD", PASSWORD)
    text = (folder / "study.yaml").read_text()
    port = text.split("127.0.0.1:")[1].split("/")[0]
    for old, new, words in (
        (f":{port}/", ":1/", "cannot be reached"),
        ('public."People"', "public.no_people", "no such table or view"),
        ("note:", "notes:", "no column 'notes'"),
    ):
        (folder / "bad.yaml").write_text(text.replace(old, new, 1))
        one_line(run("frontier", "bad.yaml", status=2), 2, words)
    (folder / "bad.yaml").unlink()
