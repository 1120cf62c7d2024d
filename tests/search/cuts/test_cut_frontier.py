"""The frontier of cuts against brute force: every cut, every threshold, every metric and limit."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from shoal.answers.recoding import Scheme
from shoal.describe.promise import ShareLimits
from shoal.running.clock import Clock
from shoal.search.cuts.cut_frontier import _Series, cut_frontier, demand_of, share_under
from tests.search.cuts.cases import random_case
from tests.search.cuts.oracle import all_cuts, begin, groups_of, people, record_cost, released
from tests.search.looks import Looks

METRICS = ("LM", "DM", "CM", "NCP")
OBJECTIVES = ("k", "l", "theta")


def posed(case, objective, k, limit):
    columns = [name for name in case.places if name.startswith("s")]
    limits = {} if objective == "k" else {column: ShareLimits(None) for column in columns}
    return replace(case.problem, scheme=Scheme.ALL_REC, limits=limits, k=k, most_lost=limit)


def privacy(case, objective, rows):
    """How much privacy a group has, more being better."""
    if objective == "k":
        return people(rows)
    found = []
    for name in case.places:
        if name.startswith("s"):
            values = [row[case.places[name]] for row in rows if row[case.places[name]] is not None]
            shares = [Fraction(values.count(value), len(rows)) for value in values]
            found.append(len(set(values)) if objective == "l" else -max(shares, default=Fraction(0)))
    return min(found)


def brute(case, objective, k, limit):
    """The Pareto-optimal (privacy, loss), the most privacy first, each with the fewest suppressed rows."""
    pairs = {}
    for cut in all_cuts(case):
        groups = [
            (
                privacy(case, objective, rows),
                len(rows),
                released(case, rows, [r[-1] for r in rows], labels),
            )
            for labels, rows in groups_of(case, cut).items()
        ]
        for least in {value for value, *_ in groups if objective != "l" or value >= 1}:
            kept = [group for group in groups if group[0] >= least and group[1] >= k]
            gone = len(case.rows) - sum(rows for _, rows, _ in kept)
            if not kept or gone > limit:
                continue
            pair = (min(kept)[0], sum(loss for *_, loss in kept) + gone * record_cost(case))
            pairs[pair] = min(gone, pairs.get(pair, gone))
    best = []
    for value, loss in sorted(pairs, key=lambda pair: (-pair[0], pair[1])):
        if not best or loss < best[-1][1]:
            best.append((value, loss, pairs[value, loss]))
    return best


def reached(point, objective):
    return {"k": point.k, "l": point.distinct, "theta": -point.theta}[objective]


@pytest.mark.parametrize(
    ("objective", "persons"), [*((objective, False) for objective in OBJECTIVES), ("k", True)]
)
@pytest.mark.parametrize("metric", METRICS)
def test_the_frontier_of_cuts_is_that_of_brute_force(metric, objective, persons):
    long = suppressing = 0
    for seed in range(25):
        case = random_case(
            f"front {metric} {objective} {seed}", metric, Scheme.ALL_REC, most_cuts=100, persons=persons
        )
        rng = random.Random(seed)
        k = 1 if objective == "k" else rng.choice([1, 1, 2])
        for limit in {0, rng.randint(0, 4), rng.randint(0, len(case.rows))}:
            expected = brute(case, objective, k, limit)
            found = cut_frontier(posed(case, objective, k, limit), objective, threads=1 + seed % 2)
            assert found.certified
            mine = [(reached(point, objective), point.loss, point.suppressed) for point in found.points]
            assert mine == expected, seed
            assert all(point.proven for point in found.points)
            long += len(expected) > 2
            suppressing += any(gone for *_, gone in expected)
    assert long > 3
    assert suppressing > 3


def test_a_part_of_the_frontier_of_k_is_that_part_of_all_of_it():
    for seed in range(40):
        case = random_case(f"part {seed}", "LM", Scheme.ALL_REC, most_cuts=100)
        limit = seed % 3
        whole = cut_frontier(posed(case, "k", 1, limit)).points
        first, last = 1 + seed % 4, 3 + seed % 5
        part = cut_frontier(posed(case, "k", 1, limit), first=first, last=last)
        assert part.certified
        assert [p for p in part.points if p.k <= last] == [p for p in whole if first <= p.k <= last]


def test_where_time_ends_it_all_points_but_the_last_are_proven_and_bounds_hold():
    ended = 0
    for seed in range(60):
        case = random_case(f"time {seed}", "LM", Scheme.ALL_REC, most_cuts=200)
        problem = posed(case, "k", 1, 2)
        whole = cut_frontier(problem)
        found = cut_frontier(problem, clock=Looks(1 + seed % 7))
        if found.certified:
            assert found.points == whole.points
            continue
        ended += 1
        for point in found.points:
            least = min(p.loss for p in whole.points if p.k >= point.k)
            assert point.lower_bound <= least <= point.loss
        # The last one may be dominated by one with more k that loses no more.
        proven = [point for point in found.points if point.proven]
        assert all(point in whole.points for point in proven[1:])
        assert all(p in proven for p in whole.points if proven and p.k <= found.proven_to)
    assert ended > 10


def test_the_next_share_is_the_largest_below():
    for rows in range(1, 12):
        shares = sorted({Fraction(a, b) for b in range(1, rows + 1) for a in range(b + 1)})
        for below, share in pairwise(shares):
            assert share_under(share, rows) == below


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("metric", ["LM", "DM", "CM"])
def test_without_a_good_cut_to_start_from_the_bounds_alone_lead_to_the_same(metric, objective):
    for seed in range(25):
        case = random_case(f"bare {metric} {objective} {seed}", metric, Scheme.ALL_REC, most_cuts=100)
        limit = seed % 4
        problem = posed(case, objective, 1, limit)
        series = _Series(problem, demand_of(objective, problem), 1, Clock())
        for value, loss, gone in brute(case, objective, 1, limit):
            series._ask(-value if objective == "theta" else value)
            search = begin(series.question)
            while not search.run(60.0, 1):
                best = search.best()
                assert series._loss(min([search.bound, *(cost for cost, _ in best)])) <= loss
            ((cost, specialized),) = search.best()
            assert series._loss(cost) == loss
            assert series.walk.measure(specialized)[3] == gone
