"""Suggested hierarchies: valid for any values, and sensible for the usual ones."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies import Hierarchy, build_hierarchy, read_hierarchy
from shoal.describe.hierarchies.files import write_hierarchy
from shoal.proposal.suggested import (
    Suggestion,
    suggest_categories,
    suggest_dates,
    suggest_digit_intervals,
    suggest_intervals,
    suggest_mask,
)
from shoal.proposal.suggested_groups import MOST_BLOCKS, MOST_FLAT, assemble, group_categories

# Whatever a column can hold: no NUL byte, since hierarchy files are text, and no empty text (missing).
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
labels = st.sampled_from(["*", "(any)", "A-F", "A", "A*", "a ...", "1 to 9", "0-9", "other", "(any) 2"])
bands = st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda ends: f"{ends[0]}-{ends[1]}")
words = st.tuples(st.sampled_from(["Self", "Married", "gov"]), texts).map("-".join)
alike = texts.map(lambda text: "Department " + text)
numbers = st.integers(0, 10**20).map(str)
columns = st.one_of(
    *(
        st.sets(kind, min_size=1, max_size=size)
        for kind in (texts, labels | texts, bands, words, alike, numbers, bands | texts)
        for size in (MOST_FLAT, 40, MOST_BLOCKS + 40)
    )
)


@given(columns)
def test_any_categories_have_a_valid_hierarchy(values: set[str]) -> None:
    rows, _ = group_categories(values)
    hierarchy = Hierarchy.from_rows(rows)
    assert set(hierarchy.leaves) == values
    assert len(hierarchy.labels[-1]) == 1
    assert hierarchy.labels[-1][0] not in values
    assert set(hierarchy.tree().leaves) == values


@given(values=columns)
def test_a_suggested_file_is_read_back_as_it_was_meant(
    values: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = suggest_categories(values).rows
    assert rows is not None
    path = tmp_path_factory.mktemp("hierarchy") / "column.csv"
    path.write_text(write_hierarchy(rows), encoding="utf-8", newline="")
    assert read_hierarchy(path).rows() == list(rows)


@given(columns)
def test_every_level_but_the_values_merges_something(values: set[str]) -> None:
    hierarchy = Hierarchy.from_rows(group_categories(values)[0])
    sizes = [len(labels) for labels in hierarchy.labels]
    assert len(values) == 1 or all(below > above for below, above in pairwise(sizes))


wholes = st.lists(st.integers(-(10**15) + 1, 10**15 - 1), min_size=1, max_size=30)
near = st.tuples(
    st.integers(-(10**14), 10**14), st.lists(st.integers(0, 300), min_size=1, max_size=30)
).map(lambda drawn: [drawn[0] + step for step in drawn[1]])
decimals = st.lists(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=4),
    min_size=1,
    max_size=30,
)
tiny = st.lists(st.integers(0, 999).map(lambda n: f"{n}e-9"), min_size=1, max_size=30)


@given(wholes | near, st.booleans())
def test_whole_numbers_have_valid_intervals(values: list[int], age: bool) -> None:
    suggestion = suggest_intervals(min(values), max(values), whole=True, age=age)
    check_intervals(suggestion, [str(value) for value in values])


@given(decimals | tiny)
def test_decimals_have_valid_intervals(values: list[object]) -> None:
    shown = [str(value) for value in values]
    ends = [float(Fraction(text)) for text in shown]
    check_intervals(suggest_intervals(min(ends), max(ends), whole=False), shown)


@given(st.lists(st.integers(0, 10**15 - 1), min_size=1, max_size=30))
def test_codes_without_their_zeros_have_valid_intervals(values: list[int]) -> None:
    check_intervals(suggest_digit_intervals(max(values)), [str(value) for value in values])


def check_intervals(suggestion: Suggestion, values: list[str]) -> None:
    """The description is taken, and labels tell all intervals apart."""
    assert suggestion.description is not None
    hierarchy = build_hierarchy(suggestion.description, values, "the test")
    assert hierarchy.height + 1 == suggestion.levels
    origin = Fraction(str(suggestion.description["intervals"]["origin"]))
    for level, width in enumerate(suggestion.description["intervals"]["widths"], start=1):
        found = {(Fraction(value) - origin) // Fraction(str(width)) for value in values}
        assert len(hierarchy.labels[level]) == len(found)


@given(st.lists(st.dates(), min_size=1), st.booleans())
def test_dates_have_valid_units(days: list[date], birth: bool) -> None:
    values = sorted(day.isoformat() for day in days)
    suggestion = suggest_dates(values[0], values[-1], birth=birth)
    assert suggestion.description is not None
    assert build_hierarchy(suggestion.description, values, "the test").height + 1 == suggestion.levels


@given(st.lists(st.datetimes(), min_size=1), st.booleans())
def test_moments_have_valid_units(moments: list[datetime], birth: bool) -> None:
    values = sorted(moment.isoformat(sep=" ") for moment in moments)
    suggestion = suggest_dates(values[0], values[-1], birth=birth, timed=True)
    assert suggestion.description is not None
    assert suggestion.description["dates"][0] == "day"
    assert build_hierarchy(suggestion.description, values, "the test").height + 1 == suggestion.levels


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(st.text("0123456789", min_size=n, max_size=n), min_size=1)
    )
)
def test_codes_of_one_length_have_a_valid_mask(values: list[str]) -> None:
    suggestion = suggest_mask(len(values[0]))
    assert suggestion.description is not None
    assert build_hierarchy(suggestion.description, values, "the test").height + 1 == suggestion.levels


@pytest.mark.parametrize(
    ("low", "high", "whole", "widths"),
    [
        (0, 104, True, [10, 20, 40, 80]),
        (0, 5, True, [2, 4]),
        (1, 99, True, [5, 10, 20, 40]),
        (12_000, 240_000, True, [20_000, 40_000, 80_000, 160_000]),
        (1931, 2004, True, [5, 10, 20, 40]),
        (0.0, 1.0, False, [0.05, 0.1, 0.2, 0.4]),
        (-5.5, 12.25, False, [1, 2, 4, 8]),
        (123456.5, 123457.5, False, [1]),  # narrower bounds would need more digits than labels have
    ],
)
def test_intervals_have_round_nested_widths(
    low: float, high: float, whole: bool, widths: list[float]
) -> None:
    description = suggest_intervals(low, high, whole=whole).description
    assert description is not None
    assert description["intervals"]["widths"] == widths
    assert description["intervals"]["origin"] % widths[-1] == pytest.approx(0)
    assert description["intervals"]["origin"] <= low


def test_few_ages_do_not_get_wide_spans() -> None:
    assert suggest_intervals(17, 22, whole=True, age=True).description == {
        "intervals": {"origin": 16, "widths": [2, 4]}
    }


def test_long_times_go_up_to_decades() -> None:
    assert suggest_dates("1990-01-01", "2024-01-01", birth=False).description == {
        "dates": ["month", "year", "5 years", "decade"]
    }


def test_short_lists_are_not_grouped() -> None:
    rows, how = group_categories(["b", "a", "c"])
    assert rows == (("a", "*"), ("b", "*"), ("c", "*"))
    assert how == ""
    assert suggest_categories(["b", "a"]).note == ""


def test_bands_become_wider_bands() -> None:
    rows, how = group_categories([f"{low}-{low + 4}" for low in range(15, 95, 5)])
    assert rows[0] == ("15-19", "15-24", "15-34", "15-54", "*")
    assert rows[-1] == ("90-94", "85-94", "75-94", "55-94", "*")
    assert how == "neighbours"


def test_numbered_values_are_taken_in_the_order_of_their_numbers() -> None:
    rows, _ = group_categories([f"{n} rooms" for n in range(1, 13)])
    assert rows[0][:2] == ("1 rooms", "1 rooms to 2 rooms")
    assert rows[-1][:2] == ("12 rooms", "11 rooms to 12 rooms")


def test_shared_first_words_make_groups() -> None:
    values = [
        "Married civil",
        "Married absent",
        "Never",
        "Self inc",
        "Self not",
        "Gov local",
        "Gov state",
    ]
    rows, how = group_categories([*values, "Gov federal", "Married other"])
    assert how == "first words"
    assert {row[0]: row[1] for row in rows}["Self inc"] == "Self ..."
    assert ("Never", "Never", "*") in rows


def test_other_lists_are_put_into_blocks_of_letters() -> None:
    fruits = ["apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel", "imbe", "jujube"]
    rows, how = group_categories([*fruits, "kiwi", "lemon"])
    assert how == "first letters"
    assert {row[1] for row in rows} == {"A-D", "E-H", "I-L"}


def test_long_lists_are_cut_to_their_first_letters() -> None:
    rows, how = group_categories([f"{a}{b}{n}" for a in "AB" for b in "xyz" for n in range(30)])
    assert how == "first letters"
    assert ("Ax7", "Ax7", "A*", "*") in rows
    assert ("Ax17", "Ax1*", "A*", "*") in rows


def test_a_label_is_never_a_value() -> None:
    rows = assemble(["a", "b", "*"], [("b", ["a", "b"]), ("*", ["*"])])
    assert rows == (("a", "b (group)", "(any)"), ("b", "b (group)", "(any)"), ("*", "*", "(any)"))
