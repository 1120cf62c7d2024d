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


@pytest.mark.parametrize("fill", [False, True], ids=["up-to", "fill"])
@pytest.mark.parametrize(
    ("metric", "points", "filled"),
    [("LM", 58, 46), ("DM", 48, 33), ("CM", 16, 8), ("NUE", 54, 41)],
)
def test_exact_proves_what_exhaustive_finds(study, classified, metric, points, filled, fill):
    asked = classified if metric == "CM" else study
    exact = asked.frontier(metric=metric, suppress="1%", fill=fill)
    all_nodes = asked.frontier(metric=metric, suppress=301, method="exhaustive", fill=fill)
    assert exact.points == all_nodes.points
    assert exact.suppression == all_nodes.suppression == ("fill" if fill else "up-to")
    assert exact.certified
    assert all_nodes.certified
    assert len(exact) == (filled if fill else points)
    assert exact.suppression_limit == all_nodes.suppression_limit == 301
    assert exact.nodes == all_nodes.evaluated == (8960 if metric == "CM" else 17920)


@pytest.mark.parametrize(("metric", "share"), [("LM", 0.10), ("DM", 0.20)])
def test_exact_evaluates_few_nodes(study, metric, share):
    front = study.frontier(metric=metric, suppress="1%")
    assert front.evaluated <= share * front.nodes


def test_poka_at_its_average_depth_finds_nearly_all_optima(study):
    truth = {(point.k, point.loss) for point in study.frontier(suppress="1%", fill=True)}
    found = study.frontier(suppress="1%", method="poka")
    assert not found.certified
    assert found.suppression == "fill"
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


def test_other_objectives_prove_what_every_node_gives(adult):
    names = ["age", "workclass", "education", "marital-status"]
    quasi = {name: adult / "lattice-17920" / f"{name}.csv" for name in names}
    questions = [
        {"objectives": "suppressed,loss", "k": 5},
        {"objectives": "l,loss", "suppress": "1%"},
        {"objectives": "l,loss", "suppress": "1%", "fill": True},
        {"objectives": "t,loss"},
        {"objectives": "k,suppressed,loss"},
        {"objectives": "k,l,loss", "suppress": "1%"},
    ]
    with Study(adult / "adult-30162.csv", quasi=quasi, sensitive="occupation") as small:
        for question in questions:
            exact = small.frontier(**question)
            every = small.frontier(**question, method="exhaustive")
            assert exact.certified
            assert exact.points == every.points
            assert every.evaluated == exact.nodes == 448


def test_a_little_more_suppression_cuts_the_loss_at_k_of_5(adult):
    names = [path.stem for path in (adult / "arx-12960").glob("*.csv") if path.stem != "age"]
    quasi = {name: adult / "arx-12960" / f"{name}.csv" for name in sorted(names)}
    with Study(adult / "adult-30162.csv", quasi=quasi) as asked:
        front = asked.frontier(objectives="suppressed,loss", k=5)
    within = max((p for p in front if p.suppressed <= 301), key=lambda p: p.suppressed)
    beyond = min((p for p in front if p.loss < 0.87 * within.loss), key=lambda p: p.suppressed)
    assert (within.suppressed, beyond.suppressed) == (293, 313)  # 0.07% of the rows more
    assert round(100 * (1 - beyond.loss / within.loss), 1) == 13.6
