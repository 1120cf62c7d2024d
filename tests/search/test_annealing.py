"""Simulated annealing gives allowed cuts at their true cost, the same ones for a seed."""

from __future__ import annotations

import math

import pytest

from shoal.answers.recoding import Scheme
from shoal.running.clock import Clock
from shoal.search.cuts.annealing import annealing
from shoal.search.cuts.l_plus_optimize import suppressed
from tests.search.cuts.cases import PAIRS, random_case
from tests.search.cuts.oracle import all_cuts, price


@pytest.mark.parametrize(("metric", "scheme"), PAIRS)
def test_its_cut_is_allowed_costs_what_it_says_and_is_often_the_best(metric, scheme):
    best = tried = 0
    for seed in range(20):
        case = random_case(f"annealed {metric} {scheme} {seed}", metric, scheme)
        costs = [found[0] for cut in all_cuts(case) if (found := price(case, cut)) is not None]
        outcome = annealing(case.problem, seed=seed, steps=1000)
        assert bool(outcome.found) == bool(costs)
        assert (outcome.optimal, outcome.lower_bound) == (False, 0.0)
        if not costs:
            continue
        (found,) = outcome.found
        cost, *lost = price(case, found.cut)
        assert math.isclose(found.cost, float(cost), rel_tol=1e-9, abs_tol=1e-9)
        assert suppressed(case.problem, found.cut) == tuple(lost)
        assert found.cost >= float(min(costs)) - 1e-9
        tried += 1
        best += math.isclose(found.cost, float(min(costs)), rel_tol=1e-9, abs_tol=1e-9)
    assert best > tried / 2


def test_a_seed_gives_one_walk_and_improvements_are_told():
    case = random_case("walk", "LM", Scheme.ALL_REC)
    told = []
    first = annealing(case.problem, seed=5, steps=500, on_improvement=told.append)
    again = annealing(case.problem, seed=5, steps=500)
    assert first.found == again.found
    assert first.examined == 500
    costs = [news.cost for news in told]
    assert costs == sorted(set(costs), reverse=True)
    assert costs[-1] == first.found[0].cost


def test_what_is_ended_early_gives_the_best_so_far():
    case = random_case("walk", "LM", Scheme.ALL_REC)
    late = annealing(case.problem, clock=Clock(1e-9))
    assert late.found
    assert late.examined == 0
    clock = Clock()
    stopped = annealing(case.problem, clock=clock, on_improvement=lambda _: clock.end())
    assert stopped.found == late.found
