"""Releases that follow an earlier one know how its hierarchies were described, and count its population."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from shoal import InputError, NoSolutionError, Study, apply, remake, verify
from shoal.answers.recoding import CutRecoding, Decision, NodeRecoding
from shoal.describe.promise import Promise
from tests.commands import shoal

TENS = {"intervals": {"widths": ["10"]}}
TABLE = ("20", "21", "22", "30", "31", "32")
CROWD = (*TABLE, "25", "26", "35", "36")
ASKED = {
    "k-map": ["--k-map", "5"],
    "delta-presence": ["--delta", "0,3/5"],
    "a low chance": ["--delta", "1/2,3/5"],
}


def write(path, rows, column="age"):
    path.write_text("\n".join((column, *rows)) + "\n")
    return path


def classes(path):
    return sorted(path.read_text().splitlines()[1:])


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "table.csv", TABLE)
    write(tmp_path / "crowd.csv", CROWD)
    where = "attributes:\n  age: {role: quasi, hierarchy: {intervals: {widths: [10]}}}\n"
    (tmp_path / "named.yaml").write_text(f"table: table.csv\npopulation: crowd.csv\n{where}")
    (tmp_path / "unnamed.yaml").write_text(f"table: table.csv\n{where}")
    return tmp_path


def released(folder, k_map=5, algorithm="flash"):
    with Study.open(folder / "named.yaml") as study:
        answer = study.anonymize(algorithm, k_map=k_map)
        return study.release(answer, seed=1).write(folder / "out.csv")


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("said", ["in the study", "as an option"])
def test_the_commands_follow_a_release_about_a_population(folder, said, asked):
    named = said == "in the study"
    study = "named.yaml" if named else "unnamed.yaml"
    crowd = [] if named else ["--population", "crowd.csv"]
    search = ["--algorithm", "flash", *asked, "--save", "found.json"]
    for arguments in (
        ["anonymize", study, *search, *crowd],
        ["release", study, "--solution", "found.json", "-o", "out.csv", *crowd],
        ["release", "--from", "out.csv.record.json", "-o", "again.csv"],
        ["release", "--from", "again.csv.record.json", "-o", "thrice.csv"],
        ["apply", "out.csv.record.json", "table.csv", "-o", "new.csv"],
        ["verify", "new.csv"],
    ):
        run = shoal(*arguments, cwd=folder)
        assert run.returncode == 0, run.stderr
    first = (folder / "out.csv").read_bytes()
    assert classes(folder / "out.csv") == ["20-29"] * 3 + ["30-39"] * 3
    for name in ("again", "thrice"):
        assert (folder / f"{name}.csv").read_bytes() == first
    assert classes(folder / "new.csv") == classes(folder / "out.csv")


@pytest.mark.parametrize("algorithm", ["mingen", "local-recoding", "mondrian"])
def test_every_kind_of_answer_is_followed(folder, algorithm):
    made = released(folder, algorithm=algorithm)
    again = remake(folder / "out.csv.record.json", folder / "again.csv")
    assert again.path.read_bytes() == made.path.read_bytes()
    assert again.certificate["promise"] == made.certificate["promise"]
    new = apply(folder / "out.csv.record.json", folder / "table.csv", folder / "new.csv").published
    assert classes(new.path) == classes(made.path)
    assert new.certificate["measured"] == made.certificate["measured"]


def test_a_cut_is_followed(folder):
    with Study.open(folder / "named.yaml") as study:
        cut = CutRecoding({"age": ("20-29", "30-39")})
        decision = Decision(cut, Promise(k_map=5, population=study.population().named))
        made = study.release(decision, seed=1).write(folder / "out.csv")
    again = remake(folder / "out.csv.record.json", folder / "again.csv")
    assert again.path.read_bytes() == made.path.read_bytes()


def test_new_rows_keep_the_promise_about_the_same_population(folder):
    released(folder)
    record = folder / "out.csv.record.json"
    new = write(folder / "more.csv", ["24", "36", "47"])
    reused = apply(record, new, folder / "new.csv")
    assert classes(folder / "new.csv") == [
        "20-29",
        "30-39",
    ]  # nobody of the population is in the forties
    assert reused.published.verdict.measured.population.smallest == 5
    assert verify(folder / "new.csv").holds
    write(folder / "more.csv", ["47", "48"])
    with pytest.raises(NoSolutionError, match="every row would be suppressed"):
        apply(record, new, folder / "none.csv")
    write(folder / "crowd.csv", CROWD[:-1])
    with pytest.raises(InputError, match="not the one that the promise is about"):
        apply(record, folder / "table.csv", folder / "none.csv")


def test_a_population_in_memory_cannot_be_found_again(folder):
    crowd = pa.table({"age": CROWD})
    with Study(folder / "table.csv", quasi={"age": TENS}, population=crowd) as study:
        study.release(study.anonymize("mingen", k_map=5)).write(folder / "out.csv")
    for follow in (remake, lambda record, out: apply(record, folder / "table.csv", out)):
        with pytest.raises(InputError, match="the population was in no file"):
            follow(folder / "out.csv.record.json", folder / "none.csv")


def test_a_followed_release_can_be_followed_with_new_values(folder):
    """Its record describes the hierarchy too."""
    released(folder)
    remake(folder / "out.csv.record.json", folder / "again.csv")
    apply(folder / "out.csv.record.json", write(folder / "more.csv", ["24"]), folder / "more.out.csv")
    for name in ("again", "more.out"):
        document = json.loads((folder / f"{name}.csv.record.json").read_text())
        assert document["attributes"]["age"]["description"] == TENS
        new = write(folder / "new.csv", ["27", "39"])
        made = apply(folder / f"{name}.csv.record.json", new, folder / "new.out.csv", force=True)
        assert classes(made.published.path) == ["20-29", "30-39"]


def test_the_population_falls_where_new_rows_with_its_values_do(tmp_path):
    """20 is 18-64 beside whole numbers alone, and [18, 65) where the population has 20.5 as well."""
    trees = {"age": {"intervals": {"bounds": [[18, 65]]}}}
    table = write(tmp_path / "table.csv", ["10", "11"])
    crowd = write(tmp_path / "crowd.csv", ["10", "11", "20", "20.5", "21"])
    with Study(table, quasi=trees, population=crowd) as study:
        promise = Promise(k_map=2, population=study.population().named)
        study.release(Decision(NodeRecoding({"age": 1}), promise)).write(tmp_path / "out.csv")
    new = write(tmp_path / "new.csv", ["20", "21"])
    made = apply(tmp_path / "out.csv.record.json", new, tmp_path / "new.out.csv").published
    assert classes(made.path) == ["18-64"] * 2
    assert made.verdict.measured.population.smallest == 2
    again = remake(tmp_path / "new.out.csv.record.json", tmp_path / "again.csv")
    assert again.path.read_bytes() == made.path.read_bytes()


def test_a_followed_release_tells_no_more_of_suppressed_values_than_the_first(tmp_path):
    """The labels of intervals tell of a value that is no whole number, so none are kept from it."""
    rows = ["20,10", "21,22", "22,35", "30,11", "31,24", "32,36", "50,7.5"]
    table = write(tmp_path / "table.csv", rows, "age,pay")
    with Study(table, quasi={"age": TENS}, sensitive={"pay": TENS}) as study:
        answer = study.anonymize("mingen", k=3, t="1/2", distance="hierarchical", suppress=1)
        made = study.release(answer, seed=1).write(tmp_path / "out.csv")
    again = remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
    assert again.certificate["promise"] == made.certificate["promise"]
    new = apply(tmp_path / "out.csv.record.json", table, tmp_path / "new.csv").published
    assert new.certificate["promise"] == made.certificate["promise"]
