"""`shoal check` finds all that is wrong or doubtful in a study, each once, and in one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal import Study
from shoal.errors import InputError
from shoal.proposal.study_check import check_study
from tests import commands

TABLE = """age,sex,town,mail,weight,job
31,f,Bern,a@post.example,1.5,cook
44,m,Basel,b@post.example,0,nurse
52,f,Chur,c@post.example,2,cook
28,m,Bern,d@post.example,1,clerk
39,f,Basel,e@post.example,1,cook
61,m,Chur,f@post.example,1,nurse
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "town.csv").write_text("Bern;*\nBasel;*\n")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    study = folder / "people.study.yaml"
    study.write_text(text)
    return study


def test_everything_wrong_is_said_at_once(folder: Path) -> None:
    study = written(
        folder,
        """table: people.csv
sample_weight: weight
colour: blue
attributes:
  age:  {role: quasi, hierarchy: {intervals: {widths: [5, 12]}}}
  sex:  {role: quassi}
  town: {role: quasi, hierarchy: town.csv}
  mail: {role: insensitive}
  gone: {role: sensitive}
  job:  {role: [identifying, sensitive]}
""",
    )
    found = check_study(study)
    for part in (
        "line 3: unknown entry 'colour'",
        "does not hold whole intervals of 5",
        "line 6: unknown role 'quassi'; did you mean quasi",
        "'Chur'",
        "has no column 'gone'",
        "'job' is identifying, so it has no other role",
        "the weight '0' in 'weight' is not a number above 0",
    ):
        assert sum(part in line for line in found.wrong) == 1, part
    assert len(found.wrong) == 7
    assert any("'mail' holds e-mail addresses, but would be released" in line for line in found.doubtful)
    done = commands.shoal("check", study, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout) == found.to_dict()


def test_a_good_study_has_nothing_wrong(folder: Path) -> None:
    study = written(
        folder,
        """table: people.csv
attributes:
  age:  {role: quasi, hierarchy: {intervals: {widths: [10, 20]}}}
  sex:  {role: quasi, hierarchy: {"*": [f, m]}}
  town: {role: undecided}
  job:  {role: sensitive}
""",
    )
    found = check_study(study)
    assert found.wrong == ()
    assert found.doubtful == (
        "not listed, so never released: mail, weight",
        "undecided, so not released until somebody decides: town",
    )
    done = commands.shoal("check", study)
    assert done.returncode == 0
    assert "0 things wrong, 2 doubtful" in done.stdout


@pytest.mark.parametrize("text", ["table: [", "", "attributes: {}\n", "- a\n"])
def test_a_file_that_is_no_study_is_one_thing_wrong(folder: Path, text: str) -> None:
    study = written(folder, text)
    with pytest.raises(InputError) as problem:
        Study.open(study)
    assert str(problem.value) in check_study(study).wrong


def test_what_is_released_as_it_is_though_others_may_know_it_is_doubtful(folder: Path) -> None:
    study = written(
        folder,
        """table: people.csv
attributes:
  sex:  {role: quasi, hierarchy: {"*": [f, m]}}
  age:  {role: insensitive}
  job:  {role: sensitive}
""",
    )
    doubts = check_study(study).doubtful
    assert any("100% of its values are unique" in line for line in doubts)


def test_undecided_columns_are_read_and_not_released(folder: Path) -> None:
    study = written(
        folder,
        """table: people.csv
attributes:
  sex:  {role: quasi, hierarchy: {"*": [f, m]}}
  town: {role: undecided}
""",
    )
    solution, out = folder / "s.json", folder / "out.csv"
    asked = commands.shoal("frontier", study, "--save", solution)
    assert "undecided in" in asked.stderr
    done = commands.shoal("release", study, "--solution", solution, "--k", "2", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "so not released until somebody decides: town" in done.stderr
    assert out.read_text().splitlines()[0] == "sex"
    with Study(folder / "people.csv", quasi={"sex": {"*": ["f", "m"]}}, undecided="town") as opened:
        assert opened.undecided == ("town",)
        assert opened.release(opened.frontier(), k=2).columns == ("sex",)


def test_the_table_is_read_as_the_study_says(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes("größe;ort\n1,5;Köln\n?;Bonn\n2,5;Köln\n".encode("cp1252"))
    study = tmp_path / "people.study.yaml"
    study.write_text(
        "table: people.csv\nencoding: windows-1252\ndecimal: ','\nmissing: ['?']\nattributes:\n"
        "  größe: {role: quasi, hierarchy: {intervals: {widths: [1, 2]}}}\n  ort: {role: sensitive}\n",
        encoding="utf-8",
    )
    assert check_study(study).wrong == ()
