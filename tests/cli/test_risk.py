"""`shoal risk` tells what it must, and refuses in one line."""

from __future__ import annotations

import json

import pyarrow.csv
import pyarrow.parquet
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


HOMES = "age,zip,home,weight\n31,1,a,2\n32,1,a,2\n31,2,b,3\n31,2,,3\n40,,c,5\n"


@pytest.fixture
def homes(tmp_path):
    path = tmp_path / "homes.csv"
    path.write_text(HOMES)
    return path


def test_columns_and_values_are_ranked_by_how_they_make_people_stand_out(run, table):
    document = json.loads(run(table, "--quasi", "age,zip", "--json").stdout)["suda"]
    assert (document["size"], document["rows"], document["by_size"]) == (2, 2, [1, 1])
    # 32 is alone by age; the other of zip 1 needs both columns.
    assert document["columns"] == [{"column": "age", "share": 1.0}, {"column": "zip", "share": 0.5}]
    assert document["values"][0] == {"column": "age", "value": "31", "share": 0.5, "within": 0.5}
    shown = run(table, "--quasi", "age,zip", "--suda", "1").stdout
    assert "1 row is unique by a single column (SUDA)" in shown
    assert "stands out by" in shown
    off = run(table, "--quasi", "age,zip", "--suda", "0")
    assert json.loads(run(table, "--quasi", "age,zip", "--suda", "0", "--json").stdout)["suda"] is None
    assert "SUDA" not in off.stdout


def test_the_risk_of_households_stands_beside_that_of_their_members(run, homes):
    asked = (homes, "--quasi", "age,zip", "--households", "home")
    document = json.loads(run(*asked, "--json").stdout)["households"]
    # The row without a home lives alone.
    assert (document["households"], document["largest"], document["sample"]) == (4, 2, None)
    assert document["prosecutor"] == pytest.approx(
        {"members": 4.0, "persons": 4.0, "households": 3.0, "highest": 1.0}
    )
    assert document["unique_persons"] == {"values": 3, "size": 3, "members": 3}
    assert "5 rows live in 4 households of up to 2" in run(*asked).stdout


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_records_have_the_risk_of_every_row_in_order_and_are_private(run, homes, ending):
    out = homes.with_name(f"records.{ending}")
    run(homes, "--quasi", "age,zip", "--households", "home", "--weights", "weight", "--records", out)
    assert out.stat().st_mode & 0o777 == 0o600
    if ending == "csv":
        rows = pyarrow.csv.read_csv(out).to_pylist()
    else:
        rows = pyarrow.parquet.read_table(out).to_pylist()
    assert [row["row"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["group_size"] for row in rows] == [1, 1, 2, 2, 1]
    assert [row["risk"] for row in rows] == [1, 1, 0.5, 0.5, 1]
    assert [row["household_size"] for row in rows] == [2, 2, 1, 1, 1]
    assert [row["household_risk"] for row in rows] == [1, 1, 0.5, 0.5, 1]
    assert [row["smallest_unique"] for row in rows] == [2, 1, 0, 0, 1]
    assert [row["suda_score"] for row in rows] == [1, 1, 0, 0, 1]
    assert [row["dis_score"] > 0 for row in rows] == [True, True, False, False, True]
    assert rows[4]["individual_risk"] < rows[0]["individual_risk"]  # it stands for more persons
    assert rows[0]["household_individual_risk"] > rows[0]["individual_risk"]


def test_a_study_tells_the_households(run, homes):
    study = homes.with_name("study.yaml")
    study.write_text(
        "table: homes.csv\nhouseholds: home\nattributes:\n"
        "  age: {role: quasi, hierarchy: {mask: {digits: 2}}}\n"
    )
    assert json.loads(run(study, "--json").stdout)["households"]["households"] == 4
    out = homes.with_name("out.parquet")
    run(study, "--population-size", "100", "--records", out)
    names = pyarrow.parquet.read_schema(out).names
    assert "household_individual_risk" in names


def test_records_that_are_there_stay_without_force(run, homes):
    out = homes.with_name("records.csv")
    out.write_text("mine")
    refused = run(homes, "--quasi", "age", "--records", out)
    assert "already exists" in str(refused.exception)
    assert out.read_text() == "mine"
    run(homes, "--quasi", "age", "--records", out, "--force")
    assert out.read_text().startswith('"row"')
    assert not list(homes.parent.glob(".*shoal*"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--records", "out.xlsx"], "end the name in .parquet or .csv"),
        (["--households", "zipp"], "no column 'zipp'; did you mean zip?"),
        (["--households", "age"], "tells households; leave it out of quasi"),
        (["--suda", "-1"], "suda"),
    ],
)
def test_what_cannot_be_told_of_rows_is_refused(run, homes, arguments, words, monkeypatch):
    monkeypatch.chdir(homes.parent)
    refused = run(homes, "--quasi", "age", *arguments)
    assert refused.exit_code != 0
    assert words in str(refused.exception) + refused.output
    assert not homes.with_name("out.xlsx").exists()
