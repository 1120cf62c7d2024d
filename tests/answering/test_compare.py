"""All algorithms on one question: verified, side by side, and one that fails takes no other along."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace

import pyarrow as pa
import pytest

from shoal import Study
from shoal.answering import side_by_side as comparing
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError
from shoal.release.release import Release
from shoal.search.algorithms import ALGORITHMS
from shoal.search.task import Algorithm

ZIP = Hierarchy.from_rows(
    [(f"0213{d}", "0213*", "021**") for d in "89"] + [(f"0214{d}", "0214*", "021**") for d in "12"]
)
RACE = Hierarchy.from_rows([("Black", "Person"), ("White", "Person")])
YAML = """table: table.csv
attributes:
  race: {role: quasi, hierarchy: {Person: [Black, White]}}
  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}
  job: {role: sensitive}
"""


def rows():
    zips = ["02138", "02139", "02141", "02142"] * 2
    return {"race": ["Black"] * 4 + ["White"] * 4, "zip": zips, "job": ["cook", "nurse"] * 4}


@pytest.fixture
def study():
    with Study(pa.table(rows()), quasi={"race": RACE, "zip": ZIP}, sensitive="job") as study:
        yield study


@pytest.fixture
def file(tmp_path):
    lines = ["race,zip,job", *map(",".join, zip(*rows().values(), strict=True))]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "study.yaml").write_text(YAML)
    return tmp_path / "study.yaml"


def test_every_algorithm_is_asked_and_the_least_loss_comes_first(study):
    found = study.compare(k=2)
    assert [entry.name for entry in found] == [algorithm.name for algorithm in ALGORITHMS]
    losses = [entry.answer.loss for entry in found.answers]
    assert losses == sorted(losses)
    for entry in found.answers:
        assert entry.answer.k >= 2 or entry.name in ("mu-argus", "anatomy")
    assert found.frontier[0][0] == 8
    assert found.certified


def test_one_that_fails_is_told_of_and_the_others_go_on(study, monkeypatch):
    def fail(question, clock):
        raise ZeroDivisionError("one by nought")

    def hopeless(question, clock):
        raise InputError("no way; take another")

    broken = Algorithm("broken", "Broken", "node", fail, ())
    refusing = Algorithm("refusing", "Refusing", "node", hopeless, ())
    monkeypatch.setattr(comparing, "ALGORITHMS", (broken, refusing, ALGORITHMS[0]))
    first, second, third = study.compare(k=2)
    assert first.failure == "failed: ZeroDivisionError: one by nought"
    assert second.failure == "no way; take another"
    assert third.answer is not None
    assert third.failure is None


def test_one_ctrl_c_ends_it_with_what_was_found(study):
    def progress(_, words):
        if words == "datafly":
            os.kill(os.getpid(), signal.SIGINT)

    found = study.compare(["flash", "datafly", "samarati"], k=2, progress=progress)
    assert [entry.name for entry in found.answers] == ["flash"]
    assert [entry.failure for entry in found][1:] == ["not run, since the comparison was ended"] * 2
    assert not found.certified
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_answer_whose_rows_break_the_promise_is_no_answer(study, monkeypatch):
    measured = Release.check

    def find_fault(release, given):
        verdict = measured(release, given)
        broken = replace(verdict, failures=("k: a group is too small",))
        raise comparing.ShoalError("; ".join(broken.failures))

    monkeypatch.setattr(Release, "check", find_fault)
    (entry,) = study.compare(["mingen"], k=2)
    assert entry.answer is None
    assert entry.failure == "k: a group is too small"


def test_the_document_and_the_picture(study, tmp_path):
    pytest.importorskip("matplotlib")
    found = study.compare(["mingen", "top-down"], k=2)
    document = json.loads(found.to_json())
    assert [result["algorithm"] for result in document["results"]] == ["mingen", "top-down"]
    result = document["results"][0]
    assert result["verified"]
    assert (result["k"], result["l"], result["suppressed"]) == (2, {"job": 2}, 0)
    assert result["losses"]["Prec"] == pytest.approx(4.0)
    assert document["asked"] == {"k": 2}
    ax = found.plot()
    assert len(ax.get_figure().axes) == 2
    assert "mingen" in found._repr_html_()


def test_the_command_prints_a_table_and_draws(shoal, file):
    pytest.importorskip("matplotlib")
    picture = file.parent / "all.svg"
    status, out, err = shoal(
        "compare", file, "--k", 2, "--algorithms", "mingen,top-down", "--plot", picture
    )
    assert status == 0
    assert "mingen" in out
    assert "top-down" in out
    assert picture.read_text().lstrip().startswith("<?xml")
    assert f"drawn to {picture}" in err
    status, _, err = shoal("compare", file, "--k", 2, "--plot", file.parent / "all.doc")
    assert (status, "must end with .svg" in err) == (2, True)


def test_the_command_gives_json_and_refuses_what_it_does_not_know(shoal, file):
    status, out, _ = shoal("compare", file, "--k", 2, "--algorithms", "mingen", "--json")
    assert status == 0
    assert json.loads(out)["results"][0]["verified"]
    status, _, err = shoal("compare", file, "--k", 2, "--algorithms", "mingem")
    assert status == 2
    assert "did you mean" in err
    status, _, err = shoal("compare", file)
    assert status == 2
    assert "nothing is to be promised; give k, or another criterion" in err


def test_a_question_that_none_can_answer_is_3_and_says_why(shoal, file):
    status, out, err = shoal("compare", file, "--k", 9, "--algorithms", "flash,mondrian")
    assert status == 3
    assert out.count("fewer than k asks for") == 2
    assert "verified" not in out
    assert err.endswith("no algorithm has an answer; ask for less, or allow more suppression\n")
    status, out, _ = shoal("compare", file, "--k", 9, "--algorithms", "flash", "--json")
    assert status == 3
    assert json.loads(out)["results"][0]["guarantees"] == []
    status, _, err = shoal("compare", file, "--k", 2, "--algorithms", " ")
    assert (status, "--algorithms names nothing" in err) == (2, True)


def test_what_breaks_the_question_comes_last_and_is_marked(shoal, file):
    rows = [
        "race,zip,job",
        *(f"Black,0213{d},cook" for d in "89"),
        *(f"White,0214{d},nurse" for d in "12"),
    ]
    (file.parent / "table.csv").write_text("\n".join(rows) + "\n")
    status, out, _ = shoal("compare", file, "--k", 2, "--algorithms", "mu-argus,flash", "--json")
    assert status == 0
    found = {result["algorithm"]: result["k"] for result in json.loads(out)["results"]}
    status, out, _ = shoal("compare", file, "--k", 2, "--algorithms", "mu-argus,flash")
    if found["mu-argus"] < 2:
        assert out.index("flash") < out.index("mu-argus")
        assert "NOT WHAT WAS ASKED" in out
    assert "Asked: k = 2; at most 0 of 4 rows suppressed." in out


def test_a_comparison_is_no_solution(shoal, file):
    kept = file.parent / "all.json"
    assert shoal("compare", file, "--k", 2, "--algorithms", "flash", "--save", kept)[0] == 0
    status, _, err = shoal("release", file, "--solution", kept, "-o", file.parent / "out.csv")
    assert (status, "this is a comparison of algorithms; save the answer of one" in err) == (2, True)


def test_what_a_time_limit_cut_off_is_not_guaranteed(study):
    whole, cut = study.anonymize("flash", k=2), study.anonymize("flash", k=2, time_limit=1e-9)
    assert "no allowed node costs less, also where rows are suppressed" in whole.guarantees
    assert cut.guarantees == ("the promise is kept",)
    assert not cut.optimal


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--theta", "job=0.5", "--theta", "1/2"], "one limit applies to every sensitive value here"),
        (["--entropy-l", "1e400"], "--entropy-l is 1e400; use 1,000,000,000 or less"),
        (["--recursive-l", "1e400,2"], "recursive c is 1e400"),
        (["--time-limit", "nan", "--k", "2"], "--time-limit is nan"),
    ],
)
def test_options_that_say_too_much_are_refused(shoal, file, options, words):
    for command in (["anonymize", file, "--algorithm", "flash"], ["compare", file]):
        status, _, err = shoal(*command, *options)
        assert (status, err.count("\n")) == (2, 1)
        assert words in err


def test_datafly_keeps_a_limit_that_is_asked_for(shoal, file):
    status, out, _ = shoal(
        "anonymize", file, "--algorithm", "datafly", "--k", 3, "--suppress", 0, "--json"
    )
    assert status == 0
    document = json.loads(out)
    assert (document["suppressed"], document["suppression_limit"]) == (0, 0)


def test_the_line_is_of_the_same_question(study):
    # Of k alone the line starts at the table as it is; with l = 2 every node on it has to merge groups.
    assert min(study.compare(["flash"], k=2).frontier)[1] == 0
    found = study.compare(["flash"], k=2, l=2)
    (entry,) = found
    assert entry.answer.optimal
    assert (entry.answer.k, entry.answer.loss) in {(k, loss) for k, loss, _ in found.frontier}
    assert min(loss for _, loss, _ in found.frontier) == entry.answer.loss > 0
