"""Fields read what is typed or sent, and refuse the rest in one line that names them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import InputError
from shoal.questions.execution import Execution
from shoal.questions.fields import fields_of
from shoal.questions.kinds import Pairs, Real, Several, Share, Shares, Whole
from shoal.questions.releases import VerifyQuestion
from shoal.questions.searches import (
    CHOICES,
    AnonymizeQuestion,
    CompareQuestion,
    FrontierQuestion,
    NegotiateQuestion,
    OptimizeQuestion,
)

QUESTIONS = {
    Execution: {},
    FrontierQuestion: {},
    OptimizeQuestion: {"k": 2},
    NegotiateQuestion: {},
    AnonymizeQuestion: {"algorithm": "flash", "k": 2},
    CompareQuestion: {"k": 2},
}
NAMES = st.text(st.characters(codec="utf-8", exclude_characters=",="), min_size=1).filter(
    lambda name: name == name.strip()
)


def refusal(question, **given):
    with pytest.raises(InputError) as refused:
        question(**given)
    assert "\n" not in str(refused.value)
    assert "--" not in str(refused.value)  # Python users have no command line
    return str(refused.value)


@given(st.fractions(0, 1, max_denominator=1000))
def test_a_share_is_read_exactly_as_it_is_written(share):
    assert Share().check("theta", str(share)) == share
    assert Share().check("theta", share) == share


@given(st.integers(0, 10_000))
def test_a_decimal_share_is_not_rounded(parts):
    assert Share().check("theta", parts / 10_000) == Fraction(parts, 10_000)


@given(st.integers(-5, 20), st.integers(0, 4), st.integers(5, 9))
def test_a_whole_number_is_taken_if_it_lies_in_its_range(number, least, most):
    kind = Whole(least, most)
    if least <= number <= most:
        assert kind.check("k", number) == number
    else:
        with pytest.raises(
            InputError, match=rf"k is {number}; use a whole number from {least} to {most}"
        ):
            kind.check("k", number)


@pytest.mark.parametrize("given", [True, 1.5, "1", None, math.nan, [1]])
def test_what_is_no_whole_number_is_refused(given):
    with pytest.raises(InputError, match=r"k is .*; use a whole number, 1 or more"):
        Whole().check("k", given)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_number_is_taken_if_it_lies_in_its_range(number):
    kind = Real(below=1)
    if 0 <= number < 1:
        assert kind.check("gap", number) == number
    else:
        with pytest.raises(InputError, match=r"gap is .*; use 0 or more and less than 1"):
            kind.check("gap", number)


@pytest.mark.parametrize("given", [True, "1", None])
def test_what_is_no_number_is_refused(given):
    with pytest.raises(InputError, match="gap is "):
        Real().check("gap", given)


@given(st.lists(NAMES, min_size=1, unique=True))
def test_names_are_read_from_a_list_and_from_a_text(names):
    assert Several(commas=True).check("quasi", ",".join(names)) == tuple(names)
    assert Several(commas=True).check("quasi", names) == tuple(names)
    assert Several().check("sensitive", names * 2) == tuple(names)
    assert Several().check("sensitive", "a,b") == ("a,b",)


@given(st.dictionaries(st.text(), st.fractions(0, 1)), st.none() | st.fractions(0, 1))
def test_limits_by_value_stand_among_those_of_all(values, uniform):
    texts = [f"{value}={limit}" for value, limit in values.items()]
    texts += [] if uniform is None else [str(uniform)]
    found, own = Shares("theta").split(texts)
    assert found == (None if uniform is None else str(uniform))
    assert Shares("theta").check("limits", own) == values


@given(st.dictionaries(NAMES, st.text()))
def test_options_are_read_as_they_are_written(options):
    assert Pairs().check("options", [f"{name}={value}" for name, value in options.items()]) == options


@given(st.sampled_from(CHOICES).flatmap(st.permutations))
def test_objectives_are_read_in_any_order(names):
    recoding = "cuts" if "theta" in names else "nodes"
    k = None if "k" in names else 3
    asked = FrontierQuestion(objectives=", ".join(names), k=k, recoding=recoding)
    assert sorted(asked.objectives) == sorted(names)
    assert asked.objectives in CHOICES


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_default_is_taken_as_if_it_were_given(question):
    given = QUESTIONS[question]
    made = question(**given)
    for one in fields_of(question):
        assert question(**{one.name: one.default} | given) == made
        assert one.meaning.endswith(".")
        assert len(one.meaning.splitlines()) == 1


@pytest.mark.parametrize(
    ("question", "given", "words"),
    [
        (Execution, {"threads": 0}, "threads is 0; use a whole number from 1 to 1,024"),
        (Execution, {"tally_memory": "lots"}, "tally_memory: 'lots' is not a memory size"),
        (Execution, {"time_limit": 0}, "time_limit is 0; use more than 0"),
        (FrontierQuestion, {"k": 2}, "k is an objective of k,loss"),
        (FrontierQuestion, {"objectives": "l,loss", "method": "poka"}, "no method poka for l,loss"),
        (FrontierQuestion, {"method": "exct"}, "unknown method 'exct'; did you mean exact?"),
        (FrontierQuestion, {"max_k": 2, "min_k": 3}, "no k lies between 3 and 2"),
        (FrontierQuestion, {"metric": "ML"}, "unknown metric 'ML'"),
        (OptimizeQuestion, {}, "nothing is to be promised; give l, theta or k"),
        (OptimizeQuestion, {"l": 2, "theta": 0.5}, "l and theta both limit every value"),
        (OptimizeQuestion, {"k": 2, "sensitive": "s"}, "a sensitive column is named, but no limit"),
        (OptimizeQuestion, {"l": 2, "gap": 1}, "gap is 1; use 0 or more and less than 1"),
        (OptimizeQuestion, {"l": 2, "top": 0}, "top is 0; use a whole number from 1 to 10,000"),
        (OptimizeQuestion, {"l": 2, "seed": "x"}, "seed is x; use a whole number"),
        (OptimizeQuestion, {"limits": {1: 0.5}}, "limits has 1; name sensitive values as text"),
        (OptimizeQuestion, {"limits": {"a": 2}}, "theta of a 2 is not between 0 and 1"),
        (OptimizeQuestion, {"l": "0.5"}, "l is 0.5; use 1 or more"),
        (OptimizeQuestion, {"k": 2, "scheme": "all"}, "unknown scheme 'all'"),
        (NegotiateQuestion, {"k": 0}, "k is 0; use a whole number, 1 or more"),
        (NegotiateQuestion, {"heights": {"age": -1}}, "heights of 'age' is -1"),
        (NegotiateQuestion, {"heights": 3}, "heights is 3; give levels by attribute"),
        (NegotiateQuestion, {"max_suppressed": "many"}, "'many' is not an amount of suppression"),
        (CompareQuestion, {}, "nothing is to be promised; give k, or another criterion"),
        (CompareQuestion, {"k": 2, "distance": "equal"}, "a distance is about t"),
        (CompareQuestion, {"t": 1, "distance": {"s": "far"}}, "unknown distance 'far'"),
        (CompareQuestion, {"k": 2, "sensitive": "s"}, "nothing is promised of it; give l, theta or t"),
        (CompareQuestion, {"recursive_l": "2"}, "recursive_l is '2'; write it as C,L"),
        (CompareQuestion, {"delta": ("0.5", "0.1")}, "delta from 0.5 to 0.1; give the smaller first"),
        (CompareQuestion, {"k": 2, "algorithms": " ,"}, "algorithms names nothing"),
        (VerifyQuestion, {"table": "t.csv", "k": 2}, "name its quasi columns too"),
        (VerifyQuestion, {"table": "t.csv", "quasi": "a"}, "say what to check: k, l, theta"),
        (VerifyQuestion, {"table": "t.csv", "quasi": "a", "l": 2}, "l: about a sensitive column"),
        (VerifyQuestion, {"table": "t.csv", "quasi": "a", "k": 2, "key": "p"}, "leave quasi out"),
        (VerifyQuestion, {"table": "t.csv", "quasi": "a", "k_map": 2}, "about a population"),
        (VerifyQuestion, {"table": "t.csv", "quasi": "a", "k": 2, "order": "x,y"}, "an order is for"),
        (VerifyQuestion, {"table": "t.csv", "quasi": "a", "k": 2, "hierarchy": "h"}, "go together"),
    ],
)
def test_what_cannot_be_meant_is_refused(question, given, words):
    assert words in refusal(question, **given)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frontier", "s.yaml", "--min-k", "0"], "--min-k is 0; use a whole number, 1 or more"),
        (
            ["anonymize", "s.yaml", "--algorithm", "flash", "--k", "2", "--option", "x"],
            "write NAME=VALUE",
        ),
        (["verify", "t.csv", "--tally-memory", "x"], "--tally-memory: 'x' is not a memory size"),
        (["diff", "a.csv", "b.csv", "--k", "0"], "--k is 0"),
    ],
)
def test_a_command_line_is_told_the_name_of_the_option(shoal, arguments, words):
    status, out, err = shoal(*arguments)
    assert (status, out) == (2, "")
    assert words in err
