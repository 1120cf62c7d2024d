"""Persons in a curator's work: decided, undone, given and exported as a study, and released."""

from __future__ import annotations

import json
import stat
import subprocess
import sys

import pytest

from shoal.errors import InputError
from shoal.study import Study
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.looks import read_look
from shoal.web.workspace.state import State
from shoal.web.workspace.workspace import Workspace

LIMITS = Limits()
TABLE = "id,age,disease,seen\n" + "".join(
    f"P{i % 40},{20 + 5 * (i % 4)},{('flu', 'cold', 'cough')[i % 3]},2024-0{1 + i % 6}-11\n"
    for i in range(120)
)
STUDY = """
table: table.csv
persons: id
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [10, 20]}}}
  disease: {role: sensitive}
  seen: {role: insensitive, shift: {days: 30}}
"""


@pytest.fixture
def work(tmp_path):
    upload = tmp_path / "upload"
    upload.write_text(TABLE, encoding="utf-8")
    work = Workspace.of_upload(upload, "visits.csv", tmp_path, LIMITS)
    yield work
    work.close()


@pytest.fixture
def given(work):
    work.decisions.adopt({"study.yaml": STUDY})
    return work


def test_persons_are_a_decision_that_can_be_undone(work):
    assert work.bench.state.persons == ("id",)  # proposed, since it repeats
    work.decisions.set_units({"persons": []})
    work.decisions.set_roles({"id": "insensitive"})
    before = work.bench.state
    work.decisions.set_units({"persons": ["id"]})
    assert work.bench.state.persons == ("id",)
    assert work.bench.column("id").roles == ("identifying",)
    assert work.bench.state.study_key != before.study_key
    assert work.bench.state.recoding_key != before.recoding_key
    assert "whom the rows are about" in work.bench.state.change_from(before)
    assert work.summary()["persons"] == ["id"]
    with pytest.raises(InputError, match="says who a row is about"):
        work.decisions.set_roles({"id": "quasi"})
    with pytest.raises(InputError, match="no column 'nobody'"):
        work.decisions.set_units({"persons": ["nobody"]})
    again = Workspace.reopen(work.bench.folder, LIMITS)
    assert again.bench.state == work.bench.state
    work.decisions.undo()
    assert work.bench.state == before
    earlier = State.reopen(json.loads(json.dumps(OLD)), work.bench.folder)
    assert earlier.persons == ()  # a state of an earlier version


OLD = {
    "title": "t",
    "pins": [],
    "columns": {"a": {"roles": ["quasi"], "order": [], "hierarchy": None, "min_level": 0}},
}


def test_a_study_says_whose_rows_they_are(given):
    specification = given.bench.specification()
    assert specification.units.persons == ("id",)
    assert specification.shifts == {"seen": 30}
    given.decisions.set_roles({"seen": "quasi"})
    assert given.bench.column("seen").shift is None
    with pytest.raises(InputError, match="no column 'who'"):
        given.decisions.adopt({"study.yaml": STUDY.replace("persons: id", "persons: who")})


def released(work, **options):
    solution = work.questions.negotiate(k=3).to_dict()["exact"]
    document = work.releases.make(solution, **options)
    return document, work.bench.folder / "release"


def test_a_release_counts_persons_and_its_study_and_script_do_so_elsewhere(given, tmp_path):
    given.decisions.adopt({"study.yaml": STUDY.replace(", shift: {days: 30}", "")})
    document, folder = released(given, pseudonyms="stable")
    assert document["certificate"]["measured"]["persons"]["count"] == 40
    assert document["certificate"]["persons"]["column"] == "person"
    with Study.open(folder / "study.yaml", table=folder.parent / "table.csv") as study:
        assert study.specification.units.persons == ("id",)
    out = tmp_path / "again.csv"
    script = [sys.executable, folder / "release.py", folder.parent / "table.csv", out]
    subprocess.run(script, check=True, capture_output=True, timeout=60)
    assert out.read_bytes() == (folder / "anonymized.csv").read_bytes()
    assert stat.S_IMODE((folder / "anonymized.csv.record.json").stat().st_mode) == 0o600
    # Another release of the same workspace has the same names, and one with fresh names others.
    names = {line.rsplit(",", 1)[1] for line in out.read_text().splitlines()[1:]}
    for kind, same in (("stable", True), ("fresh", False)):
        released(given, pseudonyms=kind)
        text = (folder / "anonymized.csv").read_text()
        assert ({line.rsplit(",", 1)[1] for line in text.splitlines()[1:]} == names) is same
    assert stat.S_IMODE((given.bench.folder / "pseudonyms.secret").stat().st_mode) == 0o600


def test_an_exported_study_keeps_shifts_and_says_that_they_are_drawn_anew(given):
    document, folder = released(given)
    assert document["certificate"]["shifted"] == {"seen": 30}
    assert "shift: {days: 30}" in (folder / "study.yaml").read_text()
    assert "with other pseudonyms and shifted dates" in (folder / "release.py").read_text()


def test_households_and_weights_are_proposed_and_can_be_taken_back(tmp_path):
    table = "household_id,age,sample_weight,disease\n" + "".join(
        f"h{n // 2},{20 + n % 30},{400 + n}.5,{('flu', 'cold')[n % 2]}\n" for n in range(60)
    )
    upload = tmp_path / "upload"
    upload.write_text(table, encoding="utf-8")
    work = Workspace.of_upload(upload, "homes.csv", tmp_path, LIMITS)
    try:
        proposed = {"households": "household_id", "sample_weight": "sample_weight"}
        assert work.bench.state.units == proposed
        again = read_look(next(tmp_path.rglob("look.json")))
        assert (again.households, again.sample_weight) == ("household_id", "sample_weight")
        assert work.bench.column("household_id").roles == ("identifying",)
        with pytest.raises(InputError, match="is the weight of rows, so it cannot be quasi"):
            work.decisions.set_roles({"sample_weight": "quasi"})
        work.decisions.set_units(dict.fromkeys(proposed))
        work.decisions.set_roles({"sample_weight": "quasi"})
        assert work.bench.state.units == {}
    finally:
        work.close()
