"""Negotiations about persons with several rows, against brute force over their rows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.negotiation.cases import brute_force, cases, requests


def document(answer):
    found = answer.to_dict()
    return {name: found[name] for name in ("exact", "suggestions")}


@pytest.mark.parametrize("prefer", ["loss", "height"])
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_answers_are_those_of_brute_force(prefer, data):
    case = data.draw(cases(most_rows=12, persons=True))
    request = data.draw(requests(case))
    answer = case.by_persons().ask(**request, prefer=prefer)
    top = case.shape.within(request["heights"])
    asked = (request["k"], request["l"], top, request["max_suppressed"])
    assert document(answer) == brute_force(case, *asked, prefer)


@settings(max_examples=examples(40), deadline=None)
@given(case=cases(most_rows=12, persons=True), k=st.integers(1, 8), l=st.integers(0, 4))
def test_maps_curves_and_neighbours_count_persons(case, k, l):
    negotiator = case.by_persons()
    l = l if case.columns else 0
    nodes = all_nodes(case.problem)
    expected = [case.suppressed(node, k, l) for node in nodes]
    assert negotiator.map(k, l or None).reshape(-1).tolist() == expected
    for node in nodes[:4]:
        named = case.shape.named(node)
        curve = negotiator.curve(named, l=l or None)
        assert [curve.at(size) for size in range(1, 15)] == [
            case.suppressed(node, size, l) for size in range(1, 15)
        ]
        for step in negotiator.neighbours(named, k=k):
            other = tuple(step.node.values())
            assert step.suppressed == case.suppressed(other, k, None)
            assert step.smallest == min(size for size, _ in case.classes(other).values())
