"""Every metric costs what the contract says, and keeps the promises that the searches rely on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.lattice.evaluator import Evaluator
from shoal.loss import METRICS, metric_named
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
    k, suppressed, loss = losses(problem, node, limit)
    assert (found.k, found.suppressed) == (k, suppressed)
    assert Fraction(found.loss, metric.unit) == loss[kind.name]
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
    }.items():
        assert {metric_named(word).name for word in words} == {name}
    with pytest.raises(InputError, match="known are LM, DM, CM, Prec"):
        metric_named("entropy")
