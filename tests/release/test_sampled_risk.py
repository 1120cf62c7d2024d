"""The curator's report tells the risk of a sample, in rows and in shares of the population."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from shoal import Study
from shoal.criteria.individual_risk import individual_risk
from shoal.release.papers.sampled_risk import sampled_risk

AGES = ["31", "32", "33", "41", "42", "58"]
WEIGHTS = ["10", "20", "30", "40", "50", "7"]


def study(**units):
    table = pa.table({"age": AGES, "w": WEIGHTS})
    return Study(table, quasi={"age": {"intervals": {"origin": 30, "widths": [10, 50]}}}, **units)


def test_weights_add_up_in_released_groups(tmp_path):
    with study(sample_weight="w") as asked:
        release = asked.release(asked.anonymize("samarati", k=2, suppress=1), seed=1)
        told = sampled_risk(release)
        release.write(tmp_path / "out.csv")
    alone = individual_risk([1] * 6, [float(weight) for weight in WEIGHTS])
    assert told["before"]["sample_expected"] == pytest.approx(alone.sum())
    after = individual_risk([3, 2], [60, 90])
    assert told["after"]["sample_expected"] == pytest.approx(3 * after[0] + 2 * after[1])
    assert told["after"]["sample_highest"] == pytest.approx(after.max())
    # Above 0.09 are all but the row that stands for 50.
    assert told["before"]["population_at_risk"]["0.09"] == pytest.approx(107 / 157)
    page = (tmp_path / "out.csv.report.html").read_text(encoding="utf-8")
    assert "attacker does not know who was drawn" in page
    assert "Share of the population in rows with a risk above 0.09" in page
    public = (tmp_path / "out.csv.public.html").read_text(encoding="utf-8")
    assert "drawn" not in public
    assert "sample" not in json.loads((tmp_path / "out.csv.certificate.json").read_text())["measured"]


def test_a_table_that_is_no_sample_has_no_such_figures(tmp_path):
    with study() as asked:
        asked.release(asked.anonymize("samarati", k=2, suppress=1), seed=1).write(tmp_path / "out.csv")
    assert "who was drawn" not in (tmp_path / "out.csv.report.html").read_text(encoding="utf-8")
