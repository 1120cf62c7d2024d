"""Every engine counts, describes and lists a table as DuckDB does with the same rows in memory."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from shoal.data.budget import budgeted
from shoal.data.coding import fingerprint
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.errors import InputError, TallyTooLargeError
from tests.engines.suite.tables import HOSTILE, NAMES, on_every_home, same_cells, typed_tables

HOSTILE_TABLES = ["people", 'x"; DROP TABLE people; --', "Ämter.2024", "select", "🐟 'q'", "a\nb"]


@on_every_home(40, data=st.data())
def test_cells_and_counts_are_the_same(home, data):
    table = data.draw(typed_tables())
    twin, engine = DuckDBEngine(table), home.open(home.put(table))
    try:
        assert engine.columns == twin.columns
        assert engine.count() == twin.count() == table.num_rows
        some = data.draw(st.lists(st.sampled_from(table.column_names), min_size=1, unique=True))
        for columns in (table.column_names, some):
            assert same_cells(engine.cells(columns), twin.cells(columns))
    finally:
        engine.close()


@on_every_home(25, data=st.data())
def test_values_that_are_merged_are_counted_together(home, data):
    table = data.draw(typed_tables())
    twin, engine = DuckDBEngine(table), home.open(home.put(table))
    names = table.column_names
    merged = {}
    for name in data.draw(st.lists(st.sampled_from(names), unique=True)):
        values = twin.cells([name]).domains[0]
        kept = data.draw(st.lists(st.sampled_from(values), unique=True)) if values else []
        merged[name] = {value: data.draw(st.sampled_from([*values, "both"])) for value in kept}
    try:
        cells = twin.cells(names, merged)
        assert same_cells(engine.cells(names, merged), cells)
        assert engine.about_cells(names, merged) == pytest.approx(len(cells.counts), rel=0.2, abs=1)
        assert engine.cells(names[:1]).counts.sum() == table.num_rows
    finally:
        engine.close()


@on_every_home(15, data=st.data())
def test_persons_are_the_same(home, data):
    table = data.draw(typed_tables())
    names = table.column_names[:2]
    who = data.draw(st.lists(st.sampled_from(HOSTILE[:5]), min_size=len(table), max_size=len(table)))
    # Nobody is called by an empty text.
    table = table.append_column("Who", pa.array([value or "-" for value in who], pa.string()))
    table = table.append_column("nr", pa.array([float(i % 2) for i in range(len(table))], pa.float64()))
    twin, engine = DuckDBEngine(table), home.open(home.put(table))
    key = data.draw(st.sampled_from([["Who"], ["nr", "Who"], ["nr"]]))
    try:
        assert engine.keyed(key) == twin.keyed(key)
        assert engine.keyed(names) == twin.keyed(names)
        values = twin.cells(names[:1]).domains[0]
        merged = {names[0]: dict.fromkeys(values, "one")}
        for asked in ((names, None, key), (names, merged, key)):
            assert fingerprint(engine.cells(*asked)) == fingerprint(twin.cells(*asked))
    finally:
        engine.close()


@on_every_home(25, table=typed_tables(), k=st.integers(1, 4))
def test_rows_with_few_like_them_are_counted(home, table, k):
    engine = home.open(home.put(table))
    try:
        for columns in (table.column_names, table.column_names[:1]):
            counts = engine.cells(columns).counts
            expected = (int((counts == 1).sum()), int(counts[counts < k].sum()))
            assert engine.few_alike(columns, k) == expected
    finally:
        engine.close()


@on_every_home(25, table=typed_tables(), few=st.integers(0, 4))
def test_profiles_and_first_values_are_the_same(home, table, few):
    twin, engine = DuckDBEngine(table), home.open(home.put(table))
    try:
        assert engine.profile(few) == twin.profile(few)
        for column in table.column_names:
            assert engine.first_values(column, few) == twin.first_values(column, few)
    finally:
        engine.close()


@pytest.mark.parametrize("name", HOSTILE_TABLES)
def test_any_name_and_value_comes_through(home, name):
    table = pa.table({column: pa.array([*HOSTILE, None]) for column in NAMES})
    place = home.put(table, name)
    other = home.put(table, "bystander")
    engine = home.open(place)
    try:
        for column in NAMES:
            cells = engine.cells([column])
            assert set(cells.domains[0]) == {*HOSTILE, None} - {""}
            assert cells.counts.sum() == len(HOSTILE) + 1
        assert same_cells(engine.cells(NAMES), DuckDBEngine(table).cells(NAMES))
    finally:
        engine.close()
    assert home.read(other).num_rows == table.num_rows


def test_text_of_a_million_characters_is_not_cut(home):
    long = [letter * 1_000_000 for letter in 'x"\n\\é']
    engine = home.open(home.put(pa.table({"t": long})))
    try:
        assert engine.cells(["t"]).domains[0] == tuple(sorted(long, key=str.encode))
    finally:
        engine.close()


def test_values_are_told_apart_by_their_bytes_and_sorted_so(home):
    values = [
        "b",
        "B",
        "a",
        "A",
        "é",
        "e\u0301",
        "ß",
        "ss",
        "Z",
        "_",
        "1",
        "10",
        "2",
        "\U0001f41f",
        "\uffee",
    ]
    engine = home.open(home.put(pa.table({"t": values})))
    try:
        assert engine.cells(["t"]).domains[0] == tuple(sorted(values, key=str.encode))
        assert engine.first_values("t", 3) == tuple(sorted(values, key=str.encode)[:3])
    finally:
        engine.close()


def test_dates_that_are_none_are_seen(home):
    looks = [
        "2020-02-29",
        "2021-02-29",
        "2000-02-29",
        "1900-02-29",
        "2020-13-01",
        "2020-04-31",
        "0000-01-01",
    ]
    table = pa.table({f"c{i}": [look, "2020-01-31 x"] for i, look in enumerate(looks)})
    engine = home.open(home.put(table))
    try:
        assert [seen.date for seen in engine.profile(0)] == [
            True,
            False,
            True,
            False,
            False,
            False,
            False,
        ]
    finally:
        engine.close()


def test_columns_that_are_not_there_are_named(home):
    engine = home.open(home.put(pa.table({"age": ["1"]})))
    try:
        with pytest.raises(InputError, match="no column 'agee'; did you mean age"):
            engine.cells(["agee"])
        with pytest.raises(InputError, match="no column"):
            engine.first_values("agee", 1)
        assert engine.count() == 1
    finally:
        engine.close()


def test_a_tally_beyond_its_budget_is_refused_before_it_is_fetched(home):
    engine = home.open(home.put(pa.table({"a": [str(i) for i in range(1000)]})))
    try:
        with budgeted(1000), pytest.raises(TallyTooLargeError, match="1,000 distinct combinations"):
            engine.cells(["a"])
        assert engine.cells(["a"]).counts.sum() == 1000
    finally:
        engine.close()


def test_a_closed_engine_says_so(home):
    engine = home.open(home.put(pa.table({"a": ["1"]})))
    engine.close()
    engine.close()
    with pytest.raises(InputError, match="closed"):
        engine.count()
