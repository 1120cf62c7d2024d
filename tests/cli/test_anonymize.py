"""`shoal anonymize`: what it says of an answer to people."""

from __future__ import annotations

import json

import pytest

from shoal.numbers import percent
from shoal.present.words import how_near, shares_apart
from shoal.running.clock import Clock


@pytest.fixture
def study(tmp_path):
    """Forty persons of whom no two are alike."""
    rows = [f"{20 + i},{'cook' if i % 3 else 'clerk'},{'ill' if i % 4 else 'well'}" for i in range(40)]
    (tmp_path / "people.csv").write_text("age,job,health\n" + "\n".join(rows) + "\n")
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: people.csv\n"
        "attributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [3, 9]}}}\n"
        "  job: {role: quasi, hierarchy: {'*': [cook, clerk]}}\n"
        "  health: {role: sensitive}\n"
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
    assert (
        f"No groups under labels of these hierarchies can lose less than {least}: a gap of at most"
        in said
    )
    assert "of what it loses" in said


def guaranteed(shoal, study, *options):
    """Return what an answer guarantees, and all that is said of it."""
    asked = ("anonymize", study, "--k", "4", "--algorithm", *options)
    status, out, err = shoal(*asked)
    assert status == 0, err
    return " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "apart", "labels"),
    [
        ((), True, False),
        (("--option", "regions=relaxed"), False, False),
        (("--option", "labels=hierarchy"), True, True),
        (("--option", "labels=hierarchy", "--option", "regions=Relaxed"), False, True),
    ],
)
def test_mondrian_guarantees_what_follows_from_its_options(shoal, study, options, apart, labels):
    said = guaranteed(shoal, study, "mondrian", *options)
    assert ("strict regions never overlap" in said) == apart
    assert ("every label is one of the hierarchies" in said) == labels


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "by LM, no full-domain node without suppression loses less."),
        (("--metric", "NCP"), "by NCP, no full-domain node without suppression loses less."),
        (("--option", "consistent="), "by LM, no full-domain node without suppression loses less."),
        (
            ("--option", "consistent=job"),
            "by LM, no full-domain node without suppression loses less, of those with levels that were "
            "tried in the consistent columns.",
        ),
        (("--metric", "DM"), None),
        (("--metric", "target:health"), None),
    ],
)
def test_local_recoding_says_of_nodes_what_holds_of_this_question(shoal, study, options, sentence):
    said = guaranteed(shoal, study, "local-recoding", *options)
    if sentence is None:
        assert "full-domain" not in said
    else:
        assert f"Guaranteed: {sentence}" in said


def test_no_node_is_held_against_groups_where_the_cheapest_was_not_proven(shoal, study, monkeypatch):
    monkeypatch.setattr("shoal.search.groups.local_recoding.HOPELESS", 1)
    assert "full-domain" not in guaranteed(shoal, study, "local-recoding")


@pytest.mark.parametrize(
    ("options", "like", "unlike"),
    [
        ((), "a value of its own", "like any"),
        (("--option", "missing=wildcard"), "like any value", "own"),
    ],
)
def test_a_blanked_cell_is_what_was_asked_for(shoal, study, options, like, unlike):
    said = guaranteed(shoal, study, "local-suppression", *options)
    line = said.partition("Guaranteed: a blanked cell is ")[2].partition(".")[0]
    assert line == f"{like} in the promise"
    assert unlike not in line


NOT_PROVEN = "This is not proven to be the smallest possible loss."


@pytest.mark.parametrize("algorithm", ["datafly", "mondrian", "mingen"])
def test_people_are_told_that_an_answer_without_a_bound_is_not_proven(shoal, study, algorithm):
    said = guaranteed(shoal, study, algorithm)
    assert NOT_PROVEN in said
    assert "ended early" not in said


def test_a_proven_answer_is_not_called_unproven(shoal, study):
    assert NOT_PROVEN not in guaranteed(shoal, study, "incognito")


@pytest.mark.parametrize("algorithm", ["mingen", "incognito"])
def test_people_are_told_that_a_search_was_ended_early(shoal, study, algorithm, monkeypatch):
    monkeypatch.setattr("shoal.answering.named.clock_after", lambda *_: Clock(0.0))
    said = guaranteed(shoal, study, algorithm)
    assert NOT_PROVEN in said
    assert "The search was ended early, by its time limit or by Ctrl-C." in said


def test_a_seed_is_refused_where_nobody_may_draw_again(shoal, study):
    asked = ("anonymize", study, "--k", "4", "--algorithm", "mondrian", "--robust", "0.1")
    status, _, err = shoal(*asked, "--seed", "7")
    assert status == 2
    assert "leave the seed out" in err
    assert err.count("\n") == 1
    assert shoal(*asked, "--seed", "0")[0] == 0


@pytest.mark.parametrize("algorithm", ["mondrian", "local-recoding"])
def test_a_limit_of_nothing_more_is_kept(shoal, study, algorithm):
    asked = ("anonymize", study, "--k", "4", "--algorithm", algorithm)
    plain = json.loads(shoal(*asked, "--json")[1])
    for _ in range(3):
        found = json.loads(shoal(*asked, "--robust", "0", "--json")[1])
        assert found["shares"]["LM"] <= plain["shares"]["LM"] + 1e-9
        if "met" in found["details"]:
            assert "nothing else was found" in found["guarantees"][1]


def test_shares_that_differ_never_read_the_same():
    near = {"loss": 12.0, "share": 0.0024, "lower_bound": 10.0, "gap": 1 / 6, "optimal": False}
    assert shares_apart(near) == ("0.24%", "0.2%")
    assert how_near(near) == [
        "No choice of this kind can lose less than 0.2%: a gap of at most 16.7% of what it loses. It is "
        "not proven to be the best."
    ]
