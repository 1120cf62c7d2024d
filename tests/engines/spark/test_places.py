"""Places in Spark: what opens, what is refused in one line, and what is never shown."""

from __future__ import annotations

import socket
import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.data.engines.spark import session as spark_session
from shoal.data.opening import open_engine
from shoal.describe import Place
from shoal.errors import InputError, MissingExtraError
from tests.commands import SHOAL
from tests.engines.spark.tables import counted

TABLE = pa.table({"zip": ["02138", "02139", None], "day": ["01", "02", "02"]})


def refusal(*place):
    with pytest.raises(InputError) as refused:
        open_engine(Place("spark", *place)).count()
    text = str(refused.value)
    assert "\n" not in text
    return text


def test_parquet_at_a_path_by_master_by_server_and_by_the_active_session(spark, tmp_path):
    parquet.write_table(TABLE, tmp_path / "a.parquet")
    for url in ("", "local[2]", spark.url):
        for path in (tmp_path / "a.parquet", f"file://{tmp_path}"):
            place = Place("spark", str(path), url)
            assert counted(place) == counted(TABLE)
    engine = open_engine(Place("spark", str(tmp_path / "a.parquet"), spark.url))
    assert engine.place == Place("spark", str(tmp_path / "a.parquet"), spark.url)
    assert engine.name.startswith("spark table ")
    assert open_engine(spark.parts(TABLE)).name == "the pyspark DataFrame"
    assert open_engine(spark.parts(TABLE)).place is None


@pytest.mark.parametrize("remote", [False, True])
def test_what_folders_name_is_text(spark, tmp_path, remote):
    for day in ("01", "02"):
        (tmp_path / f"day={day}").mkdir()
        rows = TABLE.filter(pa.compute.equal(TABLE["day"], day)).select(["zip"])
        parquet.write_table(rows, tmp_path / f"day={day}" / "part.parquet")
    found = Place("spark", str(tmp_path), spark.url if remote else "")
    assert counted(found) == counted(tmp_path) == counted(TABLE)


def test_tables_of_the_catalog(spark):
    spark.parts(TABLE).write.saveAsTable("placed")
    for name in ("placed", "default.placed", 'default."placed"', "spark_catalog.default.placed"):
        assert counted(Place("spark", name)) == counted(TABLE)
    assert counted(Place("spark", "placed", spark.url)) == counted(TABLE)


def test_what_is_not_there_is_told_in_one_line(spark, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.parquet").write_text("no Parquet")
    for url in ("", spark.url):
        assert "no such table" in refusal("nobody", url)
        assert "no such table" in refusal("no_schema.nobody", url)
        assert "there is nothing at this path" in refusal(str(tmp_path / "nowhere"), url)
        assert "there are no Parquet files" in refusal(str(tmp_path / "empty"), url)
        assert "not Parquet" in refusal(str(tmp_path / "text.parquet"), url)
        assert "nosuch" in refusal("nosuch://host/path", url)
        assert "no such table" in refusal('"x`; DROP TABLE placed; --"', url)


def test_an_address_that_does_not_answer_is_told_at_once_and_without_its_secrets(monkeypatch):
    pytest.importorskip("pyspark")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    monkeypatch.setenv("TOKEN", "s3cret")
    for url in (
        f"sc://127.0.0.1:{port}/;token=${{TOKEN}};user_id=ann",
        f"spark://ann:s3cret@127.0.0.1:{port}",
    ):
        monkeypatch.setattr(spark_session, "_active", lambda: None)
        text = refusal("people", url)
        assert f"nothing answers at port {port}" in text
        assert "s3cret" not in text
        assert "ann" not in text
    assert "cannot be read" in refusal("people", "sc://")


def test_what_spark_says_is_shown_without_secrets():
    text = spark_session._sentence(
        ConnectionError("cannot reach sc://host:1/;token=s3cret;user_id=ann or //ann:s3cret@host"),
        "sc://host:1/;token=s3cret;user_id=ann",
    )
    assert "s3cret" not in text
    assert "ann" not in text.replace("cannot", "")


def test_another_master_than_the_running_one_is_refused(spark):
    assert "Spark already runs on local[2] here" in refusal("people", "local[7]")


def test_a_missing_extra_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(
        MissingExtraError, match=r"^tables in Spark need pyspark: pip install 'shoal\[spark\]'$"
    ):
        open_engine(Place("spark", "people"))


def test_a_missing_java_is_one_line(tmp_path):
    pytest.importorskip("pyspark")
    (tmp_path / "study.yaml").write_text(
        "table: {engine: spark, url: 'local[1]', table: people}\n"
        "attributes:\n  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}\n"
    )
    run = subprocess.run(
        [*SHOAL, "frontier", "study.yaml"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "JAVA_HOME": str(tmp_path / "none")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert "install Java 17 or newer" in run.stderr


def test_nothing_of_spark_is_loaded_for_other_tables():
    code = (
        "import sys, pyarrow as pa\nfrom shoal.data.opening import open_engine\n"
        "open_engine(pa.table({'a': ['1']})).count()\n"
        "assert not [name for name in sys.modules if name.startswith('pyspark')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
