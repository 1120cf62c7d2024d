"""MinGen, Samarati, Incognito and Flash against all nodes; the genetic search finds what there is."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise, ShareLimits
from shoal.errors import InputError, NoSolutionError
from shoal.metrics import METRICS, Precision
from shoal.running.clock import Clock
from shoal.search.lattice import allowed
from shoal.search.lattice.datafly import datafly
from shoal.search.lattice.flash import Cheapest, flash
from shoal.search.lattice.genetic import genetic
from shoal.search.lattice.incognito import incognito
from shoal.search.lattice.mingen import mingen
from shoal.search.lattice.mu_argus import mu_argus
from shoal.search.lattice.node_judge import Judge
from shoal.search.lattice.samarati import samarati
from tests.examples import examples
from tests.oracles import all_nodes
from tests.search.looks import Looks
from tests.search.questions import ask, cases

SEARCHES = (mingen, samarati, incognito, flash, genetic)
RACE = Hierarchy.from_rows([("Black", "Person"), ("White", "Person")])
ZIP = Hierarchy.from_rows([(z, f"{z[:4]}*", "021**") for z in ("02138", "02139", "02141", "02142")])


def slide(k=2, **options):
    """The Race and ZIP table of the slides: every race in every ZIP."""
    rows = [(race, z, "flu", "ill") for race in RACE.leaves for z in ZIP.leaves]
    return ask({"Race": RACE, "ZIP": ZIP}, rows, Promise(k), **options).question


def node_of(found):
    return tuple(found.recoding.levels.values())


def judged_all(question, metric=None):
    """All allowed nodes, judged one by one."""
    judge = Judge(
        question.problem,
        question.tally,
        question.criteria,
        question.limit,
        metric or question.metric,
        question.sensitive,
    )
    found = [judge.judge(node) for node in all_nodes(question.problem)]
    return [one for one in found if one.allowed]


def ranked(one):
    return one.loss, sum(one.node), one.node


def below(low, high):
    return low != high and all(a <= b for a, b in zip(low, high, strict=True))


def test_the_slides_minimal_generalizations_and_the_only_minimal_distortion():
    question = slide()
    found = incognito(question, Clock())
    assert found.details["minimal"] == [{"Race": 0, "ZIP": 1}, {"Race": 1, "ZIP": 0}]
    assert found.details["satisfying"] == 5
    best = mingen(question, Clock())
    assert node_of(best) == (0, 1)
    assert (best.details["tied"], best.details["satisfying"], best.details["minimal"]) == (1, 5, 2)
    assert best.details["precision"] == 0.75


@pytest.mark.parametrize(
    ("node", "precision"), [((0, 0), 1), ((1, 0), 0.5), ((0, 1), 0.75), ((0, 2), 0.5), ((1, 1), 0.25)]
)
def test_the_slides_precision(node, precision):
    question = slide(k=1, metric="Prec")
    judged = question.judge().judge(node)
    assert 1 - judged.loss / question.metric.largest == precision


def test_the_slides_table_has_its_lowest_node_at_height_one():
    found = samarati(slide(), Clock())
    assert (node_of(found), found.details["height"]) == ((0, 1), 1)


@pytest.mark.parametrize("search", [incognito, flash])
def test_of_nodes_that_cost_the_same_the_lowest_is_taken(search):
    rows = [(race, z, "flu", "ill") for race in RACE.leaves for z in ("02138", "02141")]
    question = ask({"Race": RACE, "ZIP": ZIP}, rows, Promise(2), metric="CM").question
    assert {(0, 2), (1, 0)} < {one.node for one in judged_all(question) if one.loss == 0}
    assert node_of(search(question, Clock())) == (1, 0)


@pytest.mark.parametrize("metric", [kind.name for kind in METRICS])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_flash_and_incognito_find_the_best_of_all_nodes(metric, data):
    question = data.draw(cases(metric) | cases(metric, persons=True)).question
    every = judged_all(question)
    if not every:
        for search in (flash, incognito):
            with pytest.raises(NoSolutionError, match="no node"):
                search(question, Clock())
        return
    best = min(every, key=ranked)
    for search in (flash, incognito):
        found = search(question, Clock())
        assert node_of(found) == best.node
        assert found.optimal
    assert found.details["satisfying"] == len(every)
    nodes = [one.node for one in every]
    lowest = [node for node in nodes if not any(below(other, node) for other in nodes)]
    assert [tuple(node.values()) for node in found.details["minimal"]] == lowest


@pytest.mark.parametrize("search", [mingen, samarati, incognito, flash])
def test_what_lies_below_a_node_that_is_not_allowed_may_be_where_shares_are_limited(search):
    question = small_shares()
    assert [found.node for found in judged_all(question)] == [(0, 2)]
    assert node_of(search(question, Clock())) == (0, 2)
    assert not question.judge().monotone


def small_shares():
    """A question that is kept at one node, and not above it."""
    # b's two rows of flu may go; where a and b are one group, flu has more than half of it, and all go.
    one = Hierarchy.from_rows(
        [("a", "ab", "*"), ("b", "ab", "*"), *((f"c{i}", f"c{i}", "*") for i in range(9))]
    )
    two = Hierarchy.from_rows([(f"{i}", f"{i // 11}..", "*") for i in range(22)])
    ill = [*["a flu"] * 10, *["a cold"] * 10, *["b flu"] * 2]
    rows = [(place[0], str(i), place[2:], "ill") for i, place in enumerate(ill)]
    promise = Promise(12, None, {"illness": ShareLimits(Fraction(1, 2))})
    return ask({"one": one, "two": two}, rows, promise, 2).question


@settings(max_examples=examples(50))
@given(case=cases("DM") | cases("DM", persons=True))
def test_mingen_finds_the_most_precise_whatever_the_metric(case):
    question = case.question
    every = judged_all(question, Precision(question.problem))
    if not every:
        with pytest.raises(NoSolutionError, match="no node"):
            mingen(question, Clock())
        return
    found = mingen(question, Clock())
    assert node_of(found) == min(every, key=ranked).node
    least = min(one.loss for one in every)
    assert found.details["tied"] == sum(one.loss == least for one in every)
    assert found.details["satisfying"] == len(every)
    assert not found.optimal


@settings(max_examples=examples(50))
@given(case=cases() | cases(persons=True))
def test_samarati_finds_the_lowest_height_and_there_the_fewest_suppressed(case):
    every = judged_all(case.question)
    if not every:
        with pytest.raises(NoSolutionError, match="no node"):
            samarati(case.question, Clock())
        return
    found = samarati(case.question, Clock())
    best = min(every, key=lambda one: (sum(one.node), one.suppressed, one.loss, one.node))
    assert node_of(found) == best.node
    assert found.details["height"] == sum(best.node)


@settings(max_examples=examples(30))
@given(case=cases() | cases(persons=True))
def test_the_genetic_search_finds_an_allowed_node_and_the_same_again(case):
    question = case.question
    every = judged_all(question)
    judge = question.judge()
    try:
        found = genetic(question, Clock(), population=4, generations="3")
    except NoSolutionError:
        assert not every or not judge.monotone
        return
    judged = judge.judge(node_of(found))
    assert judged.allowed
    assert judged.loss >= min(one.loss for one in every)
    again = genetic(question, Clock(), population="4", generations=3)
    assert node_of(again) == node_of(found)


def test_the_preferred_of_tied_nodes_is_taken():
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    rows = [(one, two, "flu", "ill") for one in "ab" for two in "ab"]
    question = ask({"x": tree, "y": tree}, rows, Promise(2)).question
    assert node_of(mingen(question, Clock())) == (0, 1)
    assert mingen(question, Clock()).details["tied"] == 2
    assert node_of(mingen(question, Clock(), preferred="y")) == (1, 0)
    assert node_of(mingen(question, Clock(), preferred=["y", "x"])) == (1, 0)
    assert node_of(mingen(question, Clock(), preferred=lambda nodes: nodes[1])) == (1, 0)
    with pytest.raises(InputError, match="must return one"):
        mingen(question, Clock(), preferred=lambda nodes: {"x": 9})
    with pytest.raises(InputError, match="names 'z'"):
        mingen(question, Clock(), preferred="z")


@pytest.mark.parametrize("search", SEARCHES)
def test_time_that_is_over_gives_no_proof(search):
    try:
        found = search(slide(), Clock(1e-9))
    except NoSolutionError as error:
        assert "time ran out" in str(error)  # noqa: PT017
    else:
        assert not found.optimal
        assert not found.details.get("proven", False)


@pytest.mark.parametrize("search", [*SEARCHES, datafly, mu_argus])
def test_progress_lies_between_nothing_and_all(search):
    class Watched(Clock):
        def show(self, share, words, *_):
            shown.append((share, words))

    shown = []
    search(slide(), Watched())
    assert shown
    assert all(0 <= share <= 1 and words for share, words in shown)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_table_of_fewer_rows_than_k_has_no_solution(search):
    with pytest.raises(NoSolutionError, match="no node"):
        search(slide(k=9), Clock())


@pytest.mark.parametrize("search", [mingen, incognito])
def test_a_lattice_that_is_too_large_to_map_is_searched_without_a_map(search, monkeypatch):
    question = replace(hard(), limit=20)
    whole = search(question, Clock())
    monkeypatch.setattr(allowed, "MOST_NODES", 5)
    found = search(question, Clock())
    assert found.recoding == whole.recoding
    assert found.optimal == whole.optimal
    assert found.details["proven"]
    assert "satisfying" not in found.details
    assert found.to_end == (search is mingen)  # incognito finds all allowed nodes, which this does not
    early = search(question, Looks(5))
    assert question.judge().judge(node_of(early)).allowed
    assert not early.optimal
    assert not early.to_end
    assert not early.details["proven"]
    with pytest.raises(NoSolutionError, match="no node"):
        search(replace(question, limit=0, promise=Promise(10_000)), Clock())


@pytest.mark.parametrize("search", [mingen, incognito])
@pytest.mark.parametrize("looks", [0, 5, 50])
def test_without_enough_time_the_best_so_far_is_told(search, looks):
    question = hard()
    found = search(question, Looks(looks))
    assert question.judge().judge(node_of(found)).allowed
    assert not found.optimal
    assert not found.details["proven"]
    assert "satisfying" not in found.details
    with pytest.raises(NoSolutionError, match="time ran out"):
        search(replace(question, limit=0, promise=Promise(10_000)), Clock(0))


@pytest.mark.parametrize("search", [mingen, incognito, flash])
def test_whenever_the_time_ends_the_answer_is_allowed_or_the_time_ran_out(search):
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    rows = [(v, ill, "ill") for v, ill in (("a", "flu"), ("b", "cold")) for _ in range(4)]
    promise = Promise(2, None, {"illness": ShareLimits(Fraction(1, 2))})
    for question in (
        small_shares(),
        ask({"x": tree, "y": tree}, [(r[0], *r) for r in rows], promise, 1).question,
    ):
        for looks in range(100):
            try:
                found = search(question, Looks(looks))
            except NoSolutionError as error:
                assert "time ran out" in str(error)  # noqa: PT017
            else:
                assert question.judge().judge(node_of(found)).allowed


def test_of_the_allowed_nodes_the_cheapest_is_proven_only_where_there_was_time():
    question = replace(hard(), limit=30)
    question = replace(question, metric=Precision(question.problem))
    clock = Looks(10**6)
    assert mingen(question, clock).optimal
    found = mingen(question, Looks(10**6 - clock.looks - 1))
    assert "satisfying" in found.details
    assert not found.optimal
    assert not found.details["proven"]


def test_bounds_of_nodes_are_the_same_in_small_portions(monkeypatch):
    question = replace(hard(), limit=30)
    judge = question.judge(Precision(question.problem))
    shape = allowed.shape_of(question.problem)
    places = np.arange(0, question.problem.nodes, 3)
    bounds = allowed._bounds(judge, places, shape)
    assert [int(one) for one in bounds[:50]] == [
        judge.judge(allowed._node_at(place, np.empty(shape), question.problem)).loss0
        for place in places[:50]
    ]
    monkeypatch.setattr(allowed, "AT_ONCE", 7)
    assert (allowed._bounds(judge, places, shape) == bounds).all()


@pytest.mark.parametrize("enough", range(1, 40, 4))
def test_few_nodes_are_judged_when_the_time_is_over(enough):
    tree = Hierarchy.from_rows([(f"{i}", f"p{i // 2}", f"q{i // 4}", "*") for i in range(8)])
    chance = random.Random(2)
    rows = [(*(chance.choice(tree.leaves) for _ in range(20)), "flu", "ill") for _ in range(60)]
    question = ask({f"q{a}": tree for a in range(20)}, rows, Promise(3), 57, "DM").question
    judge = question.judge()

    class Judging(Clock):
        @property
        def over(self):
            return judge.judged >= enough

    Cheapest(judge, Judging()).descend(question.problem.bottom)
    assert judge.judged <= max(enough, 8) + 6


def test_without_time_only_the_lowest_allowed_node_of_a_chain_is_judged():
    question = replace(hard(), limit=57)
    search = Cheapest(question.judge(), Clock(0))
    search._cheapest_on(search.steps.chain(question.problem.bottom))
    assert search.judge.judged == 1


def test_flash_searches_a_lattice_of_millions_of_nodes():
    tree = Hierarchy.from_rows([(v, f"{v[0]}*", "any", "*") for v in ("a1", "a2", "b1", "b2")])
    trees = {f"q{a}": tree for a in range(12)}
    rows = [(*(tree.leaves[i] for _ in trees), "flu", "ill") for i in (0, 0, 1, 1, 2, 3)]
    question = ask(trees, rows, Promise(2)).question
    assert question.problem.nodes == 4**12
    found = flash(question, Clock())
    # Two rows differ on every attribute, so no attribute may stay on level 0.
    assert node_of(found) == (1,) * 12
    assert found.optimal


@pytest.mark.parametrize("fewer", [1, 40])
def test_of_a_chain_flash_takes_the_cheapest_node_that_no_near_one_beats(fewer):
    # Six attributes of four levels each: a chain of 19 nodes, the lowest of which suppress most of the rows.
    question = hard()
    question = replace(question, limit=question.rows - fewer, promise=Promise(3))
    judge, search = question.judge(), Cheapest(question.judge(), Clock())
    chain = [node for node in search.steps.chain(question.problem.bottom) if judge.judge(node).allowed]
    found = search._cheapest_on(chain)
    losses = [judge.judge(node).loss for node in chain]
    at = chain.index(found.node)
    assert found.loss == losses[at] < losses[0]
    assert found.loss <= min(losses[max(at - 1, 0) : at + 2])
    assert len(chain) > 16 or found.loss == min(losses)


def test_flash_tells_what_it_knows_when_the_time_is_over():
    class Counting(Clock):
        """Every look at it takes a second."""

        looks = 0

        @property
        def seconds(self):
            self.looks += 1
            return float(self.looks)

    question = hard()
    found = flash(question, Counting(60))
    assert not found.optimal
    assert question.judge().judge(node_of(found)).allowed
    details = found.details
    assert details["lower_bound"] < details["loss"]
    proven = flash(question, Clock())
    assert proven.optimal
    assert details["lower_bound"] <= proven.details["loss"] <= details["loss"]


def test_of_two_lower_bounds_of_a_huge_lattice_flash_tells_the_higher(monkeypatch):
    monkeypatch.setattr("shoal.search.lattice.flash.HOPELESS", 1)
    for by_columns in (Fraction(0), Fraction(9)):
        monkeypatch.setattr(
            "shoal.search.lattice.columns_bound.bound_by_columns", lambda *_, told=by_columns: told
        )
        details = flash(slide(), Clock()).details
        assert details["lower_bound"] == max(details["loss"], by_columns)


def hard():
    """Rows at random over six attributes: many regions of the lattice are to be settled."""
    tree = Hierarchy.from_rows([(f"{i}", f"p{i // 2}", f"q{i // 4}", "*") for i in range(8)])
    chance = random.Random(2)
    rows = [(*(chance.choice(tree.leaves) for _ in range(6)), "flu", "ill") for _ in range(60)]
    return ask({f"q{a}": tree for a in range(6)}, rows, Promise(3), 3, "DM").question


@pytest.mark.parametrize("option", [{"population": 1}, {"generations": "many"}, {"population": True}])
def test_the_genetic_search_refuses_what_is_no_number(option):
    with pytest.raises(InputError, match="whole number"):
        genetic(slide(), Clock(), **option)
