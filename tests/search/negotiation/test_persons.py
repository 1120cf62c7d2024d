"""Negotiations about persons with several rows, against brute force over their rows."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.describe.study_file import read_study_file
from shoal.metrics import METRICS
from shoal.search.negotiation.starting import reopen_negotiator
from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.negotiation.cases import brute_force, cases, requests


def document(answer):
    found = answer.to_dict()
    return {name: found[name] for name in ("exact", "suggestions")}


def sessions(case):
    """Sessions that count node by node, and that have all nodes in an index."""
    made = [case.by_persons()]
    return made if case.problem.persons is None else [*made, case.indexed_by_persons()]


@pytest.mark.parametrize("prefer", ["loss", "height"])
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_answers_are_those_of_brute_force(prefer, data):
    case = data.draw(cases(most_rows=12, persons=True))
    request = data.draw(requests(case))
    top = case.shape.within(request["heights"])
    asked = (request["k"], request["l"], top, request["max_suppressed"])
    truth = brute_force(case, *asked, prefer)
    for session in sessions(case):
        assert document(session.ask(**request, prefer=prefer)) == truth


@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_an_index_answers_for_every_metric_what_is_counted(data):
    case = data.draw(cases(most_rows=12, persons=True))
    request = data.draw(requests(case))
    metric = data.draw(st.sampled_from([kind.name for kind in METRICS if not kind.needs_class]))
    one, *other = (document(session.ask(**request, metric=metric)) for session in sessions(case))
    assert all(one == answer for answer in other)


@settings(max_examples=examples(40), deadline=None)
@given(case=cases(most_rows=12, persons=True), k=st.integers(1, 8), l=st.integers(0, 4))
def test_maps_curves_and_neighbours_count_persons(case, k, l):
    for negotiator in sessions(case):
        check(case, negotiator, k, l)


def check(case, negotiator, k, l):
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


ROWS = """\
who,age,job
p,30,cook
p,31,nurse
q,30,cook
r,31,clerk
r,31,cook
s,61,nurse
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "visits.csv").write_text(ROWS)
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: visits.csv\npersons: who\nattributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [5, 10, 20]}}}\n"
        "  job: {role: sensitive}\n"
    )
    return path


def test_an_index_by_persons_lies_beside_the_study(study):
    with Study.open(study) as opened:
        first = opened.negotiator()
    specification = read_study_file(study)
    again, _ = reopen_negotiator(specification, lambda: pytest.fail("opened"), lambda _: None)
    assert again.histograms.persons == 4
    for k in range(1, 5):
        asked = again.ask(k=k)  # nothing is suppressed, so nobody is lost
        assert document(asked) == document(first.ask(k=k))
        assert asked.exact.suppressed_persons == 0
    with Study.open(study) as opened:
        counted = opened.negotiator(lazy=True)
        again, _ = reopen_negotiator(specification, lambda: opened, lambda _: None)
        for request in ({"k": 2, "max_suppressed": 1}, {"k": 2, "l": 2}, {"l": 2, "max_suppressed": 4}):
            assert document(again.ask(**request)) == document(counted.ask(**request))


@pytest.mark.parametrize("persons", [0, 6, 7, "4"])
def test_a_false_number_of_persons_makes_an_index_anew(study, persons):
    with Study.open(study) as opened:
        opened.negotiator()
    path = study.with_name("study.yaml.index")
    mark, rest = path.read_bytes()[:-32].split(b"\n", 1)
    length = int.from_bytes(rest[:4], "little")
    header = json.loads(rest[4 : 4 + length])
    assert header.pop("persons") == 4
    header["persons"] = persons
    text = json.dumps(header).encode()
    body = mark + b"\n" + len(text).to_bytes(4, "little") + text + rest[4 + length :]
    path.write_bytes(body + hashlib.sha256(body).digest())
    told = []
    found = reopen_negotiator(read_study_file(study), lambda: pytest.fail("opened"), told.append)
    assert found is None
    assert told
