"""The best full-domain node against all nodes, priced from the rows in plain Python."""

from __future__ import annotations

import math
from itertools import product

import pytest

from shoal.answers.recoding import Scheme
from shoal.running.clock import Clock
from shoal.search.cuts.full_domain import full_domain
from shoal.search.cuts.l_plus_optimize import l_plus_optimize, suppressed
from tests.examples import examples
from tests.search.cuts.cases import PAIRS, random_case
from tests.search.cuts.oracle import price


def ladders(case):
    """The cuts of each attribute's levels, in the labels of its trees."""
    found = []
    for name, branch in zip(case.quasi, case.problem.branches, strict=True):
        tree = case.hierarchies[name]
        tree = tree.with_missing() if None in case.domains[name] else tree
        lo, hi = case.levels[name]
        nodes = [node for root in branch.trees for node in root.walk()]
        cuts = []
        for level in range(lo, (tree.height if hi is None else hi) + 1):
            groups = {}
            for row in tree.rows():
                groups.setdefault(row[level], set()).add(row[lo])
            cuts.append(
                tuple(next(n.label for n in nodes if set(n.leaves) == g) for g in groups.values())
            )
        found.append(cuts)
    return found


def all_nodes(case):
    """Every node: its levels above the lowest, and its cut."""
    cuts = ladders(case)
    for node in product(*(range(len(own)) for own in cuts)):
        yield (
            node,
            {name: own[i] for name, own, i in zip(case.quasi, cuts, node, strict=True)},
        )


def search(case, **options):
    return full_domain(case.problem, case.hierarchies, case.levels, **options)


@pytest.mark.parametrize(("metric", "scheme"), PAIRS)
def test_the_answer_is_that_of_trying_all_nodes(metric, scheme):
    skipped = 0
    for seed in range(examples(60)):
        case = random_case(f"full domain {metric} {scheme} {seed}", metric, scheme)
        outcome = search(case)
        nodes = list(all_nodes(case))
        assert outcome.space == len(nodes)
        assert outcome.examined <= outcome.space
        skipped += outcome.space - outcome.examined
        allowed = [
            (found[0], sum(node), node, cut, found[1:])
            for node, cut in nodes
            if (found := price(case, cut)) is not None and found[1] < len(case.rows)
        ]
        if not allowed:
            assert outcome.found == ()
            assert (outcome.optimal, outcome.lower_bound) == (False, math.inf)
            continue
        (found,) = outcome.found
        cost, _, _, cut, lost = min(allowed, key=lambda entry: entry[:3])
        assert math.isclose(found.cost, float(cost), rel_tol=1e-9, abs_tol=1e-9), seed
        assert outcome.optimal
        assert outcome.lower_bound == found.cost
        if metric != "Entropy":  # costs are rounded, so that ties are too
            assert found.cut == cut
            assert suppressed(case.problem, found.cut) == lost
    assert scheme is not Scheme.NO_SUPP or skipped


def test_no_node_is_cheaper_than_the_best_cut():
    for metric, scheme in PAIRS:
        for seed in range(5):
            case = random_case(f"node and cut {metric} {scheme} {seed}", metric, scheme)
            node, cut = search(case), l_plus_optimize(case.problem)
            assert not node.found or cut.found[0].cost <= node.found[0].cost


def test_time_that_is_over_ends_the_search_without_a_proof():
    outcome = search(random_case("late", "LM", Scheme.ALL_REC), clock=Clock(1e-9))
    assert (outcome.found, outcome.optimal, outcome.lower_bound) == ((), False, 0.0)


def test_what_is_ended_early_gives_the_best_so_far_and_improvements_are_told():
    case = random_case("stop 1", "LM", Scheme.NO_SUPP)
    told, clock = [], Clock()

    def stop(news):
        told.append(news)
        clock.end()

    outcome = search(case, clock=clock, on_improvement=stop)
    assert [news.cost for news in told] == [outcome.found[0].cost]
    assert (outcome.optimal, outcome.lower_bound) == (False, 0.0)
    del told[:]
    outcome = search(case, on_improvement=told.append)
    costs = [news.cost for news in told]
    assert costs == sorted(set(costs), reverse=True)
    assert costs[-1] == outcome.found[0].cost
