"""Judged nodes against the rows in plain Python, and what their bounds say of the nodes below."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.metrics import METRICS
from tests.oracles import all_nodes
from tests.search.questions import cases, verdict

NAMES = ("LM", "DM", "CM", "Prec")


@pytest.mark.parametrize("metric", NAMES)
@settings(max_examples=30)
@given(data=st.data())
def test_a_judgement_is_what_the_rows_say(metric, data):
    case = data.draw(cases(metric))
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


@pytest.mark.parametrize("metric", [kind.name for kind in METRICS if kind.monotone])
@settings(max_examples=15)
@given(data=st.data())
def test_what_is_said_of_all_nodes_below_is_true_of_them(metric, data):
    case = data.draw(cases(metric))
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
