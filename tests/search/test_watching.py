"""Searches tell how they stand, and end as at a time limit where their progress says so."""

from __future__ import annotations

import pytest

from shoal.answers.recoding import Scheme
from shoal.running.clock import Clock
from shoal.search.cuts.l_plus_optimize import Standing, l_plus_optimize
from tests.search.test_l_plus_optimize import solvable


def test_progress_that_says_so_ends_the_time():
    clock = Clock(None, lambda share, words: words == "enough")
    clock._shown = -1.0
    clock.show(0.5, "more")
    assert not clock.over
    clock._shown = -1.0
    clock.show(0.5, "enough")
    assert clock.over
    assert clock.left == 0


@pytest.mark.parametrize("scheme", list(Scheme))
def test_a_search_tells_a_bound_that_never_falls_and_a_cost_that_never_rises(scheme):
    for i in range(20):
        case = solvable(f"watched {i}", "LM", scheme)
        told: list[Standing] = []
        outcome = l_plus_optimize(case.problem, watch=told.append)
        assert told
        costs = [standing.cost for standing in told if standing.cost is not None]
        assert costs == sorted(costs, reverse=True)
        bounds = [standing.lower_bound for standing in told]
        assert bounds == sorted(bounds)
        assert told[-1].cost == outcome.found[0].cost
        assert told[-1].gap == 0
        assert all(standing.lower_bound <= outcome.found[0].cost for standing in told)


def test_before_anything_is_found_there_is_no_gap():
    assert Standing(None, 3.0, 0, 0.1).gap is None
    assert Standing(0.0, 0.0, 5, 0.1).gap == 0
    assert Standing(4.0, 3.0, 5, 0.1).gap == 0.25
