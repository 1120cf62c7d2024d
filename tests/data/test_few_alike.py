"""Rows are counted by digests first where there are many columns: the figures are those of the texts."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from shoal.data.engines.duckdb import engine
from shoal.data.engines.duckdb.engine import WIDE, DuckDBEngine
from shoal.data.sql import statements
from tests.examples import examples

VALUES = st.none() | st.sampled_from(["", "a", "b", "a\x1fb"])


@st.composite
def tables(draw):
    rows = draw(st.lists(st.tuples(VALUES, VALUES, st.integers(0, 2)), max_size=12))
    names = ("digest", "n", "Who")
    return pa.table(
        {
            name: pa.array([row[i] for row in rows], pa.int64() if i == 2 else pa.string())
            for i, name in enumerate(names)
        }
    )


def by_first(columns):
    """A digest that many rows have in common though their texts differ."""
    return exp.Anonymous(this="HASH", expressions=[statements.text_of(*columns[0])])


@settings(max_examples=examples(60))
@given(table=tables(), k=st.integers(1, 4), poor=st.booleans())
def test_counts_by_digests_are_those_of_the_texts(table, k, poor):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "WIDE", 1)
        if poor:
            patched.setattr(statements, "_digest", by_first)
        opened = DuckDBEngine(table)
        try:
            counts = opened.cells(table.column_names).counts
            expected = (int((counts == 1).sum()), int(counts[counts < k].sum()))
            assert opened.few_alike(table.column_names, k) == expected
            assert opened.few_alike(table.column_names, k) == expected  # nothing is left of the first
        finally:
            opened.close()


def test_many_columns_take_this_way(monkeypatch):
    asked = []
    own = statements.digests
    monkeypatch.setattr(statements, "digests", lambda *given: asked.append(len(given[1])) or own(*given))
    table = pa.table({f"c{i}": ["x", "x", "y"] for i in range(WIDE)})
    opened = DuckDBEngine(table)
    try:
        assert opened.few_alike(table.column_names, 3) == (1, 3)
        assert opened.few_alike(table.column_names[1:], 2) == (1, 1)
    finally:
        opened.close()
    assert asked == [WIDE]
