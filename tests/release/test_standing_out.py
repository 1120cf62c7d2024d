"""The curator's report says who stood out by which columns, and what knowing households adds."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal import Study
from shoal.errors import TallyTooLargeError
from shoal.release.papers.standing_out import standing_out

AGES = ["31", "32", "31", "32", "31", "32", "58"]
SEXES = ["f", "f", "f", "m", "m", "m", "f"]
HOMES = ["a", "a", "b", "b", "c", None, "d"]


@pytest.fixture
def release():
    table = pa.table({"age": AGES, "sex": SEXES, "home": HOMES})
    ages = {"intervals": {"origin": 30, "widths": [10, 50]}}
    sexes = {"tree": {"*": ["f", "m"]}}
    with Study(table, quasi={"age": ages, "sex": sexes}, households="home") as study:
        yield study.release(study.anonymize("samarati", k=2, suppress=1))


def test_columns_are_ranked_and_households_told_before_and_after(release):
    facts = standing_out(release)
    assert facts["suda"]["columns"][0] == {"column": "age", "share": 1.0}
    # 58 is unique by age; 32, f and 31, m are by both.
    assert facts["suda"]["by_size"] == [1, 2]
    told = facts["households"]
    assert (told["before"], told["after"]) == (5, 4)
    assert [one["before"] for one in told["uniques"]] == [3, 5, 7]
    assert told["uniques"][0]["after"] == 0
    assert told["uniques"][2]["after"] > 0


def test_a_report_without_room_to_count_households_is_made_without_them(release, monkeypatch):
    def refuse(*columns):
        raise TallyTooLargeError("too large", "buy more", budget=1, file="t")

    release.treatment  # noqa: B018  counted before
    monkeypatch.setattr(type(release.material), "tally", property(lambda _: refuse), raising=False)
    assert "households" not in standing_out(release)
