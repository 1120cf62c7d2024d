"""Hierarchies that are described: intervals, masks, dates and nested trees."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe.hierarchies import build_hierarchy
from shoal.errors import InputError
from tests.examples import examples


def rows(description, values=()):
    return {row[0]: row[1:] for row in build_hierarchy(description, values, "the hierarchy of x").rows()}


def refusal(description, values=("1",)):
    with pytest.raises(InputError) as problem:
        build_hierarchy(description, values, "the hierarchy of x")
    message = str(problem.value)
    assert message.startswith("the hierarchy of x: ")
    return message.removeprefix("the hierarchy of x: ")


def intervals(widths, values, **options):
    return rows({"intervals": {"widths": widths, **options}}, values)


class TestIntervals:
    def test_of_whole_numbers_name_their_first_and_last(self):
        assert intervals([5, 10], ["3", "12"]) == {
            "3": ("0-4", "0-9", "*"),
            "12": ("10-14", "10-19", "*"),
        }

    def test_of_width_one_are_the_numbers(self):
        assert intervals([1, 5], ["3", "04"]) == {"3": ("3", "0-4", "*"), "04": ("4", "0-4", "*")}

    def test_begin_at_the_origin_and_go_on_below_it(self):
        found = intervals([5, 10], ["14", "15", "24"], origin=15)
        assert [found[value][:2] for value in ("14", "15", "24")] == [
            ("10-14", "5-14"), ("15-19", "15-24"), ("20-24", "15-24"),
        ]  # fmt: skip

    def test_hold_negative_numbers(self):
        assert intervals([5], ["-1", "-5", "-6", "0"]) == {
            "-1": ("-5--1", "*"),
            "-5": ("-5--1", "*"),
            "-6": ("-10--6", "*"),
            "0": ("0-4", "*"),
        }

    def test_of_decimals_are_half_open(self):
        assert intervals([0.5, 1], ["1.25", "-0.25", "3"]) == {
            "1.25": ("[1, 1.5)", "[1, 2)", "*"),
            "-0.25": ("[-0.5, 0)", "[-1, 0)", "*"),
            "3": ("[3, 3.5)", "[3, 4)", "*"),
        }

    def test_of_large_decimals_keep_all_their_digits(self):
        found = intervals(["0.25"], ["1234567.25", "1234567.5"])
        assert found["1234567.25"][0] == "[1234567.25, 1234567.5)"
        assert found["1234567.5"][0] == "[1234567.5, 1234567.75)"

    def test_of_small_decimals_are_written_out(self):
        assert intervals(["0.0000001"], ["0.00000015"])["0.00000015"][0] == "[0.0000001, 0.0000002)"

    def test_are_exact_where_floating_point_is_not(self):
        assert intervals(["0.1"], ["0.3"])["0.3"][0] == "[0.3, 0.4)"

    def test_take_numbers_however_they_are_written(self):
        found = intervals([10], ["7", "07", "7.0", " 7 ", "7e0", "+7"])
        assert set(found.values()) == {("0-9", "*")}

    @pytest.mark.parametrize(
        "value", ["x", "nan", "inf", "1/2", "1_000", "0x10", "--1", "1e", "", "1,5", "9" * 5000, "NA"]
    )
    def test_refuse_values_that_are_no_numbers(self, value):
        if value:
            assert "is not a number" in refusal({"intervals": {"widths": [5]}}, [value])

    @pytest.mark.parametrize("value", ["1e999999999", "1e-999999999", "-1E+999999999", "1e5000"])
    def test_refuse_exponents_that_nobody_means(self, value):
        assert "is not a number" in refusal({"intervals": {"widths": [5]}}, [value])
        assert "is not a number" in refusal({"intervals": {"widths": [value]}})
        assert "is not a number" in refusal({"intervals": {"widths": [5], "origin": value}})

    def test_hold_numbers_beyond_floating_point(self):
        assert intervals(["0.5"], ["1e400"])["1e400"][0].startswith("[1000")

    @pytest.mark.parametrize("widths", [[0], [-5], [10, 5], [5, 5]])
    def test_refuse_widths_that_do_not_rise(self, widths):
        assert refusal({"intervals": {"widths": widths}}).startswith("widths are positive and rise")

    def test_refuse_widths_that_do_not_nest(self):
        assert refusal({"intervals": {"widths": [5, 12]}}).startswith(
            "an interval of 12 does not hold whole intervals of 5"
        )

    @pytest.mark.parametrize("widths", [[], "5", 5, None, {"a": 1}])
    def test_refuse_widths_that_are_no_list(self, widths):
        assert refusal({"intervals": {"widths": widths}}).startswith("widths is a list of numbers")

    def test_refuse_unknown_options(self):
        message = refusal({"intervals": {"widths": [5], "orign": 3}})
        assert message == "unknown option 'orign'; did you mean origin?"

    def test_need_widths(self):
        assert refusal({"intervals": {"origin": 3}}) == "the option widths is missing"
        assert refusal({"intervals": [5, 10]}).startswith("write the options as a mapping")

    @settings(max_examples=examples(60))
    @given(
        st.lists(st.decimals(-1000, 1000, places=2), min_size=1, max_size=8),
        st.decimals(-50, 50, places=1),
        st.sampled_from([["0.1", "0.5", "5"], ["1", "5", "10"], ["7"], ["0.25", "0.5"]]),
    )
    def test_every_value_lies_in_its_intervals(self, numbers, origin, widths):
        found = intervals(widths, [str(number) for number in numbers], origin=str(origin))
        for value, (*labels, _) in found.items():
            for label, width in zip(labels, widths, strict=True):
                if label.startswith("["):
                    low, high = map(Fraction, label[1:-1].split(", "))
                    assert low <= Fraction(value) < high
                    assert high - low == Fraction(width)
                    assert (low - Fraction(origin)) % Fraction(width) == 0


class TestMasks:
    def test_hide_one_character_a_level_from_the_right(self):
        assert rows({"mask": {"digits": 5}}, ["02138", "02139"]) == {
            "02138": ("0213*", "021**", "02***", "0****", "*****"),
            "02139": ("0213*", "021**", "02***", "0****", "*****"),
        }

    def test_take_another_character(self):
        assert rows({"mask": {"digits": 2, "character": "#"}}, ["a*"]) == {"a*": ("a#", "##")}

    def test_refuse_values_of_another_length(self):
        message = refusal({"mask": {"digits": 5}}, ["2138"])
        assert message.startswith("the value '2138' has 4 characters where the mask says 5")
        assert "leading zeros" in message

    def test_refuse_values_that_look_masked(self):
        assert "contains the masking character" in refusal({"mask": {"digits": 5}}, ["0213*"])

    @pytest.mark.parametrize("digits", [0, -1, 65, 1.5, "1e3", 10**9])
    def test_refuse_silly_numbers_of_digits(self, digits):
        assert refusal({"mask": {"digits": digits}}) == "digits is a whole number from 1 to 64"

    @pytest.mark.parametrize("digits", ["five", None, "nan", "1e999999999"])
    def test_refuse_digits_that_are_no_number(self, digits):
        assert "is not a number" in refusal({"mask": {"digits": digits}})

    @pytest.mark.parametrize("character", ["", "##", None, "\n", "\0"])
    def test_refuse_more_or_less_than_one_character(self, character):
        message = refusal({"mask": {"digits": 1, "character": character}})
        assert message == "the masking character must be one visible character"

    @pytest.mark.parametrize("options", [5, "5", None, [5]])
    def test_need_a_mapping(self, options):
        assert refusal({"mask": options}).startswith("write the options as a mapping")

    def test_suggest_the_option_that_was_meant(self):
        assert refusal({"mask": {"digit": 5}}).endswith("did you mean digits?")


class TestDates:
    def test_lie_in_months_quarters_and_years(self):
        assert rows({"dates": ["month", "quarter", "year"]}, ["2020-02-29", "2021-12-31"]) == {
            "2020-02-29": ("2020-02", "2020-Q1", "2020", "*"),
            "2021-12-31": ("2021-12", "2021-Q4", "2021", "*"),
        }

    def test_lie_in_spans_of_years(self):
        found = rows({"dates": ["year", "5 years", "decade", "100 years"]}, ["1987-06-05"])
        assert found["1987-06-05"] == ("1987", "1985-1989", "1980s", "1900-1999", "*")

    def test_lie_in_the_weeks_of_the_iso_calendar(self):
        found = rows({"dates": ["day", "week"]}, ["2021-01-01", "2020-12-28", "0001-01-01"])
        assert found["2021-01-01"] == ("2021-01-01", "2020-W53", "*")
        assert found["2020-12-28"] == ("2020-12-28", "2020-W53", "*")
        assert found["0001-01-01"] == ("0001-01-01", "0001-W01", "*")

    def test_may_have_a_time(self):
        times = ["2020-01-01 10:00:00", "2020-01-01T23:59", "2020-01-01 00:00:00+00", "2020-01-01"]
        found = rows({"dates": ["day", "year"]}, times)
        assert {found[value] for value in times} == {("2020-01-01", "2020", "*")}

    @pytest.mark.parametrize(
        "value",
        ["31.13.2020", "2021-02-29", "2020-13-01", "2020-1-1", "0000-01-01", "20200101", "2020-01",
         "2020-01-01x", "2020-01-01 soon", "yesterday", "NA"],
    )  # fmt: skip
    def test_refuse_what_is_no_date(self, value):
        message = refusal({"dates": ["year"]}, [value])
        assert message.startswith(f"the value {value!r} is not a date of the form YYYY-MM-DD")

    @pytest.mark.parametrize(
        "units",
        [["week", "month"], ["week", "year"], ["year", "month"], ["month", "month"], ["year", "year"],
         ["2 years", "3 years"], ["decade", "15 years"], ["decade", "10 years"], ["month", "week"],
         ["5 years", "year"]],
    )  # fmt: skip
    def test_refuse_units_that_do_not_nest_whatever_the_data_holds(self, units):
        message = refusal({"dates": units}, ["2020-01-15"])
        assert f"{units[1]} does not hold whole units of {units[0]}" in message

    @pytest.mark.parametrize(
        ("unit", "meant"),
        [("months", "month"), ("Year", "year"), ("0 years", "5 years"), ("1 year", "year")],
    )
    def test_suggest_the_unit_that_was_meant(self, unit, meant):
        message = refusal({"dates": [unit]}, ["2020-01-01"])
        assert message == f"unknown unit of time {unit!r}; did you mean {meant}?"

    @pytest.mark.parametrize("units", ["year", [], None, {"units": "year"}])
    def test_need_a_list_of_units(self, units):
        assert refusal({"dates": units}, ["2020-01-01"]).startswith("dates is a list of units")

    @settings(max_examples=examples(40))
    @given(
        st.lists(st.dates(date(1, 1, 1)), min_size=1, max_size=10),
        st.sampled_from(
            [["day", "month", "quarter", "year", "5 years", "decade", "100 years"], ["day", "week"]]
        ),
    )
    def test_every_date_finds_its_units(self, days, units):
        found = rows({"dates": units}, [day.isoformat() for day in days])
        assert len(found) == len(set(days))


class TestTrees:
    def test_groups_hold_lists_of_values(self):
        assert rows({"Europe": ["FR", "DE"], "Asia": ["JP"]}) == {
            "FR": ("Europe", "*"),
            "DE": ("Europe", "*"),
            "JP": ("Asia", "*"),
        }

    def test_a_single_top_is_the_root(self):
        assert rows({"Any": {"Europe": ["FR"], "Asia": ["JP"]}}) == {
            "FR": ("Europe", "Any"),
            "JP": ("Asia", "Any"),
        }

    def test_a_branch_that_ends_early_repeats_its_leaf(self):
        tree = {"Europe": {"West": ["FR"], "MT": None}, "Asia": ["JP"], "Moon": None}
        assert rows(tree) == {
            "FR": ("West", "Europe", "*"),
            "MT": ("MT", "Europe", "*"),
            "JP": ("JP", "Asia", "*"),
            "Moon": ("Moon", "Moon", "*"),
        }

    def test_lists_may_hold_groups_and_values(self):
        assert rows({"Europe": ["MT", {"West": ["FR"]}], "JP": None}) == {
            "MT": ("MT", "Europe", "*"),
            "FR": ("West", "Europe", "*"),
            "JP": ("JP", "JP", "*"),
        }

    def test_an_empty_item_is_the_missing_value(self):
        assert rows({"known": ["a"], "unknown": ["?", None]})[None] == ("unknown", "*")
        assert rows({"known": ["a"], "unknown": ["?", ""]})[None] == ("unknown", "*")
        assert rows({"x": {"known": ["a"]}, "y": [None]})[None] == (None, "y", "*")

    def test_numbers_are_text(self):
        assert rows({"low": [1, 2], "high": [3.5]}) == {
            "1": ("low", "*"),
            "2": ("low", "*"),
            "3.5": ("high", "*"),
        }

    def test_the_values_of_the_column_do_not_matter(self):
        assert rows({"x": ["a"], "y": ["b"]}, ["q"]) == rows({"x": ["a"], "y": ["b"]})

    def test_a_value_that_stands_twice_is_refused(self):
        assert refusal({"x": ["a"], "y": ["a"]}).startswith("the value 'a' appears twice")

    @pytest.mark.parametrize("below", [{}, [], [[]]])
    def test_a_group_of_nothing_is_refused(self, below):
        assert refusal({"x": ["a"], "y": below}) == "'y' has nothing below it"

    def test_a_tree_of_nothing_is_refused(self):
        assert refusal({"x": {}}) == "'x' has nothing below it"
        assert refusal({}) == "'*' has nothing below it"

    def test_a_root_alone_is_refused(self):
        assert refusal({"x": None}) == "the tree has no values below 'x'"

    def test_a_label_with_two_parents_is_refused(self):
        assert "'DE' has two parents" in refusal({"Europe": {"DE": ["BY"]}, "DE": None})

    def test_a_tree_without_end_is_refused(self):
        tree: dict = {}
        tree["x"] = tree
        assert "nested too deeply" in refusal(tree)
        deep: dict = {"leaf": None}
        for i in range(5000):
            deep = {f"l{i}": deep}
        assert "nested too deeply" in refusal(deep)

    @pytest.mark.parametrize(
        ("description", "meant"),
        [
            ({"interval": {"widths": ["5", "10"]}}, "intervals"),
            ({"Intervals": {"origin": "1", "widths": ["5"]}}, "intervals"),
            ({"masks": {"digits": "5"}}, "mask"),
            ({"date": ["month", "year"]}, "dates"),
        ],
    )
    def test_a_misspelt_description_is_no_tree(self, description, meant):
        assert f"did you mean {meant}?" in refusal(description)

    def test_a_tree_may_hold_the_names_of_units(self):
        assert rows({"billing": ["month", "year"]}) == {"month": ("billing",), "year": ("billing",)}

    def test_yaml_means_what_it_says(self):
        tree = yaml.load("{Nordic: ['NO', SE], '007': [0123, 'null']}", Loader=yaml.BaseLoader)
        assert rows(tree) == {
            "NO": ("Nordic", "*"),
            "SE": ("Nordic", "*"),
            "0123": ("007", "*"),
            "null": ("007", "*"),
        }


@pytest.mark.parametrize(
    "description", [{"intervals": {"widths": [5]}}, {"mask": {"digits": 5}}, {"dates": ["year"]}]
)
def test_missing_values_are_left_to_the_root(description):
    assert rows(description, [None]) == {None: ("*",)}
    assert rows(description, []) == {None: ("*",)}


@pytest.mark.parametrize(
    ("description", "value"),
    [
        ({"intervals": {"widths": [5]}}, "3"),
        ({"mask": {"digits": 1}}, "3"),
        ({"dates": ["year"]}, "2020-01-01"),
    ],
)
def test_a_missing_value_among_others_has_no_row(description, value):
    assert list(rows(description, [value, None])) == [value]
