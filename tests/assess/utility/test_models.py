"""Regressions, predictions, indicators and groups on releases with known answers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.assess.utility.distributions import distributions
from shoal.assess.utility.indicators import Indicator, indicators, statements_in
from shoal.assess.utility.lost_groups import RARE_NAME, lost_groups
from shoal.assess.utility.predictions import HeldOut, predict, scored
from shoal.assess.utility.regressions import Estimate, interval_overlap, read_formula, regression
from shoal.documents import first_fault, schema_named
from shoal.present.report.utility_page import render_utility
from tests.assess.utility.releases import AGES, PAY, PEOPLE, both, people, released
from tests.commands import shoal as command
from tests.present.page import Page

SAME, COARSE = {"age": 0, "sex": 0}, {"age": 2, "sex": 1}


@pytest.fixture
def same(tmp_path):
    return both(people(), SAME, tmp_path / "out.csv")


@pytest.mark.parametrize("formula", ["hours ~ age + sex", "pay ~ hours + sex"])
def test_the_same_rows_have_the_same_intervals(same, formula):
    pytest.importorskip("statsmodels")
    model = regression(same, formula)
    assert model.overlap == pytest.approx(1)
    for one in model.coefficients:
        assert one.before.value == pytest.approx(one.after.value, abs=1e-9)
        assert one.before.low < one.before.value < one.before.high


def test_a_line_through_points_is_found_and_a_generalized_column_loses_its_slope(tmp_path):
    pytest.importorskip("statsmodels")
    line = PEOPLE.set_column(
        3, "hours", pa.array([str(2 * int(age) + 1 + i % 2) for i, age in enumerate(AGES)])
    )
    found = regression(both(people(line), SAME, tmp_path / "one.csv"), "hours ~ age")
    slope, constant = np.polyfit(
        [int(a) for a in AGES], [float(h) for h in line["hours"].to_pylist()], 1
    )
    values = {one.term: one.before.value for one in found.coefficients}
    assert values == pytest.approx({"(constant)": constant, "age": slope})
    lost = regression(both(people(line), COARSE, tmp_path / "two.csv"), "hours ~ age")
    told = {one.term: one for one in lost.coefficients}
    assert (told["age"].after, told["age"].overlap) == (None, None)
    assert lost.overlap < 0.5


def test_a_formula_names_columns_once_and_predicts_what_can_be(same):
    for formula, said in (
        ("hours", "no model"),
        ("hours ~ ", "no model"),
        ("hours ~ ages", "did you mean"),
        ("hours ~ age + age", "twice"),
        ("hours ~ hours", "twice"),
    ):
        with pytest.raises(shoal.InputError, match=said):
            read_formula(formula, ["age", "hours"])
    assert interval_overlap(Estimate(0, 0, 1), Estimate(5, 4, 6)) == 0
    assert interval_overlap(Estimate(0, 0, 4), Estimate(0, 1, 2)) == (1 / 4 + 1) / 2


def test_a_class_that_a_column_decides_is_learnt_until_the_column_is_gone(tmp_path):
    pytest.importorskip("sklearn")
    many = pa.concat_tables([PEOPLE] * 10)
    for node, right in ((SAME, True), (COARSE, False)):
        learnt = predict(both(people(many), node, tmp_path / f"{right}.csv"), "pay")
        boosted = learnt.predictions[1]
        assert boosted.original.error < 0.02  # pay follows from age
        assert (boosted.released.error < 0.02) == right
        assert boosted.tested == 640 // 3
        assert boosted.majority.error == pytest.approx(PAY.count("high") / 64, abs=0.1)
    with pytest.raises(shoal.InputError, match="itself generalized"):
        predict(both(people(many), COARSE, tmp_path / "last.csv"), "age")


def test_held_out_rows_teach_nothing(tmp_path):
    """Rows that all differ in what is to be learnt: guesses can only be right by chance."""
    pytest.importorskip("sklearn")
    rows = 300
    draw = np.random.default_rng(3)
    table = pa.table(
        {
            "age": [str(20 + i % 8) for i in range(rows)],
            "sex": ["f"] * rows,
            "pay": [str(one) for one in draw.integers(0, 2, rows)],
            "hours": [str(i) for i in range(rows)],
        }
    )
    learnt = predict(both(people(table), SAME, tmp_path / "out.csv"), "pay")
    assert learnt.predictions[1].original.error > 0.3


def test_scores_are_those_of_the_definition():
    score = scored(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    assert score.error == 0.25
    assert score.f1 == pytest.approx(((2 * 2 / 5) + (2 * 1 / 3)) / 2)


def test_groups_that_are_suppressed_come_first(tmp_path):
    ages = ["20"] * 150 + ["27"]
    count = len(ages)
    table = pa.table(
        {"age": ages, "sex": ["f"] * 150 + ["m"], "pay": ["low"] * count, "hours": ["1"] * count}
    )
    tables = both(people(table), SAME, tmp_path / "out.csv", k=2)
    groups = lost_groups(tables, distributions(tables)[1])
    assert (groups[0].value, groups[0].rows, groups[0].suppressed) == (RARE_NAME, 1, 1.0)
    told = {(one.column, one.value): one.suppressed for one in groups}
    assert (told["sex", "m"], told["sex", "f"]) == (1.0, 0.0)


def test_where_nobody_loses_anything_nobody_loses_most(tmp_path):
    table = pa.table({"age": ["20"] * 8, "sex": ["f"] * 8, "pay": ["low"] * 8, "hours": ["1"] * 8})
    tables = both(people(table), SAME, tmp_path / "out.csv", k=2)
    assert lost_groups(tables, distributions(tables)[1]) == ()


def test_those_of_rare_values_may_be_guessed_worse_though_no_single_value_tells(tmp_path):
    """Each rare value has too few rows to say, and errors elsewhere make up for theirs."""
    pay = ["low"] * 4_000 + ["p1"] * 20 + ["p2"] * 20
    hours = [str(i) for i in range(len(pay))]
    same_ = {"age": ["20"] * len(pay), "sex": ["f"] * len(pay)}
    tables = both(
        people(pa.table({**same_, "pay": pay, "hours": hours})), SAME, tmp_path / "out.csv", k=2
    )
    codes = tables.before.codes[:, [one.name for one in tables.columns].index("pay")]
    rare = np.bincount(codes)[codes] < 100
    before = np.zeros(len(codes), dtype=bool)
    before[np.flatnonzero(~rare)[:40]] = True
    shuffled = np.random.default_rng(1).permutation(len(codes))
    held_out = HeldOut("hours", shuffled, before[shuffled], rare[shuffled])
    groups = lost_groups(tables, distributions(tables)[1], held_out)
    assert (groups[0].value, groups[0].error_before, groups[0].error_after) == (RARE_NAME, 0.0, 1.0)


class TestIndicators:
    def test_a_statement_runs_on_both_tables(self, tmp_path):
        study, sql = people(), tmp_path / "mean.sql"
        sql.write_text(
            "-- Means by sex\nSELECT sex, avg(age_mid) AS mean, sum(weight) AS heft FROM data GROUP BY sex;\n"
            "SELECT min(age_low) AS low, max(age_high) AS high FROM data"
        )
        out = released(study, {"age": 1, "sex": 0}, tmp_path / "out.csv")
        found = shoal.utility(out, source=study, indicator=[str(sql)], predict=[])
        means, ends = found.indicators
        assert (means.name, ends.name) == ("Means by sex", "mean 2")
        told = {(one.key, one.column): (one.before, one.after) for one in means.compared}
        assert told[("f",), "heft"] == (42.0, 42.0)
        ages = [int(a) for a, sex in zip(AGES, PEOPLE["sex"].to_pylist(), strict=True) if sex == "f"]
        assert told[("f",), "mean"][0] == pytest.approx(np.mean(ages))
        assert [(one.before, one.after) for one in ends.compared] == [(20.0, 20.0), (27.0, 27.0)]

    @pytest.mark.parametrize(
        ("sql", "said"),
        [
            ("DROP TABLE data", "an indicator is a SELECT"),
            ("SELECT 1; COPY data TO 'x.csv'", "an indicator is a SELECT"),
            ("ATTACH 'x.db'", "an indicator is a SELECT"),
            ("INSTALL httpfs", "an indicator is a SELECT"),
            ("LOAD httpfs", "an indicator is a SELECT"),
            ("SET enable_external_access = true", "an indicator is a SELECT"),
            ("PRAGMA database_list", "an indicator is a SELECT"),
            ("FROM query('COPY data TO x')", "Expected a single SELECT"),
            ("SELECT * FROM read_csv('{here}')", "disabled"),
            ("SELECT * FROM read_text('{here}')", "disabled"),
            ("SELECT * FROM glob('/*')", "disabled"),
            ("SELECT * FROM '{here}'", "fails"),
            ("SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')", "fails"),
            ("SELECT getenv('HOME')", "fails"),
            ("SELECT count(*) FROM people", "fails"),
            ("SELEC 1", "not SQL"),
            ("", "no statement"),
            ("SELECT a.age FROM data a, data b, data c", "more than 5,000 lines"),
            ("SELECT repeat('x', 1000001)", "more than 1,000,000 characters"),
        ],
    )
    def test_nothing_but_the_table_can_be_read(self, tmp_path, sql, said):
        here = tmp_path / "secret.csv"
        here.write_text("a\n1\n")
        with pytest.raises(shoal.InputError, match=said):
            indicators((PEOPLE, PEOPLE), statements_in(sql.format(here=here), here), 1, None)
        assert list(tmp_path.iterdir()) == [here]

    def test_what_an_indicator_gives_can_be_written_down(self):
        sql = "SELECT sex, count(*) AS n, max(age) AS oldest FROM data GROUP BY ALL"
        (found,) = indicators((PEOPLE, PEOPLE), statements_in(sql, Path("x.sql")), 1, None)
        assert Indicator.from_dict(json.loads(json.dumps(found.to_dict()))) == found


class TestTheWhole:
    @pytest.fixture
    def folder(self, tmp_path):
        from pyarrow import csv

        csv.write_csv(PEOPLE, tmp_path / "people.csv")
        trees = "age: {role: quasi, hierarchy: {intervals: {origin: 0, widths: [4]}}}"
        (tmp_path / "study.yaml").write_text(
            f"table: people.csv\nattributes:\n  {trees}\n  sex: {{role: quasi, hierarchy: {{'*': [f, m]}}}}\n"
            "  pay: {role: class}\n  hours: {role: insensitive}\n"
        )
        with shoal.Study.open(tmp_path / "study.yaml") as study:
            study.release(study.frontier(), k=8, seed=1).write(tmp_path / "out.csv")
        return tmp_path

    def test_the_command_prints_what_the_function_finds_and_what_the_schema_says(self, folder):
        asked = ("utility", "out.csv", "--source", "study.yaml")
        done = command(*asked, "--json", "--report", "use.html", cwd=folder)
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert first_fault(document, schema_named("utility")) is None
        found = shoal.utility(folder / "out.csv", source=folder / "study.yaml")
        own = json.loads(json.dumps(found.to_dict()))
        assert {**own, "file": ""} == {**document, "file": ""}
        page = Page((folder / "use.html").read_text())
        assert "Internal: do not publish" in page.text
        assert "Every column, before and after" in page.text
        if os.name == "posix":
            assert (folder / "use.html").stat().st_mode & 0o777 == 0o600
        shown = command(*asked, cwd=folder)
        assert "Nobody loses more than others" in shown.stdout
        assert "pMSE" in shown.stdout.replace("\n", " ")

    def test_the_page_escapes_what_is_in_the_table(self, tmp_path):
        evil = "<script>x</script>"
        table = PEOPLE.set_column(3, "hours", pa.array([evil] * 64))
        study = people(table)
        found = shoal.utility(released(study, SAME, tmp_path / "out.csv"), source=study)
        assert evil not in render_utility(found)
        assert evil in Page(render_utility(found)).text
        assert found.of("hours").distance == 0
        assert len(found.to_arrow()) == 4

    def test_a_release_without_its_record_or_of_another_study_is_refused(self, tmp_path):
        study = people()
        out = released(study, SAME, tmp_path / "out.csv")
        other = shoal.Study(
            PEOPLE, quasi={"age": shoal.Hierarchy.from_rows([(a, "*") for a in sorted(set(AGES))])}
        )
        with pytest.raises(shoal.InputError, match="name the study that it was made from"):
            shoal.utility(out, source=other)
        (tmp_path / "out.csv.record.json").unlink()
        with pytest.raises(shoal.InputError, match="the record is not beside"):
            shoal.utility(out, source=study)


def test_the_report_and_a_comparison_tell_what_is_kept(tmp_path):
    study = people()
    released(study, {"age": 1, "sex": 0}, tmp_path / "out.csv")
    page = Page((tmp_path / "out.csv.report.html").read_text())
    assert "What it is still good for" in page.text
    assert "age before and after" in page.text
    assert "What it is still good for" not in (tmp_path / "out.csv.public.html").read_text()
    found = study.compare(k=4, algorithms=["flash", "mondrian"])
    uses = [one["use"] for one in found.to_dict()["results"]]
    assert all(0 <= use["distance"] <= use["worst"] <= 1 for use in uses)
    assert "moved" in found.to_arrow().column_names
