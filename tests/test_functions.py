"""What can be asked without a study is a function of the package, and answers as the command line does."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv

import shoal
from tests.commands import shoal as command

AGES = [str(20 + i % 40) for i in range(200)]
SEXES = ["f" if i % 3 else "m" for i in range(200)]
ILLNESSES = ["flu", "cold", "gout", "measles"] * 50
PEOPLE = pa.table({"age": AGES, "sex": SEXES, "illness": ILLNESSES})


def documents_of(*words: object) -> dict[str, Any]:
    """Return what a command prints for programs."""
    return json.loads(command(*words, "--json").stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, its proposed study, and two releases."""
    folder = tmp_path_factory.mktemp("functions")
    csv.write_csv(PEOPLE, folder / "people.csv")
    shoal.propose(folder / "people.csv", out=folder / "study.yaml")
    with shoal.Study.open(folder / "study.yaml") as study:
        front = study.frontier()
        for name, k in (("fine.csv", 2), ("coarse.csv", 20)):
            study.release(front, k=k).write(folder / name)
    return folder


def test_a_proposed_study_opens_and_is_not_written_over_another(folder: Path) -> None:
    with shoal.Study.open(folder / "study.yaml") as study:
        assert study.quasi == ("age", "sex")
    with pytest.raises(shoal.InputError, match="already exists"):
        shoal.propose(folder / "people.csv", out=folder / "study.yaml")
    shoal.propose(folder / "people.csv", out=folder / "study.yaml", force=True)


def test_a_frame_has_no_name_that_a_study_could_keep(tmp_path: Path) -> None:
    with pytest.raises(shoal.InputError, match="a study names its table"):
        shoal.propose(PEOPLE, out=tmp_path / "study.yaml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["fine.csv", "coarse.csv"])
def test_a_release_is_verified_as_the_command_does(folder: Path, name: str) -> None:
    verdict = shoal.verify(folder / name)
    told = documents_of("verify", str(folder / name))
    assert verdict.holds
    assert told["measured"]["k"] == verdict.measured.k
    assert not shoal.verify(folder / name, quasi=["age", "sex"], k=verdict.measured.k + 1).holds


def test_risk_and_difference_are_those_of_the_commands(folder: Path) -> None:
    found = shoal.risk(folder / "study.yaml")
    assert found.to_dict() == documents_of("risk", str(folder / "study.yaml"))
    assert found.to_pandas().attacker.tolist() == ["prosecutor", "journalist", "marketer"]
    assert len(found.combinations.to_arrow()) == 3
    one, other = folder / "fine.csv", folder / "coarse.csv"
    assert json.loads(json.dumps(shoal.diff(one, other).to_dict())) == documents_of("diff", one, other)


def test_new_rows_are_recoded_as_a_release_was(folder: Path) -> None:
    record = folder / "coarse.csv.record.json"
    applied = shoal.apply(record, PEOPLE.slice(0, 100), folder / "new.csv")
    assert applied.published.verdict.holds
    again = shoal.remake(record, folder / "again.csv")
    assert again.path.read_bytes() == (folder / "coarse.csv").read_bytes()


def test_a_time_that_is_over_and_a_memory_that_is_too_small_are_kept() -> None:
    with pytest.raises(shoal.InputError, match="time_limit"):
        shoal.risk(PEOPLE, quasi=["age", "sex"], time_limit=-1)
    with pytest.raises(shoal.InputError, match="need"):
        shoal.risk(PEOPLE, quasi=["age", "sex"], tally_memory="100")


def test_no_error_of_python_names_an_option_of_the_command_line() -> None:
    """The words for parameters are those of Python; the command line turns its own into options."""
    root = Path(shoal.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        if {"cli", "web"} & {*path.parts}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            error = node.exc if isinstance(node, ast.Raise) else None
            texts = (
                [each.value for each in ast.walk(error) if isinstance(each, ast.Constant)]
                if error
                else []
            )
            found += [text for text in texts if isinstance(text, str) and re.search(r"--[a-z]", text)]
    assert found == []


def test_the_command_line_says_its_own_option_instead(folder: Path) -> None:
    done = command("risk", folder / "people.csv", "--quasi", "age,sex", "--tally-memory", "100")
    assert done.returncode == 2
    assert "(--tally-memory)" in done.stderr
    with pytest.raises(shoal.InputError, match=r"\(`tally_memory`\)"):
        shoal.risk(folder / "people.csv", quasi=["age", "sex"], tally_memory="100")
