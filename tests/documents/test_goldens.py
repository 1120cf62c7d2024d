"""Documents of earlier versions are still read, and released from."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from pyarrow import parquet

from shoal.data.engines.saved_tally.tally_file import read_tally
from shoal.documents.readers import KEY
from shoal.errors import InputError
from tests.commands import shoal

GOLDENS = Path(__file__).parent / "goldens"
NODE = {"age": 1, "zip": 1}


@pytest.fixture
def folder(tmp_path):
    """A copy of the documents, beside their table and study."""
    shutil.copytree(GOLDENS, tmp_path / "old")
    return tmp_path / "old"


def groups(path):
    with path.open(newline="") as file:
        return Counter((row["age"], row["zip"]) for row in csv.DictReader(file))


def expected(folder):
    short = {"0": "0213*", "1": "1000*"}
    with (folder / "people.csv").open(newline="") as file:
        return Counter((row["age"][0] + "*", short[row["zip"][0]]) for row in csv.DictReader(file))


@pytest.mark.parametrize(
    ("name", "choice"),
    [("frontier", ("--k", "7")), ("optimize", ()), ("negotiate", ()), ("anonymize", ())],
)
def test_a_solution_of_an_earlier_version_is_released(folder, name, choice):
    done = shoal(
        "release", "study.yaml", "--solution", f"{name}.json", *choice, "-o", "out.csv", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert groups(folder / "out.csv") == expected(folder)
    assert shoal("verify", "out.csv", cwd=folder).returncode == 0


def test_a_record_of_the_first_versions_makes_its_release_again(folder):
    done = shoal("release", "--from", "record.json", "-o", "again.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert groups(folder / "again.csv") == expected(folder)
    record = json.loads((folder / "again.csv.record.json").read_text())
    assert (record["seed"], record["decision"]["node"]) == (5, NODE)
    done = shoal("apply", "record.json", "people.csv", "-o", "new.csv", cwd=folder)
    assert done.returncode == 0, done.stderr


def test_a_tally_without_coarse_columns_is_read(folder):
    assert shoal("tally", "study.yaml", "-o", "now.tally", cwd=folder).returncode == 0
    table = parquet.read_table(folder / "now.tally")
    head = json.loads(table.schema.metadata[KEY])
    old = {name: head[name] for name in ("kind", "counted", "columns", "parts")}
    parquet.write_table(table.replace_schema_metadata({KEY: json.dumps(old)}), folder / "old.tally")
    assert read_tally(folder / "old.tally").rows == 60
    parquet.write_table(table.replace_schema_metadata({}), folder / "none.tally")
    with pytest.raises(InputError, match="this is not a tally of Shoal"):
        read_tally(folder / "none.tally")
