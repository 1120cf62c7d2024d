"""The bound by parts of the columns, against all nodes by brute force."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.running.clock import Clock
from shoal.search.lattice.columns_bound import bound_by_columns
from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.questions import cases, verdict


@pytest.mark.parametrize("metric", ["LM", "Prec"])
@settings(max_examples=examples(60))
@given(data=st.data())
def test_no_allowed_node_loses_less(metric, data):
    case = data.draw(cases(metric, kinds=("k",)) | cases(metric, kinds=("k",), persons=True))
    sizes = data.draw(st.sampled_from([(1,), (8,), (1, 30), (10**6,)]))
    bound = bound_by_columns(case.question, Clock(), sizes)
    assert bound >= 0
    losses = [
        loss
        for allowed, _, loss in (verdict(case, node) for node in all_nodes(case.question.problem))
        if allowed
    ]
    assert not losses or bound <= min(losses)
    if losses and sizes == (10**6,):  # all columns are one part
        assert bound == max(min(losses), 0)


@settings(max_examples=examples(20))
@given(case=cases("LM", kinds=("l",)) | cases("DM", kinds=("k",)))
def test_there_is_none_where_the_proof_does_not_hold(case):
    criteria = {type(one).__name__ for one in case.question.criteria}
    if case.question.metric.name == "DM" or criteria != {"KAnonymity"}:
        assert bound_by_columns(case.question, Clock()) == Fraction(0)
