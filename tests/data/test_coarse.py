"""A coarse tally answers as the fine one at and above its levels, and refuses what it cannot tell."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.describe import Attribute, Role, Specification
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError, ShoalError
from shoal.metrics import METRICS
from shoal.search.algorithms import ALGORITHMS
from tests.examples import examples
from tests.strategies import hierarchies

MOVING = ("seconds", "milliseconds", "examined", "evaluated", "visited", "found_on")
SLOW = settings(
    max_examples=examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def studies(draw: st.DrawFn) -> Specification:
    """A study with raised lowest levels, missing values, a class and a sensitive column."""
    trees = [draw(hierarchies(6, 3)) for _ in range(draw(st.integers(1, 3)))]
    rows = draw(st.integers(2, 20))
    columns: dict[str, list[str | None]] = {}
    attributes = {}
    for a, tree in enumerate(trees):
        values = [*tree.leaves, *([None] if draw(st.booleans()) else [])]
        columns[f"q{a}"] = [draw(st.sampled_from(values)) for _ in range(rows)]
        lo = draw(st.integers(0 if a else 1, tree.height))
        attributes[f"q{a}"] = Attribute(frozenset([Role.QUASI]), tree, lo)
    columns["s"] = [draw(st.sampled_from(["x", "y", "z"])) for _ in range(rows)]
    columns["c"] = [draw(st.sampled_from(["0", "1"])) for _ in range(rows)]
    attributes["s"] = Attribute(frozenset([Role.SENSITIVE]))
    attributes["c"] = Attribute(frozenset([Role.CLASS]))
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    return Specification(table, attributes)


def steady(document: object) -> object:
    """A document without what time, the size of the tally and what it counts move."""
    if isinstance(document, dict):
        return {name: steady(value) for name, value in document.items() if name not in MOVING}
    if isinstance(document, (list, tuple)):
        return [steady(value) for value in document]
    return document


def answers(specification: Specification, coarse: bool, ask) -> object:
    """What a study answers, or why not."""
    with Study.of(specification, coarse=coarse) as study:
        assert bool(study.tally().coarse) == coarse
        try:
            return steady(ask(study))
        except ShoalError as problem:
            return str(problem)


def same(specification: Specification, ask) -> None:
    assert answers(specification, True, ask) == answers(specification, False, ask)


@SLOW
@given(studies(), st.sampled_from([kind.name for kind in METRICS]), st.integers(0, 5))
def test_a_frontier_is_the_same_by_every_metric(specification, metric, suppress):
    same(specification, lambda study: study.frontier(metric=metric, suppress=suppress).to_dict())


@SLOW
@given(studies(), st.sampled_from(["suppressed,loss", "l,loss", "t,loss", "k,l,loss"]))
def test_a_frontier_of_other_objectives_is_the_same(specification, objectives):
    k = 2 if objectives.startswith("suppressed") else None
    same(specification, lambda study: study.frontier(objectives=objectives, k=k).to_dict())


@SLOW
@given(
    studies(),
    st.sampled_from(["LM", "DM", "CM"]),
    st.sampled_from(["NoSupp", "allRec", "vioRec", "allSA", "vioSA"]),
    st.sampled_from([None, 2]),
)
def test_an_optimal_cut_costs_the_same(specification, metric, scheme, k):
    same(specification, lambda study: study.optimize(l=2, k=k, metric=metric, scheme=scheme).to_dict())


@SLOW
@given(studies(), st.integers(1, 4), st.sampled_from([None, 2]), st.integers(0, 4))
def test_a_negotiation_is_the_same(specification, k, values, most):
    same(specification, lambda study: study.negotiate(k=k, l=values, max_suppressed=most).to_dict())


@SLOW
@given(
    studies(),
    st.sampled_from([one.name for one in ALGORITHMS if one.recodes not in ("groups", "buckets")]),
    st.sampled_from(["LM", "DM", "NUE"]),
)
def test_an_algorithm_and_its_release_are_the_same(specification, algorithm, metric):
    def ask(study: Study) -> object:
        found = study.anonymize(algorithm, k=2, suppress="50%", metric=metric)
        rows = study.release(found, seed=3).table()
        return found.to_dict(), rows.to_pylist()

    same(specification, ask)


@SLOW
@given(studies())
def test_a_release_of_a_cut_is_the_same(specification):
    def ask(study: Study) -> object:
        best = study.optimize(theta="2/3", scheme="vioRec", metric="CM")
        return study.release(best, seed=1).table().to_pylist()

    same(specification, ask)


TREE = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])
TABLE = pa.table({"q": ["a", "b", "c", "c", "b"], "r": ["a", "a", "c", "c", "c"]})


def coarse_study() -> Study:
    quasi = Attribute(frozenset([Role.QUASI]), TREE)
    return Study.of(Specification(TABLE, {"q": replace(quasi, min_level=1), "r": quasi}), coarse=True)


def test_values_stand_for_those_of_their_label_and_are_counted_apart():
    tally = coarse_study().tally()
    assert len(tally) == 3
    assert tally.domain("q") == ("a", "b", "c")
    assert tally.totals("q").tolist() == [1, 2, 2]
    assert tally.coarse["q"].shown.tolist() == [0, 0, 2]
    assert tally.coarse["q"].level == 1
    assert sorted(tally.codes[:, 0].tolist()) == [0, 0, 2]


@pytest.mark.parametrize("algorithm", [one.name for one in ALGORITHMS if one.recodes == "groups"])
def test_algorithms_that_recode_single_combinations_are_refused(algorithm):
    with pytest.raises(InputError, match=r"single combinations.* from level 1 on"):
        coarse_study().anonymize(algorithm, k=2)


def test_a_solution_below_the_levels_is_refused():
    fine = Study(TABLE, quasi={"q": TREE, "r": TREE}).frontier()
    lowest = next(point for point in fine if point.node == {"q": 0, "r": 0})
    with pytest.raises(InputError, match=r"lower levels needs single values.*q from level 1 on"):
        coarse_study().release({"node": lowest.node, "k": 1}).table()


def test_what_needs_single_values_says_so():
    tally = coarse_study().tally()
    for ask in (tally.combinations, lambda: tally.histogram("q"), lambda: tally.in_cells("q")):
        with pytest.raises(InputError, match="needs single values"):
            ask()
    assert tally.histogram("r").shape == (3, 2)


def test_an_attribute_that_is_sensitive_too_is_never_merged():
    both = Attribute(frozenset([Role.QUASI, Role.SENSITIVE]), TREE, 1)
    quasi = Attribute(frozenset([Role.QUASI]), TREE, 1)
    with Study.of(Specification(TABLE, {"q": both, "r": quasi}), coarse=True) as study:
        assert set(study.tally().coarse) == {"r"}
