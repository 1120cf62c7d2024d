"""How many rows go at least where finer groups are released: beside brute force, and all that is counted."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.criteria import Groups, KAnonymity, TCloseness, broken
from shoal.describe.promise import DistanceKind
from tests.criteria.definitions import DISTANCES, DOMAIN, between, groups_of, tables
from tests.criteria.test_distances import by_edges
from tests.examples import examples

TREES = tuple(one for one in DISTANCES if one.kind is not DistanceKind.ORDERED)
small = st.fractions(0, Fraction(1, 2), max_denominator=12)


def apart(distance, rows, everything) -> Fraction:
    """The distance of some rows from all, by the edges of a table of two groups that has their shares."""
    both = [rows * len(everything), everything * len(rows)]
    # Of two groups of one size each is as far from the middle as half of what they are apart.
    return 2 * by_edges(distance, both)[0]


def fewest(distance, rows, everything, far) -> int:
    """The fewest rows that go so that the others are near, by trying all ways."""
    counts = Counter(rows)
    ways = product(*(range(count + 1) for count in counts.values()))
    left = [
        [value for value, many in zip(counts, way, strict=True) for _ in range(many)] for way in ways
    ]
    good = [len(some) for some in left if not some or apart(distance, some, everything) <= far]
    return len(rows) - max(good)


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(TREES), tables(most_groups=3, most_rows=5), small, st.integers(0, 4))
def test_no_more_is_said_to_go_than_must(distance, table, t, limit):
    everything = [value for rows in table for value in rows]
    least = TCloseness("s", t, DOMAIN, distance).least_gone(groups_of(table), limit)
    far = t + Fraction(limit, len(everything))
    for rows, told in zip(table, least.tolist(), strict=True):
        assert told <= fewest(distance, rows, everything, far)


@settings(max_examples=examples(150), deadline=None)
@given(st.sampled_from(DISTANCES), tables(most_groups=6, most_rows=3), small, st.data())
def test_every_finer_release_suppresses_as_many_in_each_group(distance, finer, t, data):
    # The finer groups are merged in any way; what they suppress is what the merged ones say, or more.
    merged = [data.draw(st.integers(0, 2)) for _ in finer]
    coarse = [
        [value for rows, m in zip(finer, merged, strict=True) if m == one for value in rows]
        for one in sorted(set(merged))
    ]
    close = TCloseness("s", t, DOMAIN, distance)
    groups = groups_of(finer)
    gone = broken(groups, [close])
    limit = int(groups.sizes[gone].sum())
    assume(not gone.all())
    least = close.least_gone(groups_of(coarse), limit)
    for one, told in zip(sorted(set(merged)), least.tolist(), strict=True):
        lost = [g for g, m in enumerate(merged) if m == one and gone[g]]
        assert told <= int(groups.sizes[lost].sum())


def test_as_many_are_said_to_go_as_must():
    table = [["1"] * 9 + ["2"], ["1"] * 45 + ["2"] * 45]
    least = TCloseness("s", Fraction(1, 10), DOMAIN).least_gone(groups_of(table), 0)
    everything = [value for rows in table for value in rows]
    assert least.tolist() == [8, 0]
    assert fewest(TREES[0], table[0], everything, Fraction(1, 10)) == 8


def test_a_group_of_a_value_that_nobody_else_has_goes_whole():
    table = [["1"] * 3, ["2"] * 40, ["3"] * 40]
    for distance in TREES:
        least = TCloseness("s", Fraction(1, 10), DOMAIN, distance).least_gone(groups_of(table), 3)
        assert least[0] == 3
    assert KAnonymity(5).least_gone(groups_of(table), 3).tolist() == [3, 0, 0]


@settings(max_examples=examples(80), deadline=None)
@given(st.sampled_from(TREES), tables(), small)
def test_counted_in_kernels_and_by_flows_the_same_groups_are_kept(distance, table, t):
    close, groups = TCloseness("s", t, DOMAIN, distance), groups_of(table)
    assert close.kept(groups).tolist() == close._kept_by_flows(groups).tolist()


def test_groups_are_compared_with_a_table_of_which_they_are_more_than_all():
    # A search asks about ranges that overlap: one more group holds what is left of the table, below nothing.
    table = np.array([[6, 2, 0, 0, 0], [6, 2, 0, 0, 0], [-4, 0, 0, 0, 0]])
    for distance in TREES:
        groups = Groups(table.sum(axis=1), {"s": table})
        for t in (Fraction(1, 12), Fraction(1, 13)):
            close = TCloseness("s", t, DOMAIN, distance)
            assert close.kept(groups)[:2].tolist() == close._kept_by_flows(groups)[:2].tolist()
            assert close.kept(groups)[0] == (t == Fraction(1, 12) or distance is not TREES[0])


def test_numbers_too_large_for_the_kernels_are_counted_too():
    # 2^40 rows, and a distance of exactly a half.
    groups = groups_of([["1"], ["2"]])
    large = type(groups)(groups.sizes * 2**40, {"s": groups.histograms["s"] * 2**40})
    assert TCloseness("s", Fraction(1, 2), DOMAIN).kept(large).all()
    assert not TCloseness("s", Fraction(1, 2) - Fraction(1, 10**6), DOMAIN).kept(large).any()
    assert not TCloseness("s", Fraction(1, 10), DOMAIN).least_gone(large, 1).any()


def test_the_distance_used_here_is_that_of_the_definitions():
    for distance in TREES:
        assert apart(distance, ["1"], ["3"]) == between(distance, "1", "3", {"1", "3"})
    assert np.isclose(float(apart(TREES[0], ["1"], ["1", "2"])), 0.5)
