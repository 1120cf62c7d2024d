"""Cuts where shares of values are those of persons with several rows, against brute force."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from shoal.answers.recoding import Scheme
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import ShareLimits
from shoal.errors import InputError
from shoal.kernels import NEVER, CutWalk
from shoal.metrics.on_cuts import LMCost
from shoal.search.cuts import person_weights
from shoal.search.cuts.cut_frontier import cut_frontier
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.forest import Branches
from shoal.search.cuts.l_plus_optimize import Techniques, l_plus_optimize, suppressed
from tests.examples import examples
from tests.search.cuts.cases import PAIRS, Row, random_case, tally_of
from tests.search.cuts.oracle import (
    all_cuts,
    begin,
    distinct,
    groups_of,
    marked_sets,
    people,
    price,
    priced,
    record_cost,
    released,
    weights,
)

CASES = examples(60)
SHARED = [(metric, scheme) for metric, scheme in PAIRS if scheme is not Scheme.VIO_REC]


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def least(known, limit=math.inf):
    return min((cost for cost, lost, _ in known if lost <= limit), default=None)


def drawn(name, metric, scheme, cuts):
    return random_case(f"shares {name}", metric, scheme, cuts, persons=True, shares=True)


@pytest.fixture(params=["scaled", "listed"])
def weight(request, monkeypatch):
    """Weights over their common denominator, and with next to no room for one: all with parts are listed."""
    if request.param == "listed":
        monkeypatch.setattr(person_weights, "MOST_WEIGHT", 60)
    return request.param


@pytest.mark.parametrize(("metric", "scheme"), SHARED)
def test_the_answer_is_that_of_brute_force(metric, scheme, weight):
    for seed in range(CASES):
        case = drawn(f"{metric} {scheme} {seed}", metric, scheme, 150)
        known = priced(case)
        lost = sorted({lost for _, lost, _ in known})
        for limit in {None, *(lost[len(lost) // 2 :][:1]), 0}:
            problem = replace(case.problem, most_lost=limit)
            for threads in (1, 2) if seed % 5 == 0 else (1,):
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


def test_by_rows_the_answers_would_be_others():
    differs = 0
    for seed in range(60):
        case = drawn(f"LM allSA {seed}", "LM", Scheme.ALL_SA, 150)
        by_rows = replace(case.problem, tally=replace(case.problem.tally, persons=None))
        costs = [[one.cost for one in l_plus_optimize(each).found] for each in (by_rows, case.problem)]
        differs += costs[0] != costs[1]
    assert differs > 5


@pytest.mark.parametrize(("metric", "scheme"), SHARED)
def test_at_every_step_the_bound_is_at_most_the_optimum(metric, scheme, weight):
    for seed in range(CASES // 3):
        case = drawn(f"step {metric} {scheme} {seed}", metric, scheme, 100)
        expected = least(priced(case))
        problem = case.problem
        search = begin(
            problem.question(problem.forest(merged=True)), update=bool(seed % 3), remember=bool(seed % 2)
        )
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


@pytest.mark.parametrize("scheme", [Scheme.ALL_REC, Scheme.ALL_SA, Scheme.VIO_SA])
def test_steps_of_a_walk_cost_what_the_cuts_they_lead_to_cost(scheme, weight):
    for seed in range(max(CASES // 2, 15)):
        case = drawn(f"walk {scheme} {seed}", "LM", scheme, 60)
        forest = case.problem.forest(merged=False)
        question = case.problem.question(forest)
        walk, other = CutWalk(question), CutWalk(question)
        for marks in marked_sets(forest):
            forbidden, cost, _, deleted, blanked = walk.measure(marks)
            known = price(case, forest.cut(marks))
            assert (known is None) == (forbidden > 0)
            if known is not None:
                assert (deleted, blanked) == known[1:]
                assert close(cost / case.problem.unit, float(known[0]))
            for v in walk.down:
                assert walk.if_down(v) == other.measure(sorted([*marks, v]))[:2]
            for v in walk.up:
                below = {v}
                for i, (_, _, parent) in enumerate(forest.nodes):
                    below |= {i} if parent in below else set()
                assert walk.if_up(v) == other.measure([u for u in marks if u not in below])[:2]


@pytest.mark.parametrize("objective", ["l", "theta"])
@pytest.mark.parametrize("metric", ["LM", "DM", "CM"])
def test_the_frontier_of_cuts_is_that_of_brute_force(objective, metric, weight):
    several = 0
    for seed in range(max(CASES // 2, 15)):
        case = drawn(f"frontier {objective} {metric} {seed}", metric, Scheme.ALL_REC, 60)
        limits = {column: ShareLimits(None) for column in case.places if column.startswith("s")}
        most = len(case.rows) // (2 + seed % 5) if seed % 2 else 0
        problem = replace(
            case.problem, limits=limits, most_lost=most, k=1 + seed % 2, distinct=objective == "l"
        )
        case = replace(case, problem=problem)
        found = cut_frontier(problem, objective)
        assert found.certified
        best = {}
        for cut in all_cuts(case):
            for privacy, cost in _trades(case, cut, objective, most):
                best[privacy] = min(best.get(privacy, math.inf), cost)
        sign = 1 if objective == "l" else -1
        points, lowest = [], math.inf
        for privacy in sorted(best, key=lambda p: -sign * p):
            if best[privacy] < lowest:
                lowest = best[privacy]
                points.append((privacy, float(lowest)))
        told = [(p.distinct if objective == "l" else p.theta, float(p.loss)) for p in found.points]
        assert [privacy for privacy, _ in told] == [privacy for privacy, _ in points], seed
        assert all(close(one, other) for (_, one), (_, other) in zip(told, points, strict=True))
        several += len(points) > 1
    assert several


def _privacy(case, rows, objective):
    places = [case.places[column] for column in case.problem.limits]
    if objective == "l":
        return min(distinct(rows, place) for place in places)
    found = [weights(rows, place) for place in places]
    shares = [w / people(rows) for each in found for value, w in each.items() if value is not None]
    return max(shares, default=Fraction(0))


def _trades(case, cut, objective, most):
    """What a cut keeps and loses, for every demand by which other groups of it are suppressed."""
    groups = [
        (_privacy(case, rows, objective), labels, rows)
        for labels, rows in groups_of(case, cut).items()
        if people(rows) >= case.problem.k
    ]
    for wanted in {privacy for privacy, _, _ in groups} - ({0} if objective == "l" else set()):
        sign = 1 if objective == "l" else -1
        kept = [one for one in groups if sign * one[0] >= sign * wanted]
        gone = len(case.rows) - sum(len(rows) for _, _, rows in kept)
        if gone <= most:
            costs = [released(case, rows, [row[-1] for row in rows], labels) for _, labels, rows in kept]
            yield wanted, sum(costs) + gone * record_cost(case)


def test_shares_with_denominators_of_any_size_are_compared_exactly():
    """Persons with prime numbers of rows, half of each of one value but for one row: a common denominator of
    their parts has a hundred bits, and the share of a value is a half by the last of them, or not."""
    primes = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
    quasi, places = ["q"], {"q": 0, "s": 1}
    for more, value in ((0, "a"), (1, "b")):
        rows = []
        for turn in (
            0,
            1,
        ):  # each number of rows is there twice, once with more of a and once with more of b
            for person, n in enumerate(primes):
                for i in range(n):
                    row = Row(("v0" if i % 3 else "v1", "a" if i < n // 2 + turn else "b"))
                    row.person = 2 * person + turn
                    rows.append(row)
        for person in range(more):
            row = Row(("v0", "b"))
            row.person = 1000 + person
            rows.append(row)
        tally = tally_of(rows, quasi, ["s"], places)
        tree = Hierarchy.from_rows([("v0", "*"), ("v1", "*")])
        branches = (Branches.of("q", tree, tally.domain("q"), tally.totals("q").tolist()),)
        problem = CutProblem(
            branches,
            tally,
            Scheme.ALL_REC,
            LMCost(quasi, len(rows), 0, {}),
            {"s": ShareLimits(Fraction(1, 2))},
        )
        assert problem.weights.largest == 0
        walk = CutWalk(problem.question(problem.forest(merged=False)))
        deleted = walk.measure([])[3]
        assert deleted == (len(rows) if more else 0), value
        with pytest.raises(InputError, match="too fine"):
            cut_frontier(replace(problem, limits={"s": ShareLimits(None)}), "theta")
        finer = ShareLimits(Fraction(10**30 // 2, 10**30 + 1))
        with pytest.raises(InputError, match="too many digits"):
            replace(problem, limits={"s": finer}).question(problem.forest(merged=False))


def test_persons_of_one_combination_weigh_exactly_and_are_not_listed():
    case = drawn("together", "LM", Scheme.ALL_REC, 60)
    seed = 0
    while case.problem.weights is None or case.problem.weights.scale == 1:
        seed += 1
        case = drawn(f"together {seed}", "LM", Scheme.ALL_REC, 60)
    near = {}
    for row in case.rows:
        row.person = near.setdefault((row.person, row[: len(case.quasi)]), len(near))
    tally = tally_of(case.rows, case.quasi, case.problem.tally.others, case.places)
    found = replace(case.problem, tally=tally).weights
    assert len(found.listed) == 0
    assert found.total == found.scale * len(near)
