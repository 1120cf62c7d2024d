"""The page of attacks says what every attack found, and who writes it keeps it to themselves."""

from __future__ import annotations

import stat

import pyarrow as pa
import pytest

import shoal
from shoal.assess.attacks.attack_report import AttackReport, Case, Finding, rate, whole
from shoal.present.charts.attack_bars import attack_cases, attack_overview, telling
from shoal.present.report.attack_page import render_attacks
from tests.present.page import Page

LITTLE = Case("little <b>", rate(30, 100), rate(25, 100))
MUCH = Case("much", whole(0.5, 100), whole(0.1, 100), certain=7)
GUESS = Finding("guess", "a name", "it is right", "Ann 2020", (LITTLE, MUCH), ("Half is right.",))
BREAK = Finding("break", "all", "it is certain", "Bob 2021", (), ("Nothing.",), breaks="l = 2")
FOUND = AttackReport("folder/out.csv", 100, (GUESS, BREAK), 3)


def test_the_overview_takes_the_case_that_is_most_above_its_baseline():
    assert telling(GUESS) is MUCH
    bars = attack_overview(FOUND)
    assert [group.name for group in bars.groups] == ["guess"]
    assert [bar.value for bar in bars.groups[0].bars] == [0.5, 0.1]
    assert bars.table.rows == (("guess", "much", "50%", "", "10%", "7"),)


def test_the_cases_of_an_attack_have_their_intervals():
    rows = attack_cases(GUESS).table.rows
    assert rows == (("little <b>", "30%", "21.9% to 39.6%", "25%", ""), ("much", "50%", "", "10%", "7"))


def test_the_page_has_one_section_an_attack():
    text = render_attacks(FOUND)
    page = Page(text)
    for said in (
        "Internal: do not publish",
        "The attack break breaks the promise of l = 2.",
        "Known: a name. Success: it is right.",
        "Half is right.",
        "10% baseline",
        "Ann 2020",
        "little <b>",
    ):
        assert said in page.text, said
    assert "folder" not in page.text
    assert len(page.all("section")) == 4
    assert "little <b>" not in text


def test_a_report_is_for_the_curator_alone_and_replaced_only_if_that_is_asked(tmp_path, shoal_study):
    study, out = shoal_study
    report = tmp_path / "attacks.html"
    found = shoal.attack(out, source=study, attack=["homogeneity"], report=report)
    assert found.findings[0].sentences[0] in Page(report.read_text()).text
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    before = report.read_text()
    with pytest.raises(shoal.InputError):
        shoal.attack(out, source=study, attack=["linkage"], report=report)
    assert report.read_text() == before
    shoal.attack(out, source=study, attack=["linkage"], report=report, force=True)
    assert report.read_text() != before


@pytest.fixture
def shoal_study(tmp_path):
    people = pa.table({"a": ["x", "x", "y", "y"], "ill": ["flu", "flu", "flu", "cold"]})
    tree = shoal.Hierarchy.from_rows([("x", "*"), ("y", "*")])
    study = shoal.Study(people, quasi={"a": tree}, sensitive="ill")
    study.release(study.optimize(k=2), seed=1).write(tmp_path / "out.csv")
    return study, tmp_path / "out.csv"
