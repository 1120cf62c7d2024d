"""A hierarchy as a tree: single children, and the number of cuts."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings

from shoal.describe.hierarchies import Hierarchy, Taxonomy, read_hierarchy
from shoal.errors import InputError
from tests.examples import examples
from tests.strategies import hierarchies


def tree(*rows):
    return Taxonomy.from_rows([tuple(row.split(";")) for row in rows])


def cuts_of(node):
    """Every cut, listed: the node, or one cut of every child's branch."""
    yield (node.label,)
    if node.children:
        for parts in product(*(list(cuts_of(child)) for child in node.children)):
            yield tuple(label for part in parts for label in part)


def test_a_leaf_has_one_cut():
    assert tree("a").cuts == 1


def test_a_node_can_be_cut_at_itself_or_below():
    assert tree("a;*", "b;*", "c;*").cuts == 2
    assert tree("a;x;*", "b;x;*", "c;y;*", "d;y;*").cuts == 5


def test_a_node_with_a_single_child_is_that_child():
    grown = tree("White;White;*", "Black;Other;*", "Asian;Other;*")
    assert [child.label for child in grown.children] == ["White", "Other"]
    assert grown.children[0].children == ()
    assert grown.cuts == 3


def test_a_chain_of_single_children_is_the_lowest_of_them():
    assert tree("a;b;c;*") == Taxonomy("a")
    grown = tree("a;x;p;*", "b;x;p;*")
    assert (grown.label, grown.leaves, grown.cuts) == ("x", ("a", "b"), 2)


def test_leaves_stand_in_the_order_of_the_branches():
    assert tree("a;x;*", "c;y;*", "b;x;*").leaves == ("a", "b", "c")


def test_walking_meets_parents_first():
    labels = [node.label for node in tree("a;x;*", "b;x;*", "c;c;*").walk()]
    assert labels == ["*", "x", "a", "b", "c"]


def test_the_missing_value_is_a_branch_of_its_own():
    grown = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")]).with_missing().tree()
    assert [child.label for child in grown.children] == ["x", None]
    assert grown.cuts == 3


@pytest.mark.parametrize(
    "rows",
    [
        [("x", "x", "*"), ("y", "x", "*")],
        [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("x", "y", "*")],
    ],
)
def test_one_label_for_two_groups_is_refused(rows):
    with pytest.raises(InputError, match=r"race.csv: the label '.' names two different groups"):
        Hierarchy.from_rows(rows, "race.csv").tree()


@pytest.mark.parametrize("rows", [[], [("a", "x"), ("b", "y")], [("a", "*"), ("b", "x", "*")]])
def test_rows_that_are_no_hierarchy_are_no_tree(rows):
    with pytest.raises(InputError):
        Taxonomy.from_rows(rows)


@settings(max_examples=examples(50))
@given(hierarchies(most_leaves=5, most_levels=3))
def test_the_number_of_cuts_is_how_many_can_be_listed(hierarchy):
    grown = hierarchy.tree()
    listed = list(cuts_of(grown))
    assert grown.cuts == len(listed) == len(set(listed))
    assert sorted(grown.leaves) == sorted(hierarchy.leaves)


def test_huge_numbers_of_cuts_are_exact():
    groups = 100
    rows = [(f"{i}{side}", f"g{i}", "*") for i in range(groups) for side in "ab"]
    assert Taxonomy.from_rows(rows).cuts == 1 + 2**groups


def test_adult_has_356_440_500_cuts(adult):
    counts = {
        path.stem: read_hierarchy(path).tree().cuts
        for path in sorted((adult / "cuts-356440500").iterdir())
    }
    assert counts == {
        "age-band": 677,
        "education": 26,
        "marital-status": 5,
        "native-country": 81,
        "race": 5,
        "sex": 2,
        "workclass": 5,
    }
    assert prod(counts.values()) == 356_440_500
