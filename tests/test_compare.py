"""All algorithms on one question: verified, side by side, and one that fails takes no other along."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from shoal import Study
from shoal import compare as comparing
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.release.release import Release
from shoal.search.algorithms import ALGORITHMS
from shoal.search.question import Algorithm
from shoal.verify import Verdict

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


def test_an_answer_whose_rows_break_the_promise_is_no_answer(study, monkeypatch):
    measured = Release.check

    def find_fault(release, given):
        verdict = measured(release, given)
        broken = Verdict(verdict.measured, ("k: a group is too small",))
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
    assert f"kept in {picture}" in err
    status, _, err = shoal("compare", file, "--k", 2, "--plot", file.parent / "all.doc")
    assert (status, "is no picture" in err) == (2, True)


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
