"""Each criterion keeps exactly the groups that its definition over rows keeps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.criteria import (
    DeltaPresence,
    DistinctDiversity,
    EntropyDiversity,
    Groups,
    KAnonymity,
    KMap,
    RecursiveDiversity,
    ShareLimit,
)
from shoal.criteria.l_diversity import enough
from shoal.describe.promise import Presence, Recursive, ShareLimits
from shoal.errors import InputError
from tests.criteria.definitions import DOMAIN, groups_of, has_entropy, has_recursive, shares, tables
from tests.examples import examples


@given(tables(), st.integers(1, 6))
def test_k_anonymity_counts_rows_and_distinct_diversity_values(table, number):
    groups = groups_of(table)
    assert KAnonymity(number).kept(groups).tolist() == [len(rows) >= number for rows in table]
    distinct = DistinctDiversity("s", DOMAIN, number).kept(groups).tolist()
    assert distinct == [len(set(rows) - {None}) >= number for rows in table]


@given(tables(), shares, st.dictionaries(st.sampled_from(DOMAIN[:-1]), shares))
def test_share_limits_divide_by_all_rows_of_the_group(table, uniform, limits):
    kept = ShareLimit("s", DOMAIN, ShareLimits(uniform, limits)).kept(groups_of(table))
    assert kept.tolist() == [
        all(
            Fraction(rows.count(value), len(rows)) <= limits.get(value, uniform) for value in DOMAIN[:-1]
        )
        for rows in table
    ]


@given(tables(), shares, st.dictionaries(st.sampled_from(DOMAIN[:-1]), shares))
@example([["1", "1", None, None, None]], Fraction(1, 2), {})
def test_no_missing_value_hides_another_where_limits_are_about_known_ones(table, uniform, limits):
    limit = ShareLimits(uniform, limits, known=True)
    kept = ShareLimit("s", DOMAIN, limit).kept(groups_of(table)).tolist()
    without = [[value for value in rows if value is not None] for rows in table]
    assert kept == [
        all(rows.count(value) <= limits.get(value, uniform) * len(rows) for value in DOMAIN[:-1])
        for rows in without
    ]
    weaker = ShareLimit("s", DOMAIN, ShareLimits(uniform, limits)).kept(groups_of(table)).tolist()
    assert all(some or not every for some, every in zip(weaker, kept, strict=True))


def test_shares_with_long_decimals_are_compared_exactly():
    limit = Fraction(1, 3) + Fraction(1, 10**30)
    groups = Groups(np.array([3 * 10**9]), {"s": np.array([[10**9, 2 * 10**9]])})
    named = {"a": limit, "b": Fraction(2, 3) - Fraction(1, 10**30)}
    found = ShareLimit("s", ("a", "b"), ShareLimits(None, named)).violations(groups)
    assert found.tolist() == [[False, True]]


@settings(max_examples=examples(150))
@given(tables(most_rows=5), st.fractions(1, 4, max_denominator=6))
@example([["1", "2", "3"], ["1", "1", "2", "2", "3", "3"]], Fraction(3))
@example([["1", "2", None]], Fraction(2))
def test_entropy_diversity_holds_whatever_the_missing_values_are(table, least):
    kept = EntropyDiversity("s", DOMAIN, least).kept(groups_of(table))
    assert kept.tolist() == [has_entropy(rows, least) for rows in table]


@pytest.mark.parametrize("l", [2, 3, 7, 11, 100])
def test_entropy_of_equally_frequent_values_is_decided_without_rounding(l):  # noqa: E741
    counts = np.full((1, l), 10**6, dtype=np.int64)
    groups = Groups(counts.sum(axis=1), {"s": counts})
    domain = tuple(str(v) for v in range(l))
    assert EntropyDiversity("s", domain, Fraction(l)).kept(groups).all()
    assert not EntropyDiversity("s", domain, l + Fraction(1, 10**15)).kept(groups).any()
    assert enough([10**6] * l, Fraction(l))


@settings(max_examples=examples(150))
@given(tables(most_rows=5), st.fractions(Fraction(1, 4), 4, max_denominator=4), st.integers(1, 4))
@example([["1", "1", "2"], ["1", "1", "1", "2"]], Fraction(2), 2)
def test_recursive_diversity_holds_whatever_the_missing_values_are(table, c, l):  # noqa: E741
    kept = RecursiveDiversity("s", DOMAIN, Recursive(c, l)).kept(groups_of(table))
    assert kept.tolist() == [has_recursive(rows, c, l) for rows in table]


crowds = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 8)), min_size=1, max_size=5)


@given(crowds, st.integers(1, 8))
def test_a_map_counts_the_population(pairs, k):
    groups = Groups(np.array([n for n, _ in pairs]), population=np.array([m for _, m in pairs]))
    assert KMap(k).kept(groups).tolist() == [m >= k for _, m in pairs]


@given(crowds, shares, shares, st.integers(0, 3))
def test_delta_presence_bounds_the_chance_of_everybody_in_the_population(pairs, one, other, outside):
    limits = Presence(min(one, other), max(one, other))
    groups = Groups(np.array([n for n, _ in pairs]), population=np.array([m for _, m in pairs]))
    rows = sum(m for _, m in pairs) + outside
    kept = DeltaPresence(limits, rows).kept(groups)
    # Those outside of all groups are in the release with a chance of 0.
    absent = not outside or limits.low <= 0
    assert kept.tolist() == [
        absent and m > 0 and limits.low <= Fraction(n, m) <= limits.high for n, m in pairs
    ]


def test_criteria_of_a_population_refuse_groups_that_do_not_know_it():
    for criterion in (KMap(2), DeltaPresence(Presence(Fraction(0), Fraction(1)), 5)):
        with pytest.raises(InputError, match="choose a full-domain one"):
            criterion.kept(Groups(np.array([3])))
