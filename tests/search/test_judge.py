"""Judged nodes against the rows in plain Python, and what their bounds say of the nodes below."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.criteria import KAnonymity
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise
from shoal.metrics import METRICS
from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.questions import SENSITIVE, Row, ask, cases, left, size, verdict

NAMES = ("LM", "DM", "CM", "Prec")


@pytest.mark.parametrize("metric", NAMES)
@settings(max_examples=examples(30))
@given(data=st.data())
def test_a_judgement_is_what_the_rows_say(metric, data):
    case = data.draw(cases(metric) | cases(metric, persons=True))
    judge = case.question.judge()
    for node in all_nodes(case.question.problem):
        found = judge.judge(node)
        allowed, suppressed, loss = verdict(case, node)
        assert found.allowed == allowed
        assert found.loss0 <= found.loss
        if allowed:
            assert found.suppressed == suppressed
            assert Fraction(found.loss, case.question.metric.unit) == loss
        else:
            assert found.suppressed > judge.limit or suppressed == len(case.rows)


@settings(max_examples=examples(40))
@given(
    case=cases(kinds=("l", "theta", "t"), most_attributes=2, most_rows=12)
    | cases(kinds=("l", "theta", "t"), most_attributes=2, most_rows=12, persons=True)
)
def test_the_amounts_of_a_node_are_what_the_rows_say_at_every_k(case):
    task = case.question
    judge = task.judge(criteria=[one for one in task.criteria if not isinstance(one, KAnonymity)])
    for node in all_nodes(task.problem):
        truth = set()
        for k in range(1, len(case.rows) + 1):
            asked = replace(case, question=replace(task, promise=replace(task.promise, k=k)))
            allowed, suppressed, loss = verdict(asked, node)
            if allowed:
                truth.add((min(map(size, left(asked, node))), loss, suppressed))
        found = {(p.k, Fraction(p.loss, task.metric.unit), p.suppressed) for p in judge.amounts(node)[1]}
        assert found <= truth
        assert {pair[0] for pair in found} == {pair[0] for pair in truth}


def test_a_limit_is_about_rows_where_k_is_about_persons():
    # In class a two persons have the same illness, one of them in three rows; a breaks l, and four rows go.
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    few = [Row(("a", "flu", "well"), person) for person in (0, 0, 0, 1)]
    rest = [Row(("b", "flu", "well"), 2), Row(("b", "cold", "well"), 3), Row(("b", "cold", "well"), 0)]
    for limit, allowed in ((3, False), (4, True)):
        task = ask({"q": tree}, [*few, *rest], Promise(2, 2), limit).question
        found = task.judge().judge((0,))
        assert (found.allowed, found.suppressed) == (allowed, 4)
        others = [one for one in task.criteria if not isinstance(one, KAnonymity)]
        pairs = [(pair.k, pair.suppressed) for pair in task.judge(criteria=others).amounts((0,))[1]]
        assert pairs == ([(3, 4)] if allowed else [])


def test_classes_that_are_too_small_go_before_the_others_are_compared_with_what_is_left():
    # Without the one row of a, b is farther from all rows left than t: it goes too, and only c stays.
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*"), ("c", "*")])
    rows = [("a", "flu", "well"), *[("b", "flu", "well")] * 2, *[("c", "cold", "well")] * 4]
    task = ask({"q": tree}, rows, Promise(1, None, {}, {SENSITIVE: Fraction(3, 5)}), 3).question
    judge = task.judge(criteria=[one for one in task.criteria if not isinstance(one, KAnonymity)])
    bound, pairs = judge.amounts((0,))
    assert [(pair.k, pair.suppressed) for pair in pairs] == [(1, 0), (4, 3)]
    assert list(zip(bound.ks, bound.rows, strict=True)) == [(1, 0), (2, 1), (4, 3)]


@pytest.mark.parametrize("metric", [kind.name for kind in METRICS if kind.monotone])
@settings(max_examples=15)
@given(data=st.data())
def test_what_is_said_of_all_nodes_below_is_true_of_them(metric, data):
    case = data.draw(cases(metric) | cases(metric, persons=True))
    judge = case.question.judge()
    judged = [judge.judge(node) for node in all_nodes(case.question.problem)]
    for high in judged:
        assert not (high.barred and high.allowed)
        for low in judged:
            if all(a <= b for a, b in zip(low.node, high.node, strict=True)):
                assert not (high.barred and low.allowed)
                assert not (judge.monotone and low.allowed and not high.allowed)
                if low.allowed:
                    assert low.loss >= low.loss0 + high.surely
