"""The anytime search: what it returns, that it repeats itself, and that many nodes are judged as one is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Hierarchy, Study
from shoal.criteria import KAnonymity
from shoal.metrics import LM
from shoal.running.clock import Clock
from shoal.search.lattice.anytime import Anytime
from shoal.search.lattice.climbs import Steps
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.every_k import AtK, every_k
from shoal.search.lattice.node_judge import Judge
from shoal.search.lattice.pareto import ParetoPoint, Staircase
from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.questions import cases


@pytest.mark.parametrize("metric", ["LM", "DM", "CM", "Ambiguity"])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_many_nodes_are_judged_as_each_alone(metric, data):
    case = data.draw(cases(metric) | cases(metric, persons=True) | cases(metric, kinds=("l",)))
    task = replace(case.question, threads=data.draw(st.integers(1, 3)))
    nodes = data.draw(st.lists(st.sampled_from(all_nodes(task.problem)), max_size=12))
    many, alone = task.judge().judge_many(nodes, Clock()), task.judge()
    assert many == [alone.judge(node) for node in nodes]
    assert task.judge().judge_many(nodes, Clock(0.0)) == []


@settings(max_examples=examples(10))
@given(case=cases("CM"))
def test_no_thread_begins_with_nodes_when_the_time_is_over(case):
    task = replace(case.question, threads=3)
    nodes = all_nodes(task.problem)[:12]
    for _ in range(200):  # who looks first is a matter of luck
        assert task.judge().judge_many(nodes, Clock(0.0)) == []


@settings(max_examples=examples(25))
@given(case=cases("LM") | cases("CM", persons=True), threads=st.integers(1, 3), data=st.data())
def test_many_nodes_are_measured_as_each_alone(case, threads, data):
    task = case.question
    nodes = data.draw(st.lists(st.sampled_from(all_nodes(task.problem)), max_size=12))
    many = Evaluator(task.problem, task.metric, task.limit, threads)
    alone = Evaluator(task.problem, task.metric, task.limit)
    assert many.measure_many(nodes, Clock()) == [alone.measure(node) for node in nodes]
    assert many.evaluated == len(set(nodes))


@settings(max_examples=examples(40))
@given(case=cases("LM") | cases("DM") | cases("LM", kinds=("l", "t")), seed=st.integers(0, 3))
def test_no_neighbour_of_the_best_is_better_and_the_same_seed_gives_the_same(case, seed):
    task = case.question
    search, again = Anytime(task.judge(), Clock(), seed), Anytime(task.judge(), Clock(), seed)
    search.run(4)
    again.run(4)
    assert search.best == again.best
    allowed = [one for one in map(task.judge().judge, all_nodes(task.problem)) if one.allowed]
    if search.best is None:
        assert not (allowed and search.judge.monotone)
        return
    assert search.best in allowed
    steps = Steps(task.problem, task.metric)
    near = {*steps.above(search.best.node), *steps.below(search.best.node)}
    assert not [one for one in allowed if one.node in near and one.loss < search.best.loss]


def checked_swaps(judge) -> int:
    """How many nodes two steps from others are better; each of them is looked at."""
    search, nodes = Anytime(judge, Clock()), all_nodes(judge.problem)
    judged = dict(zip(nodes, judge.judge_many(nodes, Clock()), strict=True))
    met = 0
    for at in (one for one in judged.values() if one.allowed):
        steps = [[one - two for one, two in zip(node, at.node, strict=True)] for node in nodes]
        swaps = {n for n, by in zip(nodes, steps, strict=True) if sorted(filter(None, by)) == [-1, 1]}
        better = {n for n in swaps if judged[n].allowed and judged[n].loss < at.loss}
        assert better <= set(search._swapped(at)) <= swaps
        met += len(better)
    return met


@settings(max_examples=examples(25))
@given(case=cases("LM", kinds=("l", "t")) | cases("LM", persons=True))
def test_no_better_node_two_steps_away_is_left_out(case):
    checked_swaps(case.question.judge())


@pytest.mark.parametrize("k", [None, 2, 4])
@pytest.mark.parametrize("fill", [False, True])
def test_none_is_left_out_where_many_rows_may_go(k, fill):
    rng = np.random.default_rng(3)
    kinds = rng.integers(0, 4, 60)
    codes = np.where(rng.random((60, 4)) < 0.5, kinds[:, None], rng.integers(0, 4, (60, 4)))
    tree = Hierarchy.from_rows([str(code), f"{code // 2}-", "*"] for code in range(4))
    table = pa.table({f"a{a}": [str(code) for code in codes[:, a]] for a in range(4)})
    with Study(table, quasi=dict.fromkeys(table.column_names, tree)) as study:
        problem, tally = study.problem(), study.tally()
    judge = Judge(problem, tally, [KAnonymity(3)], 40, LM(problem))
    if k is not None:
        judge = AtK(Evaluator(problem, LM(problem), 40), k, fill, lambda _: None)
    assert checked_swaps(judge) > 20


@settings(max_examples=examples(25))
@given(case=cases("LM"), fill=st.booleans())
def test_the_search_for_every_k_takes_in_all_that_it_measured_and_nothing_else(case, fill):
    task = case.question
    measurer = Evaluator(task.problem, task.metric, task.limit)
    stairs, taken = Staircase(fill=fill), set()

    def take(found):
        taken.add(found.node)
        for pair in measurer.pairs(found)[-1 if fill else 0 :]:
            stairs.add(ParetoPoint(pair.k, pair.loss, found.node, pair.suppressed))

    for _ in every_k(measurer, stairs, Clock(), take):
        pass
    assert taken == {found.node for found in measurer.seen()}
    for point in stairs:
        assert (point.k, point.loss) in {
            pair[:2] for pair in measurer.pairs(measurer.measure(point.node))
        }
