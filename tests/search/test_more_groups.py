"""Groups for metrics that count sizes or class labels: no worse than by LM, and no better than possible."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.describe.hierarchies import Hierarchy
from shoal.running.clock import Clock
from shoal.search.groups.more_groups import more_groups
from tests.examples import examples

VALUES = Hierarchy.from_rows([(str(v), f"{v // 2}b", f"{v // 4}c", "*") for v in range(8)])
WAYS = [("local-recoding", {}), ("mondrian", {"regions": "relaxed"}), ("mondrian", {})]


def partitions(points):
    """All ways to put points into groups."""
    if not points:
        yield []
        return
    first, *rest = points
    for others in partitions(rest):
        yield [[first], *others]
        for i, group in enumerate(others):
            yield [*others[:i], [first, *group], *others[i + 1 :]]


@settings(max_examples=examples(60))
@given(
    rows=st.lists(st.integers(1, 4), min_size=1, max_size=7),
    k=st.integers(1, 4),
    data=st.data(),
)
def test_groups_get_smaller_and_none_too_small(rows, k, data):
    count = len(rows)
    allowed = [
        groups
        for groups in partitions(list(range(count)))
        if all(sum(rows[p] for p in group) >= k for group in groups)
    ]
    if not allowed:
        return

    def squares(groups):
        return sum(sum(rows[p] for p in group) ** 2 for group in groups)

    start = data.draw(st.sampled_from(allowed))
    of = np.zeros(count, dtype=np.int64)
    for number, group in enumerate(start):
        of[group] = number
    near = np.array([[q for q in range(count) if q != p] + [-1] for p in range(count)], dtype=np.int32)
    weights, blocks = np.array(rows), np.zeros(count, dtype=np.int64)
    found = more_groups(of, weights, blocks, near, k, Clock())
    made = [np.flatnonzero(found == g).tolist() for g in range(found.max() + 1)]
    assert all(sum(rows[p] for p in group) >= k for group in made)
    assert min(map(squares, allowed)) <= squares(made) <= squares(start)


def test_spared_rows_form_groups_and_blocks_stay_apart():
    of = np.repeat([0, 1], 5)
    near = np.array([[q for q in range(10) if q != p] for p in range(10)], dtype=np.int32)
    together = more_groups(
        of, np.ones(10, dtype=np.int64), np.zeros(10, dtype=np.int64), near, 2, Clock()
    )
    assert sorted(np.bincount(together).tolist()) == [2, 2, 2, 2, 2]
    apart = more_groups(of, np.ones(10, dtype=np.int64), of.copy(), near, 2, Clock())
    assert sorted(np.bincount(apart).tolist()) == [2, 2, 3, 3]


def study_of(rows):
    columns = zip(*rows, strict=True)
    table = {n: [str(v) for v in c] for n, c in zip("abc", columns, strict=True)}
    return Study(pa.table(table), quasi={"a": VALUES, "b": VALUES}, class_="c", threads=1)


@pytest.mark.parametrize("metric", ["DM", "ClassSize", "CM"])
def test_a_metric_that_is_searched_for_is_no_worse_than_by_lm(metric):
    @settings(max_examples=examples(8))
    @given(
        rows=st.lists(st.tuples(*[st.integers(0, 7)] * 2, st.integers(0, 1)), min_size=4, max_size=12),
        k=st.integers(2, 3),
        way=st.sampled_from(WAYS),
    )
    def check(rows, k, way):
        name, options = way
        with study_of(rows) as study:
            by_lm = study.anonymize(name, k=k, options=options, metric="LM")
            found = study.anonymize(name, k=k, options=options, metric=metric)
            there = study.release(by_lm, seed=1), study.release(found, seed=1)
            assert found.loss <= by_lm.losses[metric] + 1e-9
            if metric == "DM":
                sizes = {}
                for a, b, _ in rows:
                    sizes[a, b] = sizes.get((a, b), 0) + 1
                bound = sum(size * max(size, k) for size in sizes.values())
                assert found.loss >= bound
            assert all(one.verified_table()[1].measured.k >= k for one in there)

    check()


def test_dm_makes_smaller_groups_than_lm():
    rng = np.random.default_rng(5)
    rows = [(int(v), int(w), 0) for v, w in rng.integers(0, 8, (60, 2))]
    with study_of(rows) as study:
        by_lm = study.anonymize("local-recoding", k=3)
        by_dm = study.anonymize("local-recoding", k=3, metric="DM")
    assert by_dm.loss < by_lm.losses["DM"]
