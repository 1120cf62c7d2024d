"""New rows of persons who may have been counted before: as if all had been counted at once."""

from __future__ import annotations

import json
import stat
from contextlib import closing
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from shoal.data.coding import fingerprint
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.saved_tally.tally_file import read_tally
from shoal.data.tally.new_rows import with_new_rows
from shoal.data.tally.tally import several_rows
from shoal.errors import InputError
from tests.data.test_person_rows import NAMES, arrow, tables
from tests.examples import examples

STUDY = """table: rows
persons: who
attributes:
  x: {role: quasi, hierarchy: {"*": [a, b]}}
  s: {role: sensitive}
  who: {role: identifying}
"""


def opened(rows, halves):
    """The rows in an engine; with `halves` a person is named by two columns, neither of which is enough."""
    table = arrow(rows)
    if halves:
        numbers = [row[3] for row in rows]
        table = table.append_column("left", pa.array([f"l{number // 2}" for number in numbers]))
        table = table.append_column("right", pa.array([number % 2 for number in numbers]))
    return closing(DuckDBEngine(table))


def counted(engine, key):
    """The cells as a study counts them: where every person has one row, without persons."""
    cells = engine.cells(NAMES, None, key)
    return replace(cells, persons=several_rows(cells.persons, int(cells.counts.sum())))


@settings(max_examples=examples(40), deadline=None)
@given(tables(most_rows=20), tables(most_rows=8), st.booleans())
def test_rows_in_parts_are_counted_as_all_at_once(old, new, halves):
    key = ["left", "right"] if halves else ["who"]
    with opened(old, halves) as had, opened(new, halves) as come, opened(old + new, halves) as whole:
        cells = with_new_rows(counted(had, key), had, come, key)
        assert fingerprint(cells) == fingerprint(counted(whole, key))


def test_a_tally_of_other_rows_is_refused():
    alone, apart = [("a", "c", "e", 0)], [("a", "c", "e", 0), ("b", "c", "e", 0), ("b", "d", "f", 1)]
    for told, there in ((alone, apart), (apart, [*apart[:1], *apart[2:]])):
        with opened(told, False) as one:
            cells = one.cells(NAMES, None, ["who"])
        with (
            opened(there, False) as other,
            opened(alone, False) as new,
            pytest.raises(InputError, match="does not fit the files"),
        ):
            with_new_rows(cells, other, new, ["who"])


@pytest.fixture
def study(tmp_path):
    (tmp_path / "rows").mkdir()
    (tmp_path / "study.yaml").write_text(STUDY)
    add(tmp_path, "one", [("a", "e", "p"), ("b", "e", "p"), ("a", "f", "q"), ("a", "f", "r")])
    return tmp_path


def add(folder, name, rows):
    columns = dict(zip(("x", "s", "who"), map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pa.table(columns), folder / "rows" / f"{name}.parquet")


def test_an_update_counts_persons_who_were_there_before_once(study, shoal):
    kept, afresh = study / "kept.tally", study / "afresh.tally"
    assert shoal("tally", study / "study.yaml", "-o", kept)[0] == 0
    add(study, "two", [("b", "e", "q"), ("a", "e", "p"), ("b", "g", "new")])
    status, out, err = shoal("tally", study / "study.yaml", "-o", kept, "--update", "--json")
    assert status == 0, err
    told = json.loads(out)
    assert (told["rows"], told["added_rows"], told["added_files"]) == (7, 3, ["two.parquet"])
    assert shoal("tally", study / "study.yaml", "-o", afresh)[0] == 0
    one, other = read_tally(kept), read_tally(afresh)
    assert fingerprint(one.cells) == fingerprint(other.cells)
    assert (one.columns, one.persons, set(one.parts)) == (other.columns, other.persons, set(other.parts))
    assert one.cells.persons.total == 4
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    text = kept.read_bytes()
    assert b"new" not in text  # nobody's key is kept


def test_rows_without_a_person_and_another_key_are_refused(study, shoal):
    kept = study / "kept.tally"
    assert shoal("tally", study / "study.yaml", "-o", kept)[0] == 0
    before = kept.read_bytes()
    add(study, "two", [("b", "e", None)])
    status, _, err = shoal("tally", study / "study.yaml", "-o", kept, "--update")
    assert (status, "1 rows name no person" in err) == (2, True)
    (study / "study.yaml").write_text(STUDY.replace("persons: who\n", ""))
    status, _, err = shoal("tally", study / "study.yaml", "-o", kept, "--update")
    assert status == 2
    assert "counts persons by 'who', and the study by no column" in err
    assert kept.read_bytes() == before
