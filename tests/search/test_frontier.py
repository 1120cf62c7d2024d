"""The frontier searches against brute force, and the facts that any frontier obeys."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.person_rows import PersonRows
from shoal.describe.hierarchies import Hierarchy
from shoal.metrics import CM, DM, LM, METRICS, Ambiguity, Height
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.exhaustive import exhaustive
from shoal.search.lattice.pareto import ParetoPoint, Staircase
from shoal.search.lattice.poka import average_depth, poka
from tests import oracles
from tests.examples import examples
from tests.strategies import problem_of, problems

every_metric = pytest.mark.parametrize("kind", METRICS, ids=lambda kind: kind.name)
# One that adds up cells, those that look at classes, and one that suppression does not move.
some_metrics = pytest.mark.parametrize(
    "kind", [LM, DM, CM, Ambiguity, Height], ids=lambda kind: kind.name
)


filled = partial(exact_frontier, fill=True)


def limits(problem):
    return st.integers(0, problem.rows) | st.integers(0, max(1, problem.rows // 5))


def ranges(problem):
    smallest = st.integers(1, problem.rows + 1)
    largest = st.none() | st.integers(0, problem.rows)
    return st.one_of(st.just((1, None)), st.tuples(smallest, largest).map(_ordered))


def _ordered(pair):
    low, span = pair
    return low, None if span is None else low + span


def shown(outcome, metric):
    return [
        (point.k, metric.figure(point.loss), point.node, point.suppressed) for point in outcome.points
    ]


@every_metric
@settings(max_examples=examples(25))
@given(problem=problems() | problems(persons=True), data=st.data())
def test_every_amount_of_suppression_equals_brute_force(kind, problem, data):
    limit = data.draw(limits(problem))
    min_k, max_k = data.draw(ranges(problem))
    metric = kind(problem)
    outcome = exact_frontier(Evaluator(problem, metric, limit), min_k=min_k, max_k=max_k)
    assert outcome.certified
    assert shown(outcome, metric) == oracles.frontier(problem, metric.name, limit, min_k, max_k)


@every_metric
@settings(max_examples=examples(25))
@given(problem=problems() | problems(persons=True), data=st.data())
def test_nodes_that_suppress_all_they_may_equal_brute_force(kind, problem, data):
    limit = data.draw(limits(problem))
    min_k, max_k = data.draw(ranges(problem))
    metric = kind(problem)
    truth = oracles.frontier(problem, metric.name, limit, min_k, max_k, fill=True)
    for search in (filled, exhaustive):
        outcome = search(Evaluator(problem, metric, limit), min_k=min_k, max_k=max_k)
        assert outcome.certified
        assert shown(outcome, metric) == truth


@some_metrics
@given(
    problem=problems(most_attributes=5, most_rows=60)
    | problems(most_attributes=5, most_rows=60, persons=True),
    data=st.data(),
)
def test_exact_equals_every_node_on_larger_problems(kind, problem, data):
    limit = data.draw(limits(problem))
    metric = kind(problem)
    fast = filled(Evaluator(problem, metric, limit))
    slow = exhaustive(Evaluator(problem, metric, limit))
    assert fast.points == slow.points
    assert fast.evaluated <= slow.evaluated == problem.nodes
    fast, stairs = exact_frontier(Evaluator(problem, metric, limit)), Staircase()
    each = Evaluator(problem, metric, limit)
    for node in map(each.measure, oracles.all_nodes(problem)):
        for pair in each.pairs(node):
            stairs.add(ParetoPoint(pair.k, pair.loss, node.node, pair.suppressed))
    assert fast.points == tuple(stairs)


@some_metrics
@given(problem=problems(), data=st.data())
def test_points_descend_strictly_in_k_and_loss(kind, problem, data):
    limit = data.draw(limits(problem))
    for search in (exact_frontier, filled, exhaustive, poka):
        points = search(Evaluator(problem, kind(problem), limit)).points
        for high, low in pairwise(points):
            assert high.k > low.k
            assert high.loss > low.loss


@some_metrics
@given(problem=problems(), data=st.data())
def test_the_order_of_rows_columns_and_labels_changes_nothing(kind, problem, data):
    limit = data.draw(limits(problem))
    rows = data.draw(st.permutations(range(len(problem.counts))))
    renamed = type(problem)(
        problem.ladders, problem.codes[rows], problem.counts[rows], problem.labels[rows][:, ::-1].copy()
    )
    before = exact_frontier(Evaluator(problem, kind(problem), limit)).points
    assert exact_frontier(Evaluator(renamed, kind(renamed), limit)).points == before
    columns = data.draw(st.permutations(range(len(problem.ladders))))
    turned = type(problem)(
        tuple(problem.ladders[a] for a in columns),
        np.ascontiguousarray(problem.codes[:, columns]),
        problem.counts,
        problem.labels,
    )
    after = exact_frontier(Evaluator(turned, kind(turned), limit)).points
    assert [(p.k, p.loss, sum(p.node)) for p in after] == [(p.k, p.loss, sum(p.node)) for p in before]


@some_metrics
@given(problem=problems(most_attributes=3) | problems(most_attributes=3, persons=True), data=st.data())
def test_poka_finds_real_nodes_and_with_full_depth_starts_at_the_top(kind, problem, data):
    limit = data.draw(st.integers(0, problem.rows - 1))
    depth = data.draw(st.none() | st.integers(1, 9))
    metric = kind(problem)
    outcome = poka(Evaluator(problem, metric, limit), depth=depth)
    assert not outcome.certified
    assert outcome.points[0].node == problem.top
    assert outcome.evaluated <= problem.nodes
    for k, loss, node, suppressed in shown(outcome, metric):
        truth = oracles.losses(problem, node, limit, (metric.name,))
        assert (k, suppressed, loss) == (truth[0], truth[1], truth[2][metric.name])


@pytest.mark.parametrize("times", [1, 40])
def test_a_person_with_more_rows_than_may_go_keeps_k_at_one(times):
    # a: one person in six rows. b and c: a person a row, three (or 120) each; the limit takes either, not a.
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*"), ("c", "*")])
    rows = [(value, 0) for value, n in (("a", 6), ("b", 3), ("c", 3)) for _ in range(n * times)]
    names = np.array([0 if value == "a" else i + 1 for i, (value, _) in enumerate(rows)])
    cells = np.array(["abc".index(value) for value, _ in rows])
    problem = problem_of([tree], rows)
    whose = PersonRows.listed(np.zeros(3, dtype=np.int64), cells, names, np.ones_like(cells))
    problem = replace(problem, persons=whose)
    metric = LM(problem)
    found = Evaluator(problem, metric, 5 * times).measure((0,))
    assert (found.k, found.suppressed) == oracles.losses(problem, (0,), 5 * times, ("LM",))[:2] == (1, 0)


def test_poka_stops_where_all_neighbours_tie_with_the_base_node():
    # The paper takes k and loss to fall with every step down. Here level 1 has the top's k at less loss,
    # so it is no next node; nodes below a neighbour are not evaluated; and the search ends at the top.
    tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
    problem = problem_of([tree], [("a", 0), ("a", 0), ("b", 0), ("b", 0)])
    metric = METRICS[0](problem)
    assert [point.node for point in poka(Evaluator(problem, metric, 0)).points] == [(2,)]
    assert [point.node for point in exact_frontier(Evaluator(problem, metric, 0)).points] == [(1,), (0,)]


def test_poka_takes_the_papers_average_depth():
    trees = [Hierarchy.from_rows([(f"v{i}", *["*"] * height) for i in range(2)]) for height in (6, 3, 3)]
    problem = problem_of(trees, [("v0", "v0", "v0", 0), ("v1", "v1", "v1", 1)])
    assert average_depth(problem) == 4  # 12 / 3


@some_metrics
@given(problem=problems() | problems(persons=True), data=st.data())
def test_a_time_limit_gives_points_that_are_true_nodes_and_no_certificate(kind, problem, data):
    class Countdown(Clock):
        """Is over after a number of looks."""

        def __init__(self, looks):
            super().__init__(limit=1e9)
            self.looks = looks

        @property
        def over(self):
            self.looks -= 1
            return self.looks < 0

    limit = data.draw(st.integers(0, problem.rows - 1))
    looks = data.draw(st.integers(0, 12))
    metric = kind(problem)
    for search in (exact_frontier, filled, exhaustive):
        fill = search is not exact_frontier
        outcome = search(Evaluator(problem, metric, limit), clock=Countdown(looks))
        if outcome.certified:
            truth = oracles.frontier(problem, metric.name, limit, fill=fill)
            assert shown(outcome, metric) == truth
        for k, loss, node, suppressed in shown(outcome, metric):
            taken = limit if fill else suppressed
            known = oracles.losses(problem, node, taken, (metric.name,))
            assert suppressed <= limit
            assert (k, suppressed, loss) == (known[0], known[1], known[2][metric.name])


@given(
    st.lists(st.tuples(*map(st.integers, (0,) * 4, (9, 9, 3, 2))), max_size=20),
    st.integers(1, 9),
    st.none() | st.integers(1, 9),
)
def test_a_staircase_keeps_the_undominated_points_and_knows_what_they_beat(given_points, min_k, max_k):
    stairs = Staircase(min_k, max_k)
    points = [ParetoPoint(k, loss, (level,), rows) for k, loss, level, rows in given_points]
    for point in points:
        stairs.add(point)
    real = [point for point in points if point.k >= 1]
    best = {
        min(
            (p for p in real if (p.k, p.loss) == (point.k, point.loss)),
            key=lambda p: (p.suppressed, p.rank),
        )
        for point in real
        if not any(
            other.k >= point.k and other.loss <= point.loss and other[:2] != point[:2] for other in real
        )
    }
    inside = [p for p in sorted(best, reverse=True) if min_k <= p.k <= (max_k or p.k)]
    assert list(stairs) == inside
    losses = np.arange(-1, 12, dtype=np.int64)
    assert stairs.beaten_all(losses).tolist() == [stairs.beaten(int(loss)) for loss in losses]
    for loss in range(-1, 12):
        beaten = stairs.beaten(loss)
        for k in range(1, 12):
            strictly = any((p.k >= k and p.loss < loss) or (p.k > k and p.loss <= loss) for p in best)
            beyond = max_k is not None and any(p.k >= max_k and p.loss < loss for p in best)
            if k <= beaten and not beyond:
                assert strictly or k < min_k
            if strictly or k < min_k:
                assert k <= beaten


def test_one_row_one_value_and_all_missing_tables_have_their_frontier():
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    one = problem_of([tree], [("a", 0)])
    missing = problem_of([tree], [(None, 0)] * 3)
    same = problem_of([tree], [("a", 0)] * 3)
    for problem in (one, missing, same):
        metric = METRICS[0](problem)
        outcome = exact_frontier(Evaluator(problem, metric, 0))
        assert [(point.k, point.loss, point.node) for point in outcome.points] == [
            (problem.rows, 0, (0,))
        ]


def test_where_every_row_must_be_suppressed_there_is_no_point():
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    problem = problem_of([tree], [("a", 0), ("b", 1)])
    for search in (filled, exhaustive, poka):
        assert search(Evaluator(problem, METRICS[0](problem), 2)).points == ()
    may = exact_frontier(Evaluator(problem, METRICS[0](problem), 2))
    assert [(point.k, point.node, point.suppressed) for point in may.points] == [
        (2, (1,), 0),
        (1, (0,), 0),
    ]


def test_of_equal_pairs_the_one_with_fewer_suppressed_rows_is_shown_unless_nodes_fill():
    stairs, full = Staircase(), Staircase(fill=True)
    low, few = ParetoPoint(2, 5, (0, 1), 3), ParetoPoint(2, 5, (1, 1), 2)
    for one in (stairs, full):
        one.add(low)
        one.add(few)
    assert [*stairs] == [few]
    assert [*full] == [low]


def test_the_order_of_a_hierarchys_rows_changes_nothing():
    rows = [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")]
    table = [("a", 0), ("b", 0), ("c", 0), ("c", 0)]
    for shuffled in (rows, [rows[2], rows[0], rows[1]], rows[::-1]):
        problem = problem_of([Hierarchy.from_rows(shuffled)], table)
        outcome = exact_frontier(Evaluator(problem, METRICS[0](problem), 0))
        assert [(point.k, point.node) for point in outcome.points] == [(4, (2,)), (2, (1,)), (1, (0,))]
