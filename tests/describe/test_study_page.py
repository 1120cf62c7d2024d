"""The page about study files: every example works as it says, and the schema takes them all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from shoal.describe.hierarchies import build_hierarchy
from shoal.describe.specification import Role
from shoal.describe.study_file import ATTRIBUTE, RARE, TOP
from shoal.describe.study_schema import NAME, study_schema
from shoal.proposal.study_check import check_study
from tests import commands

PAGE = (Path(__file__).parents[2] / "docs" / "study-file.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n([^`]*)```\n```\n([^`]*)```", PAGE)
(STUDY,) = (text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "table:" in text)
HEADER = "patient,home,weight,age,country,income,diagnosis,severity,outcome,ward"
ROWS = """p1,h1,100,31,DE,900,flu,low,home,A
p2,h1,100,44,France,2100,gout,middle,home,B
p2,h1,100,95,Peru,4500,flu,high,died,A
p3,h2,50.5,17,USA,1000,cold,low,home,A
"""


@pytest.mark.parametrize(("described", "rows"), EXAMPLES)
def test_a_hierarchy_makes_of_values_what_the_page_says(described: str, rows: str) -> None:
    ((column, given),) = yaml.safe_load(described).items()
    wanted = [tuple(line.split(";")) for line in rows.splitlines()]
    made = build_hierarchy(given["hierarchy"], [row[0] for row in wanted], column)
    assert set(wanted) <= set(made.rows())


def test_the_page_has_every_kind_of_hierarchy_and_every_entry() -> None:
    assert len(EXAMPLES) == 12
    assert all(f"`{word}`" in PAGE or f"{word}:" in PAGE for word in (*TOP, *ATTRIBUTE, *Role))
    kinds = study_schema()["$defs"]["hierarchy"]["anyOf"][1]["properties"]
    assert all(f"{kind}:" in PAGE for kind in kinds)


def test_the_study_of_the_page_is_right(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(f"{HEADER}\n{ROWS}")
    (tmp_path / "people.yaml").write_text(STUDY)
    assert check_study(tmp_path / "people.yaml").wrong == ()
    done = commands.shoal("frontier", tmp_path / "people.yaml", "--json")
    assert done.returncode == 0, done.stderr


def test_the_schema_takes_every_example_and_names_every_entry() -> None:
    schema = study_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    check.validate(yaml.safe_load(STUDY))
    for described, _ in EXAMPLES:
        check.validate({"table": "t.csv", "attributes": yaml.safe_load(described)})
    assert set(schema["properties"]) == {*TOP, *RARE}


@pytest.mark.parametrize(
    "study",
    [
        "table: t.csv\n",
        "table: t.csv\ncolour: blue\nattributes: {}\n",
        "table: t.csv\nattributes: {a: {role: quassi}}\n",
        "table: t.csv\nattributes: {a: {role: [identifying, quasi]}}\n",
        "table: t.csv\nattributes: {a: {role: quasi, hierarchy: {taxonomy: stars}}}\n",
        "table: t.csv\nattributes: {a: {role: quasi, hierarchy: {intervals: {width: [5]}}}}\n",
        "table: {url: x}\nattributes: {a: {role: sensitive}}\n",
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(study: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(study), study_schema())


def test_init_names_the_schema_and_check_writes_it(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(f"{HEADER}\n{ROWS}")
    assert commands.shoal("init", tmp_path / "people.csv").returncode == 0
    study = tmp_path / "people.study.yaml"
    assert study.read_text().splitlines()[0] == f"# yaml-language-server: $schema={NAME}"
    done = commands.shoal("check", study, "--schema", tmp_path / NAME)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((tmp_path / NAME).read_text()) == study_schema()
    jsonschema.validate(yaml.safe_load(study.read_text()), study_schema())
