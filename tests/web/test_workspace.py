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

from shoal.describe.study_file import read_study_file
from shoal.errors import InputError, NotYetError
from shoal.study import Study
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.exported import write_study
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

    shutil.copytree(uploaded.bench.folder, tmp_path / "work")
    work = Workspace.reopen(tmp_path / "work", LIMITS)
    yield work
    work.close()


@pytest.fixture
def built_in(tmp_path):
    work = Workspace.of_built_in(tmp_path, LIMITS, rows=300)
    yield work
    work.close()


def test_a_study_whose_folder_is_gone_says_so(built_in):
    built_in.bench.table().unlink()
    with pytest.raises(InputError, match="the study was closed"):
        built_in.bench.table()


def roles(work):
    return {name: column.roles for name, column in work.bench.state.columns.items()}


def test_everything_has_a_role_and_a_reason(work):
    assert roles(work) == {
        "name": ("identifying",),
        "age": ("quasi",),
        "zip": ("quasi",),
        "disease": ("sensitive",),
        "seen": ("quasi",),
    }
    assert all(column.reason for column in work.bench.state.columns.values())
    assert "unique" in work.bench.state.columns["name"].reason


def test_steps_are_taken_back_and_again(work):
    assert not work.decisions.undo()
    begun = work.bench.state
    work.decisions.set_roles({"disease": ["insensitive"]})
    work.decisions.describe("age", {"intervals": {"origin": 0, "widths": [10, 20]}})
    done = work.bench.state
    assert work.decisions.undo()
    assert work.bench.state.columns["age"] == begun.columns["age"]
    assert work.decisions.undo()
    assert work.bench.state == begun
    assert not work.decisions.undo()
    assert work.decisions.redo()
    assert work.decisions.redo()
    assert work.bench.state == done
    assert not work.decisions.redo()
    work.decisions.undo()
    work.decisions.set_title("other")
    assert not work.decisions.redo()


def test_what_controls_are_set_to_is_known_at_once_and_kept_when_it_is_remembered(work):
    work.wishes.keep(k=5, l=2)
    work.wishes.know(k=6)
    assert (work.wishes.get("k"), work.wishes.get("l")) == (6, 2)
    assert Workspace.reopen(work.bench.folder, LIMITS).wishes.get("k") == 5
    work.wishes.keep()
    again = Workspace.reopen(work.bench.folder, LIMITS).wishes
    assert (again.get("k"), again.get("l"), again.get("m", "none")) == (6, 2, "none")


def test_a_reload_loses_nothing(work):
    work.decisions.set_roles({"disease": ["insensitive"]})
    work.decisions.edit_hierarchy("zip", "group", level=0, labels=["02130", "02131"], name="north")
    work.wishes.keep(k=5, heights={"age": 2})
    work.pins.add({"node": {"age": 4, "zip": 4, "seen": 4}, "k": 2, "method": "exact"}, "a\nfavourite")
    work.decisions.undo()
    again = Workspace.reopen(work.bench.folder, LIMITS)
    assert again.bench.state == work.bench.state
    assert (again.wishes.get("k"), again.wishes.get("heights")) == (5, {"age": 2})
    assert again.bench.history.can_redo
    again.decisions.redo()
    assert again.bench.state.pins[0].title == "a favourite"
    assert again.summary() == again.summary() | {"rows": 240, "pins": 1, "can_undo": True}
    again.close()


def test_a_state_is_plain_data(work):
    work.decisions.set_levels("age", 1, 2)
    document = work.bench.state.keep(work.bench.folder)
    assert State.reopen(json.loads(json.dumps(document)), work.bench.folder) == work.bench.state


def test_a_long_history_forgets_its_beginning(work, tmp_path):
    history = History.begin(tmp_path / "history.json", work.bench.state, Limits(undo=3))
    for i in range(6):
        history.step(State(f"title {i}", work.bench.state.columns))
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
    before = work.bench.state
    with pytest.raises(InputError, match=sentence):
        work.decisions.set_roles({"seen": ["insensitive"], **given})
    assert work.bench.state == before


def test_a_column_that_becomes_quasi_gets_a_hierarchy_and_keeps_it(work):
    assert work.bench.state.columns["disease"].hierarchy is None
    work.decisions.set_roles({"disease": ["quasi"]})
    first = work.decisions.hierarchy("disease")
    assert set(first.leaves) == {"flu", "cold", "cough"}
    work.decisions.edit_hierarchy("disease", "group", level=0, labels=["cold", "flu"], name="both")
    work.decisions.set_roles({"disease": ["sensitive"]})
    work.decisions.set_roles({"disease": ["quasi"]})
    assert ("flu", "both", "*") in work.decisions.hierarchy("disease").rows()
    work.decisions.propose_again("disease")
    assert work.decisions.hierarchy("disease").rows() == first.rows()


def test_all_columns_may_be_anything_in_between(work):
    work.decisions.set_roles({name: ["insensitive"] for name in work.bench.state.columns})
    with pytest.raises(InputError, match="no column has the role quasi"):
        work.bench.study()
    assert work.bench.values("zip")["02130"] == 60
    work.decisions.set_roles({"zip": ["quasi", "sensitive"]})
    assert work.bench.study().quasi == ("zip",)


def test_described_hierarchies_are_previewed_and_chosen(work):
    shown = work.decisions.preview("age", {"intervals": {"origin": 0, "widths": [20]}})
    assert [len(labels) for labels in shown.labels] == [40, 2, 1]
    assert work.decisions.hierarchy("age").height != shown.height
    work.decisions.describe("age", {"intervals": {"origin": 0, "widths": [20]}})
    assert work.decisions.hierarchy("age").rows() == shown.rows()
    work.decisions.describe("seen", {"dates": ["month", "year"]})
    work.decisions.describe("zip", {"mask": {"digits": 5}})
    with pytest.raises(InputError, match="3,000 levels; at most 128 are allowed"):
        work.decisions.preview("age", {"intervals": {"widths": [2**i for i in range(3000)]}})
    deep = [str(age) for age in range(20, 60)]
    for i in range(200):
        deep = {f"g{i}": deep}
    with pytest.raises(InputError, match="levels; at most 128 are allowed"):
        work.decisions.describe("age", deep)
    with pytest.raises(InputError, match="widths is missing"):
        work.decisions.describe("age", {"intervals": {"origin": 0}})
    with pytest.raises(InputError, match="no row for the value '02132'"):
        work.decisions.describe("zip", {"*": {"a": ["02130"], "b": ["02131"]}})


def test_hierarchies_go_out_and_come_back_in_the_arx_form(work):
    text = work.decisions.export_hierarchy("zip")
    work.decisions.import_hierarchy("zip", text.replace("0213*", "North").encode())
    assert work.decisions.export_hierarchy("zip") == text.replace("0213*", "North")
    with pytest.raises(InputError, match=r"the hierarchy, line 2: .*appears twice"):
        work.decisions.import_hierarchy("zip", b"02130;*\n02130;*\n")
    with pytest.raises(InputError, match="not UTF-8"):
        work.decisions.import_hierarchy("zip", b"\xff;*\n")
    with pytest.raises(InputError, match="no row for the value"):
        work.decisions.import_hierarchy("zip", b"02130;*\n")


def test_a_tree_counts_the_rows_below_every_node(work):
    tree = work.decisions.tree("zip")
    assert (tree["rows"], tree["leaves"]) == (240, 4)

    def check(node):
        if node["children"]:
            assert node["rows"] == sum(child["rows"] for child in node["children"])
            for child in node["children"]:
                assert child["level"] < node["level"]
                check(child)

    check(tree)


def test_levels_and_weights_are_the_studys(work):
    work.decisions.set_levels("age", 1, 2)
    work.decisions.set_weight("age", "2.5")
    attribute = work.bench.study().specification.attributes["age"]
    assert (attribute.min_level, attribute.max_level, float(attribute.weight)) == (1, 2, 2.5)
    with pytest.raises(InputError, match="has the levels"):
        work.decisions.set_levels("age", 2, 99)
    with pytest.raises(InputError, match="is not quasi"):
        work.decisions.set_weight("disease", "2")
    work.decisions.describe("age", {"intervals": {"widths": [10]}})
    assert work.bench.state.columns["age"].max_level is None


def test_the_study_stays_open_while_nothing_of_it_changes(work):
    study = work.bench.study()
    session = work.questions.negotiator()
    work.decisions.set_title("other")
    assert work.bench.study() is study
    assert work.questions.negotiator() is session
    assert work.questions.at_hand("LM") is session
    assert work.questions.at_hand("DM") is None  # what offers lose by DM is not counted yet
    work.questions.negotiate(k=2, metric="DM")
    assert work.questions.at_hand("DM") is session
    work.decisions.set_roles({"seen": ["insensitive"]})
    assert work.questions.at_hand("LM") is None
    assert work.bench.study() is not study
    assert work.questions.negotiator() is not session


def test_answers_are_those_of_the_python_study(built_in):
    with Study.of(built_in.bench.specification()) as study:
        answer = study.negotiate(k=3, max_suppressed="5%")
        front = study.frontier(suppress="1%")
        best = study.optimize(l=2, time_limit=20)
    mine = built_in.questions.negotiate(k=3, max_suppressed="5%")
    assert (mine.exact, mine.suggestions) == (answer.exact, answer.suggestions)
    assert built_in.questions.frontier(suppress="1%")["points"] == front.to_dict()["points"]
    found = built_in.questions.optimize(l=2, time_limit=20)
    assert (found["cost"], found["cut"]) == (best.cost, best.to_dict()["cut"])
    assert built_in.questions.risk()["rows"] == 300
    assert built_in.questions.explain(k=50, heights={"age": 0})["holds"] is False
    limits = built_in.questions.limits_by_frequency("diagnosis", "1/2")
    assert set(limits) == {value for value in built_in.bench.values("diagnosis") if value is not None}


def test_pins_are_compared_with_the_same_rows(built_in):
    front = built_in.questions.frontier(suppress="1%")
    for point in front["points"][:3]:
        built_in.pins.add(point | {"method": "exact"})
    best = built_in.questions.optimize(l=2, k=2, time_limit=20)
    built_in.pins.add(best, "the best cut")
    with pytest.raises(InputError, match="4 solutions are pinned"):
        built_in.pins.add(front["points"][3] | {"method": "exact"})
    # The same answer is pinned once, even where no other may be.
    assert built_in.pins.add(best, "again").title == "the best cut"
    compared = built_in.pins.compare()
    assert [one["title"] for one in compared][-1] == "the best cut"
    assert len({json.dumps(one["samples"]["before"]) for one in compared}) == 1
    for one, point in zip(compared[:3], front["points"][:3], strict=True):
        assert one["utility"]["losses"]["LM"]["loss"] == pytest.approx(point["loss"])
        assert one["suppressed"] == point["suppressed"]
        assert one["risk"]["k"] == point["k"]
    # A deleted row costs twice its five attributes in the paper, and once in the contract.
    lost = compared[3]["utility"]["losses"]["LM"]["loss"] + 5 * best["suppressed_records"]
    assert lost == pytest.approx(best["cost"])
    built_in.pins.remove(compared[0]["key"])
    assert len(built_in.pins.compare()) == 3
    built_in.decisions.set_roles({"outcome": ["quasi"]})
    assert all("error" in one for one in built_in.pins.compare())


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
        built_in.pins.add(solution)
    with pytest.raises(InputError):
        built_in.releases.make(solution)
    assert built_in.releases.current() is None


def test_a_release_is_one_file_that_makes_itself_again(built_in, tmp_path, shoal):
    with pytest.raises(NotYetError, match="nothing is released yet"):
        built_in.releases.download()
    asked = {"l": "2", "k": 2, "time_limit": 20}
    best = built_in.questions.optimize(**asked)
    document = built_in.releases.make(best, seed=11, asked={"question": "optimize", **asked})
    serious = [one["code"] for one in document["warnings"] if one["level"] != "note"]
    assert built_in.releases.current()["to_acknowledge"] == list(dict.fromkeys(serious))
    assert serious
    with pytest.raises(NotYetError, match="acknowledge these warnings first"):
        built_in.releases.download()
    with pytest.raises(InputError, match="no warning 'nonsense'"):
        built_in.releases.acknowledge(["nonsense"])
    assert built_in.releases.acknowledge(serious)["to_acknowledge"] == []
    out = tmp_path / "unpacked"
    with zipfile.ZipFile(built_in.releases.download()) as packed:
        packed.extractall(out)
    text = "".join(path.read_text(errors="replace") for path in out.rglob("*") if path.is_file())
    assert str(built_in.bench.folder) not in text + json.dumps(document)
    status, printed, _ = shoal("verify", out / "anonymized.csv", "--json")
    assert status == 0
    assert json.loads(printed) == built_in.releases.verify()
    digest = document["certificate"]["sha256"]
    original = built_in.bench.folder / "table.csv"
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


def test_a_release_in_two_tables_is_whole(work, tmp_path):
    found = work.questions.anonymize("anatomy", l=3)
    work.releases.make(found, ending="csv")
    work.releases.acknowledge(work.releases.current()["to_acknowledge"])
    with zipfile.ZipFile(work.releases.download()) as packed:
        assert "anonymized.csv.sensitive.csv" in packed.namelist()
    assert work.releases.verify()["holds"]


def test_what_is_kept_is_the_owners_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        upload = tmp_path / "upload"
        upload.touch(mode=0o600)  # as an upload is taken in
        upload.write_text(TABLE, encoding="utf-8")
        work = Workspace.of_upload(upload, "people.csv", tmp_path, LIMITS)
        work.decisions.edit_hierarchy("zip", "group", level=0, labels=["02130", "02131"], name="both")
        work.releases.make(work.questions.anonymize("mondrian", k=5))
        work.releases.acknowledge(work.releases.current()["to_acknowledge"])
        work.releases.download()
        work.close()
    finally:
        os.umask(before)
    papers = ("", ".certificate.json", ".public.html", ".codebook.md", ".codebook.json")
    public = [f"anonymized.csv{paper}" for paper in papers]
    shared = {
        path.name for path in work.bench.folder.rglob("*") if stat.S_IMODE(path.stat().st_mode) & 0o077
    }
    assert shared == set(public)


def test_a_release_that_is_stopped_leaves_the_one_before(built_in):
    point = built_in.questions.frontier(suppress="1%")["points"][0] | {"method": "exact"}
    first = built_in.releases.make(point)

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        built_in.releases.make(point, progress=stop)
    assert built_in.releases.current()["certificate"] == first["certificate"]
    assert not list(built_in.bench.folder.glob("*.new"))


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
    assert "never released" in work.bench.state.columns["outcome"].reason
    assert work.bench.state.columns["age"].min_level == 1
    with Study.open(study) as opened:
        assert work.questions.frontier()["points"] == opened.frontier().to_dict()["points"]
    work.releases.make(work.questions.frontier()["points"][0] | {"method": "exact"})
    assert (
        "outcome" not in (work.bench.folder / "release" / "anonymized.csv").read_text().splitlines()[0]
    )
    again = Workspace.reopen(work.bench.folder, LIMITS)
    assert again.bench.table() == work.bench.table()
    again.close()
    work.close()
    assert (tmp_path / "given" / "hospital.csv").is_file()


def test_the_riskiest_rows_tell_their_values_only_if_asked(built_in):
    hidden = built_in.questions.riskiest()
    shown = built_in.questions.riskiest(values=True)
    assert len(hidden) == len(shown) == 10
    assert all(row["values"] is None for row in hidden)
    quasi = built_in.bench.quasi
    for row in shown:
        assert row["group_size"] == 1
        assert set(row["stands_out_by"]) <= set(quasi)
        for name, value in zip(quasi, row["values"], strict=True):
            assert value in built_in.bench.values(name)
    chances = [row["dis_score"] for row in shown]
    assert chances == sorted(chances, reverse=True)


def test_the_risk_is_told_before_and_after_each_pinned_solution(built_in):
    assert built_in.pins.risks() == []
    point = built_in.questions.frontier(suppress="1%")["points"][0]
    built_in.pins.add(point | {"method": "exact"}, "the first")
    (after,) = built_in.pins.risks()
    assert (after["title"], after["risk"]["k"]) == ("the first", point["k"])
    assert built_in.questions.risk()["k"] < point["k"]
    built_in.decisions.set_roles({"outcome": ["quasi"]})
    assert "error" in built_in.pins.risks()[0]


def test_the_risk_follows_the_roles(built_in):
    before = built_in.questions.risk()
    assert built_in.questions.risk() is before  # counted once
    built_in.decisions.set_roles({built_in.bench.quasi[0]: ["insensitive"]})
    assert len(built_in.questions.risk()["quasi"]) == len(before["quasi"]) - 1
    assert len(built_in.questions.riskiest(values=True)[0]["values"]) == len(before["quasi"]) - 1


def test_codes_for_missing_values_are_found_adopted_and_exported(tmp_path):
    upload = tmp_path / "upload"
    rows = [f"{age},{'?' if age % 5 == 0 else 'flu'},x" for age in range(20, 60)]
    upload.write_text("\n".join(["age,illness,note", *rows, "?,cold,x", ""]), encoding="utf-8")
    work = Workspace.of_upload(upload, "people.csv", tmp_path, LIMITS)
    try:
        assert work.bench.state.reading == {"missing": ["?"]}
        assert work.bench.values("age")[None] == 1
        study = (
            "table: people.csv\nattributes:\n"
            "  age: {role: quasi, hierarchy: {intervals: {widths: [20]}}, missing: ['?', 59]}\n"
            "  illness: {role: sensitive}\n"
        )
        work.decisions.adopt({"study.yaml": study})
        assert work.bench.state.reading == {"missing_in": {"age": ["?", "59"]}}
        assert work.bench.values("age")[None] == 2
        assert work.bench.values("illness")["?"] == 8
        state = work.bench.state
        written = write_study(
            tmp_path, "people.csv", state.columns, work.decisions.hierarchy, state.units, state.reading
        )
        assert read_study_file(written).reading.codes("age") == ("?", "59")
    finally:
        work.close()
