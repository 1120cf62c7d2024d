"""Distances, means, pairs and pMSE of releases whose answers can be said beforehand."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.assess.utility.associations import associations
from shoal.assess.utility.column_classes import GONE, OTHERS, classes_for
from shoal.assess.utility.distributions import distributions, mean_interval
from shoal.assess.utility.measuring import short_of
from shoal.assess.utility.propensity import propensity_error
from shoal.assess.utility.two_tables import TableColumn, TableRows, open_two_tables, two_tables_of
from tests.assess.utility.releases import AGES, BOTH, PEOPLE, SPANS, both, people
from tests.examples import examples

SAME = {"age": 0, "sex": 0}


def test_a_release_that_is_the_table_is_at_no_distance(tmp_path):
    tables = both(people(), SAME, tmp_path / "out.csv")
    found, classes = distributions(tables)
    pairs, shown = associations(tables, classes)
    assert [one.distance for one in found] == [0.0] * 4
    assert [pair.distance for pair in pairs] == pytest.approx([0.0] * 6)
    assert not [one for one in shown if one.before != pytest.approx(one.after)]
    assert propensity_error(tables, classes) == pytest.approx(0, abs=1e-12)
    age = next(one for one in found if one.column == "age").summary
    mean = np.mean([int(one) for one in AGES])
    assert age.mean_before == age.mean_after == mean
    assert age.interval == age.of_all == (mean, mean)
    assert (tables.suppressed, tables.kept.tolist()) == (0, [1.0] * len(tables.kept))
    for pair in pairs:
        assert pair.strength_before == pytest.approx(pair.strength_after)
        assert pair.correlation_before == pair.correlation_after


@pytest.mark.parametrize("levels", [SAME, {"age": 1, "sex": 1}])
def test_pairs_of_many_rows_are_added_up_and_tell_the_same(levels, tmp_path):
    tables = both(people(), levels, tmp_path / "out.csv")
    _, classes = distributions(tables)
    many = {"before": _repeated(tables.before, 300), "after": _repeated(tables.after, 300)}
    few, more = associations(tables, classes), associations(replace(tables, **many), classes)
    assert len(few[0]) == 6
    for one, other in zip(few[0], more[0], strict=True):
        told, again = one.to_dict(), other.to_dict()
        names = {told.pop(name) == again.pop(name) for name in ("one", "other")}
        assert names == {True}
        assert told == pytest.approx(again, abs=1e-12)
    for one, other in zip(few[1], more[1], strict=True):
        assert np.array(one.before) == pytest.approx(np.array(other.before))
        assert np.array(one.after) == pytest.approx(np.array(other.after))


def _repeated(rows, times):
    """The rows so many times over; half of them weigh nothing, and the others twice as much."""
    weights = np.concatenate([rows.weights * 2 * (i % 2) for i in range(times)])
    return TableRows(np.tile(rows.codes, (times, 1)), np.tile(rows.counts, times), weights)


def test_labels_count_evenly_for_their_values_and_the_mean_lies_within_them(tmp_path):
    ages = ["20"] * 6 + ["21"] * 2 + ["25"] * 4
    table = pa.table({"age": ages, "sex": ["f"] * 12, "pay": ["low", "high"] * 6, "hours": ["1"] * 12})
    found, _ = distributions(both(people(table), {"age": 1, "sex": 0}, tmp_path / "out.csv"))
    age = found[0]
    # 20-23 stands for 20 and 21, which are in the table, and 24-27 for 25 alone.
    assert age.distance == pytest.approx((6 / 12 - 4 / 12 + 4 / 12 - 2 / 12) / 2)
    assert (age.class_distance, age.labels, age.values, age.recoded) == (0.0, 2, 3, True)
    assert [(one.name, one.before) for one in age.classes] == [("20-23", 8 / 12), ("24-27", 4 / 12)]
    assert age.summary.mean_before == pytest.approx((120 + 42 + 100) / 12)
    assert age.summary.mean_after == pytest.approx((8 * 20.5 + 100) / 12)
    assert age.summary.interval == pytest.approx(((160 + 100) / 12, (168 + 100) / 12))


def test_suppressed_rows_widen_what_the_mean_of_all_rows_can_be(tmp_path):
    ages = ["20"] * 8 + ["27"]
    table = pa.table(
        {"age": ages, "sex": ["f"] * 9, "pay": ["low", "high", "low"] * 3, "hours": ["1"] * 9}
    )
    tables = both(people(table), SAME, tmp_path / "out.csv", k=2)
    age = distributions(tables)[0][0]
    assert tables.suppressed == 1
    assert age.summary.interval == (20.0, 20.0)
    assert age.summary.of_all == pytest.approx((20.0, (160 + 27) / 9))
    assert age.distance == pytest.approx(1 / 9)
    assert [one.name for one in age.classes] == ["20", GONE]
    assert sorted(tables.kept.tolist())[0] == 0.0
    head = short_of(tables).headline
    assert (head.worst_column, head.worst) == ("age", age.distance)
    assert 0 < head.propensity < 0.25


def test_a_release_of_no_row_is_as_far_as_can_be():
    column = TableColumn("x", ("1", "2"), (), None, np.zeros(0, dtype=np.int64))
    study = people()
    front = study.release({"node": SAME, "k": 1}, seed=1)
    tables = two_tables_of(study.material(), front.decision, front.treatment, front.tally, None)
    none = tables.after.__class__(
        np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    )
    empty = tables.__class__(
        tables.columns, tables.before, none, tables.image, tables.kept * 0, tables.quasi
    )
    head = short_of(empty).headline
    assert (head.distance, head.worst, head.pairs, head.propensity) == (1.0, 1.0, 1.0, 0.25)
    assert distributions(empty)[0][0].summary.mean_after is None
    assert column.onto(np.zeros(0)).tolist() == [0.0, 0.0]


def test_a_release_in_memory_measures_as_the_written_one(tmp_path):
    study = people(insensitive=())
    solution = {"node": {"age": 1, "sex": 0}, "k": 12, "suppression_limit": 64}
    release = study.release(solution, seed=1)
    release.write(tmp_path / "out.csv")
    written = both(study, {"age": 1, "sex": 0}, tmp_path / "again.csv", k=12)
    tally = study.tally("pay")
    inside = two_tables_of(study.material(), release.decision, release.treatment, tally, None)
    assert short_of(inside).headline.to_dict() == pytest.approx(short_of(written).headline.to_dict())


def test_weights_count_where_the_study_has_them(tmp_path):
    heavy = PEOPLE.append_column("heft", pa.array(["3" if age == "20" else "1" for age in AGES]))
    study = people(heavy, sample_weight="heft", insensitive=["hours", "heft"])
    tables = both(study, SAME, tmp_path / "out.csv")
    expected = np.average([int(one) for one in AGES], weights=[3 if one == "20" else 1 for one in AGES])
    age = distributions(tables)[0][0].summary
    assert tables.weighed
    assert (age.mean_before, age.mean_after) == pytest.approx((expected, expected))
    alone = people(heavy, sample_weight="heft")
    tables = both(alone, SAME, tmp_path / "alone.csv")
    age = distributions(tables)[0][0].summary
    assert not tables.weighed
    assert age.mean_before == pytest.approx(expected)
    assert age.mean_after == pytest.approx(np.mean([int(one) for one in AGES]))
    assert age.of_all is None


def test_anatomy_spreads_a_bucket_as_its_table_says(tmp_path):
    study = shoal.Study(PEOPLE, quasi={"age": SPANS, "sex": BOTH}, sensitive="hours")
    study.release(study.anonymize("anatomy", l=2), seed=1).write(tmp_path / "out.csv")
    tables = open_two_tables(study.material(), tmp_path / "out.csv")
    found, classes = distributions(tables)
    assert [one.distance for one in found] == pytest.approx([0.0, 0.0, 0.0])
    pairs, _ = associations(tables, classes)
    assert max(pair.distance for pair in pairs) > 0  # what hangs together inside a bucket is gone


def test_many_values_are_shown_in_few_classes_and_codes_are_no_numbers():
    place = np.arange(40)
    texts = TableColumn("t", tuple(f"v{i}" for i in range(40)), (), None, place)
    classes = classes_for(texts, np.arange(40.0))
    assert len(classes.names) == 12
    assert classes.names[0] == "v39"
    assert classes.names[-1] == OTHERS
    numbers = TableColumn("n", (*(str(i) for i in range(39)), None), (), None, place)
    classes = classes_for(numbers, np.ones(40))
    assert classes.names[0] == "0 to 3"
    assert classes.names[-1] is None
    assert TableColumn("c", ("01", "02"), (), None, place).numbers is None
    masked = shoal.Hierarchy.from_rows([("11", "1*", "*"), ("12", "1*", "*")])
    assert TableColumn("m", ("11", "12"), (), None, place, masked).numbers is None


def brute_interval(weights, low, high, sure, maybe):
    """The least and the largest mean over every choice of missing numbers."""
    optional = [i for i, one in enumerate(maybe) if one]
    ends = []
    for pick in product([False, True], repeat=len(optional)):
        here = [i for i, one in enumerate(sure) if one] + [
            i for i, one in zip(optional, pick, strict=True) if one
        ]
        if here:
            heavy = sum(weights[i] for i in here)
            ends += [sum(edge[i] * weights[i] for i in here) / heavy for edge in (low, high)]
    return (min(ends), max(ends)) if ends else None


@settings(deadline=None, max_examples=examples(100))
@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.integers(-5, 5), st.integers(0, 5), st.sampled_from("smn")),
        max_size=6,
    )
)
def test_no_mean_lies_outside_its_interval(lines):
    weights = np.array([float(line[0]) for line in lines])
    low = np.array([float(line[1]) for line in lines])
    high = low + np.array([float(line[2]) for line in lines])
    sure, maybe = ([line[3] == kind for line in lines] for kind in "sm")
    found = mean_interval(weights, low, high, np.array(sure, dtype=bool), np.array(maybe, dtype=bool))
    expected = brute_interval(weights, low, high, sure, maybe)
    assert found == (None if expected is None else pytest.approx(expected))
