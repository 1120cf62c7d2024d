"""Intervals with open ends or bounds of their own nest, and optimal bounds lose least."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies import build_hierarchy
from shoal.describe.hierarchies.binning import nested_bounds, optimal_bounds, quantile_bounds
from shoal.errors import InputError

tables = st.dictionaries(st.integers(-20, 60).map(Fraction), st.integers(1, 6), min_size=1, max_size=9)


def losses(counts, starts):
    """The loss and the smallest interval of a split, row by row."""
    values = sorted(counts)
    edges = [0, *(values.index(start) for start in starts), len(values)]
    parts = [values[i:j] for i, j in pairwise(edges)]
    sizes = [sum(counts[value] for value in part) for part in parts]
    return sum(size * (len(part) - 1) for size, part in zip(sizes, parts, strict=True)), min(sizes)


def splits(values):
    rest = sorted(values)[1:]
    return (chosen for size in range(len(rest) + 1) for chosen in combinations(rest, size))


@given(tables, st.integers(1, 12))
def test_no_split_with_k_rows_in_each_interval_loses_less(counts, k):
    if sum(counts.values()) < k:
        with pytest.raises(InputError, match="fewer than"):
            optimal_bounds(counts, k)
        return
    loss, smallest = losses(counts, optimal_bounds(counts, k))
    assert smallest >= k
    allowed = (losses(counts, split) for split in splits(counts))
    assert loss == min(cost for cost, least in allowed if least >= k)


@given(tables, st.integers(1, 4))
def test_every_level_is_the_best_that_holds_whole_intervals_of_the_one_before(counts, k):
    found = nested_bounds(counts, k)
    before = sorted(counts)[1:]
    for bounds in found:
        assert set(bounds) <= set(before)
        assert bounds
        loss, smallest = losses(counts, bounds)
        inside = [split for split in splits(counts) if set(split) <= set(before)]
        allowed = [losses(counts, split) for split in inside]
        assert loss == min(cost for cost, least in allowed if least >= smallest)
        before = bounds
    if found:
        texts = [str(value) for value in counts]
        described = {"intervals": {"bounds": [[str(bound) for bound in each] for each in found]}}
        build_hierarchy(described, texts, "age").tree()


@given(tables, st.integers(2, 6))
def test_quantiles_are_about_equal(counts, groups):
    bounds = quantile_bounds(counts, groups)
    assert len(bounds) < groups
    _, smallest = losses(counts, bounds)
    assert smallest >= 1
    # An interval holds its part of the rows, but for what one value adds that cannot be divided.
    edges = [min(counts), *bounds, max(counts) + 1]
    sizes = [
        sum(n for value, n in counts.items() if low <= value < high) for low, high in pairwise(edges)
    ]
    assert max(sizes) <= sum(counts.values()) / groups + max(counts.values())


@given(
    st.sets(st.integers(0, 120), min_size=2),
    st.none() | st.integers(60, 100),
    st.none() | st.integers(1, 30),
)
def test_intervals_with_open_ends_nest(ages, top, bottom):
    ends = {name: end for name, end in (("top", top), ("bottom", bottom)) if end is not None}
    described = {"intervals": {"widths": [5, 10, 20], **ends}}
    hierarchy = build_hierarchy(described, [str(age) for age in ages], "age")
    hierarchy.tree()  # refuses a label that names two groups
    for leaf, *labels in hierarchy.rows():
        for label in labels[:-1]:
            assert (label == f"{top}+") == (top is not None and int(leaf) >= top)
            assert (label == f"<{bottom}") == (bottom is not None and int(leaf) < bottom)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"widths": [5], "top": 10, "bottom": 10}, "not below the top"),
        ({"widths": [5], "top": "x"}, "the top 'x' is not a number"),
        ({"bounds": []}, "a list of numbers for each level"),
        ({"bounds": [[3, 2]]}, "rise from number to number"),
        ({"bounds": [[1, 2], [3]]}, "some of the bounds of the level before"),
        ({"bounds": [[1]], "widths": [5]}, "leave the other options out"),
        ({"bound": [[1]]}, "did you mean bounds"),
    ],
)
def test_bad_bounds_are_refused(options, match):
    with pytest.raises(InputError, match=match):
        build_hierarchy({"intervals": options}, ["1"], "age")
