"""A release of a labelled file is one again, and tells nothing of suppressed rows."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict

import polars as pl
import pyreadstat
import pytest

import shoal
from shoal import Study
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.describe import Role
from shoal.documents import first_fault, schema_named
from shoal.documents.whole.rights import write_private
from shoal.errors import InputError
from shoal.proposal.proposal import propose
from shoal.web.workspace.looks import look_at, read_look
from tests.data.files.labelled_tables import read

SEXES = {"*": ["1", "2", "3"]}
NODE = {"node": {"sex": 0, "age": 1}, "k": 4}
WRITERS = {
    ".sav": pyreadstat.write_sav,
    ".zsav": lambda frame, path, **told: pyreadstat.write_sav(frame, path, compress=True, **told),
    ".dta": pyreadstat.write_dta,
}


def survey(path, alone=3, ill=40):
    """A table in which one person alone has the sex 3 and the illness 40."""
    frame = pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(21)],
            "sex": [1, 2] * 10 + [alone],
            "age": [20 + i // 2 for i in range(20)] + [25],
            "ill": [10, 20, 30, 20] * 5 + [ill],
        }
    )
    WRITERS[path.suffix](
        frame,
        path,
        column_labels={"name": "Name of person", "sex": "Sex of person", "ill": "Illness"},
        variable_value_labels={
            "sex": {1: "Male", 2: "Female", 3: "Otherwise"},
            "ill": {10: "flu", 20: "cold", 30: "cough", 40: "plague", 50: "gout"},
        },
    )
    return path


def study_of(path, **options):
    widths = {"intervals": {"origin": 0, "widths": [100]}}
    return Study(
        path, quasi={"sex": SEXES, "age": widths}, sensitive="ill", identifying="name", **options
    )


def released(path, out, **options):
    with study_of(path) as study:
        return study.release(NODE, seed=1, **options).write(out)


@pytest.mark.parametrize("ending", WRITERS)
def test_it_comes_back_with_its_labels_and_without_those_of_suppressed_rows(ending, tmp_path):
    path, out = survey(tmp_path / f"survey{ending}"), tmp_path / f"out{ending}"
    released(path, out)
    columns, codebook = read(out)
    assert sorted(columns["sex"]) == [1] * 10 + [2] * 10
    assert codebook.of("sex").label == "Sex of person"
    assert codebook.of("sex").values == {"1": "Male", "2": "Female"}
    assert codebook.of("ill").values == {"10": "flu", "20": "cold", "30": "cough"}
    public = [out, *(out.with_name(out.name + paper) for paper in (
        ".certificate.json", ".public.html", ".codebook.md", ".codebook.json",
    ))]  # fmt: skip
    for paper in public:
        content = paper.read_bytes()
        for secret in (b"plague", b"gout", b"Otherwise", b"Name of person", b"person 1"):
            assert secret not in content, (paper, secret)
    assert shoal.verify(out).holds


def test_the_papers_do_not_change_with_suppressed_rows(tmp_path):
    found = []
    for folder, alone, ill in (("a", 3, 40), ("b", 3, 50), ("c", 3, None)):
        (tmp_path / folder).mkdir()
        path = survey(tmp_path / folder / "survey.sav", alone, ill)
        released(path, tmp_path / folder / "out.sav")
        told = [(tmp_path / folder / f"out.sav.codebook.{kind}").read_text() for kind in ("md", "json")]
        found.append((told, read(tmp_path / folder / "out.sav")[1]))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".sav", ".xlsx"])
def test_every_release_has_a_codebook_that_keeps_its_schema(ending, tmp_path):
    out = tmp_path / f"out{ending}"
    released(survey(tmp_path / "survey.sav"), out)
    document = json.loads((tmp_path / f"{out.name}.codebook.json").read_text())
    assert first_fault(document, schema_named("codebook")) is None
    (file,) = document["files"]
    assert (file["fileName"], file["caseQnty"], file["varQnty"]) == (out.name, 20, 3)
    sex = file["var"][0]
    assert sex["labl"] == "Sex of person"
    assert sex["catgry"] == [
        {"catValu": "1", "labl": "Male", "catStat": 10},
        {"catValu": "2", "labl": "Female", "catStat": 10},
    ]
    text = (tmp_path / f"{out.name}.codebook.md").read_text()
    assert "| 1 | Male | 10 |" in text
    assert "### ill: Illness" in text


def test_the_report_shows_labels_and_the_documents_codes(tmp_path):
    out = tmp_path / "out.sav"
    released(survey(tmp_path / "survey.sav"), out)
    report = (tmp_path / "out.sav.report.html").read_text()
    assert "1 (Male)" in report
    assert "sex: Sex of person" in report
    for document in ("certificate", "record"):
        assert "Male" not in (tmp_path / f"out.sav.{document}.json").read_text()


def test_a_look_at_the_table_has_its_labels(tmp_path):
    with closing(DuckDBEngine(survey(tmp_path / "survey.sav"))) as engine:
        write_private(tmp_path / "look.json", json.dumps(asdict(look_at(engine))))
    sex = read_look(tmp_path / "look.json").profile("sex")
    assert (sex.label, sex.shown("1"), sex.shown("9")) == ("Sex of person", "1 (Male)", "9")


def test_labels_are_evidence_for_the_proposed_study(tmp_path):
    path = tmp_path / "survey.sav"
    frame = pl.DataFrame(
        {"q1": [1.0, 2.0, 3.0] * 20, "q2": [f"{i}" for i in range(60)], "q3": [1.0, 2.0] * 30}
    )
    labels = {"q1": "Marital status", "q2": "Name of respondent"}
    pyreadstat.write_sav(frame, path, column_labels=labels)
    with closing(DuckDBEngine(path)) as engine:
        columns = {one.name: one for one in propose(engine).columns}
    assert columns["q1"].role is Role.QUASI
    assert columns["q2"].role is Role.IDENTIFYING
    assert columns["q1"].reason.endswith("; labelled 'Marital status'")


def test_it_is_made_again_and_applied_to_new_rows(tmp_path):
    path, out = survey(tmp_path / "survey.sav"), tmp_path / "out.sav"
    released(path, out)
    again = tmp_path / "again.sav"
    shoal.remake(f"{out}.record.json", again)
    assert read(again) == read(out)
    later = tmp_path / "later.dta"
    shoal.apply(f"{out}.record.json", survey(later), tmp_path / "later-out.dta")
    assert shoal.verify(tmp_path / "later-out.dta").holds
    assert sorted(read(tmp_path / "later-out.dta")[0]["sex"]) == [1] * 10 + [2] * 10
    survey(path, 1)
    with pytest.raises(InputError, match="the table has changed"):
        shoal.remake(f"{out}.record.json", tmp_path / "third.sav")


def test_persons_are_counted_and_not_written(tmp_path):
    path = survey(tmp_path / "survey.sav")
    with study_of(path, persons="name") as study:
        study.release(NODE, seed=1).write(tmp_path / "out.sav")
    columns, codebook = read(tmp_path / "out.sav")
    assert list(columns) == ["sex", "age", "ill"]
    assert codebook.of("sex").values == {"1": "Male", "2": "Female"}
    assert shoal.verify(tmp_path / "out.sav").holds


def test_anatomy_writes_two_labelled_files(tmp_path):
    path = survey(tmp_path / "survey.sav")
    with study_of(path) as study:
        study.release(study.anonymize("anatomy", l=2), seed=1).write(tmp_path / "out.sav")
    columns, codebook = read(tmp_path / "out.sav.sensitive.sav")
    assert codebook.of("ill").values["10"] == "flu"
    assert set(columns) == {"group", "ill", "count"}
    document = json.loads((tmp_path / "out.sav.codebook.json").read_text())
    assert [file["fileName"] for file in document["files"]] == ["out.sav", "out.sav.sensitive.sav"]


def test_what_cannot_be_written_is_refused_before_any_work(tmp_path):
    with pytest.raises(InputError, match=r"release as \.xpt"):
        released(survey(tmp_path / "survey.sav"), tmp_path / "out.sas7bdat")
    assert [path.name for path in tmp_path.iterdir()] == ["survey.sav"]
