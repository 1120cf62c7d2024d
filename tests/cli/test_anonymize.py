"""`shoal anonymize`: what it says of an answer to people."""

from __future__ import annotations

import json

import pytest

from shoal.numbers import percent


@pytest.fixture
def study(tmp_path):
    """Forty persons of whom no two are alike."""
    rows = [f"{20 + i},{'cook' if i % 3 else 'clerk'}" for i in range(40)]
    (tmp_path / "people.csv").write_text("age,job\n" + "\n".join(rows) + "\n")
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: people.csv\n"
        "attributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [3, 9]}}}\n"
        "  job: {role: quasi, hierarchy: {'*': [cook, clerk]}}\n"
    )
    return path


@pytest.mark.parametrize(
    "options",
    [
        ("local-recoding",),
        ("local-recoding", "--option", "consistent=job"),
        ("mondrian", "--option", "labels=hierarchy"),
    ],
)
def test_people_are_told_how_far_an_answer_is_from_what_nothing_goes_below(shoal, study, options):
    asked = ("anonymize", study, "--k", "4", "--algorithm", *options)
    status, out, _ = shoal(*asked, "--json")
    assert status == 0
    found = json.loads(out)
    bound, lost = found["details"]["lower_bound"], found["losses"]["LM"]
    assert 0 < bound <= lost
    assert found["details"]["gap"] == pytest.approx(1 - bound / lost)
    said = " ".join(shoal(*asked)[1].split())
    share = found["shares"]["LM"]
    assert f"Measured by LM, it loses {percent(share)} of all detail." in said
    least = percent(bound / lost * share)
    assert f"No choice of this kind can lose less than {least}: a gap of at most" in said
