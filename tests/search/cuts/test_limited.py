"""Limits of suppressed rows and blanked values, against brute force: every scheme, metric and limit."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from shoal.answers.recoding import Scheme
from shoal.kernels import NEVER
from shoal.search.cuts.l_plus_optimize import Techniques, l_plus_optimize, suppressed
from tests.search.cuts.cases import PAIRS, random_case
from tests.search.cuts.oracle import begin, marked_sets, priced

CASES = 40
LIMITED = [pair for pair in PAIRS if pair[1] is not Scheme.NO_SUPP]


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def limits_of(known, rng):
    """Limits that leave out some of the cuts, or all, or none."""
    lost = sorted({lost for _, lost, _ in known})
    return {0, *(max(0, rng.choice(lost) - rng.choice([0, 0, 1])) for _ in range(3 if lost else 0))}


def least(known, limit):
    return min((cost for cost, lost, _ in known if lost <= limit), default=None)


@pytest.mark.parametrize(("metric", "scheme"), LIMITED)
def test_within_a_limit_the_answer_is_that_of_brute_force(metric, scheme):
    binding = 0
    for seed in range(CASES):
        case = random_case(f"limited {metric} {scheme} {seed}", metric, scheme, most_cuts=150)
        known = priced(case)
        for limit in limits_of(known, random.Random(seed)):
            expected = least(known, limit)
            problem = replace(case.problem, most_lost=limit)
            outcome = l_plus_optimize(problem, techniques=Techniques(start=bool(seed % 4)))
            if expected is None:
                assert (outcome.found, outcome.complete) == ((), True)
                continue
            (found,) = outcome.found
            assert outcome.optimal
            assert close(found.cost, float(expected)), seed
            assert outcome.lower_bound == found.cost
            assert sum(suppressed(problem, found.cut)) <= limit
            binding += expected > least(known, math.inf)
    assert binding


@pytest.mark.parametrize(("metric", "scheme"), LIMITED)
def test_at_every_step_the_bound_holds_for_cuts_within_the_limit(metric, scheme):
    """With any premium on what is lost: it makes the proof longer or shorter, not wrong."""
    for seed in range(CASES // 3):
        rng = random.Random(seed)
        case = random_case(f"limited steps {metric} {scheme} {seed}", metric, scheme, most_cuts=100)
        known = priced(case)
        for limit in limits_of(known, rng) - {0}:
            expected = least(known, limit)
            problem = replace(case.problem, most_lost=limit)
            lost = case.problem.tally.rows * max(1, len(case.problem.limits))
            premium = rng.choice([0, 1, problem.unit, 7 * problem.unit]) if limit < lost else 0
            question = problem.question(problem.forest(merged=True))
            search = begin(question, premium=premium, update=bool(seed % 5))
            done, lowest = False, -math.inf
            while not done:
                done = search.run(60.0, 1)
                best = search.best()
                bound = min([cost for cost, _ in best] + [search.bound])
                if expected is None:
                    assert not best
                    continue
                assert bound == NEVER or bound / problem.unit <= float(expected) * (1 + 1e-9) + 1e-9
                assert not best or best[0][0] / problem.unit >= float(expected) * (1 - 1e-9) - 1e-9
                assert bound >= lowest
                lowest = bound
            assert expected is None or close(lowest / problem.unit, float(expected))


@pytest.mark.parametrize("scheme", [Scheme.ALL_REC, Scheme.VIO_SA])
def test_the_best_few_within_a_limit_are_the_best_few_on_any_threads(scheme):
    for seed in range(25):
        case = random_case(f"limited top {scheme} {seed}", "LM", scheme, most_cuts=100)
        forest = case.problem.forest(merged=False)
        known = priced(case, map(forest.cut, marked_sets(forest)))
        for limit in limits_of(known, random.Random(seed)):
            costs = sorted(cost for cost, lost, _ in known if lost <= limit)
            for threads in (1, 2):
                outcome = l_plus_optimize(
                    replace(case.problem, most_lost=limit), keep=4, threads=threads
                )
                assert len(outcome.found) == min(4, len(costs))
                for mine, cost in zip(outcome.found, costs, strict=False):
                    assert close(mine.cost, float(cost))
