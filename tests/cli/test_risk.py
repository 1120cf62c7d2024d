"""`shoal risk` tells what it must, and refuses in one line."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from shoal.cli.risk import risk
from shoal.errors import InputError

TABLE = "age,zip,illness\n31,1,flu\n32,1,flu\n31,2,cold\n31,2,flu\n"


@pytest.fixture
def run():
    app = typer.Typer()
    app.command()(risk)

    def call(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return call


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def certify(table, quasi):
    measured = {"rows": 4, "groups": 1, "k": 1, "sensitive": {}}
    document = {
        "kind": "certificate", "shoal": "0.1.0", "file": table.name, "sha256": None, "columns": quasi,
        "quasi": quasi, "sensitive": [], "promise": {"k": 1}, "measured": measured,
    }  # fmt: skip
    table.with_name(table.name + ".certificate.json").write_text(json.dumps(document))


def test_a_table_with_its_quasi_columns(run, table):
    document = json.loads(run(table, "--quasi", "age, zip", "--json").stdout)
    assert document["quasi"] == ["age", "zip"]
    assert (document["rows"], document["classes"], document["uniques"], document["k"]) == (4, 3, 2, 1)
    assert document["prosecutor"]["average"] == document["marketer"] == 0.75
    assert document["journalist"]["population"] is None
    assert document["combinations"]["found"][0] == {
        "columns": ["age", "zip"], "uniques": 2, "share": 0.5, "smallest": 1, "classes": 3,
    }  # fmt: skip


def test_a_certificate_beside_the_table_tells_the_quasi_columns(run, table):
    certify(table, ["zip"])
    assert json.loads(run(table, "--json").stdout)["quasi"] == ["zip"]


def test_a_study_tells_its_quasi_columns(run, table):
    study = table.with_name("study.yaml")
    study.write_text(
        "table: people.csv\nattributes:\n  zip: {role: quasi, hierarchy: {mask: {digits: 1}}}\n"
    )
    assert json.loads(run(study, "--json").stdout)["k"] == 2
    refused = run(study, "--quasi", "age")
    assert isinstance(refused.exception, InputError)
    assert "a study says itself what is quasi" in str(refused.exception)


def test_a_population_lowers_the_journalists_risk(run, table):
    persons = table.with_name("register.csv")
    persons.write_text("zip,age\n" + "1,31\n" * 10 + "2,31\n" * 4)
    answer = run(table, "--quasi", "age,zip", "--population", persons, "--json")
    document = json.loads(answer.stdout)
    assert document["journalist"]["highest"] == 1.0  # nobody of 32 in zip 1 is in the register
    assert document["journalist"]["rows_outside_population"] == 1
    assert document["marketer"] == pytest.approx((1 / 10 + 1 + 2 / 4) / 4)
    assert "1 of 4 rows have fewer like them" in answer.stderr


def test_a_population_is_recoded_by_the_mappings_of_a_release(run, table):
    table.write_text("age,zip\n30-39,1\n30-39,1\n")
    certify(table, ["age", "zip"])
    mappings = table.with_name(table.name + ".mappings")
    mappings.mkdir()
    (mappings / "age.csv").write_text("original,released\n31,30-39\n32,30-39\n")
    persons = table.with_name("register.csv")
    persons.write_text("zip,age\n1,31\n1,32\n1,32\n1,77\n2,31\n")
    document = json.loads(run(table, "--population", persons, "--json").stdout)
    assert document["journalist"]["highest"] == pytest.approx(1 / 3)


def test_people_get_tables(run, table):
    shown = run(table, "--quasi", "age,zip").stdout
    for words in ("4 rows in 3 classes", "prosecutor", "no population given", "marketer", "age + zip"):
        assert words in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name them as quasi; it has age, zip, illness"),
        (["--quasi", "agee"], "no column 'agee'; did you mean age?"),
        (["--quasi", "age", "--population", "nowhere.csv"], "nowhere.csv: no such file"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(run, table, arguments, words):
    refused = run(table, *arguments)
    assert isinstance(refused.exception, InputError)
    assert words in str(refused.exception)
    assert "\n" not in str(refused.exception)


def test_a_table_without_rows_is_refused(run, table):
    table.write_text("age\n")
    assert "no rows" in str(run(table, "--quasi", "age").exception)
