"""Saved tallies: the same counts as the table, file by file, and searches that never see the rows."""

from __future__ import annotations

import json
import stat
from contextlib import closing

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from shoal import Study
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.saved_tally.engine import TalliedEngine
from shoal.data.engines.saved_tally.tally_file import (
    CoarseColumn,
    SavedTally,
    merged,
    read_tally,
    write_tally,
)
from shoal.documents.whole.file import WholeFile
from shoal.errors import InputError
from tests.examples import examples

YAML = """table: {table}
attributes:
  zip: {{role: quasi, hierarchy: {{mask: {{digits: 5}}}}}}
  sex: {{role: quasi, hierarchy: {{"*": [m, f]}}}}
  job: {{role: sensitive}}
  name: {{role: identifying}}
"""
ZIPS, SEXES, JOBS = ["02138", "02139", "02141", None], ["m", "f"], ["cook", "nurse", "clerk"]


def part(path, rows):
    columns = {
        name: pa.array([row[i] for row in rows], pa.string())
        for i, name in enumerate(["zip", "sex", "job"])
    }
    columns["name"] = pa.array([f"person {i}" for i in range(len(rows))])
    parquet.write_table(pa.table(columns), path)


def some_rows(seed, count):
    rng = np.random.default_rng(seed)
    return [(ZIPS[rng.integers(4)], SEXES[rng.integers(2)], JOBS[rng.integers(3)]) for _ in range(count)]


def same(one, other):
    return (
        one.columns == other.columns
        and one.domains == other.domains
        and (one.codes == other.codes).all()
        and (one.counts == other.counts).all()
    )


@pytest.fixture
def study(tmp_path):
    (tmp_path / "rows").mkdir()
    part(tmp_path / "rows" / "one.parquet", some_rows(1, 40))
    (tmp_path / "study.yaml").write_text(YAML.format(table="rows"))
    return tmp_path / "study.yaml"


TEXTS = st.one_of(
    st.none(), st.sampled_from(["a", "b", "é", "e\u0301", "ab", "A", '"; DROP', "\U0001f41f"])
)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=30),
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=30),
)
def test_a_saved_tally_counts_as_the_table_does(tmp_path_factory, first, second):
    place = tmp_path_factory.mktemp("tally") / "kept.tally"
    names = ("x", "y", "z")

    def engine(rows):
        columns = list(zip(*rows, strict=True))
        return DuckDBEngine(
            pa.table(
                {
                    name: pa.array(column, pa.string())
                    for name, column in zip(names, columns, strict=True)
                }
            )
        )

    one, two, both = engine(first), engine(second), engine([*first, *second])
    saved = [SavedTally(each.cells(names), names) for each in (one, two)]
    with closing(WholeFile(place, force=True)) as file:
        write_tally(file, merged(*saved))
    kept = TalliedEngine(place)
    assert kept.count() == len(first) + len(second)
    for columns in (names, ("z",), ("y", "x"), ()):
        if columns:
            assert same(kept.cells(columns), both.cells(columns))
    for each in (one, two, both):
        each.close()


def test_searches_answer_alike_from_the_tally_alone(study, tmp_path, shoal):
    kept = tmp_path / "kept.tally"
    status, out, err = shoal("tally", study, "-o", kept)
    assert (status, "40 rows" in out, "keep it private" in err) == (0, True, True)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    asked = {
        "frontier": (),
        "optimize": ("--l", 2, "--threads", 1),
        "negotiate": ("--k", 3, "--no-index"),
        "anonymize": ("--algorithm", "top-down", "--k", 3),
    }
    # Two threads give one answer, but how many cuts each examines on the way is theirs.
    timed = {"seconds", "milliseconds"}

    def answer(*arguments):
        status, out, _ = shoal(*arguments, "--json")
        assert status == 0
        return json.loads(
            out, object_hook=lambda d: {name: value for name, value in d.items() if name not in timed}
        )

    before = {name: answer(name, study, *more) for name, more in asked.items()}
    (tmp_path / "rows" / "one.parquet").unlink()
    (tmp_path / "rows").rmdir()
    for name, more in asked.items():
        wanted = [word for word in more if word != "--no-index"]
        assert answer(name, study, *wanted, "--tally", kept) == before[name]


def test_rows_cannot_be_released_from_a_tally(study, tmp_path, shoal):
    kept = tmp_path / "kept.tally"
    assert shoal("tally", study, "-o", kept)[0] == 0
    with Study.open(study, tally=kept) as tallied:
        front = tallied.frontier()
        with pytest.raises(
            InputError, match="a saved tally has no rows to release; release where the table"
        ):
            tallied.release(front).table()
        with pytest.raises(InputError, match="the tally does not count the column 'name'"):
            tallied.tally("name")


def test_an_update_counts_new_files_alone(study, tmp_path, shoal, monkeypatch):
    kept = tmp_path / "kept.tally"
    assert shoal("tally", study, "-o", kept)[0] == 0
    part(tmp_path / "rows" / "two.parquet", some_rows(2, 25))
    opened = []
    inner = DuckDBEngine.__init__

    def watch(self, table, reading, **settings):
        opened.append([path.name for path in table.paths])
        inner(self, table, reading, **settings)

    monkeypatch.setattr(DuckDBEngine, "__init__", watch)
    status, out, _ = shoal("tally", study, "-o", kept, "--update", "--json")
    assert status == 0
    assert opened == [["two.parquet"]]
    document = json.loads(out)
    assert (document["rows"], document["added_rows"], document["added_files"]) == (
        65,
        25,
        ["two.parquet"],
    )
    monkeypatch.undo()
    updated = read_tally(kept)
    assert shoal("tally", study, "-o", kept, "--force")[0] == 0
    assert same(updated.cells, read_tally(kept).cells)
    status, out, _ = shoal("tally", study, "-o", kept, "--update")
    assert (status, "0 of them new" in out) == (0, True)


def test_files_that_changed_or_went_are_not_updated(study, tmp_path, shoal):
    kept = tmp_path / "kept.tally"
    assert shoal("tally", study, "-o", kept)[0] == 0
    before = kept.read_bytes()
    part(tmp_path / "rows" / "one.parquet", some_rows(3, 40))
    status, _, err = shoal("tally", study, "-o", kept, "--update")
    assert (status, "one.parquet has changed since it was counted" in err) == (2, True)
    (tmp_path / "rows" / "one.parquet").rename(tmp_path / "rows" / "three.parquet")
    status, _, err = shoal("tally", study, "-o", kept, "--update")
    assert (status, "one.parquet is in the tally but no longer exists" in err) == (2, True)
    assert kept.read_bytes() == before


def test_what_is_no_tally_is_refused(study, tmp_path, shoal):
    (tmp_path / "text.tally").write_text("no")
    parquet.write_table(pa.table({"n": [1]}), tmp_path / "plain.tally")
    for name in ("text.tally", "plain.tally"):
        status, _, err = shoal("frontier", study, "--tally", tmp_path / name)
        assert (status, "this is not a tally of Shoal; make one with shoal tally" in err) == (2, True)
    status, _, err = shoal("frontier", study, "--tally", tmp_path / "none.tally")
    assert (status, "no such file" in err) == (2, True)
    kept = tmp_path / "kept.tally"
    kept.write_text("mine")
    status, _, err = shoal("tally", study, "-o", kept)
    assert (status, "already exists" in err) == (2, True)


DAMAGED = {
    "too many rows": ([2**62, 2**62], "add up to more than 9,007,199,254,740,992 rows"),
    "more rows than numbers": ([2**63 - 1, 2**63 - 1], "add up to more than 9,007,199,254,740,992 rows"),
    "fewer than none": ([-5, 9], "a count is below 1"),
    "halves": ([0.5, 1.0], "this is not a tally of Shoal"),
    "nothing": ([None, 1], "this is not a tally of Shoal"),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_counts_that_no_table_has_are_refused_in_a_line(study, tmp_path, shoal, how):
    """The first two once made negotiations crash and frontiers answer nonsense."""
    kept = tmp_path / "kept.tally"
    assert shoal("tally", study, "-o", kept)[0] == 0
    counts, told = DAMAGED[how]
    table = parquet.read_table(kept).slice(0, 2)
    parquet.write_table(table.set_column(table.num_columns - 1, "n", pa.array(counts)), kept)
    for command in (("negotiate", study, "--k", 2), ("frontier", study)):
        status, out, err = shoal(*command, "--tally", kept)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert f"{kept}: " in err
        assert told in err


def test_columns_that_count_other_rows_are_refused(tmp_path):
    cells = DuckDBEngine(pa.table({"x": ["a", "b"]})).cells(["x"])
    for rows in ((1, 2), (3, -1), (2,)):
        coarse = {"x": CoarseColumn(1, ("a", "b"), ("a", "a"), rows)}
        with closing(WholeFile(tmp_path / "kept.tally", force=True)) as file:
            write_tally(file, SavedTally(cells, ("x",), (), coarse))
        with pytest.raises(InputError, match="its columns disagree"):
            read_tally(tmp_path / "kept.tally")
