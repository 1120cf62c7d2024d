"""Proposals: what an engine sees of a table, and what names and values say about its columns."""

from __future__ import annotations

import json
import os
import unicodedata
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.describe import Role
from shoal.describe.study_file import read_study_file
from shoal.errors import InputError
from shoal.proposal import Proposal, propose
from shoal.proposal.column_names import meaning_of, split_words
from shoal.proposal.proposal import MOST_GUESSED_NODES, MOST_NODES
from shoal.proposal.suggested import Suggestion
from tests import commands


def looked_at(columns: dict[str, list[object]], hierarchies: Path | None = None) -> Proposal:
    """The proposal for a table in memory."""
    engine = DuckDBEngine(pa.table(columns))
    try:
        return propose(engine, hierarchies)
    finally:
        engine.close()


def roles(proposal: Proposal) -> dict[str, str]:
    return {column.name: column.role.value for column in proposal.columns}


# What an engine sees.

cells = st.none() | st.sampled_from(
    ["", "1", "01", "-3", "2.5", "1e-3", "x", "2024-02-29", "2023-02-29"]
)


@given(st.lists(cells, min_size=1, max_size=12))
@example(["0000-01-01"])
@example(["2024-01-01T10:00", "2024-01-02"])
@example([None, ""])
def test_a_profile_says_what_python_finds(values: list[str | None]) -> None:
    engine = DuckDBEngine(pa.table({"c": pa.array(values, pa.string())}))
    (profile,) = engine.profile(3)
    engine.close()
    counts = Counter(value for value in values if value)
    assert profile.distinct == len(counts)
    assert profile.missing == len(values) - counts.total()
    assert profile.once == sum(1 for count in counts.values() if count == 1)
    assert profile.values == (tuple(sorted(counts)) if len(counts) <= 3 else ())
    assert profile.whole == (counts.keys() <= {"1", "01", "-3"})
    assert profile.decimal == (counts.keys() <= {"1", "01", "-3", "2.5", "1e-3"})
    assert profile.digits == (counts.keys() <= {"1", "01"})
    assert profile.zeros == ("01" in counts)
    assert profile.date == (counts.keys() <= {"2024-02-29", "2024-01-01T10:00", "2024-01-02"})
    assert profile.longest == max(map(len, counts), default=None)
    if profile.decimal and counts:
        assert (profile.lowest, profile.highest) == (min(map(float, counts)), max(map(float, counts)))


def test_many_columns_are_profiled_in_their_order() -> None:
    names = [f"c{i}" for i in range(40)]
    engine = DuckDBEngine(pa.table({name: [name, None, name] for name in names}))
    profiles = engine.profile(10)
    engine.close()
    assert [profile.column for profile in profiles] == names
    assert all(profile.values == (profile.column,) and profile.missing == 1 for profile in profiles)


def test_lists_have_a_type_and_no_values() -> None:
    engine = DuckDBEngine(pa.table({"plain": ["a"], "list": [["a"]]}))
    assert [profile.nested for profile in engine.profile(10)] == [None, "VARCHAR[]"]
    engine.close()


# What names say.


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("hospital-id", "identifying"),
        ("patientID", "identifying"),
        ("First Name", "identifying"),
        ("birth name", "identifying"),
        ("E-Mail", "identifying"),
        ("record_number", "identifying"),
        ("home address 2", "identifying"),
        ("provider", None),
        ("average", None),
        ("identity", None),
        ("hours-per-week", None),
        ("age", "quasi"),
        ("Age at diagnosis", "quasi"),
        ("date of birth", "quasi"),
        ("ZIPCode", "quasi"),
        ("native-country", "quasi"),
        ("country_name", "quasi"),
        ("sex_id", "quasi"),
        ("work class", "quasi"),
        ("education-num", "quasi"),
        ("admission diagnosis", "sensitive"),
        ("cause of death", "sensitive"),
        ("drug name", "sensitive"),
        ("incomes", "sensitive"),
        ("icd10", "sensitive"),
        ("salary-class", "class"),
        ("target", "class"),
    ],
)
def test_whole_words_of_a_name_suggest_its_role(name: str, role: str | None) -> None:
    meaning = meaning_of(name)
    assert (meaning.role.value if meaning else None) == role


@given(st.text())
def test_any_name_can_be_split(name: str) -> None:
    letters = "".join(m for m in unicodedata.normalize("NFC", name) if m.isalnum()).casefold()
    apart = unicodedata.normalize("NFD", letters)
    assert "".join(split_words(name)) == "".join(m for m in apart if not unicodedata.combining(m))


# What values say.


def test_unique_texts_are_identifying_and_the_reason_says_how_unique() -> None:
    keys = [f"x{i}" for i in range(98)] + ["y", "y"]
    columns = {column.name: column for column in looked_at({"k": keys, "sex": ["f", "m"] * 50}).columns}
    assert columns["k"].role is Role.IDENTIFYING
    assert columns["k"].reason == "98% of its values are unique"


def test_numbers_are_keys_only_where_all_differ() -> None:
    found = looked_at(
        {
            "a": list(range(100)),
            "b": [1, *range(99)],
            "c": [i / 7 for i in range(100)],
            "sex": ["f", "m"] * 50,
        }
    )
    # Numbers that single people out are never released as they are.
    assert roles(found) == {"a": "identifying", "b": "quasi", "c": "quasi", "sex": "quasi"}


def test_dates_are_quasi_whatever_they_are_called() -> None:
    found = looked_at(
        {"seen": ["2024-01-31", "2024-02-01"], "diagnosis-date": ["2024-01-31", "2024-02-01"]}
    )
    assert set(roles(found).values()) == {"quasi"}


def test_free_text_is_not_released() -> None:
    texts = [f"{'a long story ' * 9}{i // 2}" for i in range(200)]
    found = roles(
        looked_at({"notes": texts, "complaint": [f"c{i}" for i in range(200)], "age": [1, 2] * 100})
    )
    assert found == {"notes": "identifying", "complaint": "identifying", "age": "quasi"}


def test_columns_that_tell_nothing_are_undecided() -> None:
    found = looked_at({"country": ["CH"] * 4, "empty": pa.nulls(4, pa.string()), "age": [1, 2, 3, 4]})
    assert roles(found) == {"country": "undecided", "empty": "undecided", "age": "quasi"}


def test_lists_are_never_released() -> None:
    assert roles(looked_at({"age": [1, 2], "visits": [["a"], []]}))["visits"] == "identifying"


def test_an_occupation_may_be_known_so_it_is_not_released_as_it_is() -> None:
    assert roles(looked_at({"age": [20, 30], "occupation": ["cook", "nurse"]}))["occupation"] == "quasi"


def test_there_is_one_class_column() -> None:
    found = roles(looked_at({"age": [1, 2], "target": ["a", "b"], "outcome": ["a", "b"]}))
    assert (found["target"], found["outcome"]) == ("class", "sensitive")


def test_the_age_is_released_in_one_form() -> None:
    found = looked_at(
        {"birth-date": ["1990-01-01", "1980-01-01"], "age": [34, 44], "mother-age": [60, 70]}
    )
    assert roles(found) == {"birth-date": "identifying", "age": "quasi", "mother-age": "quasi"}
    assert found.columns[0].reason == "age is released instead"


def test_some_column_is_quasi_where_names_say_nothing() -> None:
    assert roles(looked_at({"a": [1.5, 2.5, 2.5], "b": [1, 2, 3]}))["a"] == "quasi"


def test_tables_with_nothing_to_blur_are_refused_with_advice() -> None:
    with pytest.raises(InputError, match=r"no column looks like .*\(`hierarchies`\).* by hand"):
        looked_at({"name": ["a", "b"], "diagnosis": ["flu", "cold"]})
    with pytest.raises(InputError, match="no rows"):
        looked_at({"age": pa.array([], pa.int64())})


# Which hierarchies.

AGES = {"intervals": {"origin": 0, "widths": [5, 10, 20, 40]}}
TENTHS = {"intervals": {"origin": 0, "widths": [0.05, 0.1, 0.2, 0.4]}}
POWERS = {"intervals": {"origin": 0, "widths": [10, 100, 1000, 10000]}}


@pytest.mark.parametrize(
    ("name", "values", "description"),
    [
        ("age", list(range(17, 91)), AGES),
        ("age", [str(n) for n in range(17, 91)], AGES),
        ("height", [n / 10 for n in range(11)], TENTHS),
        ("zip", ["02138", "02139", "10001"], {"mask": {"digits": 5}}),
        ("zip", [2138, 2139, 2140, 10001, 98196], POWERS),
        ("postcode", ["AB1", "AB2"], {"mask": {"digits": 3}}),
        ("district", ["001", "002", "003", "003"], {"mask": {"digits": 3}}),
        ("dob", ["1990-01-01", "1991-01-01"], {"dates": ["month", "year", "5 years", "decade"]}),
        ("admission", ["2024-01-01", "2024-05-01"], {"dates": ["month", "quarter", "year"]}),
        ("arrival", ["2024-01-01 10:00", "2024-05-01"], {"dates": ["day", "month", "quarter", "year"]}),
    ],
)  # fmt: skip
def test_a_column_gets_the_hierarchy_that_suits_it(
    name: str, values: list[object], description: object
) -> None:
    (column,) = looked_at({name: values}).columns
    assert isinstance(column.hierarchy, Suggestion)
    assert column.hierarchy.description == description


def test_categories_are_listed() -> None:
    (column,) = looked_at({"sex": ["f", "m", None]}).columns
    assert isinstance(column.hierarchy, Suggestion)
    assert column.hierarchy.rows == (("f", "*"), ("m", "*"))
    assert (column.distinct, column.missing) == (2, 1)


def test_values_that_no_file_can_hold_are_not_released() -> None:
    found = looked_at({"city": ["a\0b", "c"], "age": [1, 2]})
    assert roles(found) == {"city": "undecided", "age": "quasi"}


def test_the_lattice_stays_small_enough_to_search() -> None:
    flags = {f"v{i}": [(row * (i + 3) % 41) / 7 for row in range(40)] for i in range(30)}
    known = {f"{place} {i}": ["x", "y"] * 5 for place in ("city", "state") for i in range(15)}
    for columns, most in ((flags, MOST_GUESSED_NODES), (known, MOST_NODES)):
        found = looked_at(columns)
        assert len(found.columns) == 30
        nodes = 1
        for column in found.having(Role.QUASI):
            assert isinstance(column.hierarchy, Suggestion)
            nodes *= column.hierarchy.levels
        assert most / 8 <= nodes <= most
    assert {column.role for column in found.columns} == {Role.QUASI, Role.UNDECIDED}


# Hierarchies that are given.


def test_files_are_taken_that_fit_and_others_are_named_with_a_value(tmp_path: Path) -> None:
    files = {
        "Marital_Status.csv": "single;*\nmarried;*\n",
        "age.csv": "1;*\n2;*\n",
        "sex.csv": "f;*\nm;x;*\n",
        "job.csv": "cook\n",
        "town.csv": "a;*\n",
        "zip.csv": "1;*\n2;*\n",
        "zip.txt": "1;*\n2;*\n",
        "notes.md": "not a hierarchy\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = looked_at(
        {
            "marital-status": ["single", "married", None],
            "age": [1, 2, 3],
            "sex": ["f", "m", "f"],
            "job": ["cook", "cook", None],
            "zip": [1, 2, 1],
        },
        tmp_path,
    )
    columns = {column.name: column.hierarchy for column in found.columns}
    assert columns["marital-status"] == tmp_path / "Marital_Status.csv"
    assert columns["zip"] == tmp_path / "zip.csv"
    assert isinstance(columns["age"], Suggestion)
    said = sorted(notice.replace(str(tmp_path) + os.sep, "") for notice in found.notices)
    assert said == [
        "age.csv skipped: no row for the value '3' of the column 'age'",
        "job.csv skipped: a single level, so the missing values of 'job' have no common root with "
        "the others",
        "skipped: sex.csv, line 2: 3 columns where the first row has 2: value 'm'; "
        "give every row the same number of levels",
        "town.csv skipped: no column has this name",
        "zip.txt skipped: zip.csv already fits the column",
    ]


def test_a_file_may_be_smaller_than_a_column_of_many_values(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("".join(f"{i};*\n" for i in range(1500)))
    fits = looked_at({"n": list(range(1500)), "age": [1, 2, 3] * 500}, tmp_path)
    assert roles(fits)["n"] == "quasi"
    assert fits.notices == ()
    misfits = looked_at({"n": list(range(1501)), "age": [1] * 1501}, tmp_path)
    assert misfits.notices[0].endswith("no row for the value '1500' of the column 'n'")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        looked_at({"age": [1, 2]}, tmp_path / "absent")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not a folder"):
        looked_at({"age": [1, 2]}, tmp_path / "file")


def visits(name, rows=60, persons=30, missing=False):
    keys = [f"k{i % persons}" for i in range(rows)]
    if missing:
        keys[0] = None
    return pa.table(
        {
            name: keys,
            "age": [20 + i % 40 for i in range(rows)],
            "diagnosis": [("flu", "cold", "gout")[i % 3] for i in range(rows)],
        }
    )


@pytest.mark.parametrize(
    ("table", "persons"),
    [
        (visits("patient_id"), "patient_id"),
        (visits("PID"), "PID"),
        (visits("patient_id", persons=60), None),  # one row each
        (visits("patient_id", missing=True), None),  # some rows would be refused
        (visits("hospital_id"), None),
        (visits("first name"), None),
    ],
)
def test_a_key_of_persons_that_repeats_is_proposed(table, persons, tmp_path):
    parquet.write_table(table, tmp_path / "visits.parquet")
    done = commands.shoal("init", tmp_path / "visits.parquet", "-o", tmp_path / "study.yaml")
    assert done.returncode == 0
    study = read_study_file(tmp_path / "study.yaml")
    assert study.units.persons == (() if persons is None else (persons,))
    if persons is not None:
        assert "30 persons have 60 rows" in (tmp_path / "study.yaml").read_text()
        front = commands.shoal("frontier", tmp_path / "study.yaml", "--json")
        assert json.loads(front.stdout)["persons"] == 30


def test_a_column_that_is_called_by_its_persons_is_their_key():
    found = looked_at(visits("Patient", rows=130, persons=60).to_pydict())
    assert found.persons.name == "Patient"
    assert roles(found)["Patient"] == Role.IDENTIFYING
    few = looked_at(visits("member", rows=60, persons=3).to_pydict())
    assert few.persons is None
    assert roles(few)["member"] in {Role.QUASI, Role.UNDECIDED}


def hierarchy_of(name: str, values: list[object]) -> Suggestion:
    found = next(
        one for one in looked_at({name: values, "sex": ["f", "m"] * 20}).columns if one.name == name
    )
    assert isinstance(found.hierarchy, Suggestion)
    return found.hierarchy


def test_codes_of_kinds_are_not_cut_into_intervals() -> None:
    assert hierarchy_of("race", [1, 2, 3, 7, 9] * 8).rows == tuple((code, "*") for code in "12379")
    regions = [*range(11, 21)] * 4
    assert hierarchy_of("region", regions).description == {"mask": {"digits": 2}}


def test_numbers_that_are_whole_but_written_with_a_point_get_whole_widths() -> None:
    described = hierarchy_of("children", [f"{n}.0" for n in range(14)] + ["2.0"] * 26).description
    assert described == {"intervals": {"origin": 0, "widths": [2, 4, 8]}}


def test_countries_and_states_get_their_taxonomy() -> None:
    assert hierarchy_of("country", ["DE", "FR", "PL", "Peru"] * 10).description == {
        "taxonomy": "countries"
    }
    assert hierarchy_of("state", ["OH", "TX", "Maine", "NY"] * 10).description == {
        "taxonomy": "us-states"
    }


def test_first_letters_are_called_a_last_resort() -> None:
    places = [chr(65 + i % 20) + f"orough{i % 20}" for i in range(40)]
    found = looked_at({"borough": places, "sex": ["f", "m"] * 20})
    assert any("first letters, a last resort" in notice for notice in found.notices)
    assert hierarchy_of("borough", places).last_resort


def test_the_names_of_files_that_arx_gives_are_found(tmp_path: Path) -> None:
    (tmp_path / "cup_hierarchy_AGE.csv").write_text("1;*\n2;*\n")
    (tmp_path / "hierarchy_sex.csv").write_text("f;*\nm;*\n")
    found = looked_at({"AGE": [1, 2], "sex": ["f", "m"]}, tmp_path)
    assert found.notices == ()
    assert all(isinstance(one.hierarchy, Path) for one in found.columns)
