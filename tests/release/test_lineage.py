"""What a release tells catalogues of its origin is true, and has no value of any row and no secret."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from shoal import Study
from shoal.describe import Place
from shoal.documents import first_fault, schema_named
from shoal.release.papers.lineage import _dataset

ILLS = ("aFlu", "aCold", "aGout")
STUDY = """\
table: raw.csv
persons: patient
attributes:
  patient: {role: identifying}
  age: {role: quasi, hierarchy: {intervals: {widths: [10, 50]}}}
  town: {role: quasi, hierarchy: {"*": [Xby, Yby]}}
  seen: {role: insensitive, shift: {days: 40}}
  ill: {role: sensitive}
  note: {role: insensitive}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("lineage")
    rows = [
        f"who{i},{1000 + i % 30},{'XY'[i % 2]}by,2001-0{1 + i % 9}-17,{ILLS[i % 3]},note{i % 2}"
        for i in range(60)
    ]
    rows.append("who99,1999,Xby,2001-01-17,aFlu,note0")
    (made / "raw.csv").write_text("\n".join(["patient,age,town,seen,ill,note", *rows]) + "\n")
    (made / "study.yaml").write_text(STUDY)
    return made


def written(
    folder: Path, name: str, algorithm: str = "flash", *, pseudonyms: str | None = "fresh", **asked
):
    with Study.open(folder / "study.yaml") as study:
        answer = study.anonymize(algorithm, **{"k": 5, "suppress": 1, **asked})
        return study.release(answer, seed=4711, pseudonyms=pseudonyms).write(folder / name, force=True)


def steps(event: dict, column: str) -> list[tuple[str, str, str]]:
    """The source, the subtype and the words of each way into a released column."""
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    return [
        (way["field"], one["subtype"], one["description"])
        for way in fields[column]["inputFields"]
        for one in way["transformations"]
    ]


def test_every_released_column_has_its_origin(folder: Path) -> None:
    published = written(folder, "out.csv")
    event = json.loads((folder / "out.csv.record.json").read_text())["lineage"]
    assert event == published.to_dict()["lineage"]
    assert first_fault(event, schema_named("lineage")) is None
    (source,), (out,) = event["inputs"], event["outputs"]
    assert (source["namespace"], source["name"]) == ("file", str(folder / "raw.csv"))
    assert source["facets"]["version"]["datasetVersion"] == published.record["table"]["sha256"]
    assert source["inputFacets"]["inputStatistics"]["rowCount"] == 61
    assert out["name"] == str(folder / "out.csv")
    assert out["facets"]["version"]["datasetVersion"] == published.certificate["sha256"]
    assert out["outputFacets"]["outputStatistics"]["rowCount"] == 60
    with (folder / "out.csv").open(newline="") as file:
        header = next(csv.reader(file))
    assert [one["name"] for one in out["facets"]["schema"]["fields"]] == header
    assert list(out["facets"]["columnLineage"]["fields"]) == header
    level = published.record["decision"]["node"]["age"]
    assert steps(event, "age") == [
        ("age", "TRANSFORMATION", f"Generalized to level {level} of 3 of its hierarchy.")
    ]
    assert steps(event, "seen") == [("seen", "TRANSFORMATION", "Dates, shifted by up to 40 days.")]
    assert steps(event, "note") == [("note", "IDENTITY", "Unchanged.")]
    assert steps(event, "person") == [("patient", "TRANSFORMATION", "A pseudonym, by a secret key.")]
    decided = {one["field"] for one in out["facets"]["columnLineage"]["dataset"]}
    assert decided == {"age", "town", "patient"}


def test_what_is_called_unchanged_is_so(folder: Path) -> None:
    """Compared with the rows: a column that is not called unchanged has values that the table has not."""
    event = written(folder, "plain.csv", pseudonyms=None).record["lineage"]
    raw, out = (list(csv.DictReader((folder / name).open())) for name in ("raw.csv", "plain.csv"))
    for column in out[0]:
        same = {row[column] for row in out} <= {row[column] for row in raw}
        assert same == (steps(event, column)[0][1] == "IDENTITY"), column


def test_codes_and_apostrophes_are_told_where_values_change_by_them(tmp_path: Path) -> None:
    rows = [f"{30 + i % 2},{('-9', 'aFlu', 'aCold')[i % 3]},{('=1+1', 'ok')[i % 2]}" for i in range(60)]
    (tmp_path / "raw.csv").write_text("\n".join(["age,ill,note", *rows]) + "\n")
    (tmp_path / "study.yaml").write_text(
        "table: raw.csv\nmissing: ['-9']\nattributes:\n"
        "  age: {role: quasi, hierarchy: {'*': [30, 31]}}\n"
        "  ill: {role: sensitive}\n  note: {role: insensitive}\n"
    )
    raw = list(csv.DictReader((tmp_path / "raw.csv").open()))
    with Study.open(tmp_path / "study.yaml") as study:
        answer = study.optimize(l=2, scheme="allSA")
        for safe in (False, True):
            event = (
                study.release(answer, seed=1, spreadsheet_safe=safe)
                .write(tmp_path / "out.csv", force=True)
                .record["lineage"]
            )
            out = list(csv.DictReader((tmp_path / "out.csv").open()))
            assert {row["ill"] for row in out} - {row["ill"] for row in raw} == {""}
            ((_, _, words),) = steps(event, "ill")
            assert "Codes of missing values are empty." in words
            assert ("An apostrophe" in words) == safe
            told = steps(event, "note")[0][2]
            assert {row["note"] for row in out} == ({"'=1+1", "ok"} if safe else {"=1+1", "ok"})
            assert ("An apostrophe stands before what a spreadsheet would run." in told) == safe


def test_another_decimal_mark_is_told(tmp_path: Path) -> None:
    rows = [f"{30 + i % 2};{i % 4},5" for i in range(20)]
    (tmp_path / "raw.csv").write_text("\n".join(["age;pay", *rows]) + "\n")
    (tmp_path / "study.yaml").write_text(
        "table: raw.csv\ndecimal: ','\nattributes:\n"
        "  age: {role: quasi, hierarchy: {'*': [30, 31]}}\n  pay: {role: insensitive}\n"
    )
    event = written(tmp_path, "out.csv", pseudonyms=None).record["lineage"]
    assert {row["pay"] for row in csv.DictReader((tmp_path / "out.csv").open())} == {
        "0.5",
        "1.5",
        "2.5",
        "3.5",
    }
    assert steps(event, "pay") == [("pay", "TRANSFORMATION", "Numbers have a point before decimals.")]


def test_groups_are_told_and_no_row_is_said_to_go_where_none_goes(folder: Path) -> None:
    event = written(folder, "groups.csv", "mondrian", suppress=0).record["lineage"]
    assert {words for _, _, words in steps(event, "age")} <= {"Recoded by groups of rows.", "Unchanged."}
    whole = event["outputs"][0]["facets"]["columnLineage"]["dataset"]
    assert {step["subtype"] for one in whole for step in one["transformations"]} == {"GROUP_BY"}


def test_it_has_no_value_and_no_secret(folder: Path) -> None:
    published = written(folder, "out.csv")
    event = published.record["lineage"] | {"run": "drawn at random, so that any digits may be in it"}
    text = json.dumps(event)
    rows = list(csv.DictReader((folder / "raw.csv").open()))
    values = {value for row in rows for value in row.values()}
    secrets = {"4711", published.record["order_key"], published.record["pseudonyms"]["secret"]}
    assert [value for value in values | secrets if value in text] == []


def test_a_run_has_an_id_of_its_own_and_its_job_a_lasting_name(folder: Path) -> None:
    events = [written(folder, "out.csv").record["lineage"] for _ in range(2)]
    assert events[0]["run"] != events[1]["run"]
    assert events[0]["job"] == events[1]["job"]
    assert events[0]["job"]["name"] == "raw.csv to out.csv"


@pytest.mark.parametrize(
    ("place", "named"),
    [
        (Place("postgres", "a.t", "postgresql://u:p@h:1/d?password=p"), ("postgres://h:1", "d.a.t")),
        (Place("postgres", "a.t", "host=h user=u password=p"), ("postgres", "a.t")),
        (Place("postgres", "a.t", "${DATABASE}"), ("postgres", "a.t")),
        (Place("spark", "hdfs://u:p@h/v/w", "spark://h:7077"), ("hdfs://h", "/v/w")),
        (Place("spark", "cat.t", "spark://h:7077"), ("spark://h:7077", "cat.t")),
        (Place("duckdb", "main.t", "/x/p.duckdb"), ("duckdb", "/x/p.duckdb#main.t")),
        (None, ("shoal", "a table in memory")),
    ],
)
def test_tables_have_the_standard_s_names_without_users(
    place: Place | None, named: tuple[str, str]
) -> None:
    assert tuple(_dataset(place).values()) == named
