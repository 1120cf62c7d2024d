"""`shoal init`: what it prints, what it writes, and what it leaves alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
import yaml
from typer.testing import CliRunner, Result

from shoal.cli import output
from shoal.cli.app import app
from shoal.demo import hospital
from shoal.errors import InputError
from shoal.study import Study
from tests.commands import shoal as run

TABLE = "name,age,sex,diagnosis\nAnn,31,f,flu\nBob,44,m,cold\nCleo,52,f,flu\nDan,31,m,asthma\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def shoal(*arguments: str | Path) -> Result:
    """The result of a command in this process; what it refuses is raised."""
    result = CliRunner().invoke(app, ["init", *map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_study_of_a_table_runs_as_it_is(tmp_path: Path) -> None:
    table = tmp_path / "stays.parquet"
    pyarrow.parquet.write_table(hospital(2000), table)
    done = run("init", table)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "occupation has 36 values that are grouped by first letters, a last resort" in done.stderr
    study = tmp_path / "stays.study.yaml"
    assert f"shoal frontier {study}" in done.stdout
    for word in ("record-number", "all its values are unique", "{mask: {digits: 5}}", "sensitive"):
        assert word in done.stdout
    front = run("frontier", study, "--json", "--time-limit", "60")
    assert (front.returncode, front.stderr) == (0, "")
    assert json.loads(front.stdout)["points"]


def test_json_is_one_document_and_nothing_else(table: Path) -> None:
    done = run("init", table, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["study"] == str(table.with_name("people.study.yaml"))
    assert found["rows"] == 4
    assert [(column["name"], column["role"]) for column in found["columns"]] == [
        ("name", "identifying"),
        ("age", "quasi"),
        ("sex", "quasi"),
        ("diagnosis", "sensitive"),
    ]
    assert found["columns"][2] == {
        "name": "sex",
        "role": "quasi",
        "reason": '"sex" may be known to others',
        "distinct": 2,
        "missing": 0,
        "hierarchy": "people.hierarchies/sex.csv",
    }


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("absent.csv", None, "absent.csv: no such file; check the path"),
        ("t.doc", "x", "the ending '.doc' is unknown"),
        ("t.xlsx", "x", "cannot be read as a workbook"),
        ("t.csv", "", "t.csv: the file is empty"),
        ("t.csv", "age\n", "t.csv: the table has no rows"),
        ("t.csv", "name\nAnn\nBob\n", "t.csv: no column looks like something that others know"),
        ("t.csv", "a,A\n1,2\n", "t.csv, line 1: the column 'A' appears twice"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    before = files(tmp_path)
    with pytest.raises(InputError) as refused:
        shoal(tmp_path / name)
    assert said in str(refused.value)
    assert files(tmp_path) == before


def test_a_refusal_is_one_line(tmp_path: Path) -> None:
    done = run("init", tmp_path / "absent.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"shoal: {tmp_path / 'absent.csv'}: no such file; check the path\n"


def test_the_study_is_commented_and_complete(table: Path) -> None:
    shoal(table)
    text = table.with_name("people.study.yaml").read_text()
    assert yaml.safe_load(text) == {
        "table": "people.csv",
        "attributes": {
            "name": {"role": "identifying"},
            "age": {"role": "quasi", "hierarchy": "people.hierarchies/age.csv"},
            "sex": {"role": "quasi", "hierarchy": "people.hierarchies/sex.csv"},
            "diagnosis": {"role": "sensitive"},
        },
    }
    entries = [line for line in text.splitlines() if "role:" in line]
    assert all("  # " in line for line in entries)
    assert len({line.index("{") for line in entries}) == 1
    assert text.splitlines()[1].startswith("# A study of people.csv (4 rows)")


def test_nothing_is_replaced_without_force(table: Path) -> None:
    study = table.with_name("people.study.yaml")
    study.write_text("mine\n")
    before = files(table.parent)
    with pytest.raises(InputError, match=r"people\.study\.yaml: already exists"):
        shoal(table)
    assert files(table.parent) == before
    shoal(table, "--force")
    assert study.read_text() != "mine\n"


def test_a_hierarchy_file_that_is_there_stops_all_writing(table: Path) -> None:
    folder = table.with_name("people.hierarchies")
    folder.mkdir()
    (folder / "sex.csv").write_text("mine\n")
    before = files(table.parent)
    with pytest.raises(InputError, match=r"sex\.csv: already exists"):
        shoal(table)
    assert files(table.parent) == before
    shoal(table, "--force")
    assert (folder / "sex.csv").read_text() == "f;*\nm;*\n"


def test_nothing_is_left_behind_where_writing_fails(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = output.write_whole

    def fail(path: Path, text: str, force: bool, *, private: bool) -> None:
        if path.suffix == ".yaml":
            raise InputError("cannot be written: no space left", file=path)
        write(path, text, force, private=private)

    monkeypatch.setattr(output, "write_whole", fail)
    with pytest.raises(InputError, match="no space left"):
        shoal(table)
    assert list(table.parent.iterdir()) == [table]


def test_the_study_never_replaces_its_table(table: Path) -> None:
    with pytest.raises(InputError, match="--out cannot be the file that is read for TABLE"):
        shoal(table, "-o", table, "--force")
    assert table.read_text() == TABLE


def test_a_file_where_the_folder_should_be_is_refused(table: Path) -> None:
    table.with_name("people.hierarchies").write_text("mine\n")
    before = files(table.parent)
    with pytest.raises(InputError, match="is not a folder"):
        shoal(table, "--force")
    assert files(table.parent) == before


def test_a_study_elsewhere_finds_its_table(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = table.parent / "far" / "away"
    elsewhere.mkdir(parents=True)
    link = table.parent / "link"
    link.symlink_to(elsewhere)
    monkeypatch.chdir(table.parent)
    for study in (Path("far/away/a.yaml"), Path("link/b.yaml")):
        shoal("people.csv", "-o", study)
        assert yaml.safe_load(study.read_text())["table"] == "../../people.csv"
        with Study.open(study) as opened:
            assert opened.frontier().points


def test_a_folder_that_is_not_there_is_refused(table: Path) -> None:
    with pytest.raises(InputError, match="its folder does not exist"):
        shoal(table, "-o", table.parent / "absent" / "study.yaml")


def test_given_hierarchies_are_used_and_misfits_are_named(table: Path) -> None:
    folder = table.parent / "given"
    folder.mkdir()
    (folder / "Sex.csv").write_text("f;any\nm;any\n")
    (folder / "age.csv").write_text("31;*\n44;*\n")
    done = run("init", table, "--hierarchies", folder)
    assert done.returncode == 0
    assert done.stderr == (
        f"shoal: {folder / 'age.csv'} skipped: no row for the value '52' of the column 'age'\n"
    )
    study = yaml.safe_load(table.with_name("people.study.yaml").read_text())
    assert study["attributes"]["sex"] == {"role": "quasi", "hierarchy": "given/Sex.csv"}
    assert not table.with_name("people.hierarchies").joinpath("sex.csv").exists()


def test_names_are_printed_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"[red]city[/red]","a\nb"\nx,1\ny,1\n')
    printed = shoal(path).stdout
    assert "[red]city[/red]" in printed
    assert "'a\\nb'" in printed


def test_importing_the_command_imports_nothing_heavy() -> None:
    heavy = {"duckdb", "numpy", "pyarrow", "sqlglot", "yaml", "shoal.proposal", "shoal.data"}
    code = f"import sys, shoal.cli.init; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


NUMBERS = "Größe;Gewicht;Ort;sex\n" + "".join(
    f"{150 + n},{n % 10};{1 + n % 3}.{100 + n},5;{('Köln', 'Jena')[n % 2]};{'fm'[n % 2]}\n"
    for n in range(40)
)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "utf-16-be"])
def test_the_study_says_an_unusual_encoding_and_decimal_commas(tmp_path: Path, encoding: str) -> None:
    table = tmp_path / "people.csv"
    table.write_text(NUMBERS, encoding=encoding)
    done = run("init", table)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "people.study.yaml").read_text()
    given = yaml.safe_load(text)
    said = {"cp1252": "windows-1252", "utf-16": "utf-16-le", "utf-16-be": "utf-16-be"}
    assert given.get("encoding") == said.get(encoding)
    assert given["decimal"] == ","
    assert 'the study says `decimal: ","`' in done.stderr
    assert "intervals" in given["attributes"]["Größe"]["hierarchy"]
    with Study.open(tmp_path / "people.study.yaml") as study:
        assert "189.9" in study.hierarchy("Größe").leaves
        assert "Köln" in study.tally("Ort").domain("Ort")
    assert run("hierarchy", tmp_path / "people.study.yaml", "Größe").returncode == 0


def test_decimal_commas_are_found_between_whole_numbers_and_missing_ones(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    values = ("0", "0,5", "7,25", "NA")
    table.write_text("age;sex;x\n" + "".join(f"{20 + n};f;{values[n % 4]}\n" for n in range(40)))
    assert run("init", table).returncode == 0
    given = yaml.safe_load((tmp_path / "people.study.yaml").read_text())
    assert (given["decimal"], given["missing"]) == (",", ["NA"])


@pytest.mark.parametrize(
    "values",
    [
        ["1,234", "5,678"],  # thousands?
        ["1,5", "1,2,3"],  # a list of answers
        ["1,5;2.5", "2,5;3.5"],  # points in another column
        ["1.5", "2.5"],
    ],
)
def test_decimal_commas_are_said_only_where_they_are_evident(tmp_path: Path, values: list[str]) -> None:
    table = tmp_path / "people.csv"
    other = ";other" if ";" in values[0] else ""
    table.write_text(f"age;sex;x{other}\n" + "".join(f"{20 + n};f;{values[n % 2]}\n" for n in range(30)))
    assert run("init", table).returncode == 0
    given = yaml.safe_load((tmp_path / "people.study.yaml").read_text())
    assert not {"decimal", "encoding"} & set(given)
