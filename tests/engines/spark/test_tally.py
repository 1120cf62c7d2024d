"""A tally of a folder in Spark takes the rows of new files."""

from __future__ import annotations

import json
import os
from contextlib import closing

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.data.coding import fingerprint
from shoal.data.engines.saved_tally.tally_file import read_tally, write_tally
from shoal.documents.whole.file import WholeFile
from tests.commands import shoal
from tests.engines.suite.tables import same_cells
from tests.release.test_publish import one_line

STUDY = """table: {engine: spark, URL table: TABLE}
attributes:
  zip: {role: quasi, hierarchy: {mask: {digits: 2}}}
  day: {role: quasi, hierarchy: {"*": ["01", "02"]}}
"""


@pytest.fixture
def folder(request, spark, tmp_path):
    """A folder with the study of a folder of one file, through Spark Connect where that is asked for."""
    url = f'url: "{spark.url}",' if getattr(request, "param", None) == "remote" else ""
    study = STUDY.replace("URL", url).replace("TABLE", str(tmp_path / "people"))
    (tmp_path / "study.yaml").write_text(study)
    add(tmp_path, "01", ["10", "11", "10"])
    return tmp_path


def add(folder, day, zips, name="part-0.parquet", who=None):
    path = folder / "people" / f"day={day}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = {"zip": zips} if who is None else {"zip": zips, "who": who}
    parquet.write_table(pa.table(columns), path)
    return path


def tally(folder, *options, out="kept.tally"):
    return shoal("tally", "study.yaml", "-o", out, "--json", *options, cwd=folder)


@pytest.mark.parametrize("folder", ["classic", "remote"], indirect=True)
def test_new_files_alone_are_counted(folder):
    assert tally(folder).returncode == 0
    add(folder, "02", ["11", "12"])
    (folder / "people" / "_SUCCESS").touch()
    done = tally(folder, "--update")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["rows"], found["added_rows"]) == (5, 2)
    assert [name.rsplit("/", 2)[1:] for name in found["added_files"]] == [["day=02", "part-0.parquet"]]
    assert tally(folder, out="anew.tally").returncode == 0
    assert same_cells(read_tally(folder / "kept.tally").cells, read_tally(folder / "anew.tally").cells)
    assert json.loads(tally(folder, "--update").stdout)["added_rows"] == 0


def test_persons_of_new_files_who_were_counted_before_are_counted_once(folder):
    study = folder / "study.yaml"
    study.write_text(study.read_text().replace("attributes:", "persons: who\nattributes:"))
    add(folder, "01", ["10", "11", "10"], who=["p", "p", "q"])
    assert tally(folder).returncode == 0
    add(folder, "02", ["11", "12"], who=["q", "r"])
    done = tally(folder, "--update")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["added_rows"] == 2
    assert tally(folder, out="anew.tally").returncode == 0
    kept = read_tally(folder / "kept.tally").cells
    assert fingerprint(kept) == fingerprint(read_tally(folder / "anew.tally").cells)
    assert (kept.persons.total, kept.persons.spread) == (3, 2)


def test_files_that_changed_or_went_are_not_updated(folder):
    assert tally(folder).returncode == 0
    path = folder / "people" / "day=01" / "part-0.parquet"
    os.utime(path, (1, 1))  # as large as before, and written at another time
    one_line(tally(folder, "--update"), 2, "has changed since it was counted")
    path.rename(path.with_name("other.parquet"))
    one_line(tally(folder, "--update"), 2, "is in the tally but no longer exists")


def test_a_tally_of_unknown_files_and_a_table_without_files_are_not_updated(folder, spark):
    assert tally(folder).returncode == 0
    kept = read_tally(folder / "kept.tally")
    with closing(WholeFile(folder / "kept.tally", force=True)) as file:
        write_tally(file, type(kept)(kept.cells, kept.columns))
    one_line(tally(folder, "--update"), 2, "does not say which files it counted")
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace(str(folder / "people"), "people"))
    one_line(tally(folder, "--update"), 2, "make the tally without --update")
