"""Frontiers of several objectives against brute force over all nodes and thresholds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Hierarchy
from shoal.describe.promise import Promise
from shoal.kernels import Diversity
from shoal.metrics import METRICS
from shoal.running.clock import Clock
from shoal.search.lattice import objective_frontier as boxes
from shoal.search.lattice.objective_frontier import objective_frontier
from shoal.search.lattice.objectives import Front, closeness
from shoal.search.lattice.person_thresholds import threshold_evaluator
from shoal.search.lattice.thresholds import Thresholds
from shoal.search.lattice.two_objectives import two_objectives
from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.objective_cases import COLUMNS, cases, frontier
from tests.search.questions import ask

every_metric = pytest.mark.parametrize("kind", METRICS, ids=lambda kind: kind.name)
NAMES = [
    ("k", "loss"),
    ("suppressed", "loss"),
    ("l", "loss"),
    ("t", "loss"),
    ("k", "suppressed", "loss"),
    ("k", "l", "loss"),
]
CHOICES = [(names, False) for names in NAMES] + [(("l", "loss"), True)]
every_choice = pytest.mark.parametrize(
    ("names", "fill"), CHOICES, ids=["-".join(names) + "-fill" * fill for names, fill in CHOICES]
)


@pytest.fixture(autouse=True)
def small_boxes(monkeypatch):
    """Random lattices are small: boxes that are measured whole must be smaller still."""
    monkeypatch.setattr(boxes, "SMALL", 3)
    monkeypatch.setattr(boxes, "LARGE", 7)


def asked(data, case, names):
    """The requirement on k, the limit, and the sensitive columns of a question."""
    rows = case.problem.rows
    k = data.draw(st.integers(1, 4), "k")
    limit = data.draw(st.integers(0, rows) | st.integers(0, max(1, rows // 5)), "limit")
    columns = COLUMNS[: data.draw(st.integers(1, 2), "columns")]
    return k, 0 if "t" in names else limit, columns if {"l", "t"} & {*names} else ()


def evaluator_of(case, kind, names, fill, k, limit, columns, threads=1):
    diversity = Diversity.NONE
    if "l" in names:
        diversity = Diversity.LARGEST if fill else Diversity.EVERY
    return threshold_evaluator(
        case.problem,
        kind(case.problem),
        case.tally,
        Thresholds(k, "k" in names, diversity, limit),
        diverse=columns if "l" in names else (),
        close=columns if "t" in names else (),
        threads=threads,
    )


def shown(found, names, metric, rows):
    points = found.points
    if points is None:
        return []
    facts = {
        "k": points.k.tolist(),
        "l": points.distinct.tolist(),
        "t": [
            Fraction(far, 2 * rows * of)
            for far, of in zip(points.far.tolist(), points.far_of.tolist(), strict=True)
        ],
        "suppressed": points.suppressed.tolist(),
        "loss": [metric.figure(int(loss)) for loss in points.loss],
    }
    wanted = {*names, "k", "suppressed"}
    return [
        (tuple(levels), {name: facts[name][i] for name in sorted(wanted)})
        for i, levels in enumerate(points.levels.tolist())
    ]


def expected(truth, names):
    wanted = sorted({*names, "k", "suppressed"})
    return [(node, {name: found[name] for name in wanted}) for node, found in truth]


def searches(names):
    yield lambda evaluator, **rest: objective_frontier(evaluator, names, **rest)
    if len(names) == 2 and "k" not in names:
        yield lambda evaluator, **rest: two_objectives(evaluator, names[0], **rest)


@every_choice
@every_metric
@settings(max_examples=examples(25))
@given(case=cases(most_attributes=3, most_rows=14), data=st.data())
def test_frontiers_equal_brute_force(kind, names, fill, case, data):
    k, limit, columns = asked(data, case, names)
    truth = expected(frontier(case, kind.name, names, columns, k, limit, fill), names)
    threads = data.draw(st.integers(1, 2), "threads")
    metric = kind(case.problem)
    known = data.draw(st.lists(st.sampled_from(all_nodes(case.problem)), max_size=3), "known")
    found = [
        objective_frontier(
            evaluator_of(case, kind, names, fill, k, limit, columns, threads),
            names,
            prune=prune,
            known=known,
        )
        for prune in (True, False)
    ]
    if len(names) == 2 and "k" not in names:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "shoal.search.lattice.two_objectives.MANY", data.draw(st.integers(1, 4), "many")
            )
            evaluator = evaluator_of(case, kind, names, fill, k, limit, columns)
            found.append(two_objectives(evaluator, names[0]))
    for one in found:
        assert one.certified
        assert shown(one, names, metric, case.problem.rows) == truth
        assert one.evaluated <= case.problem.nodes
    assert found[1].evaluated == case.problem.nodes


@every_choice
@settings(max_examples=examples(20))
@given(case=cases(most_attributes=5, most_rows=40), data=st.data())
def test_skipping_loses_nothing_on_larger_problems(names, fill, case, data):
    kind = data.draw(st.sampled_from(METRICS))
    k, limit, columns = asked(data, case, names)
    metric, rows = kind(case.problem), case.problem.rows
    every = objective_frontier(
        evaluator_of(case, kind, names, fill, k, limit, columns, 2), names, prune=False
    )
    for search in searches(names):
        few = search(evaluator_of(case, kind, names, fill, k, limit, columns))
        assert shown(few, names, metric, rows) == shown(every, names, metric, rows)


def test_a_cheap_node_of_few_values_lies_below_one_that_suppresses_much():
    tree = Hierarchy.from_rows([(f"{i}", f"p{i // 2}", f"q{i // 4}", "*") for i in range(8)])
    cells = ["07d", "23d", "21f", "10d", "50a", "10c", "46a", "70c", "33b", "00a"]
    question = ask({"x": tree, "y": tree}, [(*one, "ill") for one in cells], Promise(1), 5).question
    evaluator = threshold_evaluator(
        question.problem,
        question.metric,
        question.tally,
        Thresholds(diversity=Diversity.LARGEST, limit=5),
        diverse=("illness",),
    )
    points = two_objectives(evaluator, "l").points
    assert points.distinct.tolist() == [5, 3, 2, 1]
    assert points.levels.tolist() == [[2, 2], [1, 2], [2, 1], [0, 0]]


class Countdown(Clock):
    """Is over after a number of looks."""

    def __init__(self, looks):
        super().__init__(limit=1e9)
        self.looks = looks

    @property
    def over(self):
        self.looks -= 1
        return self.looks < 0


@every_choice
@settings(max_examples=examples(20))
@given(case=cases(most_attributes=3, most_rows=14), data=st.data(), looks=st.integers(0, 12))
def test_a_time_limit_gives_true_points_and_no_certificate_unless_all_was_done(
    names, fill, case, data, looks
):
    kind = data.draw(st.sampled_from(METRICS))
    k, limit, columns = asked(data, case, names)
    metric, rows = kind(case.problem), case.problem.rows
    whole = objective_frontier(
        evaluator_of(case, kind, names, fill, k, limit, columns), names, prune=False
    )
    for search in searches(names):
        some = search(evaluator_of(case, kind, names, fill, k, limit, columns), clock=Countdown(looks))
        if some.certified:
            assert shown(some, names, metric, rows) == shown(whole, names, metric, rows)
        again = evaluator_of(case, kind, names, fill, k, limit, columns)
        for node, facts in shown(some, names, metric, rows):
            own = objective_frontier_of_one(again, node, names)
            assert (node, facts) in shown(own, names, metric, rows)


def objective_frontier_of_one(evaluator, node, names):
    front = Front(names, evaluator.problem.rows)
    front.add(evaluator.box(node, node))
    return boxes.ObjectiveOutcome(front.points(), 1, True, 0.0)


@given(st.integers(1, 60), st.data())
def test_closeness_orders_fractions_as_they_are(rows, data):
    pair = st.integers(1, rows).flatmap(lambda of: st.tuples(st.integers(0, 2 * rows * of), st.just(of)))
    pairs = data.draw(st.lists(pair, min_size=2, max_size=8))

    class Some:
        far = np.array([far for far, _ in pairs])
        far_of = np.array([of for _, of in pairs])

    numbers = closeness(Some, rows).tolist()
    fractions = [Fraction(*one) for one in pairs]
    for i, x in enumerate(fractions):
        for j, y in enumerate(fractions):
            assert (x < y, x == y) == (numbers[i] < numbers[j], numbers[i] == numbers[j])


def test_losses_beyond_64_bits_are_compared_exactly():
    from shoal.search.lattice.thresholds import Points

    ones = np.ones(3, dtype=np.int64)
    losses = np.array([2**70 + 1, 2**70, 2**70 + 2], dtype=object)
    levels = np.array([[0], [1], [2]])
    front = Front(("suppressed", "loss"), 5)
    front.add(Points(levels, ones, ones, ones, ones, np.array([0, 1, 0]), losses, losses * 0))
    assert front.points().levels.tolist() == [[0], [1]]
