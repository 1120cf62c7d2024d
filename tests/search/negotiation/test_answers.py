"""Every answer of a negotiation is the one that brute force over all nodes finds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError
from shoal.metrics import METRICS as METRICS_OF_NODES
from shoal.running.stopping import Stop, stopped_by
from tests.examples import examples
from tests.oracles import all_nodes, losses_without
from tests.search.negotiation.cases import brute_force, case_of, cases, requests
from tests.strategies import problem_of


def question(case, request):
    top = case.shape.within(request["heights"])
    return request["k"], request["l"], top, request["max_suppressed"]


METRICS = st.sampled_from([metric.name for metric in METRICS_OF_NODES])


def parts(answer):
    """The document without what differs from run to run, and without its reason."""
    return {name: part for name, part in answer.to_dict().items() if name in {"exact", "suggestions"}}


@settings(max_examples=examples(700))
@given(st.data())
def test_answers_from_the_index_are_those_of_brute_force(data):
    case = data.draw(cases())
    negotiator = case.indexed()
    for prefer in ("loss", "height"):
        request = data.draw(requests(case))
        answer = negotiator.ask(**request, prefer=prefer)
        expected = brute_force(case, *question(case, request), prefer)
        assert parts(answer) == expected
        assert answer.certified
        impossible = expected["suggestions"] is not None and None in expected["suggestions"].values()
        assert bool(answer.reason) is impossible


@settings(max_examples=examples(300))
@given(st.data(), METRICS)
def test_the_least_loss_by_any_metric_is_that_of_brute_force(data, metric):
    case = data.draw(cases(most_rows=12))
    for negotiator in (case.indexed(), case.lazy()):
        request = data.draw(requests(case))
        answer = negotiator.ask(**request, metric=metric)
        assert parts(answer) == brute_force(case, *question(case, request), metric=metric)
        assert (answer.prefer, answer.metric, answer.certified) == ("loss", metric, True)


@settings(max_examples=examples(150))
@given(cases(most_rows=12), st.data())
def test_without_heights_it_is_the_cheapest_point_for_at_least_k_of_the_frontier(case, data):
    """Over all nodes and all amounts of suppression within the limit, whole class sizes at a time."""
    rows = case.problem.rows
    k, limit = data.draw(st.integers(1, rows)), data.draw(st.integers(0, rows - 1))
    losses = []
    for node in all_nodes(case.problem):
        sizes = {key: size for key, (size, _) in case.classes(node).items()}
        for reached in {size for size in sizes.values() if size >= k}:
            gone = {key for key, size in sizes.items() if size < reached}
            if sum(sizes[key] for key in gone) <= limit:
                losses.append(losses_without(case.problem, node, gone, ("LM",))["LM"])
    for negotiator in (case.indexed(), case.lazy()):
        exact = negotiator.ask(k=k, max_suppressed=limit).exact
        assert (None if exact is None else exact.loss) == min(map(float, losses), default=None)


@settings(max_examples=examples(150))
@given(st.data(), METRICS, st.integers(0, 25))
def test_what_is_ended_early_is_allowed_and_its_bound_is_true(data, metric, looks):
    """Whenever it is asked to end: the answer is allowed, and no answer loses less than it says."""
    case = data.draw(cases(most_rows=12))
    request = data.draw(requests(case))
    expected = brute_force(case, *question(case, request), metric=metric)
    lazy, left = case.lazy(), count(looks, -1)
    lazy.losses(metric)
    with stopped_by(Stop(lambda: next(left) <= 0, lambda: False)):
        answer = lazy.ask(**request, metric=metric)
    best = [("exact", expected["exact"]), *(expected["suggestions"] or {}).items()]
    found = {name: offer for name, offer in best if offer is not None}
    assert {name for name, _ in answer.rows()} == found.keys()
    for name, offer in answer.rows():
        node = tuple(offer.node.values())
        assert offer.suppressed == case.suppressed(node, offer.k, offer.l)
        if offer.proven:
            assert offer.to_dict() == found[name]
            continue
        assert not answer.certified
        assert offer.suppressed <= max(request["max_suppressed"], found[name]["suppressed"])
        if name != "height":
            assert offer.loss >= found[name]["loss"]
            assert offer.lower_bound <= found[name]["loss"]


@settings(max_examples=examples(120))
@given(st.data())
def test_of_nodes_that_lose_the_same_the_one_with_fewest_suppressed_is_found(data):
    """By Height all nodes of a height lose the same, so that ties decide."""
    case = data.draw(cases(most_attributes=4, most_rows=12))
    request = data.draw(requests(case)) | {"heights": {}}
    answer = case.lazy().ask(**request, metric="Height")
    assert parts(answer) == brute_force(case, *question(case, request), metric="Height")


@pytest.mark.parametrize(
    ("levels", "table", "k", "limit", "node"),
    [
        ((1, 1, 3), "002 002 101 012 002 113 013", 2, 3, (1, 0, 0)),
        ((3, 3, 2), "002 322 123 301 222 122 001 121 233 111 203 230 130", 2, 4, (2, 0, 2)),
    ],
)
def test_no_tie_is_missed_among_the_boxes_that_are_left(levels, table, k, limit, node):
    """By Height, where a box whose bound and height are the best node's still holds fewer suppressed rows."""
    trees = {
        1: [["v0", "*"], ["v1", "*"]],
        2: [[f"v{i}", f"g{i // 2}", "*"] for i in range(4)],
        3: [[f"v{i}", f"v{i}", f"g{i // 2}", "*"] for i in range(4)],
    }
    rows = [(*(f"v{code}" for code in row), 0) for row in table.split()]
    case = case_of(problem_of([Hierarchy.from_rows(trees[height]) for height in levels], rows))
    request = {"k": k, "l": None, "heights": {}, "max_suppressed": limit}
    found = parts(case.lazy().ask(**request, metric="Height"))
    assert found == brute_force(case, *question(case, request), metric="Height")
    assert tuple(found["exact"]["node"].values()) == node


@settings(max_examples=examples(500))
@given(st.data(), st.sampled_from([0, 600, 1 << 20]), st.integers(1, 3))
def test_answers_without_an_index_are_the_same(data, budget, threads):
    case = data.draw(cases(most_attributes=4))
    indexed, lazy = case.indexed(), case.lazy(budget, threads)
    for prefer in ("loss", "height"):
        request = data.draw(requests(case)) | {"prefer": prefer}
        one, other = indexed.ask(**request), lazy.ask(**request)
        assert parts(one) == parts(other)
        assert one.reason == other.reason


@settings(max_examples=examples(200))
@given(st.data())
def test_visits_do_not_depend_on_the_threads(data):
    case = data.draw(cases(most_attributes=4))
    request = data.draw(requests(case))
    visited = {case.lazy(threads=threads).ask(**request).visited for threads in (1, 2, 3)}
    assert len(visited) == 1


@settings(max_examples=examples(30))
@given(st.data())
def test_several_threads_may_ask_the_same_session(data):
    case = data.draw(cases(most_attributes=4))
    asked = data.draw(st.lists(requests(case), min_size=8, max_size=8))
    for negotiator in (case.indexed(), case.lazy(budget=600, threads=2)):
        alone = [parts(negotiator.ask(**request)) for request in asked]
        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(negotiator.ask, **request) for request in asked]
        assert [parts(each.result()) for each in running] == alone


@settings(max_examples=examples(300))
@given(cases(), st.data())
def test_suppression_never_rises_with_generalization_nor_falls_with_privacy(case, data):
    """What the searches rely on, from the rows themselves."""
    node = data.draw(st.sampled_from(all_nodes(case.problem)))
    above = tuple(
        data.draw(st.integers(level, ladder.hi))
        for level, ladder in zip(node, case.problem.ladders, strict=True)
    )
    k, l = data.draw(st.integers(1, 8)), data.draw(st.integers(0, 5))
    assert case.suppressed(above, k, l) <= case.suppressed(node, k, l)
    assert case.suppressed(node, k, l) <= case.suppressed(node, k + 1, l)
    assert case.suppressed(node, k, l) <= case.suppressed(node, k, l + 1)


@given(cases(), st.data())
def test_maps_and_curves_are_what_the_rows_say(case, data):
    nodes = all_nodes(case.problem)
    k = data.draw(st.integers(1, case.problem.rows + 2))
    l = data.draw(st.integers(1, 5)) if case.columns else None
    node = data.draw(st.sampled_from(nodes))
    for negotiator in (case.indexed(), case.lazy()):
        spans = tuple(ladder.hi - ladder.lo + 1 for ladder in case.problem.ladders)
        found = negotiator.map(k, l)
        assert found.shape == spans
        assert found.reshape(-1).tolist() == [case.suppressed(each, k, l) for each in nodes]
        curve = negotiator.curve(case.shape.named(node), l=l)
        for asked in range(1, case.problem.rows + 3):
            assert curve.at(asked) == case.suppressed(node, asked, l)
        assert (np.diff(curve.k) > 0).all()
        assert [case.suppressed(node, int(each), l) for each in curve.k] == curve.suppressed.tolist()


@given(cases(), st.data())
def test_neighbours_are_one_step_away_and_say_what_it_brings(case, data):
    node = data.draw(st.sampled_from(all_nodes(case.problem)))
    k = data.draw(st.integers(1, 6))
    steps = case.indexed().neighbours(case.shape.named(node), k=k)
    expected = [
        other
        for other in all_nodes(case.problem)
        if sum(abs(x - y) for x, y in zip(node, other, strict=True)) == 1
    ]
    assert sorted(tuple(step.node.values()) for step in steps) == sorted(expected)
    for step in steps:
        other = tuple(step.node.values())
        assert step.level == step.node[step.attribute]
        assert step.height == sum(other)
        assert step.suppressed == case.suppressed(other, k, None)
        assert step.change == step.suppressed - case.suppressed(node, k, None)
        assert step.smallest == min(size for size, _ in case.classes(other).values())
        fewest = min(distinct for _, distinct in case.classes(other).values())
        assert step.fewest == (fewest if case.columns else None)


@given(cases())
def test_a_k_beyond_the_table_leaves_the_privacy_suggestion_alone(case):
    answer = case.indexed().ask(k=10**30, max_suppressed=case.problem.rows)
    assert answer.exact is None
    assert answer.suggestions.suppression is None
    assert answer.suggestions.height is None
    assert answer.suggestions.privacy.k <= case.problem.rows
    assert "more than the table's" in answer.reason


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({}, "give k, l or both"),
        ({"k": 0}, "k is 0; use a whole number, 1 or more"),
        ({"k": 2.5}, "k is 2.5; use a whole number"),
        ({"k": True}, "k is True; use a whole number"),
        ({"l": True}, "l is True; use a whole number"),
        ({"k": 2, "heights": {"a0": False}}, "heights of 'a0' is False; use a whole number"),
        ({"l": -1}, "l is -1; use a whole number, 1 or more"),
        ({"l": 10**30, "k": 0}, "k is 0; use a whole number, 1 or more"),
        ({"k": 2, "heights": {"a9": 1}}, "'a9' is not a quasi attribute; known are a0"),
        ({"k": 2, "heights": {"a0": 99}}, "'a0' has no level 99"),
        ({"k": 2, "heights": {"a0": -1}}, "heights of 'a0' is -1"),
        ({"k": 2, "heights": {"a0": "x"}}, "use a whole number"),
        ({"k": 2, "max_suppressed": "x"}, "not an amount of suppression"),
        ({"k": 2, "max_suppressed": -1}, "negative"),
        ({"k": 2, "max_suppressed": 99}, "but the table has"),
    ],
)
@settings(max_examples=5)
@given(case=cases())
def test_bad_requests_are_refused_in_one_line(request_, words, case):
    with pytest.raises(InputError) as refused:
        case.indexed().ask(**request_)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@given(cases())
def test_a_node_needs_every_attribute(case):
    with pytest.raises(InputError, match="no level is given for 'a0'"):
        case.indexed().curve({})
