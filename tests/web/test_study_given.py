"""A study that is given as texts decides about a table that is open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shoal.errors import InputError, TooLargeError
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.workspace import Workspace

STUDY = """
table: elsewhere.csv
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [10, 20]}}, max_level: 2}
  job: {role: [quasi, class], hierarchy: ../../trees/job.csv}
"""
JOB = "clerk;office;*\nnurse;care;*\n"


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A table that is read once, since that takes a process of its own."""
    folder = tmp_path_factory.mktemp("given")
    upload = folder / "upload"
    upload.write_text(
        "name,age,job\n" + "".join(f"P{i},{20 + i},clerk\nQ{i},30,nurse\n" for i in range(9))
    )
    work = Workspace.of_upload(upload, "people", folder, Limits())
    yield work
    work.close()


@pytest.fixture
def work(opened):
    """The table as it was opened, whatever another test decided."""
    yield opened
    while opened.decisions.undo():
        pass
    opened.bench.limits = Limits()


def test_a_study_decides_all_columns_in_one_step(work):
    before = work.bench.state
    work.decisions.adopt({"my study.yaml": STUDY, "job.csv": JOB})
    assert {name: column.roles for name, column in work.bench.state.columns.items()} == {
        "name": ("identifying",),
        "age": ("quasi",),
        "job": ("class", "quasi"),
    }
    assert work.bench.column("age").max_level == 2
    assert work.decisions.hierarchy("job").rows() == [("clerk", "office", "*"), ("nurse", "care", "*")]
    work.bench.study().tally()
    work.decisions.undo()
    assert work.bench.state == before


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"job.csv": JOB}, "no files end in .yaml"),
        ({"a.yaml": STUDY, "b.yml": STUDY}, "2 files end in .yaml"),
        ({"a.yaml": STUDY}, "'job.csv' for the column 'job', which is not among the files"),
        ({"a.yaml": STUDY, "job.csv": "clerk;*\n"}, "no row for the value 'nurse'"),
        ({"a.yaml": STUDY, "job.csv": "clerk;*\nclerk;*\n"}, "the hierarchy job.csv, line 2"),
        ({"a.yaml": STUDY.replace("job:", "jobs:"), "job.csv": JOB}, "did you mean job?"),
        (
            {"a.yaml": STUDY.replace("max_level: 2", "max_level: 9"), "job.csv": JOB},
            "it has the levels 0 to 3",
        ),
        ({"a.yaml": "attributes: ["}, "the study"),
        ({"a.yaml": STUDY + "# \ud800", "job.csv": JOB}, "half a character"),
        ({"a.yaml": STUDY.replace("quasi", "quasy"), "job.csv": JOB}, "the study, line 4"),
    ],
)
def test_a_study_that_does_not_fit_changes_nothing(work, files, what):
    before = work.bench.state
    with pytest.raises(InputError, match=r"\S") as refused:
        work.decisions.adopt(files)
    assert what in str(refused.value)
    assert str(work.bench.folder) not in str(refused.value)
    assert work.bench.state is before


def test_names_are_never_paths(work):
    work.decisions.adopt({"../../x.yaml": STUDY, "C:\\trees\\job.csv": JOB})
    assert work.decisions.hierarchy("job").height == 2
    root = work.bench.folder.parent
    assert not list(root.rglob("x.yaml"))
    assert sorted(path.name for path in root.iterdir()) == [work.bench.folder.name]


LAUGHS = "table: x.csv\nattributes:\n  age: {role: quasi}\n  job:\n    a0: &a0 [x, x]\n" + "".join(
    f"    a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60)
)
BAD = {
    "laughs": (LAUGHS, "too large with all its aliases"),
    "itself": (STUDY.replace("{widths: [10, 20]}", "&a [*a]"), "nested too deeply"),
    "deep": (STUDY.replace("{widths: [10, 20]}", "[" * 5000 + "]" * 5000), "nested too deeply"),
    "tags": (STUDY.replace("[10, 20]", "!!python/object/apply:os.getpid []"), "age"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_study_that_blows_up_is_refused_in_a_line(work, case):
    text, what = BAD[case]
    before = work.bench.state
    with pytest.raises(InputError, match=what) as refused:
        work.decisions.adopt({"a.yaml": text, "job.csv": JOB})
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300
    assert work.bench.state is before


def test_a_large_study_is_refused_before_it_is_read(work, monkeypatch):
    monkeypatch.setattr("shoal.web.server.intake.subprocess.Popen", None)
    with pytest.raises(TooLargeError, match="larger than 1 MB; move its hierarchies into files"):
        work.decisions.adopt({"a.yaml": STUDY + "# " + "é" * (1 << 19), "job.csv": JOB})


@pytest.mark.parametrize("given", ["study", "hierarchy"])
def test_texts_are_read_in_a_process_of_their_own(work, monkeypatch, given):
    """Neither YAML nor a hierarchy's text is taken apart by the server itself."""

    def never(*_):
        raise AssertionError("read in the server")

    monkeypatch.setattr("shoal.web.workspace.study_given.read_study_file", never)
    monkeypatch.setattr("shoal.web.workspace.study_given.read_hierarchy", never)
    monkeypatch.setattr("yaml.compose", never)
    if given == "study":
        work.decisions.adopt({"a.yaml": STUDY, "job.csv": JOB})
    else:
        work.decisions.import_hierarchy("job", JOB.encode())


@pytest.mark.parametrize("given", ["study", "hierarchy"])
def test_a_text_that_takes_too_much_is_given_up(work, given):
    work.bench.limits = replace(work.bench.limits, read_memory=64 << 20)  # not even Python itself
    take = {
        "study": lambda: work.decisions.adopt({"a.yaml": STUDY, "job.csv": JOB}),
        "hierarchy": lambda: work.decisions.import_hierarchy("job", JOB.encode()),
    }[given]
    with pytest.raises(InputError, match="cannot be read within 64 MB of memory"):
        take()
    assert not list(work.bench.folder.glob("tmp*"))
