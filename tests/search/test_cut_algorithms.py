"""Named algorithms over cuts: judged as they are released, proven where they say so."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answering.named import pose
from shoal.answers.recoding import CutRecoding, Decision
from shoal.assess.utility import measure_utility
from shoal.errors import InputError, NoSolutionError
from shoal.questions.searches import AlgorithmQuestion
from shoal.recode import treat
from shoal.search.cuts.cut_judge import CutJudge
from tests.examples import examples
from tests.release.cases import study_of, tables
from tests.search.cuts.oracle import cuts_of

GREEDY = ("top-down", "bottom-up")
METRICS = ("LM", "DM", "CM")


def question_of(study, metric="LM", suppress=0, **asked):
    return pose(study.material(), AlgorithmQuestion(metric=metric, suppress=suppress, **asked))


def every_cut(study):
    """Every cut of the study's hierarchies, as labels by attribute."""
    trees = {}
    for name in study.quasi:
        tree = study.hierarchy(name)
        trees[name] = (tree.with_missing() if None in study.tally().domain(name) else tree).tree()
    for cuts in product(*(cuts_of(tree) for tree in trees.values())):
        yield dict(zip(trees, map(tuple, cuts), strict=True))


def rated(study, question, cut):
    """The rows that a cut suppresses and its loss, by way of what is released."""
    recoding = CutRecoding(cut)
    decision = Decision(recoding, question.promise)
    treatment = treat(decision, question.tally, question.hierarchies, sensitive=["illness"])
    utility = measure_utility(recoding, treatment, question.tally, question.hierarchies, "outcome")
    return treatment.suppressed_rows, utility.losses[question.metric.name].loss


ASKED = st.sampled_from(
    [{"k": 2}, {"k": 3}, {"k": 2, "l": 2}, {"k": 2, "theta": "1/2"}, {"t": "1/2"}, {"k": 2, "t": 0.3}]
)


@settings(max_examples=examples(60), deadline=None)
@given(tables(most_rows=20), ASKED, st.sampled_from(METRICS), st.integers(0, 4), st.data())
def test_a_cut_is_judged_as_it_would_be_released(case, asked, metric, suppress, data):
    table, trees = case
    suppress = min(suppress, table.num_rows)
    with study_of(table, trees) as study:
        question = question_of(study, metric, suppress, **asked)
        judge = CutJudge(question)
        specialized = set()
        while (more := judge.frontier(specialized)) and data.draw(st.booleans()):
            specialized.add(data.draw(st.sampled_from(more)))
        judged = judge.judge(specialized)
        suppressed, loss = rated(study, question, judge.recoding(specialized).labels)
        assert judged.suppressed == suppressed
        assert judged.allowed == (suppressed <= suppress and suppressed < table.num_rows)
        assert judge.metric.figure(judged.loss) == loss
        # Counting from a settled cut changes nothing for the cuts above it.
        judge.settle(specialized)
        assert judge.judge(specialized) == judged
        assert judge.judge(set()) == CutJudge(question).judge(set())


@settings(max_examples=examples(40), deadline=None)
@given(tables(most_rows=20), ASKED, st.sampled_from(METRICS), st.integers(0, 4))
def test_greedy_cuts_keep_the_promise_and_cannot_be_specialized(case, asked, metric, suppress):
    table, trees = case
    suppress = min(suppress, table.num_rows)
    with study_of(table, trees) as study:
        question = question_of(study, metric, suppress, **asked)
        judge = CutJudge(question)
        possible = judge.judge(set()).allowed
        for name in GREEDY:
            try:
                found = study.anonymize(name, metric=metric, suppress=suppress, **asked)
            except NoSolutionError:
                assert not possible
                continue
            assert found.suppressed <= suppress
            _, verdict = study.release(found).verified_table()
            assert verdict.measured.k == found.k
            here = set(judge.forest.specialized(found.decision().recoding.labels))
            judged = judge.judge(here)
            for candidate in judge.frontier(here):
                below = judge.judge(here | {candidate})
                assert not below.allowed or below.loss > judged.loss


@settings(max_examples=examples(40), deadline=None)
@given(
    tables(most_rows=16),
    st.sampled_from([{"k": 2}, {"k": 3}, {"k": 2, "theta": "1/2"}]),
    st.sampled_from(METRICS),
    st.integers(0, 4),
)
def test_the_best_cut_is_that_of_all_cuts_or_says_how_far_it_may_be(case, asked, metric, suppress):
    table, trees = case
    suppress = min(suppress, table.num_rows)
    with study_of(table, trees) as study:
        few = table.num_rows < asked["k"]  # which is refused first
        if "theta" in asked and not few and table.column("illness").null_count:
            with pytest.raises(InputError, match="missing values of 'illness' count in shares"):
                study.anonymize("k-optimize", metric=metric, suppress=suppress, **asked)
            return
        question = question_of(study, metric, suppress, **asked)
        ratings = [rated(study, question, cut) for cut in every_cut(study)]
        allowed = [loss for gone, loss in ratings if gone <= suppress and gone < table.num_rows]
        if not allowed:
            with pytest.raises(NoSolutionError):
                study.anonymize("k-optimize", metric=metric, suppress=suppress, **asked)
            return
        for name in ("k-optimize", "annealing"):
            try:
                found = study.anonymize(name, metric=metric, suppress=suppress, **asked)
            except NoSolutionError:
                assert name == "annealing"  # it may end in a cut that suppresses too much
                continue
            assert found.suppressed <= suppress
            assert found.details["lower_bound"] <= min(allowed) + 1e-9 <= found.loss + 2e-9
            if found.optimal:
                assert found.loss == pytest.approx(min(allowed))
            if name == "k-optimize" and suppress == 0:
                assert found.optimal


@pytest.fixture
def census(adult):
    """Adult with the hierarchies of the l+ paper, occupation sensitive."""
    names = [path.stem for path in sorted((adult / "cuts-356440500").glob("*.csv"))]
    quasi = {name: adult / "cuts-356440500" / f"{name}.csv" for name in names}
    with Study(adult / "adult.csv", quasi=quasi, sensitive="occupation") as study:
        yield study


def test_the_search_over_cuts_says_what_it_cannot_promise(census):
    with pytest.raises(InputError, match="annealing keeps k and theta, not distinct l; choose another"):
        census.anonymize("annealing", k=5, l=2)
    with pytest.raises(InputError, match="steps"):
        census.anonymize("annealing", k=5, options={"steps": "many"})


def test_on_adult_no_greedy_cut_is_better_than_the_best(census):
    best = census.anonymize("k-optimize", k=5)
    assert best.optimal
    for name in GREEDY:
        found = census.anonymize(name, k=5)
        assert best.loss <= found.loss
        assert found.k >= 5
        assert found.suppressed == 0
