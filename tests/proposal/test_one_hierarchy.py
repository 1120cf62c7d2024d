"""`shoal hierarchy` shows, tests, makes and edits one hierarchy."""

from __future__ import annotations

import json
from itertools import combinations
from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies import Hierarchy, read_hierarchy
from shoal.describe.study_file import read_study_file
from shoal.proposal.similar_values import by_distribution, by_spelling
from tests import commands

STUDY = """# keep this comment
table: people.csv
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [10, 20]}}}  # and this one
  job: {role: quasi, hierarchy: job.csv}
  ill: {role: sensitive}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    ages = (21, 22, 34, 35, 47, 48, 61, 62, 75, 90)
    lines = [f"{age},{'cook' if age % 2 else 'nurse'},{'flu' if age < 50 else 'gout'}" for age in ages]
    (tmp_path / "people.csv").write_text("age,job,ill\n" + "\n".join(lines) + "\n")
    (tmp_path / "job.csv").write_text("cook;*\nnurse;*\n")
    (tmp_path / "people.yaml").write_text(STUDY)
    return tmp_path / "people.yaml"


def asked(*given: object) -> dict[str, object]:
    done = commands.shoal("hierarchy", *given, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_levels_are_shown_as_the_table_fills_them(study: Path) -> None:
    levels = asked(study, "age")["levels"]
    assert [level["groups"] for level in levels] == [10, 6, 4, 1]
    assert [level["smallest"] for level in levels] == [1, 1, 1, 10]
    assert levels[1]["examples"] == ["20-29", "30-39", "40-49", "60-69"]


def test_another_hierarchy_is_tried_and_put_into_the_study(study: Path) -> None:
    levels = asked(study, "age", "--optimal", "2")["levels"]
    assert levels[1]["smallest"] >= 2
    assert study.read_text() == STUDY
    described = "{intervals: {widths: [5, 10], top: 70}}"
    asked(study, "age", "--describe", described, "--edit")
    assert study.read_text() == STUDY.replace("{intervals: {widths: [10, 20]}}", described)
    asked(study, "age", "--quantiles", "4", "--edit")
    bounds = read_study_file(study).attributes["age"].hierarchy["intervals"]["bounds"]
    assert bounds == [["35", "48", "75"], ["48"]]
    assert "# and this one" in study.read_text()


def test_a_listed_hierarchy_goes_into_a_file(study: Path) -> None:
    file = study.with_name("jobs.csv")
    asked(study, "job", "--alike", "ill", "--write", file, "--edit")
    assert read_study_file(study).attributes["job"].hierarchy == file
    assert set(read_hierarchy(file).leaves) == {"cook", "nurse"}
    done = commands.shoal("hierarchy", study, "job", "--alike", "job", "--edit")
    assert done.returncode == 2
    assert "goes into a file" in done.stderr


def test_what_does_not_fit_is_refused(study: Path) -> None:
    for given_, said in (
        (("aeg",), "did you mean age"),
        (("age", "--describe", "{mask: {digits: 3}}"), "2 characters where the mask says 3"),
        (("age", "--quantiles", "2", "--optimal", "2"), "one hierarchy at a time"),
        (("ill",), "has no hierarchy"),
        (("job", "--optimal", "2"), "is not a number"),
        (("age", "--edit"), "nothing to put into the study"),
    ):
        done = commands.shoal("hierarchy", study, *given_)
        assert (done.returncode, said in done.stderr) == (2, True), (given_, done.stderr)
    assert study.read_text() == STUDY


@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"),
        st.dictionaries(st.sampled_from("xyz"), st.integers(1, 9), min_size=1),
        min_size=2,
    )
)
def test_values_that_are_alike_are_joined_the_same_way_every_time(counts) -> None:
    rows = by_distribution(counts)
    assert rows == by_distribution(dict(reversed(counts.items())))
    assert sorted(row[0] for row in rows) == sorted(counts)
    Hierarchy.from_rows(rows).tree()


def test_the_first_pair_joined_loses_least() -> None:
    counts = {"a": {"x": 5, "y": 5}, "b": {"x": 9, "y": 1}, "c": {"x": 8, "y": 1}, "d": {"x": 1, "y": 7}}

    def spread(*names: str) -> float:
        held = [sum(counts[name].get(key, 0) for name in names) for key in "xy"]
        return sum(-n * log2(n / sum(held)) for n in held if n)

    best = min(combinations("abcd", 2), key=lambda pair: spread(*pair) - sum(map(spread, pair)))
    groups = {row[1] for row in by_distribution(counts)}
    assert any(set(best) <= set(group.split(", ")) for group in groups)


def test_values_spelled_alike_are_joined() -> None:
    rows = {leaf: label for leaf, label, *_ in by_spelling(["blue", "bluish", "reddish", "red"])}
    assert rows["blue"] == rows["bluish"] != rows["red"] == rows["reddish"]
