"""Costs and limits in whole numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.answers.recoding import Scheme
from shoal.errors import InputError
from shoal.search.cuts.cut_problem import share_below
from tests.search.cuts.cases import random_case


@given(
    st.fractions(0, 1, max_denominator=10**24) | st.decimals(0, 1, places=20).map(Fraction),
    st.integers(1, 60),
)
def test_a_share_is_above_a_limit_just_where_it_is_above_its_stand_in(limit, rows):
    stand_in = share_below(limit, rows)
    assert stand_in.denominator <= max(rows, 1)
    for n in range(1, rows + 1):
        for count in range(n + 1):
            assert (Fraction(count, n) > limit) == (Fraction(count, n) > stand_in)


def test_costs_without_a_common_denominator_are_rounded_and_say_so():
    exact = random_case("unit", "LM", Scheme.ALL_REC).problem.costs
    assert exact.exact
    rounded = random_case("unit", "Entropy", Scheme.ALL_REC).problem.costs
    assert not rounded.exact
    assert rounded.unit >= 2**40


def test_metrics_say_which_schemes_they_go_with():
    with pytest.raises(InputError, match="works with NoSupp, allRec, not with vioRec"):
        random_case("scheme", "Entropy", Scheme.VIO_REC)
