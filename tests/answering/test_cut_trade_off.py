"""The frontier of cuts as a curator asks for it: what its points lose, release and promise."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.answering import cut_trade_off as answering
from shoal.answers.solution import Frontier
from shoal.assess.utility import measure_utility
from shoal.errors import InputError, NoSolutionError
from shoal.questions.searches import FrontierQuestion
from shoal.search.cuts.cut_frontier import cut_frontier
from tests.release.cases import study_of, tables


@settings(max_examples=8, deadline=None)
@given(
    tables(most_rows=16),
    st.sampled_from(["k,loss", "l,loss", "theta,loss"]),
    st.sampled_from(["LM", "DM", "CM", "NCP"]),
    st.integers(0, 3),
)
def test_every_point_is_released_as_it_says(case, objectives, metric, suppress):
    table, trees = case
    with study_of(table, trees) as study:
        try:
            front = study.frontier(
                recoding="cuts",
                objectives=objectives,
                metric=metric,
                suppress=min(suppress, table.num_rows - 1),
            )
        except NoSolutionError:
            return  # rows without a sensitive value have no l
        assert front.certified
        again = Frontier.from_dict(json.loads(front.to_json()))
        assert again == front
        assert len(front.as_table().columns) > 4
        tally = study.tally("illness", "outcome")
        for number, point in enumerate(front, 1):
            release = study.release(again, point=number, seed=1)
            assert release.treatment.suppressed_rows == point.suppressed
            _, verdict = release.verified_table()
            assert verdict.holds
            assert verdict.measured.k == point.k
            if point.theta is not None:
                assert verdict.measured.sensitive["illness"].share == point.theta
            measured = measure_utility(
                release.decision.recoding,
                release.treatment,
                tally,
                study.material().hierarchies,
                "outcome",
            )
            lost = measured.losses[metric]
            assert (float(lost.loss), float(lost.share)) == (point.loss, point.share)


@settings(max_examples=8, deadline=None)
@given(tables(most_rows=16), st.sampled_from(["LM", "DM"]))
def test_no_node_loses_less_than_the_frontier_of_cuts(case, metric):
    table, trees = case
    with study_of(table, trees) as study:
        cuts = study.frontier(recoding="cuts", metric=metric)
        for node in study.frontier(metric=metric):
            assert min(point.loss for point in cuts if point.k >= node.k) <= node.loss


def test_on_adult_the_frontier_of_cuts_is_certified(adult):
    from shoal import Study

    names = ("age-band", "education", "native-country", "workclass", "marital-status", "sex", "race")
    quasi = {name: adult / "cuts-356440500" / f"{name}.csv" for name in names}
    with Study(adult / "adult.csv", quasi=quasi, sensitive="occupation") as study:
        front = study.frontier(recoding="cuts")
        assert (len(front), front.certified, front.nodes) == (31, True, 356_440_500)
        assert front.evaluated < 10_000
        best = study.optimize(k=5, scheme="NoSupp")
        at_five = min((point for point in front if point.k >= 5), key=lambda point: point.loss)
        assert (at_five.loss, at_five.cut) == (best.cost, best.cut)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"recoding": "cuts", "method": "poka"}, "the method poka is about nodes"),
        ({"recoding": "cuts", "metric": "Prec"}, "no metric Prec; use one of LM, DM, CM, NCP$"),
        ({"recoding": "cuts", "objectives": "t,loss"}, "no frontier of t,loss over cuts; choose one of"),
        ({"objectives": "theta,loss"}, "theta,loss is a frontier of cuts; add recoding cuts"),
        ({"recoding": "trees"}, "recoding"),
        ({"recoding": "cuts", "k": 5}, "k is an objective"),
    ],
)
def test_what_cuts_have_no_frontier_of_is_refused(asked, words, study):
    with pytest.raises(InputError, match=words):
        study.frontier(**asked)


@pytest.fixture(scope="module")
def study():
    import pyarrow as pa

    from shoal import Study
    from shoal.describe.hierarchies import Hierarchy

    letters = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])
    table = pa.table({"letter": list("aaabbc"), "illness": ["flu", "flu", "gout", "flu", "gout", "flu"]})
    with Study(table, quasi={"letter": letters}, sensitive="illness") as opened:
        yield opened


def test_a_range_without_a_point_and_a_k_that_is_too_large_have_no_solution(study):
    assert [(point.k, point.cut["letter"]) for point in study.frontier(recoding="cuts")] == [
        (6, ("*",)),
        (1, ("a", "b", "c")),
    ]
    with pytest.raises(NoSolutionError, match="no Pareto-optimal k lies from 2 to 5; widen the range"):
        study.frontier(recoding="cuts", min_k=2, max_k=5)
    with pytest.raises(NoSolutionError, match="no k of 7 or more: the table has 6 rows"):
        study.frontier(recoding="cuts", min_k=7)
    (only,) = study.frontier(recoding="cuts", min_k=2)
    assert only.k == 6


def test_the_curve_is_drawn_and_its_table_counts_the_values_that_are_left(study):
    front = study.frontier(recoding="cuts", objectives="theta,loss", suppress=1)
    picture = front.picture()
    assert "theta" in picture.svg
    assert "letter" in front._repr_html_()
    assert [column.name for column in front.as_table().columns][-2:] == ["theta", "letter"]
    assert "Pareto-optimal points of 3 cuts" in front.as_table().caption


def ended(*given, clock, **more):
    """The frontier of cuts where the search is ended before it begins."""
    clock.end()
    return cut_frontier(*given, clock=clock, **more)


def grid():
    """A table of two columns whose groups differ in size, and their hierarchies."""
    import pyarrow as pa

    from shoal.describe.hierarchies import Hierarchy

    ages = [str(20 + i * i % 40) for i in range(120)]
    places = [f"{i % 4}{i * i % 3}" for i in range(120)]
    table = pa.table({"age": ages, "place": places, "ill": [str(i % 5) for i in range(120)]})
    return table, {
        "age": Hierarchy.from_rows(
            [(str(a), f"{a // 5 * 5}+", f"{a // 20 * 20}++", "*") for a in range(20, 60)]
        ),
        "place": Hierarchy.from_rows([(f"{i}{j}", f"{i}*", "*") for i in range(4) for j in range(3)]),
    }


@pytest.mark.parametrize("known", [True, False])
def test_where_the_search_is_ended_cuts_are_no_worse_than_nodes(monkeypatch, known):
    from shoal import Study

    monkeypatch.setattr(answering, "cut_frontier", ended)
    table, quasi = grid()
    with Study(table, quasi=quasi, threads=1) as study:
        nodes = study.frontier(suppress=6)
        assert len(nodes) > 4
        question = FrontierQuestion(recoding="cuts", suppress=6)
        if known:
            monkeypatch.setattr(answering, "exact_frontier", None)
        cuts = answering.cut_trade_off(study.material(), question, known=nodes.points if known else ())
        assert not cuts.certified
        assert cuts.points[0].k == len(table)
        for node in nodes:
            assert min(point.loss for point in cuts if point.k >= node.k) <= node.loss
        for number, point in enumerate(cuts, 1):
            release = study.release(cuts, point=number, seed=1)
            assert release.treatment.suppressed_rows == point.suppressed


@pytest.mark.parametrize("objectives", ["l,loss", "theta,loss"])
def test_where_the_search_is_ended_the_most_general_cut_is_there(monkeypatch, objectives):
    from shoal import Study

    monkeypatch.setattr(answering, "cut_frontier", ended)
    table, quasi = grid()
    with Study(table, quasi=quasi, sensitive="ill", threads=1) as study:
        front = study.frontier(recoding="cuts", objectives=objectives)
    assert not front.certified
    assert front.points[0].cut == {"age": ("*",), "place": ("*",)}
