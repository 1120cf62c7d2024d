"""A curator's work without a page: decisions, undo, hierarchies, pins and releases, kept in a folder."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
import zipfile

import pytest

from shoal.errors import InputError, NotYetError
from shoal.study import Study
from shoal.web.server.limits import Limits
from shoal.web.workspace.state import History, State
from shoal.web.workspace.workspace import Workspace

TABLE = "name,age,zip,disease,seen\n" + "".join(
    f"P{i},{20 + i % 40},0213{i % 4},{('flu', 'cold', 'cough')[i % 3]},2024-0{1 + i % 6}-11\n"
    for i in range(240)
)
LIMITS = Limits()


@pytest.fixture(scope="module")
def uploaded(tmp_path_factory):
    """The folder of a workspace as it begins; the file is read once."""
    root = tmp_path_factory.mktemp("uploaded")
    upload = root / "upload"
    upload.write_text(TABLE, encoding="utf-8")
    return Workspace.of_upload(upload, "people.csv", root, LIMITS)


@pytest.fixture
def work(uploaded, tmp_path):
    """A copy of it to change."""
    import shutil

    shutil.copytree(uploaded.folder, tmp_path / "work")
    work = Workspace.reopen(tmp_path / "work", LIMITS)
    yield work
    work.close()


@pytest.fixture
def built_in(tmp_path):
    work = Workspace.of_built_in(tmp_path, LIMITS, rows=300)
    yield work
    work.close()


def roles(work):
    return {name: column.roles for name, column in work.state.columns.items()}


def test_everything_has_a_role_and_a_reason(work):
    assert roles(work) == {
        "name": ("identifying",),
        "age": ("quasi",),
        "zip": ("quasi",),
        "disease": ("sensitive",),
        "seen": ("quasi",),
    }
    assert all(column.reason for column in work.state.columns.values())
    assert "unique" in work.state.columns["name"].reason


def test_steps_are_taken_back_and_again(work):
    assert not work.undo()
    begun = work.state
    work.set_roles({"disease": ["insensitive"]})
    work.describe("age", {"intervals": {"origin": 0, "widths": [10, 20]}})
    done = work.state
    assert work.undo()
    assert work.state.columns["age"] == begun.columns["age"]
    assert work.undo()
    assert work.state == begun
    assert not work.undo()
    assert work.redo()
    assert work.redo()
    assert work.state == done
    assert not work.redo()
    work.undo()
    work.set_title("other")
    assert not work.redo()


def test_what_controls_are_set_to_is_known_at_once_and_kept_when_it_is_remembered(work):
    work.remember(k=5, l=2)
    work.wish(k=6)
    assert work.wishes == {"k": 6, "l": 2}
    assert Workspace.reopen(work.folder, LIMITS).wishes == {"k": 5, "l": 2}
    work.remember()
    assert Workspace.reopen(work.folder, LIMITS).wishes == {"k": 6, "l": 2}


def test_a_reload_loses_nothing(work):
    work.set_roles({"disease": ["insensitive"]})
    work.edit_hierarchy("zip", "group", level=0, labels=["02130", "02131"], name="north")
    work.remember(k=5, heights={"age": 2})
    work.pin({"node": {"age": 4, "zip": 4, "seen": 4}, "k": 2, "method": "exact"}, "a\nfavourite")
    work.undo()
    again = Workspace.reopen(work.folder, LIMITS)
    assert again.state == work.state
    assert again.wishes == {"k": 5, "heights": {"age": 2}}
    assert again.history.can_redo
    again.redo()
    assert again.state.pins[0].title == "a favourite"
    assert again.summary() == again.summary() | {"rows": 240, "pins": 1, "can_undo": True}
    again.close()


def test_a_state_is_plain_data(work):
    work.set_levels("age", 1, 2)
    document = work.state.to_dict()
    assert State.from_dict(json.loads(json.dumps(document))) == work.state


def test_a_long_history_forgets_its_beginning(work, tmp_path):
    history = History.begin(tmp_path / "history.json", work.state, Limits(undo=3))
    for i in range(6):
        history.step(State(f"title {i}", work.state.columns))
    titles = []
    while history.undo():
        titles.append(history.present.title)
    assert titles == ["title 4", "title 3", "title 2"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"nobody": ["quasi"]}, "no column 'nobody'"),
        ({"age": ["qasi"]}, "did you mean quasi"),
        ({"age": []}, "would have no role"),
        ({"age": ["identifying", "quasi"]}, "no other role"),
        ({"disease": ["class"], "zip": ["class"]}, "second class column"),
    ],
)
def test_roles_that_cannot_be_are_refused_together(work, given, sentence):
    before = work.state
    with pytest.raises(InputError, match=sentence):
        work.set_roles({"seen": ["insensitive"], **given})
    assert work.state == before


def test_a_column_that_becomes_quasi_gets_a_hierarchy_and_keeps_it(work):
    assert work.state.columns["disease"].hierarchy is None
    work.set_roles({"disease": ["quasi"]})
    first = work.hierarchy("disease")
    assert set(first.leaves) == {"flu", "cold", "cough"}
    work.edit_hierarchy("disease", "group", level=0, labels=["cold", "flu"], name="both")
    work.set_roles({"disease": ["sensitive"]})
    work.set_roles({"disease": ["quasi"]})
    assert ("flu", "both", "*") in work.hierarchy("disease").rows()
    work.propose_again("disease")
    assert work.hierarchy("disease").rows() == first.rows()


def test_all_columns_may_be_anything_in_between(work):
    work.set_roles({name: ["insensitive"] for name in work.state.columns})
    with pytest.raises(InputError, match="no column has the role quasi"):
        work.study()
    assert work.values("zip")["02130"] == 60
    work.set_roles({"zip": ["quasi", "sensitive"]})
    assert work.study().quasi == ("zip",)


def test_described_hierarchies_are_previewed_and_chosen(work):
    shown = work.preview("age", {"intervals": {"origin": 0, "widths": [20]}})
    assert [len(labels) for labels in shown.labels] == [40, 2, 1]
    assert work.hierarchy("age").height != shown.height
    work.describe("age", {"intervals": {"origin": 0, "widths": [20]}})
    assert work.hierarchy("age").rows() == shown.rows()
    work.describe("seen", {"dates": ["month", "year"]})
    work.describe("zip", {"mask": {"digits": 5}})
    with pytest.raises(InputError, match="3,000 levels; 128 are the most"):
        work.preview("age", {"intervals": {"widths": [2**i for i in range(3000)]}})
    deep = [str(age) for age in range(20, 60)]
    for i in range(200):
        deep = {f"g{i}": deep}
    with pytest.raises(InputError, match="levels; 128 are the most"):
        work.describe("age", deep)
    with pytest.raises(InputError, match="widths is missing"):
        work.describe("age", {"intervals": {"origin": 0}})
    with pytest.raises(InputError, match="no row for the value '02132'"):
        work.describe("zip", {"*": {"a": ["02130"], "b": ["02131"]}})


def test_hierarchies_go_out_and_come_back_in_the_arx_form(work):
    text = work.export_hierarchy("zip")
    work.import_hierarchy("zip", text.replace("0213*", "North").encode())
    assert work.export_hierarchy("zip") == text.replace("0213*", "North")
    with pytest.raises(InputError, match=r"the hierarchy, line 2: .*stands twice"):
        work.import_hierarchy("zip", b"02130;*\n02130;*\n")
    with pytest.raises(InputError, match="not UTF-8"):
        work.import_hierarchy("zip", b"\xff;*\n")
    with pytest.raises(InputError, match="no row for the value"):
        work.import_hierarchy("zip", b"02130;*\n")


def test_a_tree_counts_the_rows_below_every_node(work):
    tree = work.tree("zip")
    assert (tree["rows"], tree["leaves"]) == (240, 4)

    def check(node):
        if node["children"]:
            assert node["rows"] == sum(child["rows"] for child in node["children"])
            for child in node["children"]:
                assert child["level"] < node["level"]
                check(child)

    check(tree)


def test_levels_and_weights_are_the_studys(work):
    work.set_levels("age", 1, 2)
    work.set_weight("age", "2.5")
    attribute = work.study().specification.attributes["age"]
    assert (attribute.min_level, attribute.max_level, float(attribute.weight)) == (1, 2, 2.5)
    with pytest.raises(InputError, match="has the levels"):
        work.set_levels("age", 2, 99)
    with pytest.raises(InputError, match="is not quasi"):
        work.set_weight("disease", "2")
    work.describe("age", {"intervals": {"widths": [10]}})
    assert work.state.columns["age"].max_level is None


def test_the_study_stays_open_while_nothing_of_it_changes(work):
    study = work.study()
    session = work.negotiator()
    work.set_title("other")
    assert work.study() is study
    assert work.negotiator() is session
    assert work.at_hand() is work.negotiator()
    work.set_roles({"seen": ["insensitive"]})
    assert work.at_hand() is None
    assert work.study() is not study
    assert work.negotiator() is not session


def test_answers_are_those_of_the_python_study(built_in):
    with Study.of(built_in.specification()) as study:
        answer = study.negotiate(k=3, max_suppressed="5%")
        front = study.frontier(suppress="1%")
        best = study.optimize(l=2, time_limit=20)
    mine = built_in.negotiate(k=3, max_suppressed="5%")
    assert (mine.exact, mine.suggestions) == (answer.exact, answer.suggestions)
    assert built_in.frontier(suppress="1%")["points"] == front.to_dict()["points"]
    found = built_in.optimize(l=2, time_limit=20)
    assert (found["cost"], found["cut"]) == (best.cost, best.to_dict()["cut"])
    assert built_in.risk()["rows"] == 300
    assert built_in.explain(k=50, heights={"age": 0})["holds"] is False
    limits = built_in.limits_by_frequency("diagnosis", "1/2")
    assert set(limits) == {value for value in built_in.values("diagnosis") if value is not None}


def test_pins_are_compared_with_the_same_rows(built_in):
    front = built_in.frontier(suppress="1%")
    for point in front["points"][:3]:
        built_in.pin(point | {"method": "exact"})
    best = built_in.optimize(l=2, k=2, time_limit=20)
    built_in.pin(best, "the best cut")
    with pytest.raises(InputError, match="4 solutions are pinned"):
        built_in.pin(best)
    compared = built_in.compare()
    assert [one["title"] for one in compared][-1] == "the best cut"
    assert len({json.dumps(one["samples"]["before"]) for one in compared}) == 1
    for one, point in zip(compared[:3], front["points"][:3], strict=True):
        assert one["utility"]["losses"]["LM"]["loss"] == pytest.approx(point["loss"])
        assert one["suppressed"] == point["suppressed"]
        assert one["risk"]["k"] == point["k"]
    # A deleted row costs twice its five attributes in the paper, and once in the contract.
    lost = compared[3]["utility"]["losses"]["LM"]["loss"] + 5 * best["suppressed_records"]
    assert lost == pytest.approx(best["cost"])
    built_in.unpin(compared[0]["key"])
    assert len(built_in.compare()) == 3
    built_in.set_roles({"outcome": ["quasi"]})
    assert all("error" in one for one in built_in.compare())


@pytest.mark.parametrize(
    "solution",
    [
        {},
        {"node": 3},
        {"node": {"age": "x"}, "k": 2},
        {"node": {}, "k": 2},
        {"cut": {"age": [1]}},
        {"exact": 5},
    ],
)
def test_what_is_no_solution_is_neither_pinned_nor_released(built_in, solution):
    with pytest.raises(InputError):
        built_in.pin(solution)
    with pytest.raises(InputError):
        built_in.release(solution)
    assert built_in.released() is None


def test_a_release_is_one_file_that_makes_itself_again(built_in, tmp_path, shoal):
    with pytest.raises(NotYetError, match="nothing is released yet"):
        built_in.download()
    asked = {"l": "2", "k": 2, "time_limit": 20}
    best = built_in.optimize(**asked)
    document = built_in.release(best, seed=11, asked={"question": "optimize", **asked})
    serious = [one["code"] for one in document["warnings"] if one["level"] != "note"]
    assert built_in.released()["to_acknowledge"] == list(dict.fromkeys(serious))
    assert serious
    with pytest.raises(NotYetError, match="acknowledged first"):
        built_in.download()
    with pytest.raises(InputError, match="no warning 'nonsense'"):
        built_in.acknowledge(["nonsense"])
    assert built_in.acknowledge(serious)["to_acknowledge"] == []
    out = tmp_path / "unpacked"
    with zipfile.ZipFile(built_in.download()) as packed:
        packed.extractall(out)
    status, printed, _ = shoal("verify", out / "anonymized.csv", "--json")
    assert status == 0
    assert json.loads(printed) == built_in.verify()
    digest = document["certificate"]["sha256"]
    original = built_in.folder / "table.csv"
    done = subprocess.run(
        [sys.executable, "release.py", str(original), "again.csv"],
        cwd=out, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256((out / "again.csv").read_bytes()).hexdigest() == digest
    assert "study.optimize(l='2', k=2, time_limit=20)" in (out / "release.py").read_text()
    (out / "table.csv").write_bytes(original.read_bytes())
    record = out / "anonymized.csv.record.json"
    assert shoal("release", "--from", record, "-o", out / "third.csv")[0] == 0
    assert hashlib.sha256((out / "third.csv").read_bytes()).hexdigest() == digest
    status, printed, _ = shoal("optimize", out / "study.yaml", "--l", "2", "--k", "2", "--json")
    assert status == 0
    assert json.loads(printed)["cut"] == best["cut"]
    text = "".join(path.read_text(errors="replace") for path in out.rglob("*") if path.is_file())
    assert str(built_in.folder) not in text


def test_a_release_in_two_tables_is_whole(work, tmp_path):
    found = work.anonymize("anatomy", l=3)
    work.release(found, ending="csv")
    work.acknowledge(work.released()["to_acknowledge"])
    with zipfile.ZipFile(work.download()) as packed:
        assert "anonymized.csv.sensitive.csv" in packed.namelist()
    assert work.verify()["holds"]


def test_what_is_kept_is_the_owners_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        upload = tmp_path / "upload"
        upload.touch(mode=0o600)  # as an upload is taken in
        upload.write_text(TABLE, encoding="utf-8")
        work = Workspace.of_upload(upload, "people.csv", tmp_path, LIMITS)
        work.edit_hierarchy("zip", "group", level=0, labels=["02130", "02131"], name="both")
        work.release(work.anonymize("mondrian", k=5))
        work.acknowledge(work.released()["to_acknowledge"])
        work.download()
        work.close()
    finally:
        os.umask(before)
    public = ("anonymized.csv", "anonymized.csv.certificate.json", "anonymized.csv.public.html")
    shared = {path.name for path in work.folder.rglob("*") if stat.S_IMODE(path.stat().st_mode) & 0o077}
    assert shared == set(public)


def test_a_release_that_is_stopped_leaves_the_one_before(built_in):
    point = built_in.frontier(suppress="1%")["points"][0] | {"method": "exact"}
    first = built_in.release(point)

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        built_in.release(point, progress=stop)
    assert built_in.released()["certificate"] == first["certificate"]
    assert not list(built_in.folder.glob("*.new"))


def test_a_study_on_this_machine_is_taken_as_it_says(tmp_path, built_in):
    from shoal.demo import write_hospital

    study = write_hospital(tmp_path / "given", 300)
    text = study.read_text().replace("outcome:        {role: class}\n", "")
    study.write_text(
        text.replace("age:            {role: quasi,", "age: {role: quasi, min_level: 1, weight: 3,")
    )
    (tmp_path / "root").mkdir()
    work = Workspace.of_study(study, tmp_path / "root", LIMITS)
    assert roles(work)["outcome"] == ("identifying",)
    assert "never released" in work.state.columns["outcome"].reason
    assert work.state.columns["age"].min_level == 1
    with Study.open(study) as opened:
        assert work.frontier()["points"] == opened.frontier().to_dict()["points"]
    work.release(work.frontier()["points"][0] | {"method": "exact"})
    assert "outcome" not in (work.folder / "release" / "anonymized.csv").read_text().splitlines()[0]
    again = Workspace.reopen(work.folder, LIMITS)
    assert again.table() == work.table()
    again.close()
    work.close()
    assert (tmp_path / "given" / "hospital.csv").is_file()
