"""Tables in many files: patterns, folders, partitions."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal import Study
from shoal.again import remake
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files.table_files import find_files
from shoal.errors import InputError


def counted(table, *columns):
    """The rows of a table over some columns, as DuckDB counts them."""
    engine = DuckDBEngine(table)
    try:
        cells = engine.cells(columns)
    finally:
        engine.close()
    values = [tuple(cells.domains[a][c] for a, c in enumerate(codes)) for codes in cells.codes.tolist()]
    return Counter(dict(zip(values, cells.counts.tolist(), strict=True)))


@pytest.fixture
def folder(tmp_path):
    for day, rows in (("007", ["1", "2"]), ("08", ["2", "2", None])):
        place = tmp_path / "days" / f"day={day}"
        place.mkdir(parents=True)
        parquet.write_table(pa.table({"zip": pa.array(rows, pa.string())}), place / "part.parquet")
    (tmp_path / "days" / "_SUCCESS").write_text("")
    (tmp_path / "days" / "day=08" / ".part.parquet.crc").write_text("crc")
    return tmp_path / "days"


def test_a_partitioned_folder_is_one_table_and_its_folders_are_text(folder):
    expected = {("1", "007"): 1, ("2", "007"): 1, ("2", "08"): 2, (None, "08"): 1}
    assert counted(folder, "zip", "day") == expected
    assert counted(folder / "*" / "*.parquet", "zip", "day") == expected
    assert counted(folder / "**" / "*.parquet", "zip", "day") == expected
    assert counted(folder / "day=08", "zip") == {("2",): 2, (None,): 1}


def test_files_below_a_hidden_folder_are_not_part_of_the_table(folder):
    before = counted(folder, "zip", "day")
    staged = folder / "_temporary" / "day=09"  # where Spark puts what it is writing
    staged.mkdir(parents=True)
    parquet.write_table(pa.table({"zip": ["3"]}), staged / "part.parquet")
    assert counted(folder, "zip", "day") == before


def test_csv_files_are_one_table(tmp_path):
    (tmp_path / "a.csv").write_text("zip,job\n1,cook\n")
    (tmp_path / "b.csv").write_text('zip,job\n1,"co;ok"\n')
    (tmp_path / "c[1].csv").write_text("zip,job\n9,nurse\n")
    assert counted(tmp_path / "[ab].csv", "zip", "job") == {("1", "cook"): 1, ("1", "co;ok"): 1}
    # A file is a file, whatever its name looks like.
    assert counted(tmp_path / "c[1].csv", "zip") == {("9",): 1}


def test_files_that_are_no_table_together_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("zip\n1\n")
    (tmp_path / "b.csv").write_text("zip,job\n1,cook\n")
    with pytest.raises(InputError, match=r"b.csv, line 1: other columns, or another delimiter"):
        DuckDBEngine(tmp_path / "*.csv")
    parquet.write_table(pa.table({"zip": ["1"]}), tmp_path / "c.parquet")
    with pytest.raises(InputError, match=r"files of several kinds \(CSV, Parquet\)"):
        find_files(tmp_path)
    with pytest.raises(InputError, match="the pattern finds no file"):
        find_files(tmp_path / "*.tsv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder finds no file"):
        find_files(tmp_path / "empty")
    parquet.write_table(pa.table({"zap": ["1"]}), tmp_path / "d.parquet")
    with pytest.raises(InputError, match=r"d.parquet: other columns than .*c.parquet"):
        DuckDBEngine(tmp_path / "*.parquet")


def test_partitions_must_be_alike(tmp_path):
    for place in ("day=1", "month=1"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "x.csv").write_text("zip\n1\n")
    with pytest.raises(InputError, match=r"is partitioned by month, but .* by day"):
        find_files(tmp_path)


def test_a_release_of_many_files_can_be_made_again_and_sees_a_change(folder, tmp_path):
    with Study(folder, quasi={"zip": {"*": ["1", "2"]}}, insensitive="day") as study:
        study.release(study.frontier(), k=5, seed=3).write(tmp_path / "out.csv")
    again = remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    assert again.verdict.holds
    extra = folder / "day=09"
    extra.mkdir()
    parquet.write_table(pa.table({"zip": ["1"]}), extra / "part.parquet")
    with pytest.raises(InputError, match="the table has changed since the release was made"):
        remake(tmp_path / "out.csv.record.json", tmp_path / "third.csv")
