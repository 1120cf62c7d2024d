"""mu-Argus: its steps against the rows in plain Python, the data holder, and what it promises."""

from __future__ import annotations

import io
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answers.recoding import Scheme
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise
from shoal.errors import InputError, NoSolutionError
from shoal.running.clock import Clock
from shoal.search.lattice import outliers as module
from shoal.search.lattice.mu_argus import mu_argus
from shoal.search.lattice.outliers import attribute_sets, find_outliers, suppress_values
from tests.examples import examples
from tests.search.questions import Row, ask, cases, path, size

FLAT = Hierarchy.from_rows([("0", "*"), ("1", "*")])
BITS = [tuple(f"{n:05b}") for n in range(32) if f"{n:05b}".count("1") % 2 == 0]


def parity(times=1):
    """Any values of three of the five attributes have two rows; every row is the only one of its kind."""
    rows = [(*bits, "flu", "ill") for bits in BITS for _ in range(times)]
    return ask({f"b{i}": FLAT for i in range(5)}, rows, Promise(2)).question


def rare_by_hand(case, node, k):
    """The attributes and labels of every combination of up to three that fewer than k persons have."""
    names = case.question.problem.names
    labels = [
        tuple(
            path(case.question.hierarchies[name], value)[level]
            for name, value, level in zip(names, row, node, strict=False)
        )
        for row in case.rows
    ]
    found = defaultdict(list)
    for count in (1, 2, 3):
        for chosen in combinations(range(len(names)), count):
            for row, shown in zip(case.rows, labels, strict=True):
                found[chosen, tuple(shown[a] for a in chosen)].append(row)
    return labels, {key for key, rows in found.items() if size(rows) < k}


@settings(max_examples=examples(60))
@given(case=cases(kinds=("k",)) | cases(kinds=("k",), persons=True), data=st.data())
def test_outliers_and_suppressed_values_are_those_of_the_rows(case, data):
    problem, k = case.question.problem, case.question.promise.k
    node = tuple(
        data.draw(st.integers(lo, hi)) for lo, hi in zip(problem.bottom, problem.top, strict=True)
    )
    sets = attribute_sets([[], [], range(len(problem.names))])
    outliers = find_outliers(problem, node, k, sets, Clock())
    labels, rare = rare_by_hand(case, node, k)
    assert len(outliers) == len(rare)
    held = [
        {key for key in rare if all(row[a] == v for a, v in zip(*key, strict=True))} for row in labels
    ]
    assert outliers.rows == sum(map(bool, held))
    for a, name in enumerate(problem.names):
        assert outliers.involved[name] == sum(a in key[0] for key in rare)

    place = {tuple(codes): i for i, codes in enumerate(problem.codes.tolist())}
    for clock in (Clock(0), Clock()):
        gone = suppress_values(problem, outliers, clock)
        blank = [
            gone[
                place[tuple(d.index(v) for d, v in zip(case.question.tally.domains, row, strict=False))]
            ]
            for row in case.rows
        ]
        for mine, row in zip(held, blank, strict=True):
            assert all(any(row[a] for a in key[0]) for key in mine)  # one value of every outlier goes
            assert all(any(a in key[0] for key in mine) for a in range(len(row)) if row[a])
    assert (gone == suppressed_one_by_one(problem, outliers)).all()
    if rare:  # the value in the most outliers goes from every row that has it in one
        most = Counter((a, v) for key in rare for a, v in zip(*key, strict=True))
        high = max(most.values())
        first = min(a for (a, _), n in most.items() if n == high)
        assert any(
            all(row[a] for mine, row in zip(held, blank, strict=True) if _in_one(mine, a, v))
            for (a, v), n in most.items()
            if n == high and a == first
        )


@pytest.mark.parametrize("seed", range(4))
def test_the_value_in_the_most_outliers_goes_first(seed):
    problem, outliers = drawn(seed)
    assert len(outliers) > 20
    gone = suppress_values(problem, outliers, Clock())
    assert (gone == suppressed_one_by_one(problem, outliers)).all()


def drawn(seed):
    """A table of few values, or for seed 0 of many, and its combinations of fewer than three rows."""
    draw = random.Random(seed)
    names, most = ([f"a{i}" for i in range(4)], 3) if seed else ([f"a{i}" for i in range(12)], 99)
    flat = Hierarchy.from_rows([(str(v), "*") for v in range(most + 1)])
    rows = [
        (*(str(min(draw.randrange(2 * most), most)) for _ in names), "flu", "ill") for _ in range(60)
    ]
    problem = ask(dict.fromkeys(names, flat), rows, Promise(3)).question.problem
    sets = attribute_sets([[], [], range(len(names))], (1, 2, 3) if seed else (1,))
    return problem, find_outliers(problem, (0,) * len(names), 3, sets, Clock())


@pytest.mark.parametrize("seed", range(4))
def test_without_time_every_outlier_loses_its_first_value(seed):
    problem, outliers = drawn(seed)
    gone = np.zeros(problem.codes.shape, dtype=bool)
    for rare in outliers.found:
        gone[rare.held, rare.attributes[0]] = True
    assert (suppress_values(problem, outliers, Clock(0)) == gone).all()


@settings(max_examples=examples(60))
@given(case=cases(kinds=("k",)) | cases(kinds=("k",), persons=True))
def test_outliers_of_many_possible_combinations_are_counted_like_those_of_few(case):
    problem, k = case.question.problem, case.question.promise.k
    sets = attribute_sets([[], [], range(len(problem.names))])
    with pytest.MonkeyPatch.context() as patch:
        few = find_outliers(problem, problem.bottom, k, sets, Clock())
        patch.setattr(module, "DENSE", 0)
        many = find_outliers(problem, problem.bottom, k, sets, Clock())
    assert many == replace(few, found=many.found)
    gone = [suppress_values(problem, one, Clock()) for one in (few, many)]
    assert (gone[0] == gone[1]).all()


def suppressed_one_by_one(problem, outliers):
    """The value in the most outliers that are left goes wherever it is part of one, until none is left."""
    left = [
        (rare, i, tuple(zip(rare.attributes, codes, strict=True)))
        for rare in outliers.found
        for i, codes in enumerate(rare.codes.tolist())
    ]
    gone = [[False] * len(problem.names) for _ in problem.counts]
    while left:
        most = Counter(value for _, _, values in left for value in values)
        chosen = min(most, key=lambda value: (-most[value], value))
        for rare, i, values in left:
            if chosen in values:
                for entry, of in zip(rare.held.tolist(), rare.of.tolist(), strict=True):
                    gone[entry][chosen[0]] |= of == i
        left = [one for one in left if chosen not in one[2]]
    return gone


def _in_one(keys, attribute, value):
    return any((attribute, value) in zip(*key, strict=True) for key in keys)


def test_attributes_are_combined_across_the_sets():
    every = attribute_sets([[], [], [0, 1, 2, 3]])
    assert len(every) == 4 + 6 + 4
    across = attribute_sets([[0, 1], [2], [3]])
    assert (0, 1) not in across
    assert (0, 2, 3) in across
    assert (0, 1, 3) not in across


def test_k_is_not_guaranteed_and_only_the_k_that_is_reached_is_promised():
    found = mu_argus(parity(), Clock())
    assert found.details["outliers"] == 0
    assert (found.details["k_asked"], found.details["k_reached"]) == (2, 1)
    assert found.promise == Promise(1)
    assert found.scheme is Scheme.NO_SUPP
    assert mu_argus(parity(times=3), Clock()).promise == Promise(2)


@settings(max_examples=examples(100))
@given(case=cases(kinds=("k",), persons=True))
def test_k_is_counted_in_persons(case):
    k, problem = case.question.promise.k, case.question.problem
    found = mu_argus(case.question, Clock(), tolerance="100%")
    quasi = len(problem.names)
    crowds = [
        size([row for row in case.rows if row[:quasi] in set(group.combinations)])
        for group in found.recoding.groups
    ]
    assert (found.details["k_reached"], found.promise) == (min(crowds), Promise(min(k, *crowds)))
    for a, (name, level) in enumerate(found.details["levels"].items()):
        fewest = []
        for at in range(problem.bottom[a], level + 1):
            held = defaultdict(list)
            for row in case.rows:
                held[path(case.question.hierarchies[name], row[a])[at]].append(row)
            fewest.append(min(map(size, held.values())))
        assert all(few < k for few in fewest[:-1])
        assert fewest[-1] >= k or level == problem.top[a]


def test_two_rows_of_one_person_are_no_group_of_two():
    rows = [Row((v, "flu", "ill"), person) for v, person in (("0", 1), ("0", 1), ("1", 2), ("1", 3))]
    found = mu_argus(ask({"b": FLAT}, rows, Promise(2), levels={"b": (0, 0)}).question, Clock())
    assert found.details["outliers"] == 1
    assert found.promise == Promise(1)
    found = mu_argus(ask({"b": FLAT}, rows, Promise(2)).question, Clock())
    assert (found.details["levels"], found.promise) == ({"b": 1}, Promise(2))


def test_time_is_left_for_suppressing_values(monkeypatch):
    left = []

    def noted(problem, node, k, sets, clock):
        left.append(clock.left)
        return find_outliers(problem, node, k, sets, clock)

    monkeypatch.setattr("shoal.search.lattice.mu_argus.find_outliers", noted)
    mu_argus(rare_pairs(), Clock(100))
    assert 50 < max(left) <= 60


def test_a_release_refuses_to_promise_more_than_was_reached():
    columns = {f"b{i}": [bits[i] for bits in BITS] for i in range(5)}
    with Study(pa.table(columns), quasi=dict.fromkeys(columns, FLAT)) as study:
        found = study.anonymize("mu-argus", k=2)
        assert (found.k, found.suppressed) == (1, 0)
        assert study.release(found).certificate["promise"] == {"k": 1}
        with pytest.raises(InputError, match="NoSupp suppresses no rows"):
            study.release(replace(found.decision(), promise=Promise(2))).table()


def test_other_criteria_are_refused():
    trees = {"b": FLAT}
    rows = [("0", "flu", "ill"), ("0", "cold", "ill"), ("1", "flu", "ill"), ("1", "cold", "ill")]
    assert mu_argus(ask(trees, rows, Promise(2)).question, Clock()).promise == Promise(2)
    with pytest.raises(InputError, match="looks only at k"):
        mu_argus(ask(trees, rows, Promise(2, 2)).question, Clock())
    with pytest.raises(InputError, match="needs k"):
        mu_argus(ask(trees, rows, Promise(None, 2)).question, Clock())


def rare_pairs():
    """One row of a1 with x2; every value alone has two rows or more."""
    one = Hierarchy.from_rows([("a1", "a", "*"), ("a2", "a", "*"), ("b", "b", "*")])
    two = Hierarchy.from_rows([("x1", "*"), ("x2", "*")])
    rows = [("a1", "x1")] * 4 + [("a1", "x2")] + [("a2", "x2")] * 4 + [("b", "x1")] * 4
    return ask({"one": one, "two": two}, [(*row, "flu", "ill") for row in rows], Promise(2)).question


def test_a_data_holder_who_does_not_generalize_has_values_suppressed():
    seen = []

    def nothing(outliers, free):
        seen.append((outliers.combinations, outliers.rows, free))

    found = mu_argus(rare_pairs(), Clock(), choose=nothing)
    assert seen == [({("one", "two"): 1}, 1, ("one", "two"))]
    assert found.details["suppressed_cells"] == 1
    blank = {"one": "*", "two": "x2"}  # of values in as many outliers the first attribute's
    assert any(g.labels == blank and g.combinations == (("a1", "x2"),) for g in found.recoding.groups)


def test_the_data_holder_chooses_what_is_generalized():
    found = mu_argus(rare_pairs(), Clock(), choose=lambda outliers, free: "one")
    assert found.details["levels"] == {"one": 1, "two": 0}
    assert found.details["generalized_by_choice"] == ["one"]
    assert found.details["suppressed_cells"] == 0
    with pytest.raises(InputError, match="cannot be generalized"):
        mu_argus(rare_pairs(), Clock(), choose=lambda outliers, free: "three")


def test_the_rule_generalizes_while_more_rows_than_tolerated_have_outliers():
    assert mu_argus(rare_pairs(), Clock(), tolerance="0").details["generalized_by_choice"] == ["one"]
    assert mu_argus(rare_pairs(), Clock(), tolerance="10%").details["generalized_by_choice"] == []


def test_the_terminal_is_asked_again_until_it_names_an_attribute(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("on\none\n\n"))
    found = mu_argus(rare_pairs(), Clock(), choose="ask")
    assert found.details["generalized_by_choice"] == ["one"]
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "did you mean one?" in printed.err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert mu_argus(rare_pairs(), Clock(), choose="ask").details["generalized_by_choice"] == []


def test_every_value_alone_has_k_rows_before_combinations_are_tested():
    tree = Hierarchy.from_rows([("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*"), ("b2", "b", "*")])
    rows = [(v, "flu", "ill") for v in ("a1", "a2", "b1", "b2", "b2")]
    found = mu_argus(ask({"v": tree}, rows, Promise(2)).question, Clock())
    assert (found.details["levels"], found.details["outliers"]) == ({"v": 1}, 0)
    below = ask({"v": tree}, rows, Promise(2), levels={"v": (0, 0)}).question
    found = mu_argus(below, Clock())  # may not be generalized: three values go to the root
    assert (found.details["levels"], found.details["suppressed_cells"]) == ({"v": 0}, 3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"most": "b9"}, "most names 'b9'"),
        ({"more": "b1", "identifying": ["b1"]}, "two of identifying"),
        ({"choose": "sometimes"}, "use rule, ask"),
        ({"most": "b1,b1"}, "twice"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        mu_argus(parity(), Clock(), **options)


def test_sets_are_read_from_text():
    found = mu_argus(parity(), Clock(), identifying="b0, b1", more="b2")
    assert found.details["sets_tested"] == 5 + 9 + 7


def test_time_that_is_over_ends_it():
    with pytest.raises(NoSolutionError, match="time ran out"):
        mu_argus(parity(), Clock(1e-9))
