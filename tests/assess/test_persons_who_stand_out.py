"""Where persons have several rows, who is unique is a person: by brute force over rows."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import risk
from shoal.assess.risk.combinations import worst_combinations
from shoal.assess.risk.suda import special_uniques
from shoal.data.engine import Cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.tally.tally import tally_of

COLUMNS = ("a", "b", "c")


@st.composite
def visits(draw):
    """Rows of some persons, with a missing value here and there; two persons at least, one with two rows."""
    value = st.sampled_from(["1", "2", "3", None])
    rows = draw(st.lists(st.tuples(st.integers(0, 6), value, value, value), min_size=2, max_size=16))
    return [(0, "1", "1", "1"), (0, "1", "1", draw(value)), (1, "2", "1", "1"), *rows]


def counted(rows):
    table = pa.table(
        {"who": [str(r[0]) for r in rows]} | {n: [r[i + 1] for r in rows] for i, n in enumerate(COLUMNS)}
    )
    tally = tally_of(DuckDBEngine(table).cells(COLUMNS, None, ("who",)), len(COLUMNS))
    return tally, Cells(tally.attributes, tally.domains, tally.codes, tally.counts)


def persons_by(rows, chosen):
    """Who has rows with each combination of values of the chosen columns."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[1 + i] for i in chosen), set()).add(row[0])
    return found


@given(visits())
def test_combinations_count_persons_who_are_alone_in_a_class(rows):
    tally, cells = counted(rows)
    told = {one.columns: one for one in worst_combinations(cells, whose=tally.in_combinations)}
    for width in (1, 2, 3):
        for chosen in combinations(range(3), width):
            classes = persons_by(rows, chosen)
            alone = {next(iter(who)) for who in classes.values() if len(who) == 1}
            one = told[tuple(COLUMNS[i] for i in chosen)]
            assert (one.uniques, one.classes) == (len(alone), len(classes))
            assert one.smallest == min(map(len, classes.values()))
            assert one.share == pytest.approx(len(alone) / len({row[0] for row in rows}))


@given(visits())
def test_minimal_uniques_are_those_of_persons(rows):
    tally, cells = counted(rows)
    found = special_uniques(cells, 3, whose=tally.in_combinations)
    scores, unique, whose = {}, set(), set()
    for who, *values in rows:
        minimal = []
        for width in (1, 2, 3):
            for chosen in combinations(range(3), width):
                mine = persons_by(rows, chosen)[tuple(values[i] for i in chosen)]
                holes = any(values[i] is None for i in chosen)
                if len(mine) == 1 and not holes and not any({*m} <= {*chosen} for m in minimal):
                    minimal.append(chosen)
        scores[tuple(values)] = float(sum(factorial(3 - len(m)) for m in minimal))
        if minimal:
            unique.add(tuple(values))
            whose.add(who)
    for i, codes in enumerate(tally.codes.tolist()):
        assert found.scores[i] == scores[tuple(tally.domains[a][c] for a, c in enumerate(codes))]
    assert found.persons == len(whose)
    assert found.rows == sum(tuple(row[1:]) in unique for row in rows)


def test_one_row_a_person_is_what_rows_are():
    rows = [(i, str(i % 3), str(i % 2), str(i // 4)) for i in range(9)]
    table = {"who": [str(r[0]) for r in rows]} | {
        n: [r[i + 1] for r in rows] for i, n in enumerate(COLUMNS)
    }
    by_rows = risk(pa.table(table), quasi=COLUMNS).to_dict()
    by_persons = risk(pa.table(table), quasi=COLUMNS, persons=["who"]).to_dict()
    assert by_rows == by_persons


def test_the_size_of_a_population_is_in_persons():
    """Two persons with two rows each, of a population of four: everybody stands for two."""
    table = pa.table({"who": ["p", "p", "q", "q"], "a": ["1", "1", "2", "3"]})
    found = risk(table, quasi=["a"], persons=["who"], population_size=4)
    assert found.sample.population == pytest.approx(4)
    assert found.sample.risks[0] == pytest.approx(
        risk(pa.table({"a": ["1"]}), quasi=["a"], population_size=2).sample.highest
    )
    with pytest.raises(Exception, match=r"fewer than the table has persons \(2\)"):
        risk(table, quasi=["a"], persons=["who"], population_size=1)
