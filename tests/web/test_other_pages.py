"""What Optimize, Compare and Release ask for and say, without a page."""

from __future__ import annotations

import asyncio
import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("nicegui", reason="the pages need the extra web")

from shoal.answers.recoding import Scheme
from shoal.errors import ChangedError
from shoal.web.pages.choosing import keep_pin, send_to_release
from shoal.web.pages.compare_rows import attribute_shares, cost_rows, risk_rows
from shoal.web.pages.optimizing.optimize_wish import (
    OptimizeWish,
    limit_steps,
    limit_words,
    uniform_steps,
)
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.candidates import CHOSEN, Candidate, candidates, first_choice
from shoal.web.workspace.workspace import Workspace

SHARES = st.fractions(Fraction(1, 1000), 1)


@pytest.fixture
def work(tmp_path_factory):
    made = Workspace.of_built_in(tmp_path_factory.mktemp("work"), Limits(), rows=400)
    yield made
    made.close()


def pin_two(work):
    solutions = [work.questions.negotiate(k=k, max_suppressed="5%").exact.solution() for k in (2, 4)]
    for k, solution in zip((2, 4), solutions, strict=True):
        asked = {"question": "negotiate", "k": k}
        keep_pin(work, Candidate(CHOSEN, f"k = {k}", solution, asked, work.bench.state.recoding_key))
    return solutions


@given(SHARES, st.dictionaries(st.text(max_size=3), SHARES, max_size=3), st.integers(0, 50))
def test_wishes_are_kept_exactly(theta, own, k):
    wish = OptimizeWish("illness", theta, own, k, Scheme.VIO_SA, "DM", "5%", "0.02")
    assert wish.asked()["blank"] == "5%"
    assert wish.asked()["robust"] == "0.02"
    assert "robust" not in replace(wish, robust="").asked()
    assert replace(wish, scheme=Scheme.ALL_REC).asked()["suppress"] == "5%"
    assert not {"suppress", "blank"} & replace(wish, most="").asked().keys()
    assert OptimizeWish.reopened(wish.kept(), ["illness"], ["LM", "DM"], 100) == wish
    # Another study may lack the column, the metric, the rows.
    other = OptimizeWish.reopened(wish.kept(), ["other"], ["LM"], 10)
    assert (other.sensitive, dict(other.own), other.metric) == ("other", {}, "LM")
    assert other.k <= 10


@given(SHARES, SHARES)
def test_a_limit_of_its_own_is_kept_only_while_it_differs(theta, limit):
    wish = OptimizeWish("illness", theta).limiting("flu", limit)
    assert wish.limits().of("flu") == limit
    assert wish.limits().of("cold") == theta
    assert ("flu" in wish.own) == (limit != theta)
    assert wish.limiting("flu", theta).own == {}
    for steps in (limit_steps(theta, limit), uniform_steps(theta)):
        assert theta in steps


def test_limits_that_cannot_be_kept_are_told():
    wish = OptimizeWish("illness", Fraction(1, 4))
    assert wish.impossible(["a", "b", "c", "d"]) == ""
    assert "add up to 75%" in wish.impossible(["a", "b", "c"])
    assert OptimizeWish(None).impossible([]) == ""
    assert limit_words(Fraction(1)) == "no limit"


def test_a_question_without_a_sensitive_column_is_about_k():
    wish = OptimizeWish.reopened(None, [], ["LM"], 100)
    assert wish.asked() == {"scheme": "allRec", "metric": "LM", "k": 5}


def test_the_wish_is_what_the_solver_takes(work):
    wish = OptimizeWish.reopened(None, ["diagnosis"], ["LM"], 400)
    found = work.questions.optimize(**wish.asked(), time_limit=0.5)
    assert found["promise"] == {"theta": {"diagnosis": {"uniform": "1/4", "values": {}}}}


def test_what_is_pinned_and_what_is_chosen_can_be_released(work):
    assert candidates(work) == []
    assert first_choice(work) is None
    solutions = pin_two(work)
    there = candidates(work)
    assert [(each.title, each.asked["k"]) for each in there] == [("k = 2", 2), ("k = 4", 4)]
    assert first_choice(work) == there[0].key
    other = work.questions.negotiate(k=3, max_suppressed="5%").exact.solution()
    chosen = asdict(Candidate(CHOSEN, "sent", other, {}, work.bench.state.recoding_key))
    work.wishes.keep(chosen=chosen)
    assert [each.title for each in candidates(work)] == ["sent", "k = 2", "k = 4"]
    assert first_choice(work) == CHOSEN
    # What is pinned already is there once, whether it was sent from its pin or from where it was found.
    work.wishes.keep(chosen={**chosen, "solution": solutions[1]})
    assert [each.title for each in candidates(work)] == ["k = 2", "k = 4"]
    assert first_choice(work) == there[1].key
    work.wishes.keep(chosen={**chosen, "key": there[1].key, "solution": solutions[1]})
    assert first_choice(work) == there[1].key
    assert len(candidates(work)) == 2
    work.pins.remove(there[1].key)
    # What was sent is there even where its pin is gone.
    assert [each.title for each in candidates(work)] == ["sent", "k = 2"]


def test_what_was_found_for_another_study_is_not_released(work):
    """After an edit of a hierarchy the same levels release something else than was negotiated."""
    solutions = pin_two(work)
    made_for, (pin, _) = work.bench.state.recoding_key, work.bench.state.pins
    stale = Candidate(CHOSEN, "stale", solutions[0], {}, made_for)
    work.wishes.keep(chosen=asdict(stale))
    work.decisions.describe("age", {"intervals": {"origin": 0, "widths": [2, 10, 20, 40]}})
    assert candidates(work) == []
    assert first_choice(work) is None
    assert all("changed since" in each["error"] for each in work.pins.compare())
    with pytest.raises(ChangedError, match="ask again, or undo"):
        keep_pin(work, stale)
    with pytest.raises(ChangedError):
        work.releases.make(pin.solution, made_for=pin.made_for)
    assert work.releases.current() is None
    work.decisions.undo()
    assert len(candidates(work)) == 2
    # What is allowed, or weighs more, changes nothing in what is there.
    work.decisions.set_levels("age", 1, None)
    assert work.bench.state.recoding_key == made_for


class Window:
    """A page that tells what was refused, and where it goes."""

    def __init__(self):
        self.refused, self.gone = [], []

    async def attempt(self, function):
        try:
            return function()
        except ChangedError as problem:
            self.refused.append(str(problem))
            return None

    def go(self, step):
        self.gone.append(step)


def test_a_window_that_does_not_know_of_a_change_yet_sends_nothing_to_the_release(work):
    solution = work.questions.negotiate(k=2, max_suppressed="5%").exact.solution()
    found = Candidate(CHOSEN, "found", solution, {}, work.bench.state.recoding_key)
    work.decisions.describe("age", {"intervals": {"origin": 0, "widths": [2, 10, 20, 40]}})
    # In a thread of its own: the tests of the browser leave their loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        page = Window()
        pool.submit(asyncio.run, send_to_release(page, work, found)).result()
        assert "have changed since this was found" in page.refused[0]
        assert page.gone == []
        assert work.wishes.get("chosen") is None
        work.decisions.undo()
        pool.submit(asyncio.run, send_to_release(page, work, found)).result()
    assert page.gone == ["release"]
    assert work.wishes.get("chosen")["title"] == "found"


def test_undo_names_what_it_takes_back(work):
    states = [work.bench.state]
    work.decisions.set_roles({"outcome": ["insensitive"]})
    states.append(work.bench.state)
    work.decisions.describe("age", {"intervals": {"origin": 0, "widths": [2, 10]}})
    states.append(work.bench.state)
    pin_two(work)
    states.append(work.bench.state)
    work.decisions.set_title("other")
    states.append(work.bench.state)
    told = [after.change_from(before) for before, after in itertools.pairwise(states)]
    assert told == [
        "the role of outcome", "the hierarchy of age", "the pinned solutions", "the name of the table"
    ]  # fmt: skip


def test_pinned_solutions_have_the_same_rows_and_the_best_a_star(work):
    pin_two(work)
    solutions = [each for each in work.pins.compare() if "error" not in each]
    assert len(solutions) == 2
    costs = {row[0]: row[1:] for row in cost_rows(solutions)}
    released = [solution["released"] for solution in solutions]
    assert [int(cell.rstrip(" ★").replace(",", "")) for cell in costs["Rows released"]] == released
    for row in [*cost_rows(solutions), *risk_rows(solutions)]:
        assert len(row) == 3
        stars = [cell.endswith("★") for cell in row[1:]]
        assert not all(stars)
    risks = {row[0]: row[1:] for row in risk_rows(solutions)}
    assert risks["Smallest group (k)"][1].endswith("★")
    lost = attribute_shares(solutions)
    assert set(lost) == set(work.bench.quasi)
    assert all(0 <= share <= 1 for shares in lost.values() for share in shares)
