"""Anatomy for persons with several rows: what both tables hold, and what anyone can check of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study, verify
from shoal.again import remake
from shoal.documents.digests import digest
from shoal.errors import InputError, NoSolutionError
from tests.examples import examples
from tests.release.test_publish import valid

ILLNESSES = ["flu", "cold", "gout", "=cmd()", "mumps", None]
TOWNS = {"zip": {"mask": {"digits": 2}}}


def study_of(rows, **options):
    columns = {"key": 0, "no": 1, "zip": 2, "ill": 3}
    table = pa.table({n: pa.array([row[i] for row in rows], pa.string()) for n, i in columns.items()})
    given = {"quasi": TOWNS, "sensitive": "ill", "insensitive": "no", "persons": "key"}
    return Study(table, **(given | options))


def rows_of(people):
    """Rows (key, number, zip, illness) of persons, each a list of the illnesses of their rows."""
    found = [(f"Key-{p}", ill) for p, ills in enumerate(people) for ill in ills]
    return [(key, str(i), "1" + str(i % 3), ill) for i, (key, ill) in enumerate(found)]


PEOPLE = [
    ["flu"],
    ["flu", "flu"],
    ["cold", "gout"],
    ["cold"],
    ["mumps", None],
    ["gout", "gout", "gout"],
    ["mumps"],
    ["=cmd()", "cold"],
    ["=cmd()"],
    ["flu", "mumps", "gout"],
    [None],
    ["cold", "cold"],
]


@settings(max_examples=examples(30))
@given(
    st.lists(st.lists(st.sampled_from(ILLNESSES), min_size=1, max_size=3), min_size=2, max_size=14),
    st.integers(2, 3),
    st.integers(0, 3),
)
def test_all_rows_of_a_person_are_in_one_bucket_and_its_values_are_counted_by_persons(
    people, least, seed
):
    people = [["flu", "flu"], *people]  # somebody has two rows
    rows = rows_of(people)
    truth = {row[1]: row for row in rows}
    with study_of(rows) as study:
        try:
            found = study.anonymize("anatomy", l=least)
        except NoSolutionError:
            having = Counter(ill for ills in people for ill in {*ills})
            longest, all_values = max(len({*ills}) for ills in people), having.total()
            assert max(having.values()) * least > len(people) or longest * least > all_values
            return
        made = study.release(found, seed=seed)
        first, second = made.tables()
        measured = made.certificate["measured"]
    assert first.column_names == ["no", "zip", "group"]
    assert second.column_names == ["group", "ill", "count"]
    groups, having = defaultdict(set), defaultdict(lambda: defaultdict(set))
    for row in first.to_pylist():
        key, _, zip_, ill = truth.pop(row["no"])
        assert row["zip"] == zip_
        groups[key].add(row["group"])
        having[row["group"]][ill].add(key)
    assert not truth
    assert all(len(where) == 1 for where in groups.values())
    persons = Counter(group for (group,) in groups.values())
    assert sorted(persons) == list(range(1, found.details["buckets"] + 1))
    expected = {(g, ill): len(keys) for g, ills in having.items() for ill, keys in ills.items()}
    assert {(row["group"], row["ill"]): row["count"] for row in second.to_pylist()} == expected
    shares = {entry: Fraction(n, persons[entry[0]]) for entry, n in expected.items()}
    assert max(shares.values()) <= Fraction(1, least)
    known = max((share for (_, ill), share in shares.items() if ill is not None), default=0)
    counted = measured["persons"]
    assert counted["count"] == len(people)
    assert Fraction(counted["sensitive"]["ill"]["largest_share"]) == known
    sizes = {"groups": len(persons), "smallest": min(persons.values()), "largest": max(persons.values())}
    assert counted["buckets"] == sizes


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """A release without names, and one with pseudonyms."""
    found = {}
    with study_of(rows_of(PEOPLE)) as study:
        best = study.anonymize("anatomy", l=3)
        for pseudonyms in (None, "fresh"):
            found[pseudonyms] = tmp_path_factory.mktemp("release")
            study.release(best, seed=1, pseudonyms=pseudonyms).write(found[pseudonyms] / "out.csv")
    return found


@pytest.fixture(params=[None, "fresh"], ids=["no names", "pseudonyms"])
def written(request, originals, tmp_path):
    """A copy of a release, to be tampered with."""
    return shutil.copytree(originals[request.param], tmp_path / "copy") / "out.csv", request.param


def test_files_papers_and_pages_say_it_and_have_no_key(written):
    out, pseudonyms = written
    verdict = verify(out)
    assert verdict.holds
    certificate = json.loads((out.parent / "out.csv.certificate.json").read_text())
    record = json.loads((out.parent / "out.csv.record.json").read_text())
    valid(certificate, "certificate.schema.json")
    valid(record, "record.schema.json")
    assert certificate["columns"] == ["no", "zip", "group", *(["person"] if pseudonyms else [])]
    assert (verdict.measured.persons is None) == (pseudonyms is None)
    assert ("cannot be recounted" in certificate["persons"]["said"]) == (pseudonyms is None)
    assert certificate["measured"]["persons"]["count"] == len(PEOPLE)
    assert not any(b"Key-" in path.read_bytes() for path in out.parent.rglob("*") if path.is_file())
    public, internal = (
        (out.parent / f"out.csv.{page}.html").read_text() for page in ("public", "report")
    )
    assert "how many persons have each" in public
    for page in (public, internal):
        assert "knows how many rows the persons of a group have" in page


def forged(out, table, change):
    """Let a released table be another, and the certificate certify it."""
    table.write_text(change(table.read_text()))
    paper = out.parent / "out.csv.certificate.json"
    document = json.loads(paper.read_text())
    document["sha256"], document["buckets"]["sha256"] = (
        digest(out),
        digest(out.parent / "out.csv.sensitive.csv"),
    )
    paper.write_text(json.dumps(document))
    return " ".join(verify(out).failures)


def test_a_person_in_two_groups_is_found_by_pseudonyms(originals, tmp_path):
    out = shutil.copytree(originals["fresh"], tmp_path / "copy") / "out.csv"
    by_person = defaultdict(list)
    for line in out.read_text().splitlines()[1:]:
        by_person[line.split(",")[-1]].append(line)
    line = next(rows[0] for rows in by_person.values() if len(rows) > 1)
    no, zip_, group, person = line.split(",")
    other = "2" if group == "1" else "1"
    said = forged(out, out, lambda text: text.replace(line, f"{no},{zip_},{other},{person}"))
    assert "rows of one person are in several groups" in said


def test_a_value_of_too_many_persons_is_found(written):
    out, _ = written
    second = out.parent / "out.csv.sensitive.csv"
    line = second.read_text().splitlines()[1]
    more = line.rsplit(",", 1)[0] + ",3"
    said = forged(out, second, lambda text: text.replace(line, more))
    assert "is of more than 1/3 of the persons" in said or "values of 'ill'" in said
    assert forged(out, second, lambda text: text.replace(more, line.rsplit(",", 1)[0] + ",99")) != ""


def test_a_bucket_that_lacks_values_is_found(written):
    out, pseudonyms = written
    second = out.parent / "out.csv.sensitive.csv"
    head, *lines = second.read_text().splitlines()
    groups = Counter(line.split(",")[0] for line in lines)
    fewest = min(groups, key=groups.get)
    kept = [line for line in lines if line.split(",")[0] != fewest]
    first = next(line for line in lines if line.split(",")[0] == fewest)
    said = forged(out, second, lambda text: "\n".join([head, first, *kept]) + "\n")
    expected = "persons and 1 values of 'ill'" if pseudonyms else "is of more than 1/3 of the persons"
    assert expected in said


def test_a_certificate_promises_shares_of_persons_and_nothing_else(written):
    out, _ = written
    paper = out.parent / "out.csv.certificate.json"
    document = json.loads(paper.read_text())
    document["promise"]["l"] = 2
    paper.write_text(json.dumps(document))
    with pytest.raises(InputError, match="only one limit of shares"):
        verify(out)


def test_it_is_made_again_byte_for_byte(tmp_path):
    lines = ["key,no,zip,ill"] + [",".join(cell or "" for cell in row) for row in rows_of(PEOPLE)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "s.yaml").write_text(
        "table: t.csv\npersons: key\nattributes:\n  zip: {role: quasi, hierarchy: {mask: {digits: 2}}}\n"
        "  ill: {role: sensitive}\n"
    )
    with Study.open(tmp_path / "s.yaml") as study:
        best = study.anonymize("anatomy", l=3)
        study.release(best, pseudonyms="stable").write(tmp_path / "out.csv")
    remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
    for suffix in ("", ".sensitive.csv"):
        again = (tmp_path / f"again.csv{suffix}").read_text()
        assert (tmp_path / f"out.csv{suffix}").read_text() == again


def test_dates_cannot_be_shifted_beside_exact_values():
    rows = [("a", "1", "10", "flu"), ("a", "2", "11", "flu"), ("b", "3", "10", "cold")]
    table = pa.table({n: [row[i] for row in rows] for i, n in enumerate(["key", "no", "zip", "ill"])})
    table = table.append_column("day", pa.array(["2024-01-01"] * 3))
    with Study(
        table, quasi=TOWNS, sensitive="ill", persons="key", insensitive="day", shift={"day": 5}
    ) as study:
        best = study.anonymize("anatomy", l=2)
        with pytest.raises(InputError, match="dates cannot be shifted"):
            study.release(best)
