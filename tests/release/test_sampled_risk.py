"""The curator's report tells the risk of a sample, in rows and in shares of the population."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from shoal import Study
from shoal.criteria.individual_risk import individual_risk
from shoal.questions.material import Material
from shoal.release.papers.gathering import gather
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


def test_persons_are_counted_once_in_a_group(tmp_path, monkeypatch):
    """Three rows of one person, and two persons: 31 to 33 are a crowd of one."""
    monkeypatch.setattr(Material, "check_rows", lambda *_: None, raising=False)
    table = pa.table({"age": ["31", "32", "33", "41", "42"], "who": ["a", "a", "a", "b", "c"]})
    ages = {"intervals": {"origin": 30, "widths": [10, 50]}}
    with Study(table, quasi={"age": ages}, persons="who", sampling_fraction="1%") as asked:
        release = asked.release({"node": {"age": 1}, "promise": {"k": 1}}, seed=1)
        told = sampled_risk(release)
        facts = gather(release, tmp_path / "out.csv", "", release.verified_table()[1], [])
    after = individual_risk([1, 2], [100, 200])
    assert told["after"]["sample_expected"] == pytest.approx(after[0] + 2 * after[1])
    assert told["before"]["sample_highest"] == pytest.approx(after[0])
    assert (facts["risk"]["after"]["k"], facts["risk"]["after"]["rows"]) == (1, 5)
    assert facts["risk"]["after"]["prosecutor_average"] == pytest.approx((3 + 2 / 2) / 5)
    assert facts["risk"]["before"]["k"] == 1


def test_suppressed_groups_stand_for_nobody_and_are_at_no_risk():
    """The row that is alone is suppressed: it would be the riskiest of all that are left."""
    with study(sample_weight="w") as asked:
        release = asked.release({"node": {"age": 1}, "promise": {"k": 2}, "suppressed": 1}, seed=1)
        told = sampled_risk(release)["after"]
    left = individual_risk([3, 2], [60, 90])
    assert release.treatment.suppressed_rows == 1
    assert told["sample_highest"] == pytest.approx(left.max())
    assert told["sample_expected"] == pytest.approx(3 * left[0] + 2 * left[1])
    assert told["population_at_risk"]["0.05"] == 0
    assert told["population_at_risk"]["0.01"] == 1


@pytest.mark.parametrize("drawn", [{"sample_weight": "w"}, {"population_size": 700}])
def test_rows_that_go_with_their_households_stand_for_nobody(drawn):
    ages = ["31", "41", "31", "41", "31", "31"]
    homes, weights = ["a", "a", "b", "b", "c", "c"], ["10", "20", "30", "40", "50", "60"]
    table = pa.table({"age": ages, "home": homes, "w": weights})
    tree = {"intervals": {"origin": 30, "widths": [10, 50]}}
    with Study(table, quasi={"age": tree}, households="home", **drawn) as asked:
        decision = {"node": {"age": 0}, "promise": {"k": 2}, "suppression_limit": 2}
        release = asked.release(decision, household_k=2, seed=1)
        assert release.treatment.homes == ("c",)
        told = sampled_risk(release)
    stands = [40, 60] if "sample_weight" in drawn else [2 * 700 / 6] * 2
    after = individual_risk([2, 2], stands)
    assert told["after"]["sample_expected"] == pytest.approx(2 * after.sum())
    assert told["after"]["sample_highest"] == pytest.approx(after.max())
