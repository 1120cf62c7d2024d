"""Which values are missing: said in a study file or in Python, and kept wherever a study is read again."""

from __future__ import annotations

import csv

import pyarrow as pa
import pytest

import shoal
from shoal import Study
from shoal.again import remake
from shoal.data.tally.keeping import keep_tally
from shoal.describe.study_file import read_study_file
from shoal.describe.table_reading import Reading
from shoal.errors import InputError

ROWS = [
    {"age": age, "job": job, "illness": illness}
    for age, job, illness in [
        ("31", "c", "flu"),
        ("31", "c", "?"),
        ("-9", "?", "cold"),
        ("-9", "?", "flu"),
        ("44", "9", "flu"),
        ("44", "9", "NA"),
    ]
]
STUDY = """table: people.csv
missing: ["?", NA]
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [20]}}, missing: -9}
  job: {role: quasi, hierarchy: {mask: {digits: 1}}, missing: []}
  illness: {role: sensitive}
"""


@pytest.fixture
def study(tmp_path):
    write(tmp_path / "people.csv", ROWS)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path / "study.yaml"


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_a_study_file_lists_codes_for_all_columns_and_for_one(study):
    found = read_study_file(study).reading
    assert found == Reading(("?", "NA"), {"age": ("-9",), "job": ()})
    assert [found.codes(name) for name in ("age", "job", "illness")] == [
        ("?", "NA", "-9"),
        (),
        ("?", "NA"),
    ]
    assert Reading.from_dict(found.to_dict()) == found


@pytest.mark.parametrize("entry", ["{a: b}", "[[1]]", "", "[{a: 1}]"])
def test_what_is_no_list_of_codes_is_refused(study, entry):
    study.write_text(STUDY.replace('["?", NA]', entry))
    with pytest.raises(
        InputError, match=r'study.yaml, line 2: missing is a list of codes, such as \["\?"'
    ):
        read_study_file(study)


def test_python_says_the_same_as_a_study_file(study):
    quasi = {"age": {"intervals": {"widths": [20]}}, "job": {"mask": {"digits": 1}}}
    with (
        Study.open(study) as one,
        Study(
            study.with_name("people.csv"),
            quasi=quasi,
            sensitive="illness",
            missing={"age": ["?", "NA", -9], "illness": ["?", "NA"]},
        ) as other,
    ):
        assert one.tally("illness").fingerprint() == other.tally("illness").fingerprint()
        assert set(one.tally("illness").domain("illness")) == {"flu", "cold", None}
        assert set(one.tally().domain("job")) == {"c", "?", "9"}


def test_codes_of_a_column_that_is_not_there_are_refused():
    with pytest.raises(InputError, match="no column 'aeg'; did you mean age"):
        Study(pa.table({"age": ["1"]}), quasi={"age": {"mask": {"digits": 1}}}, missing={"aeg": [9]})


@pytest.mark.parametrize("code", [True, None, ["a"]])
def test_what_is_no_code_is_refused(code):
    with pytest.raises(InputError, match="a code for missing values is text or a number"):
        Reading.said([code])


def test_the_record_keeps_the_codes_for_the_same_release_and_for_new_rows(study, tmp_path):
    out = tmp_path / "out.csv"
    with Study.open(study) as opened:
        opened.release(opened.anonymize(algorithm="flash", k=2)).write(out)
    released = list(csv.DictReader(out.open()))
    assert sorted(row["illness"] for row in released) == ["", "", "cold", "flu", "flu", "flu"]
    assert sorted(row["age"] for row in released) == ["", "", "31", "31", "44", "44"]
    remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == out.read_bytes()
    write(tmp_path / "new.csv", ROWS * 2)
    shoal.apply(tmp_path / "out.csv.record.json", tmp_path / "new.csv", tmp_path / "applied.csv")
    applied = list(csv.DictReader((tmp_path / "applied.csv").open()))
    assert sorted(row["illness"] for row in applied) == sorted(2 * [row["illness"] for row in released])


def test_a_tally_of_other_codes_is_refused(study, tmp_path):
    keep_tally(read_study_file(study), tmp_path / "with.tally")
    with Study.open(study, tally=tmp_path / "with.tally") as opened:
        assert None in opened.tally("illness").domain("illness")
    plain = tmp_path / "plain.yaml"
    text = STUDY.replace('missing: ["?", NA]\n', "").replace(", missing: -9", "")
    plain.write_text(text)
    keep_tally(read_study_file(plain), tmp_path / "without.tally")
    with pytest.raises(
        InputError, match="counts '-9' in 'age' as a value, and the study calls it missing"
    ):
        Study.open(study, tally=tmp_path / "without.tally")


def test_an_index_of_other_codes_is_not_used(study):
    with Study.open(study) as opened:
        assert opened.negotiate(k=2).exact is not None
    study.write_text(STUDY.replace("missing: []", "missing: [9]"))
    with Study.open(study) as opened:
        opened.negotiate(k=2)
        assert opened.tally().domain("job") == ("c", None)


def test_missing_values_make_nothing_diverse_and_hide_no_share():
    """A group of flu and codes keeps neither l nor a share, and a certificate says which shares it means."""
    illness = ["flu", "flu", "?", "?", "flu", "cold", "cold", "flu"]
    table = pa.table({"zip": ["1"] * 4 + ["2"] * 4, "illness": illness})
    quasi = {"zip": {"mask": {"digits": 1}}}
    with Study(table, quasi=quasi, sensitive="illness", missing="?") as study:
        for asked in ({"l": 2}, {"theta": "2/3"}):
            made = study.anonymize(algorithm="flash", suppress=4, **asked)
            rows, verdict = study.release(made).verified_table()
            assert "1" not in rows["zip"].to_pylist()
            assert verdict.failures == ()
        limits = made.decision().promise.theta["illness"]
        assert limits.known
        with pytest.raises(InputError, match="lets missing values of 'illness' count in shares"):
            study.anonymize(algorithm="k-optimize", theta="2/3", suppress=4)
    with Study(table, quasi=quasi, sensitive="illness") as study:
        assert study.anonymize(algorithm="flash", l=2).suppressed == 0
    assert shoal.verify(table, quasi="zip", sensitive="illness", theta="1/2").failures == ()
    plain = table.set_column(1, "illness", pa.array([None if one == "?" else one for one in illness]))
    assert shoal.verify(plain, quasi="zip", sensitive="illness", theta="1/2").failures == (
        "theta: 'flu' of 'illness' has a share of 1 in the group ('1'), more than 1/2",
    )
