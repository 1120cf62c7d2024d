"""What the negotiation's page asks for and says, without a page."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples

pytest.importorskip("nicegui", reason="the pages need the extra web")

from shoal.answers.negotiation import Answer, Offer, Suggestions
from shoal.web.pages.negotiation.reasons import offer_words, verdict, why
from shoal.web.pages.negotiation.wish import (
    OFF,
    NegotiationWish,
    k_steps,
    l_steps,
    suppression_steps,
    suppression_words,
)
from tests.search.negotiation.cases import cases


@settings(max_examples=examples(100), deadline=None)
@given(cases(), st.data())
def test_a_suggestion_that_is_taken_is_answered_exactly(case, data):
    talk = case.indexed()
    shape = talk.shape
    heights = {
        name: data.draw(st.integers(lo, hi))
        for name, lo, hi in zip(shape.names, shape.bottom, shape.top, strict=True)
    }
    k = data.draw(st.integers(0, shape.rows + 1))
    l = data.draw(st.integers(0, 5)) if shape.sensitive else OFF  # noqa: E741
    wish = NegotiationWish(k, l, heights, data.draw(st.integers(0, max(shape.rows - 1, 0))))
    if not wish.asks:
        return
    answer = talk.ask(**wish.asked())
    assert verdict(answer, wish, shape)[0].startswith("Yes") == (answer.exact is not None)
    for kind, offer in answer.suggestions or ():
        if offer is None:
            continue
        assert offer_words(kind, offer, wish, shape)
        taken = wish.taking(kind, offer)
        assert taken.asks
        found = talk.ask(**taken.asked()).exact
        assert found is not None
        assert found.height <= offer.height
        # The other constraints are as they were.
        if kind != "privacy":
            assert (taken.k, taken.l) == (wish.k, wish.l)
        if kind != "suppression":
            assert taken.suppressed == wish.suppressed
        if kind != "height":
            assert taken.heights == wish.heights


@settings(max_examples=examples(100), deadline=None)
@given(cases(), st.data())
def test_what_was_kept_fits_the_study_it_is_reopened_for(case, data):
    shape = case.indexed().shape
    numbers = st.integers(0, 10**6)
    kept = {
        "k": data.draw(numbers),
        "l": data.draw(numbers),
        "suppressed": data.draw(numbers),
        "heights": data.draw(st.dictionaries(st.sampled_from([*shape.names, "gone"]), numbers)),
    }
    wish = NegotiationWish.reopened(kept, shape)
    assert wish.asks
    shape.node(wish.heights)
    assert 0 <= wish.suppressed < shape.rows
    assert wish.k <= shape.rows
    assert NegotiationWish.reopened(wish.kept(shape), shape) == wish
    assert NegotiationWish.reopened(None, shape) == NegotiationWish.first(shape)


@given(st.integers(1, 10**7), st.integers(0, 10**7))
def test_steps_rise_and_have_what_is_needed(rows, needed):
    needed = min(needed, rows)
    for steps in (
        k_steps(rows, needed),
        k_steps(rows, needed, off=True),
        suppression_steps(rows, needed),
    ):
        assert steps == sorted(set(steps))
        assert needed in steps
        assert steps[-1] <= max(rows, 1)
    assert OFF in k_steps(rows, off=True) or rows < 2
    assert l_steps(4, 3) == [0, 2, 3, 4]


def test_why_a_request_fails_is_told_in_words():
    explanation = {
        "holds": False,
        "suppressed": 120,
        "limit": 30,
        "blocked": 41,
        "values": [{"attribute": "age", "label": "91", "suppressed": 12, "rows": 15}],
        "steps": [
            {"attribute": "age", "level": 1, "suppressed": 20, "change": -100},
            {"attribute": "sex", "level": 1, "suppressed": 60, "change": -60},
        ],
    }
    told = why(explanation, NegotiationWish(5, 2, {}, 30))
    assert told == [
        "At the coarsest levels allowed, 120 rows are in 41 groups of fewer than 5 rows or fewer than 2 "
        "sensitive values, more than the 30 allowed.",
        "Most of them have age “91” (12 of 15).",
        "The single step that helps most: age to level 1, which leaves 20.",
    ]
    assert why({**explanation, "steps": []}, NegotiationWish(5, 0, {}, 30))[-1].startswith(
        "No single step"
    )
    assert why({**explanation, "suppressed": 0}, NegotiationWish(5, 0, {}, 30)) == [
        "At the coarsest levels allowed, no row is in groups of fewer than 5 rows, so nothing is in the "
        "way."
    ]
    assert (
        "which the limit of 30 allows"
        in why({**explanation, "holds": True, "suppressed": 20}, NegotiationWish(5, 0, {}, 30))[0]
    )


def test_offers_say_what_would_change(shape):
    wish = NegotiationWish(5, 3, {"age": 1, "sex": 0}, 10)
    assert offer_words("suppression", Offer({}, 1, 5, 3, 25), wish, shape) == (
        "25 rows suppressed (2.5%) instead of 10 rows (1%)"
    )
    assert offer_words("height", Offer({"age": 2, "sex": 0}, 2, 5, 3, 0), wish, shape) == (
        "age up to level 2; no row suppressed"
    )
    assert offer_words("privacy", Offer({}, 1, 4, 3, 9), wish, shape) == (
        "k = 4 instead of 5; 9 rows suppressed (0.9%)"
    )


def test_a_request_that_nothing_helps_says_why(shape):
    answer = Answer(None, Suggestions(None, None, None), 3, 0.1, "k of 2,000 is more than 1,000 rows")
    title, words = verdict(answer, NegotiationWish(2000, 0, {}, 0), shape)
    assert title == "No: k = 2,000 cannot be had"
    assert words == "K of 2,000 is more than 1,000 rows"


@pytest.fixture
def shape():
    from shoal.search.negotiation.request import LatticeShape

    return LatticeShape(("age", "sex"), (0, 0), (3, 1), 1000)


def test_a_single_row_is_no_rows():
    assert suppression_words(1, 100) == "1 row (1%)"
