"""Datafly: its loop, its choice of attributes, and what it suppresses, worked out from the rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise
from shoal.errors import NoSolutionError
from shoal.running.clock import Clock
from shoal.search.lattice.datafly import datafly
from shoal.search.lattice.flash import flash
from tests.examples import examples
from tests.search.questions import ask, cases, groups_of, keeps, path

LETTERS = Hierarchy.from_rows([(v, f"{v[0]}?", "*") for v in ("a1", "a2", "b1", "b2")])
SEXES = Hierarchy.from_rows([("f", "*"), ("m", "*")])


def table(*counted):
    """Rows of letter and sex, so many of each."""
    return [(letter, sex, "flu", "ill") for letter, sex, n in counted for _ in range(n)]


def run(rows, k, limit=None, clock=None):
    question = ask({"letter": LETTERS, "sex": SEXES}, rows, Promise(k), limit).question
    return datafly(question, clock or Clock())


def test_the_attribute_with_the_most_values_goes_up_until_no_more_than_k_rows_break_k():
    # Four sequences of one row: more than k = 2. Letters have four values, sexes two.
    rows = table(("a1", "f", 1), ("a2", "f", 1), ("b1", "m", 1), ("b2", "m", 1))
    found = run(rows, 2)
    assert found.recoding.levels == {"letter": 1, "sex": 0}
    assert (found.deleted, found.details["steps"]) == ((), 1)


def test_of_attributes_with_as_many_values_the_first_goes_up():
    rows = table(("a1", "f", 1), ("b1", "m", 1), ("a1", "m", 1), ("b1", "f", 1))
    # letter 2 and sex 2 values: letter, to a? and b?; again 2 and 2: letter, to the root.
    assert run(rows, 2).recoding.levels == {"letter": 2, "sex": 0}


def test_values_are_counted_on_the_level_that_was_reached():
    # Four letters go up to two; then the three sizes have more values.
    sizes = Hierarchy.from_rows([("s", "*"), ("m", "*"), ("l", "*")])
    drawn = [("a1", "s"), ("a2", "m"), ("b1", "l"), ("b2", "s"), ("a1", "m"), ("b2", "l")]
    rows = [(letter, size, "flu", "ill") for letter, size in drawn]
    found = datafly(ask({"letter": LETTERS, "size": sizes}, rows, Promise(2)).question, Clock())
    assert found.recoding.levels == {"letter": 1, "size": 1}


def test_up_to_k_rows_are_suppressed():
    found = run(table(("a1", "f", 3), ("a2", "f", 1), ("b1", "m", 1)), 2)
    assert found.recoding.levels == {"letter": 0, "sex": 0}
    assert found.details["suppressed_by_step_3"] == 2
    assert found.deleted == ()


def test_fewer_than_k_suppressed_rows_take_the_smallest_groups_with_them():
    found = run(table(("a1", "f", 9), ("a2", "f", 4), ("b1", "m", 3), ("b2", "m", 1)), 3)
    assert found.recoding.levels == {"letter": 0, "sex": 0}
    assert found.deleted == (("b1", "m"),)
    assert (found.details["suppressed_by_step_3"], found.details["suppressed_by_step_4"]) == (1, 3)


def test_a_limit_counts_all_that_is_suppressed():
    rows = table(("a1", "f", 9), ("a2", "f", 4), ("b1", "m", 3), ("b2", "m", 1))
    assert run(rows, 3, limit=4).deleted == (("b1", "m"),)
    found = run(rows, 3, limit=3)  # four would go: one and the three with it
    assert found.recoding.levels == {"letter": 1, "sex": 0}
    assert found.deleted == ()


def test_a_limit_of_nothing_lets_nothing_go():
    found = run(table(("a1", "f", 3), ("a2", "f", 1), ("b1", "m", 1), ("b2", "m", 2)), 2, limit=0)
    assert found.recoding.levels == {"letter": 1, "sex": 0}
    assert found.details["suppressed_by_step_3"] == 0


def test_where_nothing_would_be_left_it_goes_on():
    found = run(table(("a1", "f", 3), ("a2", "f", 1)), 3)
    assert found.recoding.levels == {"letter": 1, "sex": 0}
    with pytest.raises(NoSolutionError, match="no node of the lattice"):
        run(table(("a1", "f", 2)), 3)


def by_hand(case):
    """The steps of the slide, row by row: the node and the suppressed rows, or None."""
    question = case.question
    problem, k = question.problem, question.promise.k
    node = list(problem.bottom)
    while True:
        groups = groups_of(case, node)
        small = [group for group in groups if not keeps(question.promise, group, case.rows)]
        large = sorted((group for group in groups if group not in small), key=len)
        gone = sum(map(len, small))
        enough = gone <= (question.limit if question.limited else k)
        while enough and 0 < gone < k and large:
            gone += len(large.pop(0))
        if enough and gone < problem.rows and (not question.limited or gone <= question.limit):
            return tuple(node), gone
        values = [
            (-len({path(question.hierarchies[name], row[a])[node[a]] for row in case.rows}), a)
            for a, name in enumerate(problem.names)
            if node[a] < problem.top[a]
        ]
        if not values:
            return None
        node[min(values)[1]] += 1


@settings(max_examples=examples(100))
@given(case=cases(kinds=("k", "l", "theta")), limited=st.booleans())
def test_every_answer_is_the_one_of_the_slides_steps(case, limited):
    case = replace(case, question=replace(case.question, limited=limited))
    expected = by_hand(case)
    if expected is None:
        # An exact search has the last word where the steps end without an answer.
        try:
            allowed = flash(case.question, Clock())
        except NoSolutionError:
            with pytest.raises(NoSolutionError):
                datafly(case.question, Clock())
            return
        found = datafly(case.question, Clock())
        assert found.recoding == allowed.recoding
        assert found.details["found_by"] == "flash"
        assert not found.optimal
        return
    found = datafly(case.question, Clock())
    node, gone = expected
    assert tuple(found.recoding.levels.values()) == node
    details = found.details
    assert details["suppressed_by_step_3"] + details["suppressed_by_step_4"] == gone
    assert gone == 0 or gone >= case.question.promise.k


def test_where_time_is_over_the_top_is_the_answer():
    found = run(table(("a1", "f", 1), ("a2", "f", 1), ("b1", "m", 2)), k=4, clock=Clock(1e-9))
    assert tuple(found.recoding.levels.values()) == (2, 1)
    assert found.details["steps"] == 0


def test_where_not_even_the_top_is_allowed_time_that_is_over_ends_it():
    with pytest.raises(NoSolutionError, match="time ran out"):
        run(table(("a1", "f", 1)), k=2, clock=Clock(1e-9))
