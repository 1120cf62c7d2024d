"""Frontiers of objectives where persons have several rows, against brute force over their rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Hierarchy, Study
from shoal.describe.promise import Promise
from shoal.metrics import METRICS
from shoal.search.lattice import objective_frontier as boxes
from shoal.search.lattice import person_thresholds
from shoal.search.lattice.objective_frontier import objective_frontier
from shoal.search.lattice.person_distances import GRAIN, NEAR, PersonDistances
from shoal.search.lattice.person_thresholds import (
    PersonThresholds,
    SpreadThresholds,
    threshold_evaluator,
)
from shoal.search.lattice.thresholds import Points, Thresholds
from shoal.search.lattice.two_objectives import two_objectives
from tests.examples import examples
from tests.oracles import all_nodes, classes
from tests.search.objective_cases import COLUMNS, cases, classes_of, different, frontier, rows_of
from tests.search.questions import Row, ask
from tests.search.test_objectives import asked, evaluator_of, every_choice, expected, shown


@pytest.fixture(autouse=True)
def small_boxes(monkeypatch):
    """Random lattices are small: boxes that are measured whole must be smaller still."""
    monkeypatch.setattr(boxes, "SMALL", 3)
    monkeypatch.setattr(PersonThresholds, "most_nodes", 2)


@every_choice
@settings(max_examples=examples(60), deadline=None)
@given(case=cases(most_attributes=3, most_rows=12, persons=True), data=st.data())
def test_frontiers_by_persons_equal_brute_force(names, fill, case, data):
    kind = data.draw(st.sampled_from(METRICS))
    k, limit, columns = asked(data, case, names)
    truth = expected(frontier(case, kind.name, names, columns, k, limit, fill), names)
    made = [evaluator_of(case, kind, names, fill, k, limit, columns) for _ in range(3)]
    found = [objective_frontier(made[0], names), objective_frontier(made[1], names, prune=False)]
    if len(names) == 2 and names[0] != "k":
        found.append(two_objectives(made[2], names[0]))
    for one in found:
        assert one.certified
        assert shown(one, names, kind(case.problem), case.problem.rows) == truth
        assert one.evaluated <= case.problem.nodes
        assert one.points is None or made[0].lost(one.points) == gone(case, one.points, columns)
    assert found[1].evaluated == case.problem.nodes


def gone(case, points, columns):
    """How many persons have no row left at each point: those of no class that stays; None by rows."""
    if case.problem.persons is None:
        return [None] * len(points)
    found = []
    for node, k, values in zip(points.levels.tolist(), points.k, points.distinct, strict=True):
        known, groups = classes_of(case, tuple(node), columns), classes(case.problem, tuple(node))
        stay = [key for key, one in known.items() if one.size >= k and one.distinct >= values]
        left = {person for key in stay for person, _ in rows_of(case, groups[key])}
        found.append(len({person for own in case.persons for person in own} - left))
    return found


@every_choice
@settings(max_examples=examples(20), deadline=None)
@given(case=cases(most_attributes=3, most_rows=12, persons=True), data=st.data())
def test_weights_of_more_than_64_bits_give_the_same_frontiers(names, fill, case, data):
    if case.problem.persons is None or not {"l", "t"} & {*names}:
        return
    kind = data.draw(st.sampled_from(METRICS))
    k, limit, columns = asked(data, case, names)
    fast = evaluator_of(case, kind, names, fill, k, limit, columns)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(person_thresholds, "person_spread", lambda *_: None)
        slow = evaluator_of(case, kind, names, fill, k, limit, columns)
    assert (type(fast), type(slow)) == (SpreadThresholds, PersonThresholds)
    assert slow.finest is None
    found = [objective_frontier(one, names) for one in (fast, slow)]
    mine, other = (shown(one, names, kind(case.problem), case.problem.rows) for one in found)
    assert mine == other
    points = Points.together([fast.node(node) for node in all_nodes(case.problem)])
    assert fast.lost(points) == slow.lost(points)


@settings(max_examples=examples(60), deadline=None)
@given(case=cases(most_attributes=3, most_rows=12, persons=True), columns=st.integers(1, 2))
def test_no_node_is_nearer_than_the_bound_of_a_node_above(case, columns):
    names = COLUMNS[:columns]
    if case.tally.persons is None:
        return
    distances = PersonDistances(case.tally, case.tally.persons, names)
    kernel = evaluator_of(case, METRICS[0], ("t", "loss"), False, 1, 0, names)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(person_thresholds, "person_spread", lambda *_: None)
        slow = evaluator_of(case, METRICS[0], ("t", "loss"), False, 1, 0, names)
    nodes, rows = all_nodes(case.problem), case.problem.rows
    truth = {n: max(one.far for one in classes_of(case, n, names).values()) for n in nodes}
    for high in nodes:
        groups = classes(case.problem, high)
        of = np.zeros(len(case.tally), dtype=np.int64)
        for g, group in enumerate(groups.values()):
            of[group] = g
        found = distances.at(of, len(groups))
        assert found.largest == truth[high]
        bound = found.below
        own = slow.corner(high)[1]
        assert Fraction(int(own.far[0]), int(own.far_of[0]) * 2 * rows) == bound
        points, bounds = kernel.corner(high)
        assert Fraction(points.far[0], points.far_of[0] * 2 * rows) == truth[high]
        exact = Fraction(bounds.far[0], bounds.far_of[0] * 2 * rows)
        assert 0 <= exact - bound <= Fraction(NEAR) + Fraction(2, GRAIN) or exact < NEAR
        below = [n for n in nodes if all(x <= y for x, y in zip(n, high, strict=True))]
        assert all(exact <= truth[n] for n in below)
        if not case.tally.spread:  # then it is the distance itself
            assert exact == truth[high]


@pytest.mark.parametrize("persons", [False, True])
def test_different_distances_are_told_apart(persons):
    # Of 8 the flu have 5, or of 9 it has 1, where 7 of all 19 have it: 39/152 and 44/171 from the table.
    flat = Hierarchy.from_rows([("0", "*"), ("1", "*")])
    here = {"x": {*range(5), *range(7, 10)}, "y": {0, *range(7, 15)}}
    rows = [
        Row((*("01"[i not in at] for at in here.values()), "flu" if i < 7 else "cold", "ill"), i)
        for i in range(19)
    ]
    # One has the same row twice.
    rows = [*rows, rows[0]] if persons else [tuple(row) for row in rows]
    question = ask(dict.fromkeys(here, flat), rows, Promise(1)).question
    evaluator = threshold_evaluator(
        question.problem, question.metric, question.tally, Thresholds(), close=("illness",)
    )
    found = [evaluator.node(node) for node in ((0, 1), (1, 0))]
    far = [Fraction(int(one.far[0]), 2 * len(rows) * int(one.far_of[0])) for one in found]
    assert far == [Fraction(39, 152), Fraction(44, 171)]
    assert evaluator.finest * (far[1] - far[0]) >= 1


def test_rows_of_one_person_are_lost_where_fewer_than_k_persons_are():
    flat = Hierarchy.from_rows([("0", "*"), ("1", "*")])
    rows = [Row((v, "flu", "ill"), person) for v, person in (("0", 1), ("0", 1), ("1", 2), ("1", 3))]
    problem = ask({"x": flat}, rows, Promise(2)).question.problem
    assert problem.lost_below([((0,), 1), ((0,), 2), ((1,), 3), ((0,), 3)]) == [0, 1, 0, 3]


TWICE = """name,zip,illness
p,10,a
q,10,b
r,11,a
q,11,b
"""
STUDY = {"zip": {"mask": {"digits": 2}}}


def test_t_may_grow_when_a_person_of_two_groups_becomes_one(tmp_path):
    # a has 1/2 in either group; together p, q and r have a 2/3. In the table, a has 2/3 as well.
    (tmp_path / "rows.csv").write_text(TWICE + "s,20,b\nt,20,a\nu,20,b\n")
    study = Study(tmp_path / "rows.csv", quasi=STUDY, sensitive="illness", persons="name")
    front = study.frontier(objectives="t,loss")
    assert [(point.node["zip"], point.t) for point in front.points] == [
        (2, Fraction(0)),
        (0, Fraction(1, 6)),
    ]
    every = study.frontier(objectives="t,loss", method="exhaustive")
    assert every.points == front.points
    assert (front.persons, front.certified) == (6, True)


def test_l_counts_values_of_different_persons_and_tells_who_is_lost(tmp_path):
    # In zip 10 one person has both illnesses; in zip 11 two have one each.
    (tmp_path / "rows.csv").write_text("name,zip,illness\np,10,a\np,10,b\nq,11,a\nr,11,b\n")
    study = Study(tmp_path / "rows.csv", quasi=STUDY, sensitive="illness", persons="name")
    for suppress, points in ((2, [(2, 0, 2, 1), (1, 0, 0, 0)]), (0, [(2, 1, 0, 0), (1, 0, 0, 0)])):
        front = study.frontier(objectives="l,loss", suppress=suppress)
        told = [(p.l, p.node["zip"], p.suppressed, p.suppressed_persons) for p in front.points]
        assert told == points
    front = study.frontier(objectives="k,l,loss", suppress=2)
    told = [(p.k, p.l, p.node["zip"], p.suppressed, p.suppressed_persons) for p in front.points]
    assert told == [(3, 2, 1, 0, 0), (2, 2, 0, 2, 1), (1, 1, 0, 0, 0)]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=8))
def test_the_oracle_gives_no_person_two_values(rows):
    pairs = [(person, (value, 0)) for person, value in rows]
    found = different(pairs, 0)
    assert found <= min(len({person for person, _ in rows}), len({value for _, value in rows}))
    assert found >= 1


def test_rows_of_some_combinations_are_theirs():
    class Two:
        values = ([(0, 1)], [(1, 1), (2, 0)])
        persons = ([7], [8, 7])

    assert rows_of(Two, [1]) == [(8, (1, 1)), (7, (2, 0))]
