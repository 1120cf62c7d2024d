"""`shoal optimize`: what it prints where, with which status, and what `shoal release` makes of it."""

from __future__ import annotations

import json

import pytest

FIELDS = {
    "metric", "scheme", "rows", "space", "examined", "cost", "lower_bound", "gap", "optimal", "seconds",
    "cut", "suppressed_records", "suppressed_values",
}  # fmt: skip


@pytest.fixture
def study(tmp_path):
    """Eight persons with a job; the column `name` is not listed."""
    rows = ["30,cook,a=b,x", "31,cook,flu,x", "34,clerk,a=b,y", "36,clerk,flu,y"] * 2
    (tmp_path / "people.csv").write_text("age,job,illness,name\n" + "\n".join(rows) + "\n")
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: people.csv\n"
        "attributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [5, 10]}}}\n"
        "  job: {role: quasi, hierarchy: {'*': [cook, clerk]}}\n"
        "  illness: {role: sensitive}\n"
    )
    return path


def test_json_is_the_contract(shoal, study):
    status, out, err = shoal("optimize", study, "--l", "2", "--json")
    assert status == 0
    document = json.loads(out)
    assert set(document) >= FIELDS
    assert (document["metric"], document["scheme"], document["rows"]) == ("LM", "allRec", 8)
    assert document["optimal"] is True
    assert document["gap"] == 0.0
    assert document["cost"] == document["lower_bound"]
    assert set(document["cut"]) == {"age", "job"}
    assert "name" in err


def test_people_get_a_table_and_a_proof(shoal, study):
    status, out, _ = shoal("optimize", study, "--theta", "1/2", "--k", "2", "--scheme", "vioRec")
    assert status == 0
    assert "Optimal: no cut costs less." in out
    assert "cuts examined" in out


def test_a_value_may_hold_an_equals_sign(shoal, study):
    status, out, _ = shoal("optimize", study, "--theta", "a=b=1/2", "--theta", "1", "--json")
    assert status == 0
    limits = json.loads(out)["promise"]["theta"]["illness"]
    assert limits == {"uniform": "1", "values": {"a=b": "1/2"}}


@pytest.mark.parametrize(
    ("arguments", "status", "what"),
    [
        ((), 2, "nothing is to be promised"),
        (("--theta", "0.2", "--theta", "0.3"), 2, "two uniform limits"),
        (("--theta", "flu=0.2", "--theta", "flu=0.3"), 2, "two limits for flu"),
        (("--l", "2", "--metric", "none"), 2, "unknown metric"),
        (("--l", "3", "--scheme", "NoSupp"), 3, "no cut limits"),
        (("--l", "3"), 3, "add up to 2/3"),
    ],
)
def test_refusals_are_one_line_with_a_status(shoal, study, arguments, status, what):
    found, out, err = shoal("optimize", study, *arguments)
    assert found == status
    assert out == ""
    assert what in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("scheme", ["NoSupp", "allRec", "vioRec", "allSA", "vioSA"])
def test_a_saved_answer_is_released_and_verified(shoal, study, tmp_path, scheme):
    kept, out = tmp_path / "best.json", tmp_path / "out.csv"
    assert shoal("optimize", study, "--l", "2", "--scheme", scheme, "--save", kept)[0] == 0
    assert shoal("optimize", study, "--l", "2", "--save", kept)[0] == 2
    assert shoal("release", study, "--solution", kept, "-o", out)[0] == 0
    status, printed, _ = shoal("verify", out)
    assert status == 0
    assert "Every promise holds." in printed


def test_the_top_few_are_listed(shoal, study):
    document = json.loads(shoal("optimize", study, "--l", "2", "--top", "3", "--seed", "1", "--json")[1])
    assert len(document["solutions"]) == 3
    assert document["cost"] in document["solutions"]
    assert (document["top"], document["seed"]) == (3, 1)


def test_labels_do_not_command_the_terminal(shoal, tmp_path):
    (tmp_path / "t.csv").write_text("q,s\n\x1b[31mx,a\n\x1b[31mx,b\n")
    (tmp_path / "h.csv").write_text("\x1b[31mx;*\n")
    path = tmp_path / "s.yaml"
    path.write_text(
        "table: t.csv\nattributes:\n  q: {role: quasi, hierarchy: h.csv}\n  s: {role: sensitive}\n"
    )
    status, out, _ = shoal("optimize", path, "--l", "2")
    assert status == 0
    assert "\x1b[31m" not in out
    assert "\\x1b[31mx" in out


def test_a_draw_from_an_unfinished_search_is_no_draw_from_the_best(shoal, study):
    assert "from the 3 best" in shoal("optimize", study, "--l", "2", "--top", "3", "--seed", "1")[1]
    kept = study.with_name("kept.tally")  # counting takes its time too
    assert shoal("tally", study, "-o", kept)[0] == 0
    asked = ("--l", "2", "--top", "3", "--time-limit", "1e-9", "--tally", kept)
    assert "not proven to be the best" in shoal("optimize", study, *asked)[1]


@pytest.fixture
def uneven(tmp_path):
    """46 rows, of which six are alone or in a pair unless the others lose much for them."""
    rows = ["30,cook,flu"] * 20 + ["46,clerk,flu"] * 20
    rows += [
        "31,clerk,flu",
        "34,clerk,gout",
        "36,cook,flu",
        "37,clerk,gout",
        "46,cook,flu",
        "47,cook,flu",
    ]
    (tmp_path / "uneven.csv").write_text("age,job,illness\n" + "\n".join(rows) + "\n")
    path = tmp_path / "uneven.yaml"
    path.write_text(
        "table: uneven.csv\n"
        "attributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [5, 10]}}}\n"
        "  job: {role: quasi, hierarchy: {'*': [cook, clerk]}}\n"
        "  illness: {role: sensitive}\n"
    )
    return path


def asked(shoal, study, *arguments):
    status, out, _ = shoal("optimize", study, "--json", *arguments)
    assert status == 0
    return json.loads(out)


def test_no_more_rows_are_suppressed_than_allowed_and_the_proof_is_about_that(shoal, uneven):
    free = asked(shoal, uneven, "--k", "3")
    costs = []
    for limit in (6, 5, 4, 3, 2, 1, 0):
        found = asked(shoal, uneven, "--k", "3", "--suppress", str(limit))
        assert found["suppressed_records"] <= limit == found["suppression_limit"]
        assert found["optimal"]
        assert found["lower_bound"] == found["cost"]
        costs.append(found["cost"])
    assert costs == sorted(costs)
    assert costs[0] == free["cost"] < costs[-1]
    assert asked(shoal, uneven, "--k", "3", "--suppress", "12%")["suppression_limit"] == 5
    plain = asked(shoal, uneven, "--k", "3", "--scheme", "NoSupp")
    assert (costs[-1], found["cut"]) == (plain["cost"], plain["cut"])


def test_no_more_values_are_blanked_than_allowed(shoal, uneven):
    free = asked(shoal, uneven, "--l", "4", "--scheme", "vioSA")
    assert free["suppressed_values"] > 43
    status, out, err = shoal("optimize", uneven, "--l", "4", "--scheme", "vioSA", "--blank", "43")
    assert (status, out) == (3, "")
    assert "at most 43 values suppressed: the most general one suppresses 44 values; raise blank" in err
    found = asked(shoal, uneven, "--l", "4", "--scheme", "vioSA", "--blank", "100%")
    assert (found["cost"], found["blank_limit"]) == (free["cost"], 46)
    assert shoal("optimize", uneven, "--l", "4", "--scheme", "vioSA", "--blank", "47")[0] == 2


def test_where_no_column_is_limited_no_value_is_blanked(shoal, uneven):
    status, out, error = shoal("optimize", uneven, "--k", "2", "--scheme", "allSA", "--blank", "3")
    assert (status, error) == (0, "")
    assert "Suppressed: 0 records, 0 sensitive values (at most 3)." in out


def test_a_limit_that_no_cut_keeps_is_said_in_words(shoal, uneven):
    status, out, err = shoal("optimize", uneven, "--l", "2", "--suppress", "3")
    assert (status, out) == (3, "")
    assert len(err.strip().splitlines()) == 1
    assert "no cut keeps the promise with at most 3 rows suppressed" in err
    assert "the most general one suppresses 46 rows; raise suppress" in err


def test_more_than_a_tenth_suppressed_is_said_first(shoal, uneven, tmp_path):
    kept = tmp_path / "best.json"
    status, out, _ = shoal("optimize", uneven, "--k", "6", "--save", kept)
    first = "6 of 46 rows are suppressed (13%), more than a tenth."
    assert (status, out.splitlines()[0].strip()) == (0, first)
    status, out, _ = shoal("release", uneven, "--solution", kept, "-o", tmp_path / "out.csv")
    assert (status, out.splitlines()[0].strip()) == (0, first)
    assert first in (tmp_path / "out.csv.report.html").read_text()
    assert first not in (tmp_path / "out.csv.public.html").read_text()
    status, out, _ = shoal("optimize", uneven, "--k", "6", "--suppress", "4")
    assert "more than a tenth" not in out
    assert "within the limits costs less" in out
    assert "(at most 4)" in out
