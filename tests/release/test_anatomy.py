"""Anatomy's two tables: what they hold, that anyone can check them, and that nothing less is written."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.again import apply, remake
from shoal.answers.recoding import BucketRecoding, Decision
from shoal.data.engines.duckdb.outlet import DuckDBOutlet
from shoal.documents.digests import digest
from shoal.errors import InputError, NoSolutionError
from shoal.release.release import Release
from shoal.verification import verify_release
from tests.examples import examples
from tests.release.test_publish import valid
from tests.search.test_anatomy import dealt_groups

ILLNESSES = ["flu", "cold", "gout", "=cmd()", 'a "b", c', None]


@st.composite
def tables(draw):
    """Rows with an identity, a quasi, a class and a sensitive column, some of them missing."""
    rows = draw(st.integers(1, 25))
    columns = {
        "id": [str(i) for i in range(rows)],
        "zip": draw(st.lists(st.sampled_from(["10", "11", "20", None]), min_size=rows, max_size=rows)),
        "ill": draw(st.lists(st.sampled_from(ILLNESSES), min_size=rows, max_size=rows)),
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def study_of(table, **options):
    given = {"quasi": {"zip": {"mask": {"digits": 2}}}, "sensitive": "ill", "insensitive": "id"}
    return Study(table, **(given | options))


@settings(max_examples=examples(30))
@given(tables(), st.integers(2, 4), st.integers(0, 3))
def test_both_tables_hold_every_row_and_no_share_is_above_1_in_l(table, least, seed):
    truth = {row["id"]: row for row in table.to_pylist()}
    counts = Counter(row["ill"] for row in truth.values())
    with study_of(table) as study:
        if max(counts.values()) * least > len(truth):
            with pytest.raises(NoSolutionError):
                study.anonymize("anatomy", l=least)
            return
        found = study.anonymize("anatomy", l=least)
        made = study.release(found, seed=seed)
        first, second = made.tables()
        measured = made.certificate["measured"]
    assert first.column_names == ["id", "zip", "group"]
    assert second.column_names == ["group", "ill", "count"]
    held, groups = defaultdict(Counter), defaultdict(Counter)
    for row in first.to_pylist():
        original = truth.pop(row["id"])
        assert row["zip"] == original["zip"]
        groups[row["group"]][original["ill"]] += 1
    assert not truth
    for row in second.to_pylist():
        held[row["group"]][row["ill"]] += row["count"]
    assert held == groups
    assert [groups[g] for g in sorted(groups)] == dealt_groups(made.dealt, counts)
    assert sorted(groups) == list(range(1, table.num_rows // least + 1))
    shares = [Fraction(n, group.total()) for group in groups.values() for n in group.values()]
    assert max(shares) <= Fraction(1, least)
    sizes = [group.total() for group in groups.values()]
    assert measured["buckets"] == {
        "groups": len(sizes),
        "smallest": min(sizes),
        "largest": max(sizes),
    }
    proper = [
        (
            sum(v is not None for v in g),
            max((Fraction(n, g.total()) for v, n in g.items() if v), default=0),
        )
        for g in groups.values()
    ]
    assert measured["sensitive"]["ill"]["l"] == min(values for values, _ in proper)
    assert Fraction(measured["sensitive"]["ill"]["largest_share"]) == max(share for _, share in proper)
    assert measured["k"] == found.k == min(Counter(table["zip"].to_pylist()).values())
    assert found.losses["LM"] == 0


def test_the_seed_alone_knows_who_is_in_which_group():
    rows = pa.table(
        {
            "id": [str(i) for i in range(40)],
            "zip": ["10"] * 40,
            "ill": ["flu", "cold", "gout", "mumps"] * 10,
        }
    )
    with study_of(rows) as study:
        found = study.anonymize("anatomy", l=4)
        seen = [
            {row["id"]: row["group"] for row in study.release(found, seed=seed).table().to_pylist()}
            for seed in range(3)
        ]
        order = [study.release(found, seed=seed).table()["id"].to_pylist() for seed in range(3)]
    assert seen[0] != seen[1] != seen[2] != seen[0]
    assert order[0] != order[1] != sorted(order[0], key=int)


def test_a_saved_solution_gives_the_same_tables_for_the_same_seed():
    rows = pa.table(
        {"id": ["1", "2", "3", "4"], "zip": ["10"] * 4, "ill": ["flu", "cold", None, "gout"]}
    )
    with study_of(rows) as study:
        found = study.anonymize("anatomy", l=2)
        saved = json.loads(found.to_json())
        assert study.release(found, seed=1).tables() == study.release(saved, seed=1).tables()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A study with a release of it."""
    folder = hospital_in(tmp_path_factory.mktemp("hospital"))
    released(folder)
    return folder


@pytest.fixture
def forged(written, tmp_path):
    """A copy of the release, to be tampered with."""
    return shutil.copytree(written, tmp_path / "copy") / "out.csv"


@pytest.fixture
def hospital(tmp_path):
    return hospital_in(tmp_path)


def hospital_in(tmp_path):
    rows = 120
    illnesses = ["flu", "cold", "gout", "mumps", "-1+1", ""]
    lines = ["id,zip,sex,illness,wage,outcome"]
    lines += [
        f"p{i},{10 + i * 7 % 12},{'fm'[i % 2]},{illnesses[i * i % 17 % 6]},{i % 5},{'ab'[i % 3 % 2]}"
        for i in range(rows)
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "s.yaml").write_text(
        "table: t.csv\n"
        "attributes:\n"
        "  id: {role: identifying}\n"
        "  zip: {role: quasi, hierarchy: {mask: {digits: 2}}}\n"
        "  sex: {role: quasi, hierarchy: {mask: {digits: 1}}}\n"
        "  illness: {role: sensitive}\n"
        "  wage: {role: sensitive}\n"
        "  outcome: {role: class}\n"
    )
    return tmp_path


def released(folder, name="out.csv", **options):
    with Study.open(folder / "s.yaml") as study:
        found = study.anonymize("anatomy", l=3, options={"sensitive": "illness"})
        return study.release(found, seed=5, **options).write(folder / name, force=True)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
def test_every_format_is_verified_documented_and_made_again_byte_for_byte(hospital, ending):
    name = f"out.{ending}"
    published = released(hospital, name)
    second = hospital / f"{name}.sensitive.{ending}"
    certificate = json.loads((hospital / f"{name}.certificate.json").read_text())
    record = json.loads((hospital / f"{name}.record.json").read_text())
    valid(certificate, "certificate.schema.json")
    valid(record, "record.schema.json")
    assert certificate["columns"] == ["zip", "sex", "outcome", "group"]
    assert certificate["buckets"] == {
        "file": second.name,
        "sha256": digest(second),
        "columns": ["group", "illness", "count"],
    }
    assert record["release"]["buckets"] == certificate["buckets"]
    assert record["decision"]["buckets"] == {"sensitive": "illness", "l": 3}
    assert len(json.dumps(record["decision"])) < 1000  # it lists no rows
    assert "seed" not in json.dumps(certificate)
    assert verify_release(published.path).holds
    again = remake(hospital / f"{name}.record.json", hospital / f"again.{ending}")
    assert again.path.read_bytes() == published.path.read_bytes()
    assert (hospital / f"again.{ending}.sensitive.{ending}").read_bytes() == second.read_bytes()


def forge(out, change, second=False):
    """Change one of the two files, and make its digest fit as a forger would."""
    certificate = out.with_name(out.name + ".certificate.json")
    document = json.loads(certificate.read_text())
    path = out.with_name(out.name + ".sensitive.csv") if second else out
    header, *rows = path.read_text().splitlines()
    lines = [header, *sorted(rows, reverse=True)]
    change(lines)
    path.write_text("\n".join(lines) + "\n")
    (document["buckets"] if second else document)["sha256"] = digest(path)
    certificate.write_text(json.dumps(document))


def replaced(line, place, text):
    def change(lines):
        cells = lines[line].split(",")
        cells[place] = text
        lines[line] = ",".join(cells)

    return change


@pytest.mark.parametrize(
    ("second", "change", "broken"),
    [
        (False, replaced(1, 3, "1000"), "counts: the group '1000' has no values"),
        (False, replaced(1, 3, ""), "counts: 1 rows are in no group"),
        (False, lambda lines: lines.pop(1), "rows: 119"),
        (False, lambda lines: lines.append(lines[1]), "rows: 121"),
        (False, replaced(0, 3, "gruppe"), "columns: group are missing"),
        (True, replaced(1, 2, "2"), "counts: the group"),
        (True, replaced(1, 2, "0"), "impossible number of rows"),
        (True, replaced(1, 2, "1.5"), "impossible number of rows"),
        (True, replaced(1, 2, "9" * 30), "impossible number of rows"),
        (True, replaced(1, 0, "41"), "counts: the group '41' has 0 rows"),
        (True, lambda lines: lines.pop(1), "counts: the group"),
        (True, lambda lines: lines.append(lines[1]), "more than once"),
        (True, replaced(0, 1, "sickness"), "columns: illness are missing"),
    ],
)
def test_a_change_of_either_file_that_matters_breaks_the_verification(forged, second, change, broken):
    forge(forged, change, second)
    verdict = verify_release(forged)
    assert any(failure.startswith(broken) or broken in failure for failure in verdict.failures), verdict


@pytest.mark.parametrize(
    ("value", "what"),
    [("flu", "theta: 'flu' of 'illness' has a share of 2/3"), ("", "more than 1/3")],
)
def test_two_equal_values_in_a_group_break_the_share(forged, value, what):
    second = forged.with_name("out.csv.sensitive.csv")
    groups = Counter(line.split(",")[0] for line in second.read_text().splitlines()[1:])
    group = next(group for group, size in groups.items() if size == 3)

    def double(lines):
        own = [i for i, line in enumerate(lines) if line.startswith(f"{group},")]
        lines[own[0]] = f"{group},{value},2"
        lines[own[1]] = f"{group},another,1"
        del lines[own[2]]

    forge(forged, double, second=True)
    failures = verify_release(forged).failures
    assert any(what in failure for failure in failures), failures


def test_any_changed_byte_of_either_file_breaks_the_digest_and_a_lost_file_is_named(forged, shoal):
    out, second = forged, forged.with_name("out.csv.sensitive.csv")
    for path in (out, second):
        before = path.read_bytes()
        path.write_bytes(before.replace(b"\n", b"\r\n"))
        status, printed, _ = shoal("verify", out)
        assert status == 1
        assert f"BROKEN digest: {path.name}" in printed
        path.write_bytes(before)
    assert shoal("verify", out)[0] == 0
    second.unlink()
    status, printed, _ = shoal("verify", out)
    assert (status, "out.csv.sensitive.csv is missing" in printed) == (1, True)


def test_the_command_line_goes_from_the_study_to_two_verified_files(hospital, shoal):
    study, kept, out = hospital / "s.yaml", hospital / "kept.json", hospital / "out.csv"
    asked = ("anonymize", study, "--algorithm", "anatomy", "--l", "3", "--save", kept)
    status, _, told = shoal(*asked)
    assert (status, "choose it with the option sensitive" in told) == (2, True)
    assert shoal(*asked, "--option", "sensitive=illness")[0] == 0
    status, printed, _ = shoal("release", study, "--solution", kept, "-o", out)
    assert status == 0
    assert "out.csv.sensitive.csv" in printed
    assert "mappings" not in printed
    assert "Not released" in printed
    status, printed, _ = shoal("verify", out, "--json")
    document = json.loads(printed)
    assert (status, document["holds"], document["measured"]["buckets"]["smallest"]) == (0, True, 3)
    for arguments, words in (
        (("diff", out, out), "is a release by Anatomy"),
        (
            ("apply", f"{out}.record.json", hospital / "t.csv", "-o", hospital / "n.csv"),
            "nothing to apply",
        ),
    ):
        status, _, told = shoal(*arguments)
        assert status == 2
        assert words in told
        assert len(told.splitlines()) == 1
    status, printed, _ = shoal("risk", out, "--json")
    assert (status, json.loads(printed)["quasi"]) == (0, ["zip", "sex"])
    status, _, told = shoal(
        "anonymize", study, "--algorithm", "anatomy", "--l", 30, "--option", "sensitive=wage"
    )
    assert (status, "24 of 120 rows" in told, "l = 5 at most" in told) == (3, True, True)


def test_nothing_is_overwritten_unasked_and_nothing_old_stays_beside_the_new(hospital):
    with Study.open(hospital / "s.yaml") as study:
        found = study.anonymize("anatomy", l=3, options={"sensitive": "illness"})
        second = hospital / "out.csv.sensitive.csv"
        second.write_text("mine\n")
        with pytest.raises(InputError, match=r"sensitive\.csv: already exists"):
            study.release(found).write(hospital / "out.csv")
        assert second.read_text() == "mine\n"
        study.release(study.frontier()).write(hospital / "out.csv", force=True)
        assert not second.exists()
        assert (hospital / "out.csv.mappings").is_dir()
        study.release(found).write(hospital / "out.csv", force=True)
        assert second.exists()
        assert not (hospital / "out.csv.mappings").exists()
        assert verify_release(hospital / "out.csv").holds


def test_a_write_that_fails_half_way_leaves_everything_as_it_was(hospital, monkeypatch):
    out = released(hospital).path
    before = {path.name: path.read_bytes() for path in hospital.iterdir()}
    write = DuckDBOutlet.write

    def full(self, path, progress=None):
        if ".sensitive." in path.name:
            path.write_text("half")
            raise InputError("cannot be written: no space left on the disk", file=path)
        write(self, path, progress)

    monkeypatch.setattr(DuckDBOutlet, "write", full)
    with Study.open(hospital / "s.yaml") as study:
        found = study.anonymize("anatomy", l=4, options={"sensitive": "illness"})
        with pytest.raises(InputError, match=r"out\.csv: cannot be written: no space left"):
            study.release(found).write(out, force=True)
    assert {path.name: path.read_bytes() for path in hospital.iterdir()} == before


def test_names_and_values_may_be_anything(tmp_path):
    odd = 'x"; DROP TABLE rows; --'
    table = pa.table(
        {
            "Group": ["10", "11", "10", "12"],
            "rn": ["3", "1", "2", "0"],
            "bucket": ["z", "y", "x", "w"],
            "count": ["1", "2", "3", "4"],
            odd: ["=1+1", "'=1+1", "a,b\n", "☂"],
        }
    )
    masked = {"mask": {"digits": 2}}
    with Study(
        table, quasi={"Group": masked}, sensitive=odd, insensitive=["rn", "bucket", "count"]
    ) as study:
        found = study.anonymize("anatomy", l=2)
        published = study.release(found, seed=1).write(tmp_path / "out.csv")
        assert published.certificate["columns"] == ["Group", "rn", "bucket", "count", "group_2"]
        assert published.certificate["buckets"]["columns"] == ["group_2", odd, "count_2"]
        assert any(w.code == "formulas" and odd in w.sentence for w in published.warnings)
        assert verify_release(published.path).holds
        orders = {tuple(study.release(found, seed=seed).table()["rn"].to_pylist()) for seed in range(9)}
        assert len(orders) > 1  # a column called as an inner one does not decide the order


def test_cells_that_a_spreadsheet_would_run_are_disarmed_in_both_files(tmp_path):
    table = pa.table({"id": ["=a", "b"], "zip": ["+1x", "101"], "ill": ["@c", "d"]})
    with study_of(table, quasi={"zip": {"mask": {"digits": 3}}}) as study:
        made = study.release(study.anonymize("anatomy", l=2), seed=1, spreadsheet_safe=True)
        published = made.write(tmp_path / "out.csv")
    assert not [warning for warning in published.warnings if warning.code == "formulas"]
    assert "'=a" in published.path.read_text()
    assert "'+1x" in published.path.read_text()
    assert "'@c" in (tmp_path / "out.csv.sensitive.csv").read_text()


def test_frames_come_back_as_the_kind_that_went_in_with_their_types():
    import pandas as pd

    given = pd.DataFrame({"zip": ["10", "11", "10", "11"], "wage": [1.5, 2.0, float("nan"), 1.5]})
    with Study(given, quasi={"zip": {"mask": {"digits": 2}}}, sensitive="wage") as study:
        first, second = study.release(study.anonymize("anatomy", l=2), seed=1).frames()
    assert isinstance(first, pd.DataFrame)
    assert list(first.columns) == ["zip", "group"]
    assert second["wage"].dtype == "float64"
    assert sorted(second["wage"].dropna()) == [1.5, 1.5, 2.0]
    assert second["count"].tolist() == [1, 1, 1, 1]


def test_buckets_are_never_released_as_one_table(written):
    with Study.open(written / "s.yaml") as study:
        decision = study.anonymize("anatomy", l=3, options={"sensitive": "illness"}).decision()
        with pytest.raises(InputError, match="two tables"):
            Release(study.material(), decision)
        for recoding, what in (
            (BucketRecoding({"zip": 0, "sex": 1}, "illness", 3), "other quasi columns"),
            (BucketRecoding({"zip": 0, "sex": 0}, "outcome", 3), "not a sensitive column"),
            (BucketRecoding({"zip": 0, "sex": 0}, "illness", 1), "2 or more"),
        ):
            with pytest.raises(InputError, match=what):
                study.release(Decision(recoding, decision.promise))
    with pytest.raises(InputError, match="nothing to apply"):
        apply(written / "out.csv.record.json", written / "t.csv", written / "new.csv")


def test_the_pages_say_what_is_released_and_what_is_not_promised(written):
    public = (written / "out.csv.public.html").read_text()
    internal = (written / "out.csv.report.html").read_text()
    for page in (public, internal):
        assert "out.csv.sensitive.csv" in page
        assert "Being in the file is not hidden" in page
        assert "No value of illness makes up more than" in page
        assert "coarser where needed" not in page
        assert "may be coarser" not in page
    assert "Two methods make persons look alike" not in public
    for measure in ("Rows in the largest group", "Fewest rows that look the same (k), not promised"):
        assert measure in public
    assert "wage" not in public
    assert "seed" not in public
    assert "All quasi values are released unchanged" in internal


def test_adult_is_split_by_occupation(adult, tmp_path):
    levels = adult / "arx-12960"
    quasi = {name: levels / f"{name}.csv" for name in ("age", "education", "race", "sex")}
    with Study(adult / "adult.csv", quasi=quasi, sensitive="occupation") as study:
        found = study.anonymize("anatomy", l=7)
        published = study.release(found, seed=1).write(tmp_path / "adult.csv")
        with pytest.raises(
            NoSolutionError, match="'Craft-repair' of 'occupation' has 6,020 of 45,222 rows"
        ):
            study.anonymize("anatomy", l=8)
    assert published.verdict.measured.buckets.groups == found.rows // 7
    assert verify_release(published.path).holds


def test_a_comparison_measures_both_tables():
    rows = pa.table(
        {"id": ["1", "2", "3", "4"], "zip": ["10", "11", "12", "13"], "ill": ["a", "b", "c", "d"]}
    )
    with study_of(rows) as study:
        (entry,) = study.compare(["anatomy"], l=4)
        (refused,) = study.compare(["anatomy"], k=2)
    assert (entry.failure, entry.answer.k, entry.least) == (None, 1, {"ill": 4})
    assert "give only l" in refused.failure


@pytest.mark.parametrize("missing", ["sha256", "columns"])
def test_a_certificate_that_tells_half_of_the_second_table_is_damaged(hospital, missing):
    released(hospital)
    paper = hospital / "out.csv.certificate.json"
    document = json.loads(paper.read_text())
    del document["buckets"][missing]
    paper.write_text(json.dumps(document))
    with pytest.raises(InputError, match=f"not a valid certificate: buckets has no {missing}"):
        verify_release(hospital / "out.csv")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda said: said["promise"].update(k=2), "cannot be promised for a release in two tables"),
        (lambda said: said["sensitive"].append("sex"), "the sensitive column is not that of the second"),
        (lambda said: said["sensitive"].clear(), "about 'illness', which is not a sensitive column"),
    ],
)
def test_a_certificate_of_two_tables_that_contradicts_itself_is_refused(forged, change, words):
    paper = forged.with_name("out.csv.certificate.json")
    document = json.loads(paper.read_text())
    change(document)
    paper.write_text(json.dumps(document))
    with pytest.raises(InputError, match=words):
        verify_release(forged)
