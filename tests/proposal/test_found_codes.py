"""The usual codes for missing values are found where they are evident, and only there."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal import Study, propose
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.describe.table_reading import Reading
from shoal.proposal.found_codes import blank_usual_codes

AGES = [str(age) for age in range(18, 91)]


def found(**columns) -> Reading:
    longest = max(map(len, columns.values()))
    table = {name: (values * longest)[:longest] for name, values in columns.items()}
    return blank_usual_codes(DuckDBEngine(pa.table(table)), 100).reading


@pytest.mark.parametrize("code", ["?", "NA", "N/A", "-", ".", "unknown", "NULL", "nan"])
def test_signs_and_words_are_codes_of_the_whole_study(code):
    assert found(age=[*AGES, code], job=["clerk", "baker", code]) == Reading((code,))


def test_namibia_is_a_country():
    countries = ["NA", "DE", "FR", "ZW"]
    assert found(country=countries, age=AGES) == Reading()
    assert found(country=countries, age=[*AGES, "NA"]) == Reading((), {"age": ("NA",)})


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*AGES, "-9"], ("-9",)),
        ([*AGES, "-9", "-8"], ("-9", "-8")),
        ([*AGES, "-9", "-12"], ()),  # debts, perhaps
        ([*AGES, "999"], ("999",)),
        ([*AGES, "91", "93", "95", "97", "99"], ()),  # an old woman
        ([*AGES, *["99"] * 20], ("99",)),
        (["1", "2", "3", "99"], ("99",)),
        (["97", "98", "99"], ()),
        (["02139", "02140", "99999"], ()),  # codes of places
        (["?", *AGES, "-9"], ("-9",)),
    ],
)
def test_numbers_are_codes_where_that_is_evident(values, codes):
    assert found(x=values).missing_in.get("x", ()) == codes


def test_a_proposal_says_what_it_found_and_its_study_runs(tmp_path):
    table = tmp_path / "people.csv"
    rows = [
        f"{age},{'?' if int(age) % 9 == 0 else 'flu'},{-9 if int(age) % 7 == 0 else 3}" for age in AGES
    ]
    table.write_text("\n".join(["age,diagnosis,children", *rows, "?,cold,2", ""]))
    proposal = propose(table, out=tmp_path / "study.yaml")
    assert [notice for notice in proposal.notices if "missing" in notice] == [
        "age: the study takes ? (1 row) for missing values; correct it if they are not",
        "diagnosis: the study takes ? (9 rows) for missing values; correct it if they are not",
        "children: the study takes -9 (10 rows) for missing values; correct it if they are not",
    ]
    text = (tmp_path / "study.yaml").read_text()
    assert 'missing: ["?"]' in text
    assert 'missing: ["-9"]' in text
    with Study.open(tmp_path / "study.yaml") as study:
        assert study.specification.reading == Reading(("?",), {"children": ("-9",)})
        assert None in study.tally().domain("age")
