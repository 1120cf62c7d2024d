"""Mondrian: what it releases keeps the promise, strict regions never overlap, labels tell what they hold."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal import InputError, NoSolutionError, Study
from shoal.answering.named import pose
from shoal.describe.hierarchies import Hierarchy
from shoal.questions.searches import AlgorithmQuestion
from shoal.release.reuse import adapt
from shoal.search.groups.group_labels import GroupLabels, interval_text, set_text
from shoal.search.groups.grouping import Grouping
from tests.examples import examples
from tests.release.cases import study_of, tables

OPTIONS = [
    {"regions": regions, "split": split, "labels": labels, "effort": effort}
    for regions in ("strict", "relaxed")
    for split in ("best", "median")
    for labels in ("sets", "hierarchy")
    for effort in (0, 2)
]
PROMISES = [
    {"k": 2},
    {"k": 3, "l": 2},
    {"k": 2, "theta": "1/2"},
    {"k": 2, "t": 0.3},
    {"t": 0.2, "l": 2},
    {"entropy_l": "1.5"},
    {"k": 2, "recursive_l": "2,2"},
]


def asked(study, algorithm, promise, options, **more):
    """The answer, or nothing where the table as a whole breaks the promise."""
    try:
        return study.anonymize(algorithm, options=options, **promise, **more)
    except NoSolutionError:
        return None


def meaning(recoding, name, tree, label):
    """The leaves that a label stands for."""
    meanings = recoding.meanings.get(name, {})
    if label in meanings:
        return set(meanings[label])
    return {row[0] for row in tree.with_missing().rows() if label in row}


def numeric(draw_rows, **more):
    """A study of an age and a city, and its hierarchies."""
    table = pa.table(
        {
            "age": pa.array([None if a is None else str(a) for a, _ in draw_rows], pa.string()),
            "city": pa.array([c for _, c in draw_rows], pa.string()),
        }
    )
    ages = Hierarchy.from_rows([(str(a), f"{a // 4 * 4}-{a // 4 * 4 + 3}", "*") for a in range(12)])
    cities = Hierarchy.from_rows([("Bonn", "west", "*"), ("Köln", "west", "*"), ("Jena", "east", "*")])
    trees = {"age": ages, "city": cities}
    return Study(table, quasi=trees, **more), trees


ROWS = st.lists(
    st.tuples(st.none() | st.integers(0, 11), st.sampled_from(["Bonn", "Köln", "Jena"])),
    min_size=2,
    max_size=25,
)


@settings(max_examples=examples(20))
@given(tables(), st.sampled_from(OPTIONS), st.sampled_from(PROMISES))
def test_what_is_released_keeps_the_promise(given_, options, promise):
    table, trees = given_
    with study_of(table, trees) as study:
        found = asked(study, "mondrian", promise, options)
        assume(found is not None)
        assert found.suppressed == 0
        assert found.k >= promise.get("k", 1)
        release = study.release(found)
        assert release.table().num_rows == table.num_rows  # verified on the way


@settings(max_examples=examples(30))
@given(ROWS, st.sampled_from(OPTIONS), st.integers(1, 4), st.sampled_from(["0", "1", "2/3"]))
def test_losses_are_those_that_the_search_counted(rows, options, k, weight):
    study, _ = numeric(rows, weights={"city": weight})
    with study:
        found = asked(study, "mondrian", {"k": k}, options)
        assume(found is not None)
        material = study.material()
        question = pose(material, AlgorithmQuestion(k=k))
        ground = Grouping.of(question, options["labels"])
        group_of = {
            combination: g
            for g, group in enumerate(found.decision().recoding.groups)
            for combination in group.combinations
        }
        domains, codes = question.tally.domains, question.tally.codes
        of = np.array(
            [[group_of[tuple(domains[a][v] for a, v in enumerate(row))]] for row in codes.tolist()]
        )
        cost = int(ground.regions().costs(of).sum())
        unit = ground.factors[0] * (ground.axes[0].leaves - 1)
        assert found.losses["LM"] == pytest.approx(cost / unit)


@settings(max_examples=examples(40))
@given(ROWS, st.sampled_from([one for one in OPTIONS if one["regions"] == "strict"]), st.integers(1, 4))
def test_strict_regions_never_overlap(rows, options, k):
    study, trees = numeric(rows)
    with study:
        found = asked(study, "mondrian", {"k": k}, options)
        assume(found is not None)
        recoding = found.decision().recoding
        boxes = [
            [meaning(recoding, name, trees[name], group.labels[name]) for name in recoding.attributes]
            for group in recoding.groups
        ]
        for group, box in zip(recoding.groups, boxes, strict=True):
            for combination in group.combinations:
                assert all(value in side for value, side in zip(combination, box, strict=True))
        for one, other in combinations(boxes, 2):
            assert any(not mine & yours for mine, yours in zip(one, other, strict=True))


def test_the_split_that_lowers_the_loss_most_is_taken():
    # The median of the wide age parts 0 0 | 10 10 well; cities part nothing.
    study, _ = numeric([(0, "Bonn"), (1, "Bonn"), (10, "Bonn"), (11, "Bonn"), (11, "Bonn")])
    with study:
        found = study.anonymize("mondrian", k=2)
        shown = sorted(group.labels["age"] for group in found.decision().recoding.groups)
        assert shown == ["0-1", "10-11"]
        assert found.decision().recoding.meanings["age"] == {"0-1": ("0", "1"), "10-11": ("10", "11")}
        assert found.losses["LM"] == pytest.approx(5 / 11)


def test_rows_with_the_median_value_may_be_parted_only_where_regions_are_relaxed():
    # Neither five and three rows of the cities can be parted, nor one, six and one of the ages.
    study, _ = numeric([(0, "Bonn"), *[(5, "Bonn")] * 3, *[(5, "Jena")] * 3, (11, "Bonn")])
    with study:
        options = {"split": "median", "effort": 0}
        strict = study.anonymize("mondrian", k=4, options=options)
        relaxed = study.anonymize("mondrian", k=4, options=options | {"regions": "relaxed"})
        assert strict.groups == 1
        assert relaxed.groups == 2


def test_missing_numbers_are_told_beside_the_interval():
    study, _ = numeric([(3, "Bonn"), (4, "Bonn"), (None, "Bonn")])
    with study:
        found = study.anonymize("mondrian", k=3)
        (group,) = found.decision().recoding.groups
        assert group.labels["age"] == "3-4 or missing"
        assert found.decision().recoding.meanings["age"]["3-4 or missing"] == ("3", "4", None)
        assert found.losses["LM"] == pytest.approx(3 * 2 / 12)
        assert None in {
            row["age"] for row in study.release(study.anonymize("mondrian", k=1)).table().to_pylist()
        }


def test_more_effort_is_never_worse_than_none_where_regions_are_relaxed():
    rows = [(a, c) for a, c in product(range(0, 12, 2), ("Bonn", "Jena", "Köln"))] + [(3, "Bonn")] * 2
    study, _ = numeric(rows)
    with study:
        losses = [
            study.anonymize("mondrian", k=3, options={"regions": "relaxed", "effort": effort}).losses[
                "LM"
            ]
            for effort in (0, 20)
        ]
        assert losses[1] <= losses[0]


def test_the_same_seed_gives_the_same_groups():
    rows = [(a * 5 % 12, ("Bonn", "Jena", "Köln")[a % 3]) for a in range(40)]
    study, _ = numeric(rows)
    with study:
        options = {"regions": "relaxed", "effort": 5}
        first, again = (
            study.anonymize("mondrian", k=3, seed=7, options=options).to_dict() for _ in range(2)
        )
        assert first["groups"] == again["groups"]


@pytest.mark.parametrize("labels", ["sets", "hierarchy"])
@pytest.mark.parametrize("regions", ["strict", "relaxed"])
def test_levels_of_the_study_bound_the_regions(labels, regions):
    rows = [(a, c) for a in range(8) for c in ("Bonn", "Köln", "Jena")]
    _, trees = numeric(rows)
    table = numeric(rows)[0].specification.table
    options = {"labels": labels, "regions": regions}
    with Study(table, quasi=trees, levels={"age": (1, 2), "city": (0, 1)}) as study:
        found = study.anonymize("mondrian", k=3, options=options)
        recoding = found.decision().recoding
        for group in recoding.groups:
            ages = meaning(recoding, "age", trees["age"], group.labels["age"])
            assert ages in ({*"0123"}, {*"4567"}, {*"01234567"})
            assert meaning(recoding, "city", trees["city"], group.labels["city"]) != {
                "Bonn",
                "Köln",
                "Jena",
            }
        assert study.release(found).table().num_rows == len(rows)
        with pytest.raises(NoSolutionError, match="8 of 24 rows"):
            study.anonymize("mondrian", k=9, options=options)
        less = study.anonymize("mondrian", k=9, suppress=8, options=options)
        assert (less.suppressed, less.k) == (8, 16)
        assert study.release(less).table().num_rows == 16


def test_labels_keep_their_meaning_when_an_answer_is_used_for_other_rows():
    study, _ = numeric([(0, "Bonn"), (1, "Bonn")])
    others, _ = numeric([(0, "Bonn"), (1, "Bonn"), (7, "Jena")])
    with study, others:
        decision = study.anonymize("mondrian", k=2).decision()
        adapted, _ = adapt(decision, others.material().tally(), {}, (), set())
        assert adapted.recoding.meanings == decision.recoding.meanings == {"age": {"0-1": ("0", "1")}}
        assert adapted.recoding.groups[-1].combinations == (("7", "Jena"),)


def test_a_promise_that_the_whole_table_breaks_has_no_solution():
    study, _ = numeric([(1, "Bonn"), (2, "Jena")])
    with study, pytest.raises(NoSolutionError, match="the table has 2 rows, fewer than k"):
        study.anonymize("mondrian", k=3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"regions": "strictly"}, "did you mean strict"),
        ({"split": "middle"}, "split"),
        ({"labels": 3}, "labels"),
        ({"effort": "much"}, "effort"),
        ({"effort": -1}, "effort"),
        ({"effort": "nan"}, "effort"),
    ],
)
def test_bad_options_are_refused(options, words):
    study, _ = numeric([(1, "Bonn"), (2, "Jena")])
    with study, pytest.raises(InputError, match=words):
        study.anonymize("mondrian", k=2, options=options)


HOSTILE = st.text(alphabet='ab,{}"\\ ~-0\n', max_size=4) | st.sampled_from(
    ["missing", "~{a, b}", "{a, b}", "{a}", "a, b", "*", "1-2", "or missing"]
)


@given(st.lists(HOSTILE.filter(bool), min_size=2, max_size=5, unique=True), st.booleans(), st.data())
def test_different_sets_never_share_a_label(leaves, missing, data):
    top = data.draw(HOSTILE.filter(bool))
    middle = [data.draw(st.sampled_from(["{a, b}", "x", *leaves])) for _ in leaves]
    try:
        tree = Hierarchy.from_rows([(leaf, mid, top) for leaf, mid in zip(leaves, middle, strict=True)])
    except InputError:
        assume(False)
    if missing:
        tree = tree.with_missing()
    labels = GroupLabels(tree)
    known = {}
    for level, codes in zip(tree.labels, tree.codes, strict=True):
        for place, label in enumerate(level):
            inside = frozenset(leaf for leaf, c in zip(tree.leaves, codes, strict=True) if c == place)
            known.setdefault(label, set()).add(inside)
    seen = {}
    for size in range(1, len(tree.leaves) + 1):
        for chosen in combinations(tree.leaves, size):
            label = labels.of_set(chosen)
            assert seen.setdefault(label, chosen) == chosen
            # What the hierarchy calls so is nothing else.
            assert known.get(label, {frozenset(chosen)}) == {frozenset(chosen)}
            assert labels.made_up(label) == (label not in known)


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=6, unique=True))
def test_different_intervals_never_share_a_label(numbers):
    leaves = [str(n) for n in sorted(numbers)]
    labels = GroupLabels(
        Hierarchy.from_rows([(leaf, "1-3" if i else "-5 to 2", "*") for i, leaf in enumerate(leaves)])
    )
    seen = {}
    for low in range(len(leaves)):
        for high in range(low + 1, len(leaves) + 1):
            for missing in (False, True):
                label = labels.of_interval(leaves[low:high], missing)
                assert seen.setdefault(label, (low, high, missing)) == (low, high, missing)
    assert labels.of_interval([], True) is None


def test_an_interval_is_not_called_what_other_values_are_called():
    tree = Hierarchy.from_rows([("1", "1-2 or missing", "*"), ("2", "1-2 or missing", "*")])
    labels = GroupLabels(tree.with_missing())
    assert labels.of_interval(["1", "2"], True) == "~1-2 or missing"
    assert labels.of_interval(["1", "2"], False) == "1-2"


@given(st.lists(st.none() | HOSTILE, max_size=4), st.lists(st.none() | HOSTILE, max_size=4))
def test_texts_of_sets_can_be_told_apart(one, other):
    assert (set_text(one) == set_text(other)) == (one == other)


def test_intervals_of_negative_numbers_are_readable():
    assert interval_text("-3", "-1") == "-3 to -1"


DATES = ["31.01.2024", "01.02.2024", "15.12.2023", "02.03.2022"]


@pytest.mark.parametrize(
    ("dates", "described", "shown"),
    [
        (DATES, ["year"], ["02.03.2022 to 15.12.2023", "31.01.2024 to 01.02.2024"]),
        (
            ["2024-01-02 9:30 PM", "2024-01-02 10:00 AM", "2023-05-06 11:00 AM", "2024-01-02 12:10 AM"],
            ["month"],
            ["2023-05-06 11:00 AM to 2024-01-02 12:10 AM", "2024-01-02 10:00 AM to 2024-01-02 9:30 PM"],
        ),
        (
            ["03/04/2024", "04/03/2024", "01/12/2023", "12/01/2023"],
            {"units": ["year"], "format": "dd/mm/yyyy"},
            ["12/01/2023 to 01/12/2023", "04/03/2024 to 03/04/2024"],
        ),
        (
            ["03/04/2024", "04/03/2024", "01/12/2023", "12/01/2023"],
            {"units": ["year"], "format": "mm/dd/yyyy"},
            ["01/12/2023 to 12/01/2023", "03/04/2024 to 04/03/2024"],
        ),
    ],
)
def test_dates_in_local_forms_are_parted_in_the_order_of_time(dates, described, shown):
    with Study(pa.table({"day": dates}), quasi={"day": {"dates": described}}) as study:
        recoding = study.anonymize("mondrian", k=2, options={"split": "median"}).decision().recoding
        assert sorted(group.labels["day"] for group in recoding.groups) == sorted(shown)
        assert recoding.meanings["day"] == {label: tuple(label.split(" to ")) for label in shown}
    with Study(pa.table({"day": [*dates, None]}), quasi={"day": {"dates": described}}) as study:
        (group,) = study.anonymize("mondrian", k=5).decision().recoding.groups
        ends = (shown[0].split(" to ")[0], shown[1].split(" to ")[1])
        assert group.labels["day"] == f"{ends[0]} to {ends[1]} or missing"


def test_dates_of_which_nobody_can_tell_the_form_are_texts():
    dates = ["03/04/2024", "04/03/2024"]
    with Study(
        pa.table({"day": dates}), quasi={"day": Hierarchy.from_rows([(d, "*") for d in dates])}
    ) as s:
        (group,) = s.anonymize("mondrian", k=2).decision().recoding.groups
        assert group.labels["day"] == "*"  # as the set of both is called, not an interval
