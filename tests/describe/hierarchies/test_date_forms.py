"""Dates in the forms that people write: read where one reading is possible, asked about where two are."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import propose
from shoal.describe.hierarchies import build_hierarchy
from shoal.describe.hierarchies.date_forms import FORMS, DateForm, by_date, forms_of
from shoal.errors import InputError
from tests.examples import examples

MONTHS = [f"{date(2024, month, 1):%B}" for month in range(1, 13)]
DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))


def written(day: date, form: str) -> str:
    text = form.replace("month", MONTHS[day.month - 1][: 3 if "-" in form else None])
    return (
        text.replace("yyyy", str(day.year))
        .replace("dd", f"{day.day:02}")
        .replace("mm", f"{day.month:02}")
    )


@settings(max_examples=examples(100))
@given(
    st.lists(DAYS, min_size=1, max_size=8),
    st.sampled_from(FORMS),
    st.sampled_from(["", " 12:30", "T1:5:07Z"]),
)
def test_days_read_back_in_every_form_or_are_ambiguous(days, form, time):
    values = [written(day, form) + time for day in days]
    found = forms_of(values)
    assert days in [[each.day(value) for value in values] for each in found]
    both = {"dd/mm/yyyy", "mm/dd/yyyy"}, {"dd-mm-yyyy", "mm-dd-yyyy"}
    ambiguous = any(form in pair for pair in both)
    swapped = (
        ambiguous and all(day.day <= 12 for day in days) and any(day.day != day.month for day in days)
    )
    assert len(found) == (2 if swapped else 1)
    said = {"dates": {"units": ["month", "year"], "format": form}}
    rows = build_hierarchy(said, values, "d").rows()
    assert {row[0]: row[1] for row in rows} == {
        value: f"{day.year}-{day.month:02}" for value, day in zip(values, days, strict=True)
    }
    if swapped:
        with pytest.raises(InputError, match="may be read in two ways; say which"):
            build_hierarchy({"dates": ["month", "year"]}, values, "d")
    else:
        assert build_hierarchy({"dates": ["month", "year"]}, values, "d").rows() == rows


@pytest.mark.parametrize(
    "value", ["3. März 2024", "3 mars 2024", "March 3, 2024", "03-Mar-2024", "3 Sept. 2024"]
)
def test_months_have_names(value):
    (form,) = forms_of([value])
    assert form.day(value) in {date(2024, 3, 3), date(2024, 9, 3)}


@pytest.mark.parametrize(
    ("description", "values", "words"),
    [
        (
            {"units": ["year"], "format": "dd.mm"},
            ["1.1.2024"],
            "the format 'dd.mm' is no form of dates; write",
        ),
        (
            {"units": ["year"], "format": "dd.mm.yyyy"},
            ["1/1/2024"],
            "'1/1/2024' is not a date of the form dd.mm",
        ),
        (
            ["year"],
            ["31.12.2024", "31.13.2024"],
            "the value '31.13.2024' is not a date of the form dd.mm.yyyy",
        ),
        (["year"], ["30.02.2024"], "the value '30.02.2024' is not a date of the form "),
        ({"format": "dd.mm.yyyy"}, ["1.1.2024"], "the option units is missing"),
    ],
)
def test_what_is_no_date_is_refused(description, values, words):
    with pytest.raises(InputError) as problem:
        build_hierarchy({"dates": description}, values, "d")
    assert words in str(problem.value)


def test_a_format_may_have_any_marks():
    assert DateForm.said("yyyy_mm dd", "d").day("2024_01 31") == date(2024, 1, 31)


def test_init_takes_local_dates_for_dates_and_asks_about_others():
    days = [date(1950 + i, 1 + i % 12, 1 + i % 28) for i in range(40)]
    early = [day for day in days if day.day <= 12] * 3
    table = pa.table(
        {
            "born": [f"{day:%d.%m.%Y}" for day in days],
            "seen": [f"{early[i % len(early)]:%d/%m/%Y}" for i in range(40)],
        }
    )
    proposal = propose(table)
    born, _ = proposal.columns
    assert born.hierarchy.description == {"dates": ["month", "year", "5 years", "decade"]}
    assert [notice for notice in proposal.notices if notice.startswith("seen")] == [
        "seen: its dates may be dd/mm/yyyy or mm/dd/yyyy; say which, as in `hierarchy: {dates: {units: "
        "[month, year], format: dd/mm/yyyy}}`"
    ]


@settings(max_examples=examples(60))
@given(
    st.lists(st.datetimes(datetime(1900, 1, 2), datetime(2100, 1, 1)), unique=True, max_size=8),
    st.data(),
)
def test_dates_are_put_in_the_order_of_time(moments, data):
    clock = data.draw(st.sampled_from(["%H:%M:%S.%f", "%I:%M:%S.%f %p", "%H:%M:%S,%fZ"]))
    written = {f"{moment:%d.%m.%Y} {moment.strftime(clock)}": moment for moment in moments}
    found = by_date(list(written), DateForm("dd.mm.yyyy"))
    assert found == tuple(sorted(written, key=written.__getitem__))


def test_the_order_of_time_counts_zones_and_needs_a_clock():
    zones = ["2024-03-01 00:30+01:00", "2024-03-01 00:10Z", "2024-02-29T20:00:00-0500"]
    assert by_date(zones) == (zones[0], zones[1], zones[2])
    assert by_date(["2024-03-01 25:00", "2024-03-02"]) is None
    assert by_date(["2024-03-01 13:00 pm", "2024-03-02"]) is None
    assert by_date(["2024-03-01 1:00 to 2:00"]) is None
    assert by_date(["0001-01-01 00:00+02:00"]) is None
