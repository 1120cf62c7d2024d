"""Cuts where persons have several rows, against brute force: k counts persons, costs and limits rows."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from shoal.answers.recoding import Scheme
from shoal.kernels import NEVER, Annealing, CutWalk
from shoal.search.cuts.l_plus_optimize import Techniques, l_plus_optimize, suppressed
from tests.search.cuts.cases import PAIRS, random_case
from tests.search.cuts.oracle import begin, groups_of, marked_sets, people, price, priced

CASES = 30


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def least(known, limit=math.inf):
    return min((cost for cost, lost, _ in known if lost <= limit), default=None)


@pytest.mark.parametrize(("metric", "scheme"), PAIRS)
def test_the_answer_is_that_of_brute_force(metric, scheme):
    differs = 0
    for seed in range(CASES):
        case = random_case(f"persons {metric} {scheme} {seed}", metric, scheme, 150, persons=True)
        known = priced(case)
        lost = sorted({lost for _, lost, _ in known})
        for limit in {None, *(lost[len(lost) // 2 :][:1]), 0}:
            problem = replace(case.problem, most_lost=limit)
            for threads in (1, 2) if seed % 5 == 0 else (1,):
                # Without a good start the search itself must find the answer.
                use = Techniques(start=bool(seed % 3 == 0))
                outcome = l_plus_optimize(problem, threads=threads, techniques=use)
                expected = least(known, math.inf if limit is None else limit)
                if expected is None:
                    assert (outcome.found, outcome.complete) == ((), True)
                    continue
                (found,) = outcome.found
                assert outcome.optimal
                assert close(found.cost, float(expected)), seed
                assert outcome.lower_bound == found.cost
                assert suppressed(problem, found.cut) == price(case, found.cut)[1:]
        by_rows = replace(case.problem, tally=replace(case.problem.tally, persons=None))
        before = l_plus_optimize(by_rows).found
        differs += bool(before) and (least(known) is None or not close(before[0].cost, least(known)))
    assert differs


@pytest.mark.parametrize(("metric", "scheme"), PAIRS)
def test_at_every_step_the_bound_is_at_most_the_optimum(metric, scheme):
    for seed in range(CASES // 3):
        case = random_case(f"persons step {metric} {scheme} {seed}", metric, scheme, 100, persons=True)
        expected = least(priced(case))
        problem = case.problem
        question = problem.question(problem.forest(merged=True))
        search = begin(question, update=bool(seed % 3), remember=bool(seed % 2))
        done = False
        while not done:
            done = search.run(60.0, 1)
            best = search.best()
            bound = min([cost for cost, _ in best] + [search.bound])
            if expected is None:
                assert not best
                continue
            assert bound == NEVER or bound / problem.unit <= float(expected) * (1 + 1e-9) + 1e-9
        assert expected is None or close(bound / problem.unit, float(expected))


@pytest.mark.parametrize("scheme", [Scheme.NO_SUPP, Scheme.ALL_REC])
def test_steps_of_a_walk_cost_what_the_cuts_they_lead_to_cost(scheme):
    for seed in range(CASES):
        case = random_case(f"persons walk {scheme} {seed}", "LM", scheme, 60, persons=True)
        forest = case.problem.forest(merged=False)
        question = case.problem.question(forest)
        walk, other = CutWalk(question), CutWalk(question)
        for marks in marked_sets(forest):
            forbidden, _, count, deleted, _ = walk.measure(marks)
            groups = groups_of(case, forest.cut(marks)).values()
            sizes = [(people(rows), len(rows)) for rows in groups]
            broken = sum(rows for persons, rows in sizes if persons < case.problem.k)
            assert count == len(sizes)
            assert (forbidden, deleted) == ((broken, 0) if scheme is Scheme.NO_SUPP else (0, broken))
            released = [persons for persons, _ in sizes if persons >= case.problem.k]
            if scheme is Scheme.ALL_REC:
                assert walk.reached()[0] == min(released, default=0)
            for v in walk.down:
                assert walk.if_down(v) == other.measure(sorted([*marks, v]))[:2]
            for v in walk.up:
                below = {v}
                for i, (_, _, parent) in enumerate(forest.nodes):
                    below |= {i} if parent in below else set()
                assert walk.if_up(v) == other.measure([u for u in marks if u not in below])[:2]


def test_annealing_ends_in_a_cut_that_costs_what_it_says():
    for seed in range(CASES):
        case = random_case(f"persons anneal {seed}", "LM", Scheme.ALL_REC, 100, persons=True)
        forest = case.problem.forest(merged=True)
        walk = Annealing(case.problem.question(forest), seed, 200)
        walk.run(200)
        forbidden, cost, marks = walk.best()
        assert forbidden == 0
        assert close(cost / case.problem.unit, float(price(case, forest.cut(marks))[0]))
