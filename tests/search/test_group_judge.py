"""Groups are judged by the kernels' rules as by the criteria themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.criteria import DistinctDiversity, EntropyDiversity, Groups, ShareLimit, TCloseness
from shoal.describe.promise import Distance, DistanceKind, ShareLimits
from shoal.kernels import ValueRules
from shoal.search.groups.group_judge import _by_criteria, judge_of

DOMAIN = ("flu", "cold", "gout", None)
ROWS = (("flu", "lungs", "*"), ("cold", "lungs", "*"), ("gout", "joints", "*"))
SHARES = st.fractions(0, 1, max_denominator=7)


@st.composite
def criteria_of(draw):
    """One to three criteria that the kernels know."""
    kinds = [
        st.builds(DistinctDiversity, st.just("ill"), st.just(DOMAIN), st.integers(1, 3)),
        st.builds(
            lambda share, known: ShareLimit("ill", DOMAIN, ShareLimits(share, known=known)),
            SHARES.filter(bool),
            st.booleans(),
        ),
        st.builds(TCloseness, st.just("ill"), SHARES, st.just(DOMAIN)),
        st.builds(
            lambda t: TCloseness("ill", t, DOMAIN, Distance(DistanceKind.HIERARCHICAL, rows=ROWS)),
            SHARES,
        ),
    ]
    return draw(st.lists(st.one_of(*kinds), min_size=1, max_size=3))


@given(criteria_of(), st.data())
def test_rules_judge_as_the_criteria_do(criteria, data):
    counts = st.lists(st.integers(0, 4), min_size=4, max_size=4)
    table = np.array(data.draw(st.lists(counts, min_size=1, max_size=8)), dtype=np.int64)
    points = Groups(table.sum(axis=1), {"ill": table})
    rules, slow = judge_of(points, criteria), _by_criteria(points, criteria)
    assert isinstance(rules, ValueRules)
    members = np.array(data.draw(st.permutations(range(len(table)))), dtype=np.int32)[:, None]
    ends = st.integers(0, len(table))
    ranges = data.draw(st.lists(st.tuples(ends, ends).map(sorted), min_size=1, max_size=6))
    begins, ends = np.array(ranges, dtype=np.int64).reshape(-1, 2, 1).transpose(1, 0, 2)
    begins, ends = np.ascontiguousarray(begins), np.ascontiguousarray(ends)
    assert rules.judged(members, begins, ends)[:, 0].tolist() == slow(members, begins, ends).tolist()
    for begin, end in zip(begins, ends, strict=True):  # one is counted in another way than many are
        alone = slow(members, begin[None], end[None])
        assert rules.judged(members, begin[None], end[None])[:, 0].tolist() == alone.tolist()


@pytest.mark.parametrize(
    "criterion",
    [
        EntropyDiversity("ill", DOMAIN, Fraction(2)),
        TCloseness("ill", Fraction(1, 2), DOMAIN, Distance(DistanceKind.ORDERED, DOMAIN[:3])),
        TCloseness("ill", Fraction(2**61 - 1, 2**61), DOMAIN),
    ],
    ids=lambda one: f"{one.name} {getattr(one, 't', '')}",
)
def test_what_the_kernels_do_not_know_is_judged_by_the_criteria(criterion):
    table = np.array([[3, 1, 0, 1], [0, 2, 2, 0]], dtype=np.int64)
    judge = judge_of(Groups(table.sum(axis=1), {"ill": table}), [criterion])
    assert not isinstance(judge, ValueRules)
    assert judge(
        *(np.array([[n]], dtype=kind) for n, kind in ((0, "i4"), (0, "i8"), (1, "i8")))
    ).shape == (1,)
