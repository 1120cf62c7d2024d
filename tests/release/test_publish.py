"""Releases as files: every format, whole or not at all, made again and verified by anyone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from fractions import Fraction
from pathlib import Path

import duckdb
import jsonschema
import pyarrow as pa
import pytest
from referencing import Registry, Resource

from shoal import Study, documents
from shoal.again import apply, remake
from shoal.answers.recoding import CutRecoding, Decision, Group, GroupRecoding, NodeRecoding, Scheme
from shoal.demo import write_hospital
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise, ShareLimits
from shoal.documents.digests import digest
from shoal.errors import InputError
from shoal.verification import verify_release, verify_table
from tests.commands import SHOAL, shoal

SCHEMAS = Path(documents.__file__).parent
QUASI = ("age", "sex", "zip", "occupation", "admission-date")


def valid(document, name):
    files = {file.name: json.loads(file.read_text()) for file in SCHEMAS.glob("*.schema.json")}
    registry = Registry().with_resources(
        [(file, Resource.from_contents(schema)) for file, schema in files.items()]
    )
    jsonschema.Draft202012Validator(files[name], registry=registry).validate(document)


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    write_hospital(folder, 3000, 5)
    with Study.open(folder / "study.yaml") as study:
        front = study.frontier(suppress="2%")
        (folder / "frontier.json").write_text(front.to_json())
    return folder


def released(hospital, name, **options):
    with Study.open(hospital / "study.yaml") as study:
        front = study.frontier(suppress="2%")
        return study.release(front, seed=1, **options).write(hospital / name, force=True)


def smallest_group(path):
    reader = {"parquet": "read_parquet", "csv": "read_csv", "tsv": "read_csv"}[path.suffix[1:]]
    options = ", all_varchar=true" if reader == "read_csv" else ""
    names = ", ".join(f'"{name}"' for name in QUASI)
    connection = duckdb.connect()
    found = connection.execute(
        f"SELECT min(n), sum(n) FROM (SELECT count(*) n FROM {reader}('{path}'{options}) GROUP BY {names})"
    ).fetchone()
    connection.close()
    return found


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.parquet", "out.arrow"])
def test_every_format_is_verified_documented_and_made_again_byte_for_byte(hospital, name):
    published = released(hospital, name)
    out = published.path
    certificate = json.loads((hospital / f"{name}.certificate.json").read_text())
    record = json.loads((hospital / f"{name}.record.json").read_text())
    assert certificate == published.certificate
    valid(certificate, "certificate.schema.json")
    valid(record, "record.schema.json")
    assert certificate["sha256"] == digest(out)
    assert certificate["columns"] == [
        "age",
        "sex",
        "zip",
        "occupation",
        "admission-date",
        "diagnosis",
        "outcome",
    ]
    assert verify_release(out).holds
    if out.suffix != ".arrow":
        smallest, rows = smallest_group(out)
        assert smallest == certificate["measured"]["k"] >= certificate["promise"]["k"]
        assert rows == certificate["measured"]["rows"] == 3000 - record["suppressed"]["rows"]
    again = remake(hospital / f"{name}.record.json", hospital / f"again.{name}", force=True)
    assert again.path.read_bytes() == out.read_bytes()


def test_the_certificate_tells_nothing_of_the_way_to_the_release(hospital):
    text = json.dumps(released(hospital, "quiet.csv").certificate)
    for secret in ("seed", "loss", "suppressed", "node", "gap", "certified", "optimal", "3000"):
        assert secret not in text


def test_mappings_tell_every_value_its_label(hospital):
    released(hospital, "mapped.csv")
    rows = (hospital / "mapped.csv.mappings" / "sex.csv").read_text().splitlines()
    assert rows[0] == "original,released"
    assert {row.split(",")[0] for row in rows[1:]} == {"", "female", "male", "other"}


def mutate(path, change):
    """Change the release and make its certificate's digest fit, as a forger would."""
    lines = path.read_text().splitlines(keepends=True)
    change(lines)
    path.write_text("".join(lines))
    certificate = path.with_name(path.name + ".certificate.json")
    document = json.loads(certificate.read_text())
    document["sha256"] = digest(path)
    certificate.write_text(json.dumps(document))


def alter(place, text):
    def change(lines):
        fields = lines[1].rstrip("\n").split(",")
        fields[place] = text
        lines[1] = ",".join(fields) + "\n"

    return change


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (alter(0, "999"), "k:"),
        (alter(1, "other sex"), "k:"),
        (lambda lines: lines.pop(1), "rows:"),
        (lambda lines: lines.append(lines[1]), "rows:"),
        (lambda lines: lines.__setitem__(0, lines[0].replace("zip", "zap")), "columns:"),
    ],
)
def test_one_changed_cell_that_matters_breaks_the_verification(hospital, change, broken):
    out = released(hospital, "forged.csv").path
    mutate(out, change)
    verdict = verify_release(out)
    assert not verdict.holds
    assert any(failure.startswith(broken) for failure in verdict.failures)


def test_any_changed_byte_breaks_the_digest(hospital):
    out = released(hospital, "touched.csv").path
    out.write_bytes(out.read_bytes().replace(b"discharged home", b"discharged Home", 1))
    assert verify_release(out).failures[0].startswith("digest")


def test_a_changed_sensitive_cell_breaks_a_share_limit(tmp_path):
    table = pa.table({"q": ["a"] * 4, "s": ["x", "x", "y", "y"]})
    promise = Promise(2, 2, {"s": ShareLimits(Fraction(1, 2))})
    assert verify_table(table, promise, ["q"], ["s"]).holds
    worse = pa.table({"q": ["a"] * 4, "s": ["x", "x", "x", "y"]})
    verdict = verify_table(worse, promise, ["q"], ["s"])
    assert [failure.split(":")[0] for failure in verdict.failures] == ["theta"]
    assert "3/4" in verdict.failures[0]
    single = verify_table(pa.table({"q": ["a"] * 2, "s": ["x", None]}), promise, ["q"], ["s"])
    assert [failure.split(":")[0] for failure in single.failures] == ["l"]


def test_a_certificate_of_another_file_is_no_certificate(hospital):
    one, other = released(hospital, "one.csv").path, hospital / "other.csv"
    other.write_text("age\n1\n")
    (hospital / "other.csv.certificate.json").write_bytes(
        (hospital / "one.csv.certificate.json").read_bytes()
    )
    verdict = verify_release(other)
    assert verdict.failures[0].startswith("digest")
    assert any(failure.startswith("columns") for failure in verdict.failures)
    assert verify_release(one).holds


def one_line(run, status, *words):
    assert run.returncode == status, run.stderr
    last = [line for line in run.stderr.splitlines() if "never released" not in line]
    assert len(last) == 1, run.stderr
    assert "Traceback" not in run.stderr
    for word in words:
        assert word in last[0]


def test_the_command_line_goes_from_a_saved_frontier_to_a_verified_file(hospital):
    out = hospital / "cli.csv"
    asked = ("release", hospital / "study.yaml", "--solution", hospital / "frontier.json", "-o", out)
    made = shoal(*asked, "--k", 5, "--seed", 3, "--json")
    assert made.returncode == 0, made.stderr
    document = json.loads(made.stdout)
    assert document["certificate"]["promise"]["k"] >= 5
    assert shoal("verify", out).returncode == 0
    before = out.read_bytes()
    one_line(shoal(*asked), 2, "already exists", "--force")
    assert out.read_bytes() == before
    assert shoal(*asked, "--force", "--seed", 4).returncode == 0
    assert out.read_bytes() != before
    limited = ("release", "--from", f"{out}.record.json", "-o", hospital / "cli-again.csv")
    for given in (asked, limited):
        one_line(shoal(*given, "--force", "--memory-limit", "1KB"), 2, "DuckDB is out of memory")
    assert shoal(*limited, "--memory-limit", "500MB", "--temp-directory", hospital).returncode == 0
    one_line(shoal(*asked, "--k", 10**9, "--force"), 3, "no point")
    one_line(shoal("release", hospital / "study.yaml", "-o", out), 2, "--solution")
    one_line(shoal("release", "-o", out, "--from", hospital / "study.yaml"), 2, "this is not JSON")
    anyone = shoal("verify", out, "--quasi", ",".join(QUASI), "--k", 10**6)
    assert anyone.returncode == 1
    assert "BROKEN k" in anyone.stdout


def test_a_table_that_changed_is_not_released_again(hospital, tmp_path):
    copy = tmp_path / "hospital.csv"
    copy.write_bytes((hospital / "hospital.csv").read_bytes())
    with Study(copy, quasi={"sex": hospital / "hierarchies" / "sex.csv"}) as study:
        study.release(Decision(NodeRecoding({"sex": 1}), Promise(5))).write(tmp_path / "out.csv")
    copy.write_bytes(copy.read_bytes()[:-200])
    with pytest.raises(InputError, match="has changed"):
        remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")


def left_over(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".out"))


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("a file system of 64 kB cannot be mounted here; that needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.arrow"])
def test_a_disk_that_fills_up_leaves_nothing_behind(hospital, small_disk, name):
    run = shoal(
        "release",
        hospital / "study.yaml",
        "--solution",
        hospital / "frontier.json",
        "-o",
        small_disk / name,
    )
    one_line(run, 2, str(small_disk / name))
    assert list(small_disk.iterdir()) == []


def test_a_folder_that_takes_no_files_is_named(hospital):
    asked = ("release", hospital / "study.yaml", "--solution", hospital / "frontier.json")
    one_line(shoal(*asked, "-o", "/proc/out.csv"), 2, "/proc/out.csv", "cannot be written")
    one_line(shoal(*asked, "-o", hospital / "nowhere" / "out.csv"), 2, "folder does not exist")
    one_line(shoal(*asked, "-o", hospital / "out.xls"), 2, "ending")


def test_killed_while_writing_the_output_is_as_before(tmp_path):
    write_hospital(tmp_path, 200_000, 5)
    (tmp_path / "out.csv").write_text("as before\n")
    # Nothing generalized, so that there is much to write.
    (tmp_path / "deep.json").write_text(json.dumps({"node": dict.fromkeys(QUASI, 0), "k": 1}))
    process = subprocess.Popen(
        [
            *SHOAL,
            "release",
            str(tmp_path / "study.yaml"),
            "--solution",
            str(tmp_path / "deep.json"),
            "-o",
            str(tmp_path / "out.csv"),
            "--force",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not left_over(tmp_path) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert (tmp_path / "out.csv").read_text() == "as before\n"
    assert not (tmp_path / "out.csv.certificate.json").exists()


def test_cells_that_a_spreadsheet_would_run_are_disarmed_on_demand(tmp_path):
    table = pa.table({"q": ["=1+1", "-5", "@a", "ok"], "note": ["+cmd", "-5.5", "\tx", None]})
    trees = {"q": {"*": ["=1+1", "-5", "@a", "ok"]}}
    for safe in (False, True):
        with Study(table, quasi=trees, insensitive="note") as study:
            decision = Decision(NodeRecoding({"q": 0}), Promise(1))
            rows = study.release(decision, seed=1, spreadsheet_safe=safe).table().to_pylist()
        cells = {(row["q"], row["note"]) for row in rows}
        if safe:
            assert cells == {("'=1+1", "'+cmd"), ("-5", "-5.5"), ("'@a", "'\tx"), ("ok", None)}
        else:
            assert cells == {("=1+1", "+cmd"), ("-5", "-5.5"), ("@a", "\tx"), ("ok", None)}


def test_frames_come_back_as_the_kind_that_went_in():
    import pandas as pd
    import polars as pl

    trees = {"q": {"*": ["a", "b"]}}
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make({"q": ["a", "b", "a"], "n": [1, 2, 3]})
        with Study(frame, quasi=trees, insensitive="n") as study:
            made = study.release(study.frontier(), k=3, seed=1)
            back = made.frame()
            assert made.certificate["measured"]["k"] == 3
        assert type(back) is type(frame)
        assert sorted(back["n"].to_pylist() if make is pa.table else back["n"]) == [1, 2, 3]


def test_new_rows_are_recoded_as_before_and_what_is_new_is_named(tmp_path):
    trees = {
        "age": {"intervals": {"widths": [10, 20]}},
        "job": {"*": {"hand": ["cook", "smith"], "head": ["clerk"]}},
    }
    old = {
        "age": ["21", "22", "25", "28"],
        "job": ["cook", "smith", "cook", "smith"],
        "s": ["x", "y", "x", "y"],
    }
    new = {
        "age": ["23", "24", "29", "47", "26", "27"],
        "job": ["cook", "cook", "smith", "cook", "diver", None],
        "s": ["x", "y", "x", "y", "x", "y"],
    }
    for name, columns in (("old", old), ("new", new)):
        import pyarrow.parquet as pq

        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    with Study(tmp_path / "old.parquet", quasi=trees, sensitive="s") as study:
        decision = Decision(NodeRecoding({"age": 1, "job": 1}), Promise(2))
        study.release(decision).write(tmp_path / "old.out.csv")
    reused = apply(
        tmp_path / "old.out.csv.record.json", tmp_path / "new.parquet", tmp_path / "new.out.csv"
    )
    assert reused.published.verdict.measured.rows == 3
    assert reused.published.record["suppressed"]["rows"] == 3
    found = {new.attribute: (set(new.placed), set(new.refused)) for new in reused.new_values}
    assert found["age"] == ({"23", "24", "26", "27", "29", "47"}, set())
    assert found["job"] == ({None}, {"diver"})
    assert verify_release(tmp_path / "new.out.csv").holds
    rows = (tmp_path / "new.out.csv").read_text().splitlines()
    assert {row.rsplit(",", 1)[0] for row in rows[1:]} == {"20-29,hand"}


NEW_ROWS = {
    # A cut of ages from 20 to 39 and groups of two ages have no label for 47 and for a missing age; the job
    # diver is in no hierarchy. What a node has a label for is released by it.
    "node": (NodeRecoding({"age": 1, "job": 0}), {"47": True, None: True}),
    "root": (NodeRecoding({"age": 2, "job": 1}), {"47": True, None: True, "diver": True}),
    "cut": (CutRecoding({"age": ("20-29", "30-39"), "job": ("cook", "smith")}), {None: True}),
    "root cut": (CutRecoding({"age": ("*",), "job": ("*",)}), {"47": True, None: True, "diver": True}),
    "groups": (
        GroupRecoding(
            ("age", "job"),
            tuple(
                Group({"age": age[0] + "x", "job": "*"}, ((age, "cook"), (age, "smith")))
                for age in ("21", "35")
            ),
        ),
        {},
    ),
}


@pytest.mark.parametrize("kind", NEW_ROWS)
def test_a_row_with_a_value_that_has_no_label_is_suppressed_and_the_others_are_released(tmp_path, kind):
    recoding, placed = NEW_ROWS[kind]
    trees = {"age": {"intervals": {"widths": [10]}}, "job": {"*": ["cook", "smith"]}}
    old = {"age": ["21", "21", "35", "35"], "job": ["cook", "smith"] * 2, "s": ["x", "y"] * 2}
    new = {
        "age": ["21", "21", "35", "47", "47", None, "35"],
        "job": ["cook", "smith", "cook", "cook", "cook", "smith", "diver"],
        "s": ["x", "y"] * 3 + ["x"],
    }
    (tmp_path / "new.csv").write_text(
        "\n".join(
            ",".join(value or "" for value in row) for row in [[*new], *zip(*new.values(), strict=True)]
        )
    )
    with Study(pa.table(old), quasi=trees, sensitive="s") as study:
        study.release(Decision(recoding, Promise(1))).write(tmp_path / "old.out.csv")
    answer = shoal(
        "apply",
        tmp_path / "old.out.csv.record.json",
        tmp_path / "new.csv",
        "-o",
        tmp_path / "out.csv",
        "--json",
    )
    assert answer.returncode == 0, answer.stderr
    document = json.loads(answer.stdout)
    suppressed = {"47": 2, None: 1, "diver": 1}
    gone = {value: rows for value, rows in suppressed.items() if value not in placed}
    told = {value for one in document["new_values"] for value in one["suppressed"]}
    assert told == set(gone)
    assert {value for one in document["new_values"] for value in one["placed"]} == set(placed)
    assert sum(one["suppressed_rows"] for one in document["new_values"]) == sum(gone.values())
    assert document["suppressed"]["rows"] == sum(gone.values())
    assert verify_release(tmp_path / "out.csv").measured.rows == 7 - sum(gone.values())
    assert "never seen" not in (tmp_path / "out.csv").read_text()


def test_apply_tells_people_which_values_are_left_out_and_how_many_rows_have_them(tmp_path):
    trees = {"age": {"intervals": {"widths": [10]}}}
    with Study(pa.table({"age": ["21", "22", "35", "36"]}), quasi=trees) as study:
        study.release(study.optimize(k=2)).write(tmp_path / "old.csv")
    (tmp_path / "new.csv").write_text("age\n21\n22\n47\n48\n")
    answer = shoal(
        "apply", tmp_path / "old.csv.record.json", tmp_path / "new.csv", "-o", tmp_path / "out.csv"
    )
    assert answer.returncode == 0, answer.stderr
    assert "without a place in the release, so all 2 rows with it suppressed: 47, 48." in answer.stdout


MISSING = ("21", "22", "35", "36", None, None)
SAME_TABLE = {
    "node": NodeRecoding({"age": 1}),
    "root": NodeRecoding({"age": 2}),
    "cut": CutRecoding({"age": ("20-29", "30-39", None)}),
    "root cut": CutRecoding({"age": ("*",)}),
    "groups": GroupRecoding(
        ("age",),
        tuple(
            Group({"age": label}, tuple((age,) for age in ages))
            for label, ages in (("2x", MISSING[:2]), ("3x", MISSING[2:4]), (None, (None,)))
        ),
    ),
}


@pytest.mark.parametrize("kind", SAME_TABLE)
@pytest.mark.parametrize("new", ["the same rows", "47, too", "no mappings"])
def test_a_missing_value_that_the_first_table_had_is_not_told_as_new(tmp_path, kind, new):
    trees = {"age": {"intervals": {"widths": [10]}}}
    table = pa.table({"age": MISSING})
    with Study(table, quasi=trees) as study:
        study.release(Decision(SAME_TABLE[kind], Promise(2))).write(tmp_path / "old.csv")
    if new == "47, too":
        table = pa.table({"age": [*MISSING, "47", "47"]})
    elif new == "no mappings" and (tmp_path / "old.csv.mappings").exists():
        shutil.rmtree(tmp_path / "old.csv.mappings")
    reused = apply(tmp_path / "old.csv.record.json", table, tmp_path / "new.csv")
    told = [value for one in reused.new_values for value in (*one.placed, *one.refused)]
    assert told == (["47"] if new == "47, too" else [])
    assert reused.published.verdict.measured.rows >= 6


@pytest.mark.parametrize("scheme", list(Scheme))
def test_adult_cuts_go_through_every_scheme(adult, tmp_path, scheme):
    names = ["age-band", "education", "marital-status", "native-country", "race", "sex", "workclass"]
    quasi = {name: adult / "cuts-356440500" / f"{name}.csv" for name in names}
    with Study(adult / "adult.csv", quasi=quasi, sensitive="occupation", class_="salary-class") as study:
        trees = {name: study.hierarchy(name).tree() for name in names}
        deep = scheme is not Scheme.NO_SUPP
        cut = {
            name: tuple(child.label for child in tree.children) if deep else (tree.label,)
            for name, tree in trees.items()
        }
        k = 1 if scheme in (Scheme.ALL_SA, Scheme.VIO_SA) else 5
        promise = Promise(k, None, {"occupation": ShareLimits(Fraction(1, 4))})
        decision = Decision(CutRecoding(cut), promise, scheme, "CM")
        published = study.release(decision, seed=2).write(tmp_path / "out.parquet")
    assert verify_release(published.path).holds
    connection = duckdb.connect()
    keys = ", ".join(f'"{name}"' for name in names)
    worst, least, rows = connection.execute(
        f"""SELECT max(c * 4 > n), min(n), sum(c) FROM (
              SELECT count(*) c, sum(count(*)) OVER (PARTITION BY {keys}) n, occupation IS NULL blank
              FROM read_parquet('{published.path}') GROUP BY {keys}, occupation)
            WHERE NOT blank"""
    ).fetchone()
    connection.close()
    assert not worst
    assert least >= k
    record = published.record
    assert rows == 45222 - record["suppressed"]["rows"] - record["suppressed"]["values"]


def test_cells_that_a_spreadsheet_would_run_are_reported(tmp_path):
    table = pa.table({"q": ["a", "a"], "note": ["=1+1", "-5"]})
    with Study(table, quasi={"q": {"*": ["a", "b"]}}, insensitive="note") as study:
        decision = Decision(NodeRecoding({"q": 0}), Promise(1))
        plain = study.release(decision).write(tmp_path / "plain.csv")
        safe = study.release(decision, spreadsheet_safe=True).write(tmp_path / "safe.csv")
        typed = study.release(decision).write(tmp_path / "typed.parquet")
    assert [w.details for w in plain.warnings if w.code == "formulas"] == [{"cells": {"note": 1}}]
    assert not [w for w in (*safe.warnings, *typed.warnings) if w.code == "formulas"]


def test_a_column_name_that_a_spreadsheet_would_run_is_told_or_refused(tmp_path):
    table = pa.table({"q": ["a", "a"], "=HYPERLINK(1)": ["x", "y"], "-5": ["x", "y"]})
    others = ["=HYPERLINK(1)", "-5"]
    with Study(table, quasi={"q": {"*": ["a", "b"]}}, insensitive=others) as study:
        decision = Decision(NodeRecoding({"q": 0}), Promise(1))
        plain = study.release(decision).write(tmp_path / "plain.csv")
        with pytest.raises(InputError, match="would run the column name '=HYPERLINK"):
            study.release(decision, spreadsheet_safe=True)
    told = [w.details for w in plain.warnings if w.code == "formula-names"]
    assert told == [{"columns": ["=HYPERLINK(1)"]}]


@pytest.mark.parametrize(
    "recoding",
    [
        NodeRecoding({"q": 0, "other": 1}),
        CutRecoding({"q": ("*",), "other": ("*",)}),
        GroupRecoding(("q", "other"), ()),
    ],
)
def test_a_solution_of_another_study_is_refused(recoding):
    """What it recodes besides would be released as it is."""
    table = pa.table({"q": ["a", "b"], "other": ["x", "y"]})
    with (
        Study(table, quasi={"q": {"*": ["a", "b"]}}, insensitive="other") as study,
        pytest.raises(InputError, match="recodes 'other', which is not quasi"),
    ):
        study.release(Decision(recoding, Promise(1)))


def test_the_reports_lie_beside_the_release_and_the_public_one_keeps_its_counsel(hospital):
    published = released(hospital, "told.csv")
    internal = (hospital / "told.csv.report.html").read_text()
    public = (hospital / "told.csv.public.html").read_text()
    assert str(published.record["seed"]) == "1"
    loss = published.record["decision"]["details"]["loss"]
    assert f"{loss:,.1f}" in internal
    for secret in (f"{loss:,.1f}", "3,000", "suppressed rows", "optimal"):
        assert secret not in public
    for page in (internal, public):
        assert page.lower().startswith("<!doctype html>")
        assert "<script" not in page


def deciding(study, kind):
    """A decision of each kind: levels in the middle, the children of the roots, or groups by one column."""
    trees = {name: study.hierarchy(name) for name in study.quasi}
    tally = study.tally()
    whole = {
        name: tree.with_missing() if None in tally.domain(name) else tree for name, tree in trees.items()
    }
    if kind == "node":
        return NodeRecoding({name: (tree.height + 1) // 2 for name, tree in whole.items()})
    if kind == "cut":
        return CutRecoding(
            {name: tuple(child.label for child in tree.tree().children) for name, tree in whole.items()}
        )
    members = {}
    for codes in tally.codes.tolist():
        values = tuple(tally.domains[a][code] for a, code in enumerate(codes))
        members.setdefault(values[1], []).append(values)
    return GroupRecoding(
        study.quasi,
        tuple(
            Group(dict.fromkeys(study.quasi, f"everyone with {value}"), tuple(combinations))
            for value, combinations in members.items()
        ),
    )


@pytest.mark.parametrize("kind", ["node", "cut", "groups"])
@pytest.mark.parametrize("data", ["adult", "hospital"])
def test_every_kind_of_solution_keeps_its_promise_to_a_plain_group_by(data, kind, request, tmp_path):
    import pandas as pd

    if data == "hospital":
        study = Study.open(request.getfixturevalue("hospital") / "study.yaml")
    else:
        adult = request.getfixturevalue("adult")
        names = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
        quasi = {name: adult / "lattice-17920" / f"{name}.csv" for name in names}
        study = Study(adult / "adult-30162.csv", quasi=quasi, sensitive="occupation")
    with study:
        decision = Decision(deciding(study, kind), Promise(7))
        published = study.release(decision, seed=4).write(tmp_path / "out.csv")
        rows, quasi = study.tally().rows, list(study.quasi)
    sizes = pd.read_csv(tmp_path / "out.csv", dtype=str).groupby(quasi, dropna=False).size()
    assert sizes.min() >= 7
    assert sizes.sum() == rows - published.record["suppressed"]["rows"]
    assert len(sizes) == published.certificate["measured"]["groups"]
    assert verify_release(tmp_path / "out.csv").holds


@pytest.mark.parametrize("kept", [0, 1, 3, 6])
def test_damaged_papers_are_refused_in_one_line(hospital, kept):
    out = released(hospital, "damaged.csv").path
    for suffix, command in (
        (".certificate.json", ("verify", out)),
        (".record.json", ("release", "-o", hospital / "never.csv", "--from", f"{out}.record.json")),
        (
            ".record.json",
            ("apply", f"{out}.record.json", hospital / "hospital.csv", "-o", hospital / "never.csv"),
        ),
    ):
        paper = out.with_name(out.name + suffix)
        whole = json.loads(paper.read_text())
        entries = list(whole.items())
        broken = dict(entries[: kept + 1]) if kept else {**whole, "promise": 5, "decision": 5}
        paper.write_text(json.dumps(broken))
        one_line(shoal(*command), 2, paper.name)
        paper.write_text(json.dumps(whole))
    assert not (hospital / "never.csv").exists()


def test_a_release_whose_study_has_undecided_columns_can_be_made_again(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,note\n31,a\n31,b\n44,c\n44,d\n")
    with Study(table, quasi={"age": {"intervals": {"widths": [10]}}}, undecided=["note"]) as study:
        study.release(study.frontier(), k=2, seed=1).write(tmp_path / "out.csv")
    remake(tmp_path / "out.csv.record.json", out=tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


def test_what_follows_a_release_is_as_safe_in_a_spreadsheet(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,note\n31,=1+1\n31,@a\n44,b\n44,-c\n")
    tree = {"intervals": {"widths": [10]}}
    with Study(table, quasi={"age": tree}, insensitive="note") as study:
        found = study.frontier()
        made = study.release(found, k=2, seed=1, spreadsheet_safe=True).write(tmp_path / "out.csv")
    again = remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
    new = apply(tmp_path / "out.csv.record.json", table, tmp_path / "new.csv").published
    assert again.path.read_bytes() == made.path.read_bytes()
    for one in (made, new):
        assert {"'=1+1", "'@a"} <= set(one.path.read_text().replace("\n", ",").split(","))


class TestAttacksInTheReport:
    def test_the_private_report_tells_what_quick_attacks_find_and_the_public_page_does_not(
        self, tmp_path
    ):
        table = pa.table({"a": ["x", "x", "y", "y"], "ill": ["flu", "flu", "cold", "hiv"]})
        two = Hierarchy.from_rows([("x", "*"), ("y", "*")])
        with Study(table, quasi={"a": two}, sensitive="ill") as study:
            study.release(study.anonymize("flash", k=2)).write(tmp_path / "out.csv")
        page = (tmp_path / "out.csv.report.html").read_text()
        assert "What attacks find" in page
        assert "The value of ill is certain for 2 rows" in page
        assert "Not tried here: singling-out" in page
        assert "linkage" not in (tmp_path / "out.csv.public.html").read_text()

    def test_attacks_that_take_too_long_are_named(self, tmp_path, monkeypatch):
        from shoal.release.papers import quick_attacks

        monkeypatch.setattr(quick_attacks, "SECONDS", 1e-9)
        table = pa.table({"a": ["x", "x", "y", "y"]})
        two = Hierarchy.from_rows([("x", "*"), ("y", "*")])
        with Study(table, quasi={"a": two}) as study:
            study.release(study.anonymize("flash", k=2)).write(tmp_path / "out.csv")
        page = (tmp_path / "out.csv.report.html").read_text()
        assert "To see what known attacks find" in page

    def test_a_defence_is_shown_before_and_after(self, tmp_path):
        ages = Hierarchy.from_rows([(str(a), f"{a // 5}-", "*") for a in range(20)])
        table = pa.table({"age": [str(a % 20) for a in range(60)], "ill": ["flu", "cold", "hiv"] * 20})
        with Study(table, quasi={"age": ages}, sensitive="ill") as study:
            robust = study.anonymize("local-recoding", k=4, robust=0.1)
            study.release(robust).write(tmp_path / "out.csv")
        assert "What the defence changed" in (tmp_path / "out.csv.report.html").read_text()
