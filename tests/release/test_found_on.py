"""A solution knows the counts it was found on: on others it is refused, or carried out without its proof."""

from __future__ import annotations

import json
import random

import pytest

from shoal import Study
from shoal.again import apply, remake
from shoal.errors import InputError
from tests.commands import shoal

STUDY = """\
table: people.csv
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [5, 20]}}}
  town: {role: quasi, hierarchy: {"*": {north: [a, b], south: [c, d]}}}
  illness: {role: sensitive}
"""


def write(folder, rows):
    lines = ["age,town,illness", *(",".join(row) for row in rows)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")


@pytest.fixture
def people(tmp_path):
    """A study in a folder of its own, and the rows of its table."""
    chance = random.Random(3)
    rows = [
        (str(chance.randint(20, 49)), chance.choice("abcd"), chance.choice(["flu", "cold", "gout"]))
        for _ in range(200)
    ]
    (tmp_path / "study.yaml").write_text(STUDY)
    write(tmp_path, rows)
    return tmp_path, rows


FOUND = {
    "frontier": ("frontier", "--suppress", "5%"),
    "optimize": ("optimize", "--l", "2", "--k", "3"),
    "flash": ("anonymize", "--algorithm", "flash", "--k", "4", "--suppress", "5%"),
    "mondrian": ("anonymize", "--algorithm", "mondrian", "--k", "4"),
    "negotiate": ("negotiate", "--k", "4", "--max-suppressed", "5%"),
}


def swapped(rows):
    """The same values in other combinations: two rows exchange their towns."""
    one = next(i for i, row in enumerate(rows) if row[1] == "a")
    two = next(i for i, row in enumerate(rows) if row[1] == "d" and row[0] != rows[one][0])
    found = list(rows)
    for here, there in ((one, two), (two, one)):
        found[here] = (rows[here][0], rows[there][1], rows[here][2])
    return found


def release(folder, *options):
    return shoal(
        "release", "study.yaml", "--solution", "found.json", "-o", "out.csv", *options, cwd=folder
    )


@pytest.mark.parametrize("way", FOUND)
def test_a_stale_solution_is_refused_and_carried_out_unproven_on_demand(people, way):
    folder, rows = people
    command, *options = FOUND[way]
    kept = shoal(command, "study.yaml", *options, "--save", "found.json", cwd=folder)
    assert kept.returncode == 0, kept.stderr
    assert release(folder).returncode == 0
    record = json.loads((folder / "out.csv.record.json").read_text())
    fresh = record["decision"]["details"]
    assert fresh.get("certified") or fresh.get("optimal") or way == "mondrian"
    write(folder, rows[:-1])
    refused = release(folder, "--force")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "200 rows then, 199 now" in refused.stderr
    assert "--again" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    if way == "mondrian":  # its groups hold every combination that is left
        write(folder, [*rows, rows[0]])
    again = release(folder, "--force", "--again")
    assert again.returncode == 0, again.stderr
    record = json.loads((folder / "out.csv.record.json").read_text())
    details = record["decision"]["details"]
    assert details["again"] is True
    assert not {"certified", "optimal", "loss", "cost", "lower_bound", "gap", "frontier"} & set(details)
    report = (folder / "out.csv.report.html").read_text()
    assert "certified" not in report
    assert "proven" not in report.lower()
    # The record is of the present counts, so the same is made again without a word.
    assert remake(folder / "out.csv.record.json", folder / "same.csv").verdict.holds
    assert (folder / "same.csv").read_bytes() == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda rows: [("20", *row[1:]) if i == 7 else row for i, row in enumerate(rows)],
            "other values in age",
        ),
        (swapped, "the same values in other combinations"),
    ],
)
def test_what_has_changed_is_named_where_the_rows_are_as_many(people, change, words):
    folder, rows = people
    assert rows[7][0] != "20"
    assert shoal("frontier", "study.yaml", "--save", "found.json", cwd=folder).returncode == 0
    write(folder, change(rows))
    assert words in release(folder).stderr
    # The rows in another order are the same counts.
    write(folder, rows[::-1])
    assert release(folder).returncode == 0


def test_sensitive_values_count_where_the_promise_is_about_them(people):
    folder, rows = people
    changed = [(*row[:2], "flu") for row in rows[:50]] + rows[50:]
    for command, status in ((("frontier",), 0), (("optimize", "--l", "2"), 2)):
        write(folder, rows)
        shoal(*command, "study.yaml", "--save", "found.json", "--force", cwd=folder)
        write(folder, changed)
        found = release(folder, "--force")
        assert found.returncode == status
        assert ("other values in illness" in found.stderr) == bool(status)


def test_another_hierarchy_is_named(people):
    folder, _ = people
    assert shoal("frontier", "study.yaml", "--save", "found.json", cwd=folder).returncode == 0
    (folder / "study.yaml").write_text(STUDY.replace("[c, d]", "[c], west: [d]"))
    assert "another hierarchy of town" in release(folder).stderr


def test_a_solution_from_a_saved_tally_fits_the_table_that_was_counted(people):
    folder, _ = people
    assert shoal("tally", "study.yaml", "-o", "tally.parquet", cwd=folder).returncode == 0
    shoal("frontier", "study.yaml", "--tally", "tally.parquet", "--save", "found.json", cwd=folder)
    found = release(folder)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("way", ["frontier", "flash", "negotiate"])
@pytest.mark.parametrize("marked", [True, False])
def test_the_limit_of_suppressed_rows_is_kept_on_any_counts(people, way, marked):
    """The town e falls into groups of one row, and more rows have it than may go."""
    folder, rows = people
    command, *options = FOUND[way]
    (folder / "study.yaml").write_text(STUDY.replace("[c, d]", "[c, d, e]"))
    assert shoal(command, "study.yaml", *options, "--save", "found.json", cwd=folder).returncode == 0
    document = json.loads((folder / "found.json").read_text())
    limit = document["suppression_limit"]
    assert limit == 10
    if not marked:
        del document["found_on"]
        (folder / "found.json").write_text(json.dumps(document))
    write(folder, [*rows[:-40], *((str(age), "e", "flu") for age in range(100, 300, 5))])
    chosen = ("--k", 4) if way == "frontier" else ()
    found = release(folder, "--again", *chosen)
    assert found.returncode == 2
    assert "and 10 are allowed" in found.stderr
    assert not (folder / "out.csv").exists()


def test_an_old_solution_is_certified_only_where_its_figures_agree(people):
    folder, rows = people
    shoal("frontier", "study.yaml", "--suppress", "5%", "--save", "found.json", cwd=folder)
    document = json.loads((folder / "found.json").read_text())
    del document["found_on"]
    (folder / "found.json").write_text(json.dumps(document))

    def certified():
        assert release(folder, "--force").returncode == 0
        record = json.loads((folder / "out.csv.record.json").read_text())
        return record["decision"]["details"].get("certified", False)

    assert certified()
    write(folder, rows[:-1])
    assert not certified()
    write(folder, rows)
    for point in document["points"]:
        point["suppressed"] += 1
    (folder / "found.json").write_text(json.dumps(document))
    assert not certified()


def test_a_solution_that_states_no_figures_proves_nothing(people):
    folder, _ = people
    with Study.open(folder / "study.yaml") as study:
        made = study.release({"node": {"age": 2, "town": 1}, "k": 2, "certified": True})
        assert not made.decision.proven


@pytest.mark.parametrize("damage", [3, {"counts": "x"}, {"counts": "x", "rows": "y", "columns": {}}])
def test_a_damaged_mark_is_refused_in_a_line(people, damage):
    folder, _ = people
    document = {"node": {"age": 2, "town": 1}, "k": 2, "found_on": damage}
    (folder / "found.json").write_text(json.dumps(document))
    found = release(folder)
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1)
    assert "search again" in found.stderr


def test_new_rows_inherit_no_proof(people):
    folder, rows = people
    with Study.open(folder / "study.yaml") as study:
        study.release(study.frontier(), k=5).write(folder / "out.csv")
    write(folder, rows[:150])
    reused = apply(folder / "out.csv.record.json", folder / "people.csv", folder / "new.csv")
    assert "certified" not in reused.published.record["decision"]["details"]


def test_python_says_again_too(people):
    folder, rows = people
    with Study.open(folder / "study.yaml") as study:
        front = study.frontier()
    write(folder, rows[:-1])
    with Study.open(folder / "study.yaml") as study:
        with pytest.raises(InputError, match="200 rows then, 199 now"):
            study.release(front)
        assert not study.release(front, again=True).decision.proven
