"""Persons in a tally: what is counted of them agrees with the rows, one by one."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from shoal.data.coding import fingerprint
from shoal.data.engines.duckdb import cells as duckdb_cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.saved_tally.engine import TalliedEngine
from shoal.data.engines.saved_tally.tally_file import SavedTally, read_tally, write_tally
from shoal.data.person_rows import PersonRows
from shoal.data.tally.tally import take_tally
from shoal.documents.whole.file import WholeFile
from shoal.errors import InputError
from tests import oracles
from tests.examples import examples

NAMES = ("x", "y", "s")
VALUES = (["a", "b", None], ["c", "d"], ["e", "f", "g", None])


@st.composite
def tables(draw, most_rows=14, most_persons=6):
    """Rows of two quasi values, a sensitive one and a person."""
    row = st.tuples(*(st.sampled_from(values) for values in VALUES), st.integers(0, most_persons - 1))
    return draw(st.lists(row, min_size=1, max_size=most_rows))


def arrow(rows, key=lambda person: f"p{person}"):
    columns = {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(NAMES)}
    return pa.table({**columns, "who": pa.array([key(row[3]) for row in rows])})


def counted(rows, others=("s",), key=lambda person: f"p{person}"):
    engine = DuckDBEngine(arrow(rows, key))
    try:
        return take_tally(engine, ["x", "y"], others, ["who"])
    finally:
        engine.close()


def place_of(tally, row):
    return tally.combinations().index(row[:2])


@settings(max_examples=examples(40), deadline=None)
@given(tables(), st.data())
def test_persons_and_their_weights_are_those_of_the_rows(rows, data):
    tally = counted(rows)
    of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(tally), max_size=len(tally))))
    groups = [int(of[place_of(tally, row)]) for row in rows]
    persons = [row[3] for row in rows]
    expected = oracles.people(groups, persons)
    assert tally.people == len(set(persons))
    assert tally.people_in(of, 3).tolist() == [len(expected.get(group, ())) for group in range(3)]
    elsewhere = {person for group, person in zip(groups, persons, strict=True) if group}
    lost = tally.lost(of == 0)
    assert lost == (None if len({*persons}) == len(rows) else len({*persons} - elsewhere))
    weighed = oracles.weights(groups, persons, [row[2] for row in rows])
    found = tally.weights("s", of, 3)
    for group in range(3):
        for v, value in enumerate(tally.domain("s")):
            share = Fraction(int(found.counts[group, v]), int(found.scale[group]))
            assert share == weighed.get((group, value), 0)


@settings(max_examples=examples(40), deadline=None)
@given(tables(), st.data())
def test_some_of_the_combinations_have_the_persons_of_their_rows(rows, data):
    tally = counted(rows)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(tally), max_size=len(tally))))
    kept = [row for row in rows if mask[place_of(tally, row)]]
    if kept:
        found, expected = tally.where(mask), counted(kept)
        assert (found.persons is None) == (expected.persons is None)
        assert found.people == expected.people
        if found.persons is not None:
            for name in ("cell_persons", "cells", "persons", "rows"):
                assert getattr(found.persons, name).tolist() == getattr(expected.persons, name).tolist()


@settings(max_examples=examples(40), deadline=None)
@given(tables(), st.permutations(range(6)))
def test_the_fingerprint_knows_who_shares_rows_but_not_their_names(rows, names):
    tally = counted(rows)
    assert tally.fingerprint() == counted(rows, key=lambda person: f"{names[person]}").fingerprint()
    apart = [(*row[:3], i) for i, row in enumerate(rows)]
    assert (tally.fingerprint() == counted(apart).fingerprint()) == (tally.persons is None)


@settings(max_examples=examples(40), deadline=None)
@given(tables())
def test_a_list_is_sorted_and_holds_only_persons_of_several_cells(rows):
    tally = counted(rows)
    if (whose := tally.persons) is None:
        assert len({row[3] for row in rows}) == len(rows)
        return
    pairs = list(zip(whose.persons.tolist(), whose.cells.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    widths = np.bincount(whose.persons)
    assert (widths >= 2).all()
    assert (np.diff(widths) >= 0).all()
    assert whose.spread == len(widths)
    listed = np.bincount(whose.cells, weights=whose.rows, minlength=len(tally.cell_counts))
    assert (listed + whose.cell_persons <= tally.cell_counts).all()


@settings(max_examples=examples(30), deadline=None)
@given(tables(), st.sampled_from([["x", "y", "s"], ["y"], ["s", "x"], []]))
def test_a_saved_tally_has_the_persons_of_the_table(tmp_path_factory, rows, columns):
    path = tmp_path_factory.mktemp("tally") / "kept.tally"
    engine = DuckDBEngine(arrow(rows))
    with closing(WholeFile(path, force=False)) as file:
        cells = engine.cells(NAMES, None, ["who"])
        write_tally(file, SavedTally(cells, engine.columns, persons=("who",)))
    kept = TalliedEngine(path)
    assert kept.keyed(["who"]) == engine.keyed(["who"])
    whole = {"a": "a", "b": "a", "e": "e", "f": "e", "g": "g", None: None}
    merged = {name: whole for name in columns if name != "y"}
    for asked in ((columns, None, ["who"]), (columns, merged, ["who"])) if columns else ():
        assert fingerprint(kept.cells(*asked)) == fingerprint(engine.cells(*asked))
    assert kept.cells(NAMES).persons is None
    with pytest.raises(InputError, match="counts persons by 'who', and the study by 'x'"):
        kept.keyed(["x"])
    engine.close()


@pytest.mark.parametrize(
    ("column", "value"), [("persons", 0), ("persons", 9), ("person", 3), ("n", 0), ("person", -1)]
)
def test_a_damaged_saved_tally_is_refused(tmp_path, column, value):
    rows = [("a", "c", "e", 0), ("b", "c", "e", 0), ("a", "c", "e", 1), ("b", "d", "e", 1)]
    engine, path = DuckDBEngine(arrow(rows)), tmp_path / "kept.tally"
    with closing(WholeFile(path, force=False)) as file:
        cells = engine.cells(NAMES, None, ["who"])
        write_tally(file, SavedTally(cells, engine.columns, persons=("who",)))
    engine.close()
    table = parquet.read_table(path)
    changed = table[column].to_pylist()
    changed[-1] = value
    at = table.column_names.index(column)
    parquet.write_table(table.set_column(at, column, pa.array(changed, pa.int64())), path)
    with pytest.raises(InputError, match="damaged"):
        read_tally(path)


def test_one_row_a_person_is_a_tally_without_persons():
    rows = [("a", "c", "e", 0), ("a", "c", "f", 1), ("b", "d", "e", 2)]
    assert counted(rows).persons is None
    assert counted(rows).people == 3


def test_many_cells_are_counted_alike(monkeypatch):
    rng = np.random.default_rng(7)
    rows = [tuple(values[rng.integers(len(values))] for values in VALUES) for _ in range(400)]
    rows = [(*row, int(rng.integers(150))) for row in rows]
    few = counted(rows)
    monkeypatch.setattr(duckdb_cells, "FEW", 0)
    monkeypatch.setattr(duckdb_cells, "_ROWS", 7)
    monkeypatch.setattr("shoal.data.engines.duckdb.views.SMALL", 0)
    monkeypatch.setattr(duckdb_cells, "coded", None)  # texts are not fetched row by row
    many = counted(rows)
    assert few.fingerprint() == many.fingerprint()
    assert few.persons is not None
    assert few.persons.spread > 20


def test_a_key_of_several_columns_names_persons_by_all_of_them():
    table = pa.table({"x": ["a", "b", "a", "b"], "one": [1, 1, 1, 2], "two": [1.0, 1.0, 2.0, 1.0]})
    engine = DuckDBEngine(table)
    tally = take_tally(engine, ["x"], (), ["one", "two"])
    found = engine.keyed(["one", "two"])
    engine.close()
    assert (found.rows, found.persons, found.nameless) == (4, 3, 0)
    assert tally.people_in(np.array([0, 1]), 2).tolist() == [2, 2]
    assert tally.people_in(np.array([0, 0]), 1).tolist() == [3]


def test_rows_that_name_no_one_are_counted():
    engine = DuckDBEngine(pa.table({"one": ["1", None, "", "2"], "two": [None, 1, 2, 3]}))
    assert engine.keyed(["one", "two"]).nameless == 3
    engine.close()


@pytest.mark.parametrize("shares", [range(2, 60), (2, 3, 5)])
def test_weights_are_exact_however_many_rows_persons_have(shares):
    # Person i has one row with the value 0, and the others with the value 1.
    persons = np.repeat(np.arange(len(shares)), 2)
    rows = np.array([rows for share in shares for rows in (1, share - 1)])
    whose = PersonRows.listed(np.zeros(2, dtype=np.int64), np.tile([0, 1], len(shares)), persons, rows)
    found = whose.weights(np.array([0, 0]), 1, np.array([0, 1], dtype=np.int32), 2)
    expected = sum(Fraction(1, share) for share in shares)
    assert Fraction(int(found.counts[0, 0]), int(found.scale[0])) == expected
    assert int(found.counts.sum()) == len(shares) * int(found.scale[0])
