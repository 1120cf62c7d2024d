"""HIPAA's 18 identifiers are looked for by name and value, with ages and ZIP areas as the rule has them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.proposal.safe_harbor import IDENTIFIERS, SMALL_AREAS, safe_harbor
from tests import commands


def letters(name: str, values: list[object]) -> set[str]:
    return set(safe_harbor(pa.table({name: values})).found)


@pytest.mark.parametrize(
    ("name", "values", "letter"),
    [
        (
            "patient",
            ["Anna Weber", "Paul Kim", "Eva B", "Leo F", "Jan D", "Max K", "Mia L", "Tom P"],
            "A",
        ),
        ("surname", ["Weber", "Kim", "Okafor"], "A"),
        ("city", ["Bern", "Basel", "Chur"], "B"),
        ("x", ["52.52000, 13.40500", "48.85660, 2.35220"], "B"),
        ("zip", ["02138", "60614"], "B"),
        ("admission", ["2024-05-31", "2024-06-01"], "C"),
        ("admission", ["2024-05", "2024-06"], "C"),
        ("admission", ["2024-Q1", "2024-Q2"], "C"),
        ("age", [31, 90], "C"),
        ("age", ["80-89", "90-94"], "C"),
        ("birth year", [1920, 1999], "C"),
        ("contact", ["+1 212 555 0142", "+1 646 555 0199"], "D"),
        ("fax", ["a", "b", "c"], "E"),
        ("x", ["ann@post.example", "bob@post.example"], "F"),
        ("x", ["078-05-1120", "219-09-9999"], "G"),
        ("MRN", [1, 2, 3], "H"),
        ("beneficiary number", [1, 2, 3], "I"),
        ("x", ["DE89370400440532013000"], "J"),
        ("license no", ["a", "b", "c"], "K"),
        ("plate", ["B-AK 1", "M-XY 2", "K-K 3"], "L"),
        ("x", ["00:1b:44:11:3a:b7", "00:1b:44:11:3a:b8"], "M"),
        ("x", ["https://a.example/ann", "https://a.example/bob"], "N"),
        ("x", ["10.0.0.1", "10.0.0.2"], "O"),
        ("fingerprint", ["a", "b", "c"], "P"),
        ("photo", ["a.jpg", "b.jpg", "c.jpg"], "Q"),
        ("x", ["k1", "k2", "k3", "k4"], "R"),
        ("x", [["a"], ["b"]], "R"),
    ],
)
def test_each_identifier_is_found(name: str, values: list[object], letter: str) -> None:
    assert letters(name, values) == {letter}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", [31, 89]),
        ("age", ["80-89", "90+"]),
        ("age", ["60-79", "80-99"]),
        ("zip", ["021", "606", "000"]),
        ("zip", ["021**", "60600", "*****"]),
        ("admission", ["2023", "2024"]),
        ("birth year", [1980, 1999]),
        ("state", ["OH", "TX", "OH"]),
        ("sex", ["f", "m", "f"]),
        ("temperature", [36.6, 37.1, 38.2]),
        ("phone", ["yes", "no", "yes"]),
    ],
)
def test_what_the_rule_lets_stay_is_not_found(name: str, values: list[object]) -> None:
    assert letters(name, values) == set()


def test_small_areas_are_those_of_either_census() -> None:
    assert len(SMALL_AREAS) == 23
    assert {"063", "790", "830", "831", "890"} < SMALL_AREAS  # of 2000 alone
    for area in SMALL_AREAS:
        assert letters("zip", [area, "021"]) == {"B"}
        assert letters("zip", [f"{area}**", "021**"]) == {"B"}


def test_of_a_study_what_would_be_released_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("mail,age,sex\na@b.example,31,f\nc@d.example,44,m\n")
    study = tmp_path / "study.yaml"
    study.write_text(
        "table: t.csv\nattributes:\n  mail: {role: identifying}\n  sex: {role: sensitive}\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [10]}}}\n"
    )
    done = commands.shoal("risk", study, "--safe-harbor", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["columns"] == ["age", "sex"]
    assert [one["letter"] for one in told["identifiers"]] == list(IDENTIFIERS)
    assert not any(one["found"] for one in told["identifiers"])
    done = commands.shoal("risk", tmp_path / "t.csv", "--safe-harbor")
    assert "1 of the 18 identifiers may be there" in done.stdout


def test_a_study_is_looked_at_as_it_says_that_its_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,sex\n31,f\n999,m\n")
    study = tmp_path / "study.yaml"
    study.write_text(
        "table: t.csv\nmissing: [999]\nattributes:\n  sex: {role: sensitive}\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [10]}}}\n"
    )
    told = json.loads(commands.shoal("risk", study, "--safe-harbor", "--json").stdout)
    assert not any(one["found"] for one in told["identifiers"])
