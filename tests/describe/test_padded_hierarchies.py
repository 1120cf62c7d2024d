"""Ragged hierarchies that are padded: one label on several levels of a path, above different leaves."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal import Study
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError

PADDED = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "*", "*")])
CUTS = ("k-optimize", "annealing", "top-down", "bottom-up")


def study(values, tree=PADDED, **more):
    return Study(pa.table({"q": pa.array(values, pa.string())}), quasi={"q": tree}, **more)


@pytest.mark.parametrize("algorithm", CUTS)
def test_the_root_is_not_taken_for_the_leaf_that_it_stands_above_alone(algorithm):
    with study(["a", "a", "b", "b", "c", "c"]) as asked:
        found = asked.anonymize(algorithm, k=2)
        assert sorted(asked.release(found).table()["q"].to_pylist()) == ["a", "a", "b", "b", "c", "c"]
        assert found.losses["LM"] == 0
        assert asked.optimize(k=2).cost == 0


@pytest.mark.parametrize("algorithm", CUTS)
def test_losses_of_the_root_are_those_of_the_same_node(algorithm):
    with study(["a", "b", "c", "c"]) as asked:
        node, cut = asked.anonymize("flash", k=4), asked.anonymize(algorithm, k=4)
        assert cut.losses == node.losses
        assert cut.losses["LM"] == 4


def test_losses_of_a_label_on_two_levels_count_the_missing_value_too():
    tree = Hierarchy.from_rows([("a", "g", "r", "r"), ("b", "g", "r", "r")])
    with study(["a", "b", None], tree) as asked:
        node, cut = asked.anonymize("flash", k=3), asked.anonymize("k-optimize", k=3)
        assert cut.losses["LM"] == node.losses["LM"] == 3
        assert cut.losses["NUE"] == node.losses["NUE"]


def test_a_group_that_is_named_like_a_leaf_elsewhere_is_told_apart():
    tree = Hierarchy.from_rows([("x", "y", "*"), ("y", "z", "*")])
    with study(["x", "x", "y", "y"], tree) as asked:
        (name,) = asked.quasi
        assert asked.hierarchy(name).labels[1] == ("y (level 1)", "z")
        for found in (asked.optimize(k=2), asked.anonymize("k-optimize", k=2)):
            assert asked.release(found).table().num_rows == 4


def test_a_value_with_an_apostrophe_is_not_the_value_without():
    tree = Hierarchy.from_rows([("x", "*"), ("y", "*")])
    table = pa.table({"q": ["a", "a", "b", "b"], "s": ["x", "x", "'x", "'x"]})
    quasi = {"q": Hierarchy.from_rows([("a", "*"), ("b", "*")])}
    for sensitive, distance in (({"s": tree}, "hierarchical"), ({"s": ["y", "x"]}, "ordered")):
        asked = Study(table, quasi=quasi, sensitive=sensitive)
        with pytest.raises(InputError, match="'x"):
            asked.anonymize("flash", t=0, distance=distance)


def test_frontiers_of_l_and_t_refuse_a_quasi_column_that_is_sensitive():
    table = pa.table({"q": ["a", "a", "b"], "s": ["u", "v", "u"]})
    with Study(table, quasi={"q": {"*": ["a", "b"]}}, sensitive=["q", "s"]) as asked:
        for objectives in ("l,loss", "t,loss", "k,l,loss"):
            with pytest.raises(InputError, match="quasi and sensitive"):
                asked.frontier(objectives=objectives)


def test_a_population_beyond_a_hierarchy_of_one_level_is_refused():
    tree = Hierarchy.from_rows([("a",)])
    population = pa.table({"q": ["a", "a", "b"]})
    asked = study(["a", "a"], tree, population=population)
    with pytest.raises(InputError, match="single level"):
        asked.anonymize("flash", k_map=2)


def test_a_padding_that_a_lowest_level_makes_a_leaf_is_refused_for_cuts():
    with study(["a", "b", "c", "c"], levels={"q": (1, 2)}) as asked:
        for algorithm in CUTS:
            with pytest.raises(InputError, match=r"from level 1 on the label '\*' of 'q' names two"):
                asked.anonymize(algorithm, k=2)
