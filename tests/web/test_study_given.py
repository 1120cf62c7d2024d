"""A study that is given as texts decides about a table that is open."""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.web.limits import Limits
from shoal.web.workspace import Workspace

STUDY = """
table: elsewhere.csv
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [10, 20]}}, max_level: 2}
  job: {role: [quasi, class], hierarchy: ../../trees/job.csv}
"""
JOB = "clerk;office;*\nnurse;care;*\n"


@pytest.fixture
def work(tmp_path):
    upload = tmp_path / "upload"
    upload.write_text(
        "name,age,job\n" + "".join(f"P{i},{20 + i},clerk\nQ{i},30,nurse\n" for i in range(9))
    )
    work = Workspace.of_upload(upload, "people", tmp_path, Limits())
    yield work
    work.close()


def test_a_study_decides_all_columns_in_one_step(work):
    before = work.state
    work.adopt({"my study.yaml": STUDY, "job.csv": JOB})
    assert {name: column.roles for name, column in work.state.columns.items()} == {
        "name": ("identifying",),
        "age": ("quasi",),
        "job": ("class", "quasi"),
    }
    assert work.column("age").max_level == 2
    assert work.hierarchy("job").rows() == [("clerk", "office", "*"), ("nurse", "care", "*")]
    work.study().tally()
    work.undo()
    assert work.state == before


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"job.csv": JOB}, "there is none that ends in .yaml"),
        ({"a.yaml": STUDY, "b.yml": STUDY}, "there are 2"),
        ({"a.yaml": STUDY}, "'job.csv' of the column 'job', which is not among the files"),
        ({"a.yaml": STUDY, "job.csv": "clerk;*\n"}, "no row for the value 'nurse'"),
        ({"a.yaml": STUDY, "job.csv": "clerk;*\nclerk;*\n"}, "the hierarchy job.csv, line 2"),
        ({"a.yaml": STUDY.replace("job:", "jobs:"), "job.csv": JOB}, "did you mean job?"),
        ({"a.yaml": STUDY.replace("max_level: 2", "max_level: 9"), "job.csv": JOB}, "it has 0 to 3"),
        ({"a.yaml": "attributes: ["}, "the study"),
        ({"a.yaml": STUDY.replace("quasi", "quasy"), "job.csv": JOB}, "the study, line 4"),
    ],
)
def test_a_study_that_does_not_fit_changes_nothing(work, files, what):
    before = work.state
    with pytest.raises(InputError, match=r"\S") as refused:
        work.adopt(files)
    assert what in str(refused.value)
    assert str(work.folder) not in str(refused.value)
    assert work.state is before


def test_names_are_never_paths(work, tmp_path):
    work.adopt({"../../x.yaml": STUDY, "C:\\trees\\job.csv": JOB})
    assert work.hierarchy("job").height == 2
    assert not list(tmp_path.rglob("x.yaml"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [work.folder.name]
