"""Taxonomies numbered for the search: counting, leaving out what makes no difference, naming cuts."""

from __future__ import annotations

import random

import pytest

from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError
from shoal.search.cuts.forest import Branches, Forest
from tests.search.cuts.cases import random_hierarchy
from tests.search.cuts.oracle import cuts_of

FRUIT = Hierarchy.from_rows([
    ("apple", "pome", "fruit"), ("pear", "pome", "fruit"),
    ("plum", "stone", "fruit"), ("fig", "fig", "fruit"),
])  # fmt: skip


def branches(values, rows=None, lo=0, hi=None):
    return Branches.of("fruit", FRUIT, values, rows or [1] * len(values), lo, hi)


def test_the_space_counts_every_cut_of_the_taxonomy():
    rng = random.Random(1)
    for _ in range(100):
        tree = random_hierarchy(rng)
        branch = Branches.of("q", tree, tree.leaves[:1], [1])
        assert Forest((branch,)).space == sum(len(cuts_of(root)) for root in branch.trees)


def test_values_without_rows_and_values_that_only_rename_are_not_searched():
    every = Forest((branches(["apple", "pear", "plum", "fig"]),))
    assert [node.label for _, node, _ in every.nodes] == [
        "fruit",
        "pome",
        "apple",
        "pear",
        "plum",
        "fig",
    ]
    some = Forest((branches(["apple", "fig"]),))
    assert [node.label for _, node, _ in some.nodes] == ["fruit", "apple", "fig"]
    kept = Forest((branches(["apple", "fig"]),), merged=False)
    assert [node.label for _, node, _ in kept.nodes] == ["fruit", "pome", "apple", "fig"]
    assert every.space == some.space == kept.space == 3


def test_a_cut_names_every_value_once_those_without_rows_as_high_as_can_be():
    forest = Forest((branches(["apple", "fig"]),))
    assert forest.cut([]) == {"fruit": ("fruit",)}
    assert forest.cut([0]) == {"fruit": ("apple", "pear", "plum", "fig")}
    kept = Forest((branches(["apple", "fig"]),), merged=False)
    assert kept.cut([0]) == {"fruit": ("pome", "plum", "fig")}
    assert kept.specialized({"fruit": ("pome", "plum", "fig")}) == [0]
    assert kept.specialized({"fruit": ("fruit",)}) == []


def test_levels_bound_the_cuts():
    low = Forest((branches(["apple", "pear", "plum", "fig"], lo=1),))
    assert low.cut([0]) == {"fruit": ("pome", "stone", "fig")}
    high = Forest((branches(["apple", "pear", "plum", "fig"], hi=1),))
    assert high.cut([]) == {"fruit": ("pome", "plum", "fig")}
    assert high.space == 2
    assert low.space == 2


def test_a_label_of_two_groups_is_refused():
    twice = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("x", "y", "*"), ("d", "y", "*")])
    with pytest.raises(InputError, match="two different groups"):
        Branches.of("q", twice, ["a"], [1])
