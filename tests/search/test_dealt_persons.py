"""Dealing persons with several values: found exactly where it can be, and what one who knows more learns."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.criteria.different_values import different_values
from shoal.data.person_rows import PersonRows
from shoal.errors import NoSolutionError
from shoal.search.groups.dealt_persons import deal_persons, kinds_of
from tests.examples import examples

VALUES = 5


def sets(most):
    one = st.frozensets(st.integers(0, VALUES - 1), min_size=1, max_size=3)
    return st.lists(one.map(lambda found: tuple(sorted(found))), min_size=1, max_size=most)


def good(bucket, l):  # noqa: E741
    """Both conditions, by their words."""
    having = Counter(value for kind in bucket for value in kind)
    everything = having.total()
    return all(n * l <= len(bucket) for n in having.values()) and all(
        len(kind) * l <= everything for kind in bucket
    )


def partitions(people):
    """All ways to deal a list into buckets."""
    if not people:
        yield []
        return
    first, *rest = people
    for others in partitions(rest):
        yield [[first], *others]
        for i, bucket in enumerate(others):
            yield [*others[:i], [first, *bucket], *others[i + 1 :]]


def dealt_buckets(people, l):  # noqa: E741
    kinds = Counter(people)
    dealt = deal_persons("s", [f"v{i}" for i in range(VALUES)], kinds, l)
    buckets = [[] for _ in range(dealt.groups)]
    for kind, places in dealt.places.items():
        for place in places.tolist():
            buckets[place].append(kind)
    assert Counter(kind for bucket in buckets for kind in bucket) == kinds
    return buckets


@settings(max_examples=examples(120))
@given(sets(7), st.integers(2, 3))
def test_a_deal_is_found_exactly_where_one_exists(people, l):  # noqa: E741
    exists = any(all(good(bucket, l) for bucket in buckets) for buckets in partitions(people))
    if not exists:
        with pytest.raises(NoSolutionError, match=r"more than 1 in|would be that person's"):
            dealt_buckets(people, l)
        return
    assert all(good(bucket, l) for bucket in dealt_buckets(people, l))


@settings(max_examples=examples(60))
@given(sets(60), st.integers(2, 4))
def test_large_tables_keep_both_conditions(people, l):  # noqa: E741
    if good(people, l):
        assert all(good(bucket, l) for bucket in dealt_buckets(people, l))
    else:
        with pytest.raises(NoSolutionError):
            dealt_buckets(people, l)


@settings(max_examples=examples(60))
@given(sets(12), st.integers(2, 4))
def test_a_bucket_has_l_values_of_different_persons(bucket, l):  # noqa: E741
    if all(n * l <= len(bucket) for n in Counter(v for kind in bucket for v in kind).values()):
        cells = np.array([value for kind in bucket for value in kind])
        persons = np.array([p for p, kind in enumerate(bucket) for _ in kind])
        whose = PersonRows.listed(np.zeros(VALUES, dtype=np.int64), cells, persons, np.ones_like(cells))
        assert different_values(whose, 1)[0] >= l


def worlds(sizes, values):
    """All ways to deal different values to persons who have so many each."""
    if not sizes:
        yield []
        return
    for chosen in combinations(sorted(values), sizes[0]):
        for rest in worlds(sizes[1:], values - set(chosen)):
            yield [chosen, *rest]


@settings(max_examples=examples(30))
@given(st.lists(st.integers(1, 3), min_size=2, max_size=4), st.integers(2, 3))
def test_who_knows_how_many_values_everybody_has_cannot_do_better_than_1_in_l(sizes, l):  # noqa: E741
    values = set(range(sum(sizes)))
    place, bucket = 0, []
    for size in sizes:
        bucket.append(tuple(range(place, place + size)))
        place += size
    found = list(worlds(sizes, values))
    chances = [
        Fraction(sum(value in world[p] for world in found), len(found))
        for p in range(len(sizes))
        for value in values
    ]
    assert (max(chances) <= Fraction(1, l)) == good(bucket, l)


def test_the_value_that_is_too_frequent_is_named_and_so_is_what_is_possible():
    people = [(0,)] * 3 + [(0, 1), (1,), (2,), (3,), (4,)]
    with pytest.raises(
        NoSolutionError,
        match=r"4 of 8 persons have 'v0' of 's', more than 1 in 3; ask for l = 2 at most",
    ):
        dealt_buckets(people, 3)
    with pytest.raises(
        NoSolutionError, match="one person has 3 values of 's', and all persons together 4"
    ):
        dealt_buckets([(0, 1, 2), (3,)], 2)


def test_persons_are_kept_by_their_values_whatever_rows_they_have():
    rows = [
        ("a", "x"),
        ("a", "x"),
        ("b", "y"),
        ("b", None),
        ("c", "y"),
        ("d", "x"),
        ("d", "y"),
        ("d", "y"),
    ]
    table = pa.table({"id": [r[0] for r in rows], "q": list("ppqpqqpp"), "s": [r[1] for r in rows]})
    with Study(table, quasi={"q": {"*": ["p", "q"]}}, sensitive="s", persons="id") as study:
        assert kinds_of(study.tally("s"), "s") == {(0,): 1, (1,): 1, (1, 2): 1, (0, 1): 1}
