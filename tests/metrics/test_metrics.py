"""Every metric costs what the contract says, and keeps the promises that the searches rely on."""

from __future__ import annotations

from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.criteria import Criterion, KAnonymity
from shoal.data.tally.problem import Problem
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError
from shoal.metrics import METRICS, metric_named
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.node_judge import Judge
from tests.examples import examples
from tests.oracles import all_nodes, losses
from tests.strategies import problem_of, problems

every_metric = pytest.mark.parametrize("kind", METRICS, ids=lambda kind: kind.name)


@every_metric
@given(problem=problems(), data=st.data())
def test_a_node_costs_what_its_rows_cost_one_by_one(kind, problem, data):
    limit = data.draw(st.integers(0, problem.rows))
    node = data.draw(st.sampled_from(all_nodes(problem)))
    metric = kind(problem)
    found = Evaluator(problem, metric, limit).measure(node)
    k, suppressed, loss = losses(problem, node, limit, (kind.name,))
    assert (found.k, found.suppressed) == (k, suppressed)
    assert metric.figure(found.loss) == loss[kind.name]
    assert found.loss <= metric.largest


@every_metric
@given(problem=problems(), data=st.data())
def test_generalizing_never_lowers_k_or_loss0_nor_raises_the_excess_of_a_row(kind, problem, data):
    limit = data.draw(st.integers(0, problem.rows))
    node = data.draw(st.sampled_from(all_nodes(problem)))
    other = data.draw(st.sampled_from(all_nodes(problem)))
    above = tuple(map(max, zip(node, other, strict=True)))
    evaluator = Evaluator(problem, kind(problem), limit)
    low, high = evaluator.measure(node), evaluator.measure(above)
    if limit < problem.rows:
        assert low.k <= high.k
    assert kind.monotone
    assert low.loss0 <= high.loss0
    assert low.loss0 <= low.loss
    # Fact 3 of the exact frontier: suppressing classes of at most b rows adds at least as much below.
    for b in range(problem.rows + 1):
        at_low = sum(size <= b for size in low.sizes)
        at_high = sum(size <= b for size in high.sizes)
        if low.k > b:
            assert low.excess[at_low] >= high.excess[at_high]


class Large(Criterion):
    """k-anonymity by another name, so that a judge counts the classes itself."""

    monotone_with_suppression = True

    def __init__(self, k):
        self.k = k

    def kept(self, groups):
        return groups.sizes >= self.k


@every_metric
@settings(max_examples=examples(30))
@given(problem=problems(), data=st.data())
def test_a_judge_of_any_criterion_counts_as_the_kernels_do(kind, problem, data):
    limit = data.draw(st.integers(0, problem.rows - 1))
    k = data.draw(st.integers(1, problem.rows))
    metric = kind(problem)
    judges = [Judge(problem, None, [made(k)], limit, metric) for made in (KAnonymity, Large)]
    for node in all_nodes(problem)[:10]:
        fast, slow = (judge.judge(node) for judge in judges)
        assert (fast.allowed, fast.loss0) == (slow.allowed, slow.loss0)
        if fast.allowed:
            assert fast == slow


@every_metric
@given(problem=problems())
def test_separable_metrics_know_loss0_from_the_levels_alone(kind, problem):
    metric = kind(problem)
    if not metric.separable:
        with pytest.raises(NotImplementedError):
            metric.level_losses()
        return
    evaluator = Evaluator(problem, metric, 0)
    for node in all_nodes(problem)[:20]:
        parts = zip(metric.level_losses(), node, strict=True)
        assert sum(part[level] for part, level in parts) == evaluator.measure(node).loss0


@every_metric
@settings(max_examples=examples(40))
@given(problem=problems(), data=st.data())
def test_a_box_of_nodes_costs_what_each_node_costs(kind, problem, data):
    limit = data.draw(st.integers(0, problem.rows))
    evaluator = Evaluator(problem, kind(problem), limit, threads=2)
    seen = []
    for box in evaluator.measure_all(batch=data.draw(st.integers(1, 40))):
        for i, node in enumerate(map(tuple, box.levels.tolist())):
            found = evaluator.measure(node)
            assert (found.k, found.suppressed, found.loss) == (box.k[i], box.suppressed[i], box.loss[i])
            seen.append(node)
    assert sorted(seen) == all_nodes(problem)


def small():
    """A table by hand: two values of one group, one that its group holds alone, and a root."""
    tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*"), ("d", "d", "*")])
    return problem_of([tree], [("a", 0), ("a", 0), ("a", 0), ("b", 0), ("c", 0), ("c", 0)])


@pytest.mark.parametrize(
    ("name", "limit", "by_level"),
    [
        ("NCP", 0, [0, Fraction(4 * 2, 4), 6]),
        ("ClassSize", 0, [2, 3, 6]),
        ("ClassSize", 2, [3, 6, 6]),  # b goes, on level 1 c
        ("Ambiguity", 0, [6, 4 * 2 + 2, 24]),
        ("Ambiguity", 1, [5 + 4, 10, 24]),
        ("Height", 0, [0, 1, 2]),
        ("Height", 2, [0, 1, 2]),
        ("Intensity", 0, [0, Fraction(4, 2), 6]),
        ("Prec", 0, [0, 3, 6]),
        ("Intensity", 1, [1, 2, 6]),
    ],
)
def test_a_small_table_costs_what_it_does_by_hand(name, limit, by_level):
    problem = small()
    metric = metric_named(name)(problem)
    evaluator = Evaluator(problem, metric, limit)
    assert [metric.figure(evaluator.measure((level,)).loss) for level in range(3)] == by_level


def test_non_uniform_entropy_is_that_of_the_values_below_a_label():
    problem = small()
    metric = metric_named("NUE")(problem)
    losses_by_level = [Evaluator(problem, metric, 0).measure((level,)).loss for level in range(3)]
    below = 3 * log2(4 / 3) + log2(4)
    whole = 3 * log2(6 / 3) + log2(6) + 2 * log2(6 / 2)
    assert [loss / metric.unit for loss in losses_by_level] == pytest.approx([0, below, whole])
    assert metric.largest == losses_by_level[-1]
    one_gone = Evaluator(problem, metric, 1).measure((0,))
    assert one_gone.loss / metric.unit == pytest.approx(log2(6))


def test_an_ambiguity_too_large_to_be_exact_is_refused_in_a_line():
    trees = [Hierarchy.from_rows([(f"v{i}", "*") for i in range(2000)])] * 6
    problem = problem_of(trees, [(*["v0"] * 6, 0)])
    with pytest.raises(
        InputError, match=r"6.4 × 10¹⁹ combinations of leaves, too many .* use LM or NUE"
    ):
        Evaluator(problem, metric_named("Ambiguity")(problem), 0)


def test_the_logarithms_of_very_many_rows_still_fit():
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    problem = problem_of([tree, tree], [("a", "a", 0), ("b", "b", 0)])
    many = Problem(problem.ladders, problem.codes, np.array([2**40, 2**41], dtype=np.int64))
    metric = metric_named("NUE")(many)
    found = Evaluator(many, metric, 2**40).measure((0, 0))
    assert found.loss / metric.unit == pytest.approx(2 * 2**40 * log2(3), rel=1e-5)
    top = Evaluator(many, metric, 0).measure((1, 1))
    assert top.loss / metric.unit == pytest.approx(2 * (2**40 * log2(3) + 2**41 * log2(1.5)), rel=1e-5)
    assert metric.largest == top.loss


def test_losses_beyond_64_bits_stay_exact():
    primes = [61, 67, 71, 73, 79, 83, 89, 97, 101, 103]
    trees = [Hierarchy.from_rows([(f"v{i}", f"g{i // 9}", "*") for i in range(p + 1)]) for p in primes]
    table = [(*(f"v{(7 * r + a) % 60}" for a in range(len(primes))), 0) for r in range(50)]
    problem = problem_of(trees, table)
    metric = metric_named("LM")(problem)
    assert metric.unit == np.prod([int(p) for p in primes], dtype=object)
    assert metric.dtype is object
    node = tuple(a % 3 for a in range(len(primes)))
    found = Evaluator(problem, metric, 20).measure(node)
    k, suppressed, loss = losses(problem, node, 20)
    assert (found.k, found.suppressed, Fraction(found.loss, metric.unit)) == (k, suppressed, loss["LM"])


def test_metrics_are_found_by_every_name_of_the_contract():
    for name, words in {
        "LM": ["LM", "GLM", "loss", "lm"],
        "DM": ["DM", "DCN", "discernibility"],
        "CM": ["CM", "CE", "classification"],
        "Prec": ["Prec", "precision", "PREC"],
        "NCP": ["NCP", "certainty"],
        "ClassSize": ["ClassSize", "class-size", "average-class-size", "AECS"],
        "NUE": ["NUE", "non-uniform-entropy"],
        "Ambiguity": ["ambiguity", "AM"],
        "Height": ["height"],
        "Intensity": ["intensity", "generalization-intensity", "GI"],
    }.items():
        assert {metric_named(word).name for word in words} == {name}
    with pytest.raises(InputError, match="known are LM, DM, CM, Prec, NCP, ClassSize, NUE, Ambiguity"):
        metric_named("quality")
    with pytest.raises(InputError, match="only shoal optimize has the metric Entropy"):
        metric_named("entropy")
