"""The frontier of Adult, on the lattice whose shape is the Pareto paper's."""

from __future__ import annotations

import pytest

from shoal import Study

ATTRIBUTES = [
    "age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class",
]  # fmt: skip


@pytest.fixture(scope="module")
def study(adult):
    quasi = {name: adult / "lattice-17920" / f"{name}.csv" for name in ATTRIBUTES}
    with Study(adult / "adult-30162.csv", quasi=quasi) as opened:
        yield opened


@pytest.fixture(scope="module")
def classified(adult):
    quasi = {name: adult / "lattice-17920" / f"{name}.csv" for name in ATTRIBUTES[:-1]}
    with Study(adult / "adult-30162.csv", quasi=quasi, class_="salary-class") as opened:
        yield opened


@pytest.mark.parametrize(
    ("metric", "points"),
    [("LM", 46), ("DM", 33), ("CM", 8), ("Prec", 33), ("NCP", 45), ("NUE", 41), ("Intensity", 37)],
)
def test_exact_proves_what_exhaustive_finds(study, classified, metric, points):
    asked = classified if metric == "CM" else study
    exact = asked.frontier(metric=metric, suppress="1%")
    all_nodes = asked.frontier(metric=metric, suppress=301, method="exhaustive")
    assert exact.points == all_nodes.points
    assert exact.certified
    assert all_nodes.certified
    assert len(exact) == points
    assert exact.suppression_limit == all_nodes.suppression_limit == 301
    assert exact.nodes == all_nodes.evaluated == (8960 if metric == "CM" else 17920)


@pytest.mark.parametrize(("metric", "share"), [("LM", 0.10), ("DM", 0.20)])
def test_exact_evaluates_few_nodes(study, metric, share):
    front = study.frontier(metric=metric, suppress="1%")
    assert front.evaluated <= share * front.nodes


def test_poka_at_its_average_depth_finds_nearly_all_optima(study):
    truth = {(point.k, point.loss) for point in study.frontier(suppress="1%")}
    found = study.frontier(suppress="1%", method="poka")
    assert not found.certified
    true_optima = sum((point.k, point.loss) in truth for point in found)
    # All but k = 1: Function 3 ends at k = 2.
    assert true_optima == len(truth) - 1
    assert 0.15 * found.nodes < found.evaluated < 0.30 * found.nodes


def test_a_range_of_k_searches_less_and_finds_the_same(study):
    everything = study.frontier(suppress="1%")
    part = study.frontier(suppress="1%", min_k=5, max_k=50)
    assert part.points == tuple(point for point in everything if 5 <= point.k <= 50)
    assert part.certified
    assert part.evaluated < everything.evaluated
