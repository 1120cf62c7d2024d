"""Projects of ARX become studies: what is carried over, what is said to be left out, what is refused."""

from __future__ import annotations

import json
import math
import stat
import zipfile
from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.proposal.arx_models import requested
from shoal.proposal.arx_project import read_arx_project
from shoal.study import Study
from tests.commands import shoal

PROJECT = "<project><name>Ward</name><separator>;</separator><quote>&quot;</quote></project>"
CONFIG = """<config><relativeMaxOutliers>0.05</relativeMaxOutliers><metric>Loss (0.5/1.0/1.0)</metric>
<attributeWeights><attributeWeight><attribute>age</attribute><weight>0.25</weight></attributeWeight></attributeWeights>
<criteria><criterion>2-anonymity</criterion>
<criterion>distinct-2-diversity for attribute 'illness'</criterion></criteria></config>"""
DEFINITION = """<definition>
<assigment><name>name</name><type>IDENTIFYING_ATTRIBUTE</type></assigment>
<assigment><name>age</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><ref>hierarchies/age.csv</ref>
<min>1</min><max>All</max></assigment>
<assigment><name>sex</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><ref>hierarchies/sex.csv</ref>
<min>All</min><max>All</max></assigment>
<assigment><name>illness</name><type>SENSITIVE_ATTRIBUTE</type></assigment></definition>"""
PARTS = {
    "project.xml": PROJECT,
    "input/config.xml": CONFIG,
    "input/definition.xml": DEFINITION,
    "input/hierarchies/age.csv": "31;30-39;*\n32;30-39;*\n44;40-49;*\n45;40-49;*\n",
    "input/hierarchies/sex.csv": "f\nm\n",
    "data/input.csv": 'name;age;sex;illness\n"Ann; A.";31;f;flu\nBob;32;m;cold\n'
    "Cleo;44;f;flu\nDan;45;m;gout\n",
}


def project(folder: Path, **changed: str | None) -> Path:
    """A project file, with some of its parts changed or left out."""
    return write_project(folder / "ward.deid", **changed)


def write_project(path: Path, **changed: str | None) -> Path:
    """Write a project, with some of its parts changed or left out."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (PARTS | changed).items():
            if text is not None:
                archive.writestr(name, text)
    return path


def test_a_project_becomes_a_study_that_answers_its_question(tmp_path: Path) -> None:
    done = shoal("import-arx", project(tmp_path), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert answer["options"] == {"--k": "2", "--l": "2", "--suppress": "0.05", "--metric": "LM"}
    assert stat.S_IMODE((tmp_path / "ward.csv").stat().st_mode) == 0o600
    with Study.open(tmp_path / "ward.study.yaml") as study:
        roles = {
            name: [role.value for role in one.roles]
            for name, one in study.specification.attributes.items()
        }
        assert roles == {
            "name": ["identifying"],
            "age": ["quasi"],
            "sex": ["quasi"],
            "illness": ["sensitive"],
        }
        age = study.specification.attributes["age"]
        assert (age.min_level, age.weight) == (1, 0.5)
        assert study.anonymize("flash", k=2, l=2).k >= 2
    assert (tmp_path / "ward.csv").read_text().splitlines()[1] == "Ann; A.,31,f,flu"
    assert (tmp_path / "ward.hierarchies" / "sex.csv").read_text() == "f;*\nm;*\n"
    again = shoal("import-arx", tmp_path / "ward.deid")
    assert again.returncode == 2
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("criterion", "option", "value"),
    [
        ("7-anonymity", "--k", "7"),
        ("shannon-entropy-2.5-diversity for attribute 'x'", "--entropy-l", "2.5"),
        ("recursive-(3.0,2)-diversity for attribute 'x'", "--recursive-l", "3,2"),
        ("0.2-closeness with hierarchical distance for attribute 'x'", "--distance", "hierarchical"),
        ("1.5-basic likeness for attribute 'it's'", "--beta", "1.5"),
        ("(0.05)-avg-reidentification-risk", "--average-risk", "0.05"),
        ("(1.0E-4)-population-uniqueness (zayatz)", "--population-uniques", "0.0001"),
    ],
)
def test_models_become_options(criterion: str, option: str, value: str) -> None:
    assert requested([criterion], "Loss", "0").options[option] == value


def test_a_disclosure_limit_is_never_looser_than_the_project_s() -> None:
    limit = float(
        requested(["1.0-disclosure privacy for attribute 'x'"], "Loss", "0").options[
            "--delta-disclosure"
        ]
    )
    assert limit < math.log(2) < limit + 1e-5


def test_of_two_limits_the_stricter_is_asked_and_told() -> None:
    two = [f"distinct-{least}-diversity for attribute '{name}'" for least, name in ((3, "x"), (2, "y"))]
    found = requested(two, "Loss", "0")
    assert found.options["--l"] == "3"
    assert "--l 3 holds for all" in found.notes[0]


@pytest.mark.parametrize(
    ("model", "option", "limits", "strictest"),
    [
        ("distinct-{}-diversity for attribute '{}'", "--l", ("9", "10"), "10"),
        ("entropy-{}-diversity for attribute '{}'", "--entropy-l", ("2.5", "3"), "3"),
        ("{}-closeness with equal distance for attribute '{}'", "--t", ("0.2", "0.1"), "0.1"),
        ("{}-basic likeness for attribute '{}'", "--beta", ("1.5", "2"), "1.5"),
    ],
)
def test_the_stricter_limit_is_the_largest_or_the_smallest_number(
    model: str, option: str, limits: tuple[str, str], strictest: str
) -> None:
    for first, second in (limits, limits[::-1]):
        found = requested([model.format(first, "x"), model.format(second, "y")], "Loss", "0")
        assert found.options[option] == strictest


def test_what_columns_ask_for_beside_each_other_is_told() -> None:
    models = [
        "recursive-(3.0,2)-diversity for attribute 'x'",
        "recursive-(4.0,2)-diversity for attribute 'y'",
    ]
    found = requested(models, "Loss", "0")
    assert found.options["--recursive-l"] == "3,2"
    assert found.notes == ["another column asks for --recursive-l 4,2; ask for it apart"]
    kinds = [f"0.2-closeness with {kind} distance for attribute 'x'" for kind in ("equal", "ordered")]
    found = requested(kinds, "Loss", "0")
    assert found.options["--distance"] == "equal"
    assert "another column's t-closeness has the ordered distance" in found.notes[0]


def test_another_estimator_of_the_population_is_told() -> None:
    notes = requested(["(0.01)-population-uniqueness (pitman)"], "Loss", "0").notes
    assert notes[0] == "population uniques are estimated by Zayatz here, not by Pitman"


def test_all_rows_may_be_suppressed_and_not_one() -> None:
    assert requested(["5-anonymity"], "Loss", "1.0").options["--suppress"] == "100%"


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("Loss (0.007/1.0/0.014)", "coarser cells by 1.0 and suppressed ones by 0.014"),
        ("Loss (0.75/0.5/1.0)", "coarser cells by 0.5 and suppressed ones by 1.0"),
        ("Loss (0.5/1.0/1.0)", ""),
        ("Loss", ""),
    ],
)
def test_weights_of_suppressed_cells_are_told_where_they_are_other_than_here(
    metric: str, words: str
) -> None:
    found = requested(["5-anonymity"], metric, "0")
    assert found.options["--metric"] == "LM"
    assert [note for note in found.notes if words in note] == found.notes
    assert len(found.notes) == bool(words)


def test_of_many_limits_only_the_one_that_holds_is_told() -> None:
    many = [
        f"distinct-{least}-diversity for attribute '{name}'"
        for least, name in ((2, "x"), (3, "y"), (4, "z"))
    ]
    assert [note[-19:] for note in requested(many, "Loss", "0").notes] == ["--l 4 holds for all"]


def test_a_study_is_no_file_that_the_table_takes(tmp_path: Path) -> None:
    made = project(tmp_path)
    for out in ("ward.csv", ".", ""):
        done = shoal("import-arx", made, "-o", out, "--force", cwd=tmp_path)
        assert done.returncode == 2
        assert "the name of a study ends in .yaml" in done.stderr
    done = shoal("import-arx", made, "-o", tmp_path / "nowhere" / "a.yaml")
    assert "a.yaml: its folder does not exist" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["ward.deid"]
    assert shoal("import-arx", "/").returncode == shoal("import-arx", ".").returncode == 2


def test_population_uniques_are_asked_with_what_the_command_takes(tmp_path: Path) -> None:
    model = "(0.01)-population-uniqueness (zayatz)"
    config = CONFIG.replace("2-anonymity", model)
    done = shoal("import-arx", project(tmp_path, **{"input/config.xml": config}))
    assert "by sampling_fraction what share of it the table is" in done.stdout
    study = tmp_path / "ward.study.yaml"
    study.write_text(study.read_text() + "sampling_fraction: 0.001\n")
    asked = done.stdout.splitlines()[-1].partition("asked: shoal ")[2].split()
    assert shoal(*asked, "--time-limit", 5).returncode in (0, 3)


@pytest.mark.parametrize(
    "criterion",
    [
        "enhanced-1.0-likeness for attribute 'x'",
        "(5)-map",
        "(0.1,0.2)-presence",
        "(0.01)-sample-uniqueness",
        "5-anonymity of households",
        "grassberger-entropy-2.0-diversity for attribute 'x'",
    ],
)
def test_what_has_no_counterpart_is_told_and_promises_nothing(criterion: str) -> None:
    found = requested([criterion], "Loss", "0")
    assert set(found.options) == {"--suppress", "--metric"}
    assert len(found.notes) == 2
    assert found.notes[1].startswith("nothing is promised yet: add a promise such as --k 5")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"input/definition.xml": None}, "it has no input/definition.xml"),
        ({"project.xml": "<project>"}, "project.xml is no XML"),
        ({"project.xml": '<!DOCTYPE a [<!ENTITY b "c">]><project/>'}, "declares entities"),
        ({"data/input.csv": ""}, "its table is empty"),
        ({"input/config.xml": CONFIG.replace("0.05", "much")}, "its settings or tables are damaged"),
        ({"input/config.xml": CONFIG.replace("0.25", "much")}, "its settings or tables are damaged"),
        ({"input/config.xml": CONFIG.replace("0.25", "NaN")}, "age has the weight nan"),
        ({"input/config.xml": CONFIG.replace("0.25", "-1")}, "age has the weight -1"),
        ({"input/config.xml": CONFIG.replace("0.05", "NaN")}, "NaN of the rows may be suppressed"),
        ({"input/config.xml": CONFIG.replace("0.05", "-2")}, "-2 of the rows may be suppressed"),
        (
            {"input/definition.xml": DEFINITION.replace("<max>All", "<max>0", 1)},
            "level of age is 1, and",
        ),
        ({"input/definition.xml": DEFINITION.replace("sex", "age")}, "age is defined twice"),
        ({"input/hierarchies/sex.csv": "\n"}, "the hierarchy of sex is empty"),
        ({"data/input.csv": "age;age\n31;32\n"}, "two columns have the same name"),
        ({"project.xml": PROJECT.replace(";<", ";;<")}, "its settings or tables are damaged"),
        (
            {"data/input.csv": "name;age\n" + "x" * 200_000 + ";1\n"},
            "its settings or tables are damaged",
        ),
        ({"data/input.csv": "name;age\nAnn\n"}, "row 1 of its table has 1 cells for 2 columns"),
    ],
)
def test_a_damaged_project_is_refused_in_a_sentence(
    tmp_path: Path, changed: dict[str, str | None], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        read_arx_project(project(tmp_path, **changed))


def test_what_is_no_project_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.deid").write_text("no zip")
    with pytest.raises(InputError, match="is no ARX project"):
        read_arx_project(tmp_path / "x.deid")


@pytest.mark.parametrize("number", ["", "3", "5"])
def test_projects_of_arx_itself_open_without_anything_wrong(
    number: str, arx_projects: Path, tmp_path: Path
) -> None:
    study = tmp_path / "it.study.yaml"
    done = shoal("import-arx", arx_projects / f"example{number}.deid", "-o", study)
    assert (done.returncode, done.stderr) == (0, "")
    assert "What the project asked: shoal anonymize" in done.stdout
    assert "0 things wrong" in shoal("check", study).stdout
