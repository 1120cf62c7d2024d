"""Edits of hierarchies: the values stay, what comes out is sound, and what it says is what was asked."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError
from shoal.web.workspace import edits

ROWS = [
    ("ann", "a-names", "names", "*"),
    ("abe", "a-names", "names", "*"),
    ("bob", "b-names", "names", "*"),
    ("7", "7", "others", "*"),
]


@st.composite
def hierarchies(draw):
    """Rows of a hierarchy whose labels name one group each."""
    leaves = draw(st.integers(1, 7))
    rows = [[f"v{i}"] for i in range(leaves)]
    for level in range(1, draw(st.integers(1, 4))):
        parts = draw(st.integers(1, 4))
        of = {}
        for row in rows:
            group = of.setdefault(row[-1], f"g{level}.{draw(st.integers(0, parts))}")
            row.append(group)
    return [(*row, "*") for row in rows]


NAMES = st.sampled_from(["new", "v0", "g1.0", "g2.0", "*", " "])
PLACES = {"level": st.integers(0, 4), "label": st.integers(0, 6)}
OPERATIONS = st.one_of(
    st.tuples(st.just("rename"), st.fixed_dictionaries({**PLACES, "name": NAMES})),
    st.tuples(
        st.just("group"),
        st.fixed_dictionaries(
            {
                "level": st.integers(0, 4),
                "labels": st.lists(st.integers(0, 6), max_size=3),
                "name": NAMES,
            }
        ),
    ),
    st.tuples(st.just("split"), st.fixed_dictionaries(PLACES)),
    st.tuples(st.just("drop_level"), st.fixed_dictionaries({"level": st.integers(0, 4)})),
)


def labels_of(rows, level):
    return list(dict.fromkeys(row[level] for row in rows)) if level < len(rows[0]) else ["?"]


@given(hierarchies(), st.lists(OPERATIONS, min_size=1, max_size=4))
def test_after_any_edits_the_values_are_the_same_and_the_tree_is_sound(rows, operations):
    for operation, options in operations:
        there = labels_of(rows, options["level"])
        chosen = dict(options)
        if "label" in chosen:
            chosen["label"] = there[chosen["label"] % len(there)]
        if "labels" in chosen:
            chosen["labels"] = [there[i % len(there)] for i in chosen["labels"]]
        try:
            edited = edits.edit(rows, operation, chosen)
        except InputError:
            continue
        assert sorted(row[0] for row in edited) == sorted(row[0] for row in rows)
        assert {row[-1] for row in edited} == {edited[0][-1]}
        Hierarchy.from_rows(edited).tree()  # refuses labels that name two groups
        rows = edited


@given(hierarchies(), st.data())
def test_a_group_is_what_was_named(rows, data):
    level = data.draw(st.integers(0, len(rows[0]) - 2))
    chosen = data.draw(st.sets(st.sampled_from(labels_of(rows, level)), min_size=1))
    members = {row[0] for row in rows if row[level] in chosen}
    try:
        edited = edits.group(rows, level, chosen, "new")
    except InputError:
        above = (
            {row[level + 2] for row in rows if row[level] in chosen}
            if level < len(rows[0]) - 2
            else set()
        )
        assert len(above) > 1
        return
    new = [i for i in range(len(edited[0])) if any(row[i] == "new" for row in edited)]
    assert new
    for i in new:
        assert {row[0] for row in edited if row[i] == "new"} == members


@given(hierarchies(), st.data())
def test_an_order_changes_nothing_but_the_order(rows, data):
    level = data.draw(st.integers(0, len(rows[0]) - 1))
    order = data.draw(st.permutations(labels_of(rows, level)))
    edited = edits.reorder(rows, level, order)
    assert sorted(edited) == sorted(rows)
    for parent in {row[level + 1 :] for row in rows}:
        inside = labels_of([r for r in edited if r[level + 1 :] == parent], level)
        assert inside == [label for label in order if label in inside]


@given(hierarchies(), st.data())
def test_splitting_what_was_grouped_brings_the_tree_back(rows, data):
    level = data.draw(st.integers(0, len(rows[0]) - 2))
    chosen = data.draw(st.sets(st.sampled_from(labels_of(rows, level)), min_size=1))
    assume(level == len(rows[0]) - 2)  # then a level is put in between, and goes again
    edited = edits.group(rows, level, chosen, "new")
    place = next(i for i in range(len(edited[0])) if any(row[i] == "new" for row in edited))
    again = edits.split(edited, place, "new")
    # A level that only repeats the one below it goes too.
    assert Hierarchy.from_rows(again).tree() == Hierarchy.from_rows(rows).tree()


def test_a_group_is_renamed_on_all_its_levels():
    rows = [("a", "x", "x", "*"), ("b", "x", "x", "*"), ("c", "y", "z", "*")]
    assert edits.rename(rows, 2, "x", "new")[0] == ("a", "new", "new", "*")


@pytest.mark.parametrize(
    ("operation", "options", "sentence"),
    [
        ("rename", {"level": 0, "label": "ann", "name": "x"}, "values of the data stay"),
        ("rename", {"level": 1, "label": "c-names", "name": "x"}, "did you mean"),
        (
            "rename",
            {"level": 1, "label": "a-names", "name": "names"},
            "something else is already called",
        ),
        (
            "rename",
            {"level": 1, "label": "a-names", "name": "b-names"},
            "another group is already called",
        ),
        ("rename", {"level": 1, "label": "a-names", "name": "  "}, "needs a name"),
        ("rename", {"level": 1, "label": "a-names"}, "needs name"),
        ("group", {"level": 0, "labels": ["ann", "7"], "name": "x"}, "different groups of level 2"),
        ("group", {"level": 0, "labels": [], "name": "x"}, "no labels given"),
        ("group", {"level": 3, "labels": ["*"], "name": "x"}, "no level 3"),
        (
            "group",
            {"level": 0, "labels": ["ann", "abe"], "name": "names"},
            "something else is already called",
        ),
        ("split", {"level": 3, "label": "*"}, "the root cannot be split"),
        ("split", {"level": 0, "label": "ann"}, "values of the data stay"),
        ("reorder", {"level": 1, "labels": ["a-names"]}, "must name each of the 3 labels"),
        ("drop_level", {"level": 0}, "use 1 to 2"),
        ("drop_level", {"level": 3}, "the root must stay"),
        ("melt", {"level": 0}, "no edit is called 'melt'"),
    ],
)
def test_what_cannot_be_done_is_said(operation, options, sentence):
    with pytest.raises(InputError, match=sentence):
        edits.edit(ROWS, operation, options)
