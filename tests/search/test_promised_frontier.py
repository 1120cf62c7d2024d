"""The frontier of k and loss where a promise is kept besides, against the rows in plain Python."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import NoSolutionError
from shoal.running.clock import Clock
from shoal.search.lattice.flash import flash
from shoal.search.lattice.promised_frontier import promised_frontier
from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.questions import cases, left, size, verdict


def brute(case):
    """Every Pareto-optimal (k, loss) with its suppressed rows and node, by asking every node for every k."""
    best = {}
    for k in range(1, len(case.rows) + 1):
        promise = replace(case.question.promise, k=k)
        asked = replace(case, question=replace(case.question, promise=promise))
        for node in all_nodes(case.question.problem):
            allowed, suppressed, loss = verdict(asked, node)
            if allowed:
                pair = (min(map(size, left(asked, node))), loss)
                shown = (suppressed, sum(node), node)
                best[pair] = min(best.get(pair, shown), shown)
    return [
        (k, loss, best[k, loss][0], best[k, loss][2])
        for k, loss in sorted(best, reverse=True)
        if not any(o[0] >= k and o[1] <= loss and o != (k, loss) for o in best)
    ]


@pytest.mark.parametrize("metric", ["LM", "DM", "CM", "Prec"])
@settings(max_examples=examples(30))
@given(data=st.data())
def test_it_is_what_brute_force_finds(metric, data):
    some = {"most_attributes": 2, "most_rows": 12}
    case = data.draw(cases(metric, **some) | cases(metric, **some, persons=True))
    found = promised_frontier(case.question)
    unit = case.question.metric.unit
    assert found.certified
    assert [(p.k, Fraction(p.loss, unit), p.suppressed, p.node) for p in found.points] == brute(case)


@settings(max_examples=examples(50))
@given(case=cases() | cases(persons=True))
def test_no_proven_answer_lies_off_it(case):
    try:
        answer = flash(case.question, Clock())
    except NoSolutionError:
        return
    assert answer.optimal
    node = tuple(answer.recoding.levels.values())
    judged = case.question.judge().judge(node)
    points = promised_frontier(case.question).points
    assert min(p.loss for p in points if p.k >= case.question.promise.k) == judged.loss
