"""The tally: what a plain counter would count, and how other columns are spread below it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.tally import take_tally
from shoal.errors import InputError

NAMES = ("a", "b", "s", "t")
values = st.sampled_from([None, "", "x", "y", "NA", "10", "9"])
tables = st.lists(st.tuples(values, values, values, values), max_size=12)


def tally_of(rows, attributes=("a", "b"), others=()):
    columns = {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(NAMES)}
    engine = DuckDBEngine(pa.table(columns))
    try:
        return take_tally(engine, attributes, others)
    finally:
        engine.close()


def clean(rows):
    return [tuple(value or None for value in row) for row in rows]


def combinations(tally):
    """The combinations of a tally as rows of values."""
    return [
        tuple(domain[code] for domain, code in zip(tally.domains, codes, strict=True))
        for codes in tally.codes.tolist()
    ]


@settings(max_examples=15)
@given(tables)
def test_combinations_are_counted_as_a_counter_counts(rows):
    tally = tally_of(rows)
    expected = Counter(row[:2] for row in clean(rows))
    assert dict(zip(combinations(tally), tally.counts.tolist(), strict=True)) == expected
    assert tally.rows == len(rows)
    assert len(tally) == len(expected)


@settings(max_examples=15)
@given(tables)
def test_other_columns_are_spread_as_a_counter_counts(rows):
    tally = tally_of(rows, others=("s", "t"))
    expected = Counter(clean(rows))
    assert dict(zip(combinations(tally), tally.counts.tolist(), strict=True)) == Counter(
        row[:2] for row in clean(rows)
    )
    found = Counter()
    named = combinations(tally)
    for at, codes, count in zip(
        tally.cell_combinations, tally.cell_codes.tolist(), tally.cell_counts, strict=True
    ):
        below = tuple(domain[code] for domain, code in zip(tally.other_domains, codes, strict=True))
        found[named[at] + below] += int(count)
    assert found == expected
    for place, column in ((2, "s"), (3, "t"), (0, "a")):
        histogram = tally.histogram(column)
        assert histogram.shape == (len(tally), len(tally.domain(column)))
        for i, combination in enumerate(named):
            for j, value in enumerate(tally.domain(column)):
                rows_there = [
                    row for row in clean(rows) if row[:2] == combination and row[place] == value
                ]
                assert histogram[i, j] == len(rows_there)
        assert tally.totals(column).tolist() == histogram.sum(axis=0).tolist()


@settings(max_examples=15)
@given(st.data(), tables)
def test_the_order_of_the_rows_changes_nothing(data, rows):
    one = tally_of(rows, others=("s",))
    two = tally_of(data.draw(st.permutations(rows)), others=("s",))
    assert one.domains == two.domains
    assert one.other_domains == two.other_domains
    for field in ("codes", "counts", "cell_combinations", "cell_codes", "cell_counts"):
        assert np.array_equal(getattr(one, field), getattr(two, field))


def test_no_rows_give_no_combinations():
    tally = tally_of([], others=("s",))
    assert (len(tally), tally.rows, tally.domains, tally.other_domains) == (0, 0, ((), ()), ((),))
    assert tally.histogram("s").shape == (0, 0)
    assert tally.totals("a").tolist() == []


def test_other_columns_that_are_quasi_too_are_counted_once():
    tally = tally_of([("x", "y", "s", None)], others=("a", "s"))
    assert tally.others == ("s",)
    assert tally.histogram("a").tolist() == [[1]]
    assert tally.domain("s") == ("s",)


def test_groups_of_combinations_add_up():
    rows = [("1", "x", "s", None), ("2", "x", "t", None), ("3", "x", "s", None)]
    tally = tally_of(rows, others=("s",))
    groups = np.array([0, 1, 0])
    assert tally.histogram("s", groups, 2).tolist() == [[2, 0], [0, 1]]
    assert tally.histogram("a", groups, 3).tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]


def test_a_column_that_was_not_counted_is_not_there():
    with pytest.raises(ValueError, match="not in"):
        tally_of([("1", "x", "s", None)]).histogram("nope")


def test_adult_has_as_many_combinations_as_the_papers_say(adult):
    engine = DuckDBEngine(adult / "adult.csv")
    seven = ["age-band", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    tally = take_tally(engine, seven, ["occupation"])
    assert (tally.rows, len(tally), len(tally.domain("occupation"))) == (45_222, 8_395, 14)
    engine.close()
    engine = DuckDBEngine(adult / "adult-30162.csv")
    eight = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    tally = take_tally(engine, [*eight, "salary-class"])
    assert (tally.rows, len(tally)) == (30_162, 12_458)
    engine.close()


@pytest.mark.parametrize("counts", [[2**62, 2**62], [3, -1]])
def test_arrays_that_count_no_table_are_refused(counts):
    tally = tally_of([("x", "x", "x", "x"), ("y", "x", "x", "x")])
    for field in ("counts", "cell_counts"):
        with pytest.raises(InputError, match=r"more than 9,007,199,254,740,992 rows|negative"):
            replace(tally, **{field: np.array(counts)})
