"""The risk measures are what they say, row by row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.assess.risk import measure_risk, population_sizes, worst_combinations
from shoal.assess.risk.combinations import MOST_COLUMNS
from shoal.data.engine import Cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.errors import InputError

values = st.sampled_from(["a", "b", "c", None])
sizes = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 60)), max_size=12)


def cells_of(rows, columns):
    """The cells of rows, as an engine gives them."""
    table = pa.table(
        {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(columns)}
    )
    engine = DuckDBEngine(table)
    try:
        return engine.cells(columns)
    finally:
        engine.close()


@given(classes=sizes, with_population=st.booleans())
def test_every_figure_is_that_of_the_rows_one_by_one(classes, with_population):
    rows = [(f, max(f, persons)) for f, persons in classes for _ in range(f)]
    risk = measure_risk(
        [f for f, _ in classes], [persons for _, persons in classes] if with_population else None
    )
    n = len(rows)
    assert (risk.rows, risk.classes) == (n, len(classes))
    assert risk.uniques == sum(f == 1 for f, _ in rows)
    assert risk.k == min((f for f, _ in rows), default=0)
    prosecutor = [Fraction(1, f) for f, _ in rows]
    journalist = [Fraction(1, persons) for _, persons in rows] if with_population else prosecutor
    for attack, chances in ((risk.prosecutor, prosecutor), (risk.journalist, journalist)):
        assert attack.highest == float(max(chances, default=0))
        for above in attack.above:
            assert above.rows == sum(chance > Fraction(1, above.size) for chance in chances)
            assert above.share == (above.rows / n if n else 0)
    assert risk.prosecutor.average == pytest.approx(float(sum(prosecutor) / n) if n else 0)
    assert risk.marketer == pytest.approx(float(sum(journalist) / n) if n else 0)
    assert [above.threshold for above in risk.prosecutor.above] == [0.5, 0.33, 0.2, 0.1, 0.05]
    if with_population:
        persons = sum(max(f, there) for f, there in classes)
        by_persons = len(classes) / persons if n else 0
        assert risk.journalist.average == pytest.approx(max(risk.marketer, by_persons))
        assert risk.population == persons
        assert risk.outside == sum(f for f, there in classes if there < f)
        assert risk.marketer <= risk.journalist.average + 1e-12
        assert risk.journalist.highest <= risk.prosecutor.highest
    else:
        assert risk.journalist == risk.prosecutor
        assert risk.population is None


@given(classes=st.lists(st.integers(1, 3000), max_size=30))
def test_the_bins_hold_every_class_once(classes):
    risk = measure_risk(classes)
    for bin_ in risk.sizes:
        inside = [f for f in classes if bin_.lowest <= f and (bin_.highest is None or f <= bin_.highest)]
        assert (bin_.classes, bin_.rows) == (len(inside), sum(inside))
    assert sum(bin_.classes for bin_ in risk.sizes) == len(classes)
    assert [bin_.label for bin_ in risk.sizes][:4] == ["1", "2", "3-4", "5-9"]


def test_sizes_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="a class has at least one row"):
        measure_risk([2, 0])
    with pytest.raises(InputError, match="2 population sizes for 1"):
        measure_risk([2], [3, 4])


@given(rows=st.lists(st.tuples(values, values, values, values), max_size=20), most=st.integers(1, 4))
def test_combinations_are_counted_as_by_hand(rows, most):
    columns = ["w", "x", "y", "z"]
    found = worst_combinations(cells_of(rows, columns), most)
    expected = {}
    for width in range(1, most + 1):
        for places in combinations(range(4), width):
            classes = Counter(tuple(row[i] for i in places) for row in rows)
            uniques = sum(size == 1 for size in classes.values())
            expected[tuple(columns[i] for i in places)] = (
                uniques,
                uniques / len(rows) if rows else 0,
                min(classes.values(), default=0),
                len(classes),
            )
    assert {
        one.columns: (one.uniques, one.share, one.smallest, one.classes) for one in found
    } == expected
    ranks = [(-one.uniques, len(one.columns), one.smallest) for one in found]
    assert ranks == sorted(ranks)
    assert found.worst(1) == tuple(one for one in found if len(one.columns) == 1)[:3]


def test_large_domains_are_counted_like_small_ones():
    draw = np.random.default_rng(1)
    codes = np.unique(draw.integers(0, 300, (400, 3)), axis=0).astype(np.int32)
    counts = draw.integers(1, 3, len(codes))
    domain = tuple(str(i) for i in range(300))
    found = worst_combinations(Cells(("x", "y", "z"), (domain,) * 3, codes, counts))
    for one in found:
        places = ["xyz".index(name) for name in one.columns]
        classes = Counter()
        for row, count in zip(codes.tolist(), counts.tolist(), strict=True):
            classes[tuple(row[i] for i in places)] += count
        assert one.uniques == sum(size == 1 for size in classes.values())
        assert (one.classes, one.smallest) == (len(classes), min(classes.values()))


def test_too_many_columns_are_said_and_those_with_few_values_left_out():
    columns = [f"c{i}" for i in range(MOST_COLUMNS + 2)]
    rows = [tuple("a" if i in {3, 7} else str(row) for i in range(len(columns))) for row in range(2)]
    found = worst_combinations(cells_of(rows, columns))
    assert found.left_out == ("c3", "c7")
    assert len(found) == 575
    assert found[0].uniques == 2


@given(
    rows=st.lists(st.tuples(values, values), min_size=1, max_size=12),
    persons=st.lists(st.tuples(st.sampled_from(["a1", "a2", "b1", "new", None]), values), max_size=20),
    mapped=st.booleans(),
)
def test_a_population_is_recoded_and_counted_by_class(rows, persons, mapped):
    labels = {"a1": "a", "a2": "a", "b1": "b", None: None}
    cells = cells_of(rows, ["x", "y"])
    found = population_sizes(cells, cells_of(persons, ["x", "y"]), {"x": labels} if mapped else None)
    for codes, size in zip(cells.codes.tolist(), found.tolist(), strict=True):
        shown = tuple(cells.domains[a][code] for a, code in enumerate(codes))
        alike = [
            person
            for person in persons
            if (labels.get(person[0], "nowhere") if mapped else person[0]) == shown[0]
            and person[1] == shown[1]
        ]
        assert size == len(alike)
