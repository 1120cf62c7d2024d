"""Releases into folders and tables of Spark: all or nothing, and verified before others see them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal import Study
from shoal.data.engines.spark.folder import Folder
from shoal.describe import Place
from shoal.describe.places import read_place
from shoal.errors import InputError, VerificationError
from shoal.release.release import Release
from shoal.verification import verify_release
from tests.engines.spark.tables import counted
from tests.engines.spark_home import SHORT_LIVED, searched_first

QUASI = {"zip": {"mask": {"digits": 5}}}
TABLE = pa.table(
    {
        "zip": [str(21300 + i % 7) for i in range(60)],
        'note "; DROP TABLE `x`': [["a;'\n", "", None, "🐟", "{x}"][i % 5] for i in range(60)],
    }
)


@pytest.fixture
def study(spark):
    with Study(spark.parts(TABLE), quasi=QUASI, insensitive=TABLE.column_names[1]) as made:
        yield made


@pytest.fixture
def remote_study(spark):
    frame = spark.frame(TABLE, spark.remote)
    with Study(frame, quasi=QUASI, insensitive=TABLE.column_names[1]) as made:
        yield made


@pytest.fixture
def expected():
    def rows(k):
        with Study(TABLE, quasi=QUASI, insensitive=TABLE.column_names[1]) as made:
            return counted(made.release(made.frontier(), k=k, seed=7).table())

    return rows


def put(study, k, target, **options):
    release = study.release(study.frontier(), k=k, seed=7)
    with release.into(str(target), **options) as rows:
        release.check(rows)
        return rows.place


def hidden(folder: Path):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def test_a_folder_is_written_and_replaced_only_when_asked(study, expected, tmp_path):
    target = tmp_path / "safe"
    place = put(study, 60, target)
    assert place == Place("spark", str(target))
    assert (
        counted(place) == counted(target) == expected(60)
    )  # for DuckDB it is a folder of Parquet files
    with pytest.raises(InputError, match="already exists"):
        put(study, 8, target)
    assert counted(target) == expected(60)
    put(study, 8, target, replace=True)
    assert counted(target) == counted(place) == expected(8)
    assert hidden(tmp_path) == []


def test_a_folder_is_replaced_where_two_cannot_change_places_in_one_step(
    study, expected, tmp_path, monkeypatch
):
    monkeypatch.setattr(Folder, "_exchanged", lambda self: False)
    target = tmp_path / "safe"
    put(study, 60, target)
    put(study, 8, target, replace=True)
    assert counted(target) == expected(8)
    assert hidden(tmp_path) == []
    rename, renamed = Folder._rename, []

    def fails_once(self, old, new):
        renamed.append(new)
        if len(renamed) == 2:
            raise ConnectionError("the disk is gone")
        rename(self, old, new)

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "_rename", fails_once)
        with pytest.raises(InputError, match="the disk is gone"):
            put(study, 60, target, replace=True)
    assert counted(target) == expected(8)
    # Killed between the two renames: the older folder is put back before anything else is done.
    target.rename(tmp_path / ".safe.shoal-before")
    with pytest.raises(InputError, match="already exists"):
        put(study, 60, target)
    assert counted(target) == expected(8)
    assert hidden(tmp_path) == []


def test_what_is_no_parquet_is_never_replaced(study, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("dear")
    with pytest.raises(InputError, match=r"holds letter\.txt, which is not Parquet"):
        put(study, 60, tmp_path / "mine", replace=True)
    with pytest.raises(InputError, match="holds a file"):
        put(study, 60, tmp_path / "file", replace=True)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    assert (tmp_path / "file").read_text() == "dear"


@pytest.mark.parametrize("kind", ["folder", "table", "remote table", "remote folder"])
def test_rows_that_break_a_promise_leave_everything_as_it_was(
    request, spark, tmp_path, monkeypatch, expected, kind
):
    study = request.getfixturevalue("remote_study" if "remote" in kind else "study")
    target = str(tmp_path / "safe") if "folder" in kind else f"broken_{kind[:3]}"
    replace = kind != "remote folder"
    if replace:
        place = put(study, 60, target)

    def broken(*_):
        raise VerificationError("no")

    with monkeypatch.context() as patched:
        patched.setattr(Release, "check", broken)
        with pytest.raises(VerificationError):
            put(study, 8, target, replace=replace)
    if replace:
        assert counted(place) == expected(60)
    else:
        assert not Path(target).exists()
    assert hidden(tmp_path) == []
    assert not [table.name for table in spark.session.catalog.listTables() if "staged" in table.name]


@pytest.mark.parametrize("kind", ["study", "remote_study"])
def test_a_table_is_written_and_replaced_only_when_asked(request, spark, expected, kind):
    study = request.getfixturevalue(kind)
    session = spark.session if kind == "study" else spark.remote
    name = f"default.safe_{kind}"
    place = put(study, 60, name)
    assert counted(session.table(name)) == counted(place) == expected(60)
    with pytest.raises(InputError, match="already exists"):
        put(study, 8, name)
    put(study, 8, name, replace=True)
    assert counted(session.table(name)) == expected(8)
    assert not [table.name for table in session.catalog.listTables() if "staged" in table.name]
    # Killed between two renames: the older table is put back.
    session.sql(f"ALTER TABLE {name} RENAME TO default.shoal_staged_before_safe_{kind}")
    with pytest.raises(InputError, match="already exists"):
        put(study, 60, name)
    assert counted(session.table(name)) == expected(8)


def test_through_spark_connect_a_folder_must_be_new(remote_study, expected, tmp_path):
    target = tmp_path / "safe"
    with pytest.raises(InputError, match="name a new one"):
        put(remote_study, 60, target, replace=True)
    put(remote_study, 60, target)
    assert counted(target) == expected(60)
    with pytest.raises(InputError, match="already exists"):
        put(remote_study, 8, target)
    assert counted(target) == expected(60)


@pytest.mark.parametrize("remote", [False, True])
def test_the_original_is_never_replaced(spark, tmp_path, remote):
    parquet.write_table(TABLE, tmp_path / "part.parquet")
    spark.parts(TABLE).write.mode("overwrite").saveAsTable("original")
    url = spark.url if remote else ""
    places = [Place("spark", "original", url)]
    if not remote:
        places += [Place("spark", str(tmp_path)), Place("spark", str(tmp_path / "part.parquet"))]
    for place in places:
        target = str(tmp_path) if place.table != "original" else "default.original"
        with Study(place, quasi=QUASI) as study, pytest.raises(InputError, match="is released; choose"):
            put(study, 60, target, replace=True)
        assert counted(place) == counted(TABLE)


def test_a_view_is_never_replaced(spark, study, remote_study):
    spark.parts(TABLE).createOrReplaceTempView("seen")
    spark.frame(TABLE, spark.remote).createOrReplaceTempView("seen")
    for made in (study, remote_study):
        with pytest.raises(InputError, match="is a view"):
            put(made, 60, "seen", replace=True)
    assert counted(Place("spark", "seen")) == counted(TABLE)


def test_what_spark_refuses_is_told_in_one_line(study):
    for target, words in {
        "no_such_schema.safe": "no such schema",
        '"a.b".safe': "a.b",
        "nosuch:///x/y": "nosuch",
    }.items():
        with pytest.raises(InputError, match=words) as refused:
            put(study, 60, target)
        assert "\n" not in str(refused.value)


YAML = """table: {{engine: spark, url: 'local[2]', table: {path}}}
attributes:
  zip: {{role: quasi, hierarchy: {{mask: {{digits: 5}}}}}}
"""


def test_the_command_line_releases_where_the_rows_are(spark, shoal, tmp_path):
    parquet.write_table(TABLE, tmp_path / "people.parquet")
    (tmp_path / "study.yaml").write_text(YAML.format(path=tmp_path / "people.parquet"))
    solution, out = tmp_path / "f.json", tmp_path / "out.yaml"
    assert shoal("frontier", tmp_path / "study.yaml", "--save", solution)[0] == 0
    asked = ["release", tmp_path / "study.yaml", "--solution", solution, "--k", "20", "-o", out]
    status, _, errors = shoal(*asked[:-1], tmp_path / "out.csv")
    assert (status, "(--into)" in errors) == (2, True)
    status, printed, errors = shoal(*asked, "--into", tmp_path / "safe")
    assert (status, errors) == (0, "")
    assert "60 rows" in printed
    assert read_place(out) == Place("spark", str(tmp_path / "safe"), "local[2]")
    assert verify_release(out).holds
    assert shoal("verify", out)[0] == 0
    again = ["release", "--from", f"{out}.record.json", "-o", tmp_path / "b.yaml"]
    assert shoal(*again, "--into", tmp_path / "again")[0] == 0
    assert counted(tmp_path / "again") == counted(tmp_path / "safe")


SCRIPT = """
import sys, time
from shoal import Study
from shoal.describe import Place
from shoal.release.release import Release

url, table, target = sys.argv[1:]
study = Study(Place("spark", table, url), quasi={"zip": {"mask": {"digits": 5}}})
release = study.release(study.frontier(), k=8, seed=7)
with release.into(target, replace=True) as rows:
    print(rows.count(), flush=True)
    time.sleep(600)
"""


def kill_in_the_middle(url, table, target):
    """Release in a process of its own, and kill it when the rows are written but not yet in their place."""
    quickly = (
        f"--conf spark.sql.shuffle.partitions=2 --conf spark.ui.enabled=false "
        f'--driver-class-path "{searched_first()}" --driver-java-options "{SHORT_LIVED}" pyspark-shell'
    )
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": quickly}
    arguments = [sys.executable, "-c", SCRIPT, url, str(table), str(target)]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as running:
        written = running.stdout.readline()
        running.send_signal(signal.SIGKILL)
        errors = running.stderr.read()
    assert int(written) == 60, errors
    assert errors == b""  # Spark says nothing to the terminal
    time.sleep(0.2)


def test_a_driver_that_is_killed_leaves_the_folder_as_it_was(spark, study, expected, tmp_path):
    parquet.write_table(TABLE, tmp_path / "people.parquet")
    target = tmp_path / "safe"
    put(study, 60, target)
    kill_in_the_middle("local[1]", tmp_path / "people.parquet", target)
    assert counted(target) == expected(60)
    left = hidden(tmp_path)
    assert len(left) == 1
    assert left[0].startswith(".safe.shoal-")


def test_a_client_that_is_killed_leaves_the_table_as_it_was(spark, remote_study, expected):
    session = spark.session
    spark.parts(TABLE).write.saveAsTable("killed_people")
    put(remote_study, 60, "killed")
    kill_in_the_middle(spark.url, "killed_people", "killed")
    assert counted(session.table("killed")) == expected(60)
    left = [table.name for table in session.catalog.listTables() if "staged" in table.name]
    assert len(left) == 1
    assert left[0].startswith("shoal_staged_")
    session.sql(f"DROP TABLE {left[0]}")
