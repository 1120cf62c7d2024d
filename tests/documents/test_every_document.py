"""Every document has a schema: what Shoal writes keeps it, and what breaks it ends in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from referencing import Registry, Resource

import shoal.documents
from shoal import Study
from shoal.documents import check_solution, first_fault, record_in, schema_named, solution_in
from shoal.documents.readers import KEY, index_head, tally_head
from shoal.documents.schema import WORDS
from shoal.errors import ShoalError
from shoal.release.solutions import read_solution
from tests.commands import shoal as run
from tests.documents.test_schema import DESCRIBING, changed, words_of
from tests.examples import examples

FOLDER = Path(shoal.documents.__file__).parent
KINDS = sorted(path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json"))
REGISTRY = Registry().with_resources(
    [(f"{kind}.schema.json", Resource.from_contents(schema_named(kind))) for kind in KINDS]
)
ASKED = {
    "frontier": lambda study: study.frontier(),
    "curves": lambda study: study.frontier(recoding="all"),
    "optimize": lambda study: study.optimize(l=2, scheme="allRec"),
    "negotiate": lambda study: study.negotiate(k=2),
    "no answer": lambda study: study.negotiate(k=100),
    "anonymize": lambda study: study.anonymize("mondrian", k=2),
    "anatomy": lambda study: study.anonymize("anatomy", l=2),
}


def valid(document, kind):
    """Whether a document keeps its schema, by the checker and the library alike."""
    twin = jsonschema.Draft202012Validator(schema_named(kind), registry=REGISTRY).is_valid(document)
    mine = first_fault(document, schema_named(kind)) is None
    assert mine == twin
    return mine


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """A small study with a saved tally."""
    folder = tmp_path_factory.mktemp("people")
    rows = [
        f"{20 + i % 7},{'north' if i % 3 else 'south'},{['flu', 'cold', 'gout'][i % 3]}"
        for i in range(42)
    ]
    (folder / "people.csv").write_text("\n".join(["age,town,ill", *rows]) + "\n")
    (folder / "town.csv").write_text("north;*\nsouth;*\n")
    (folder / "study.yaml").write_text(
        "table: people.csv\nattributes:\n  age: {role: quasi, hierarchy: {intervals: {widths: [5, 10]}}}\n"
        "  town: {role: quasi, hierarchy: town.csv}\n  ill: {role: sensitive}\n"
    )
    assert run("tally", "study.yaml", "-o", "people.tally", cwd=folder).returncode == 0
    return folder


@pytest.fixture(scope="session")
def answers(people):
    """The documents of every question that can be saved."""
    with Study.open(people / "study.yaml") as study:
        return {name: json.loads(ask(study).to_json()) for name, ask in ASKED.items()}


@pytest.mark.parametrize("name", ASKED)
def test_every_answer_is_a_valid_solution(answers, name):
    assert valid(answers[name], "solution")
    assert check_solution(answers[name]) == answers[name]


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
@pytest.mark.parametrize("name", ASKED)
def test_a_changed_solution_is_read_or_refused_in_one_line(answers, tmp_path, name, data):
    document = data.draw(changed(answers[name]))
    valid(document, "solution")
    path = tmp_path / "solution.json"
    path.write_text(json.dumps(document))
    one_line_at_most(lambda: read_solution(path))


def one_line_at_most(read):
    said = ""
    try:
        read()
    except ShoalError as problem:
        said = str(problem)
    assert "\n" not in said
    assert len(said) < 500


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_changed_record_is_read_or_refused_in_one_line(whole, tmp_path, data):
    record = json.loads(whole.with_name("out.csv.record.json").read_text())
    assert valid(record, "record")
    document = data.draw(changed(record))
    path = tmp_path / "out.csv.record.json"
    path.write_text(json.dumps(document))
    if not isinstance(document, dict) or not valid(document, "record"):
        with pytest.raises(ShoalError):
            record_in(path)
    else:
        assert record_in(path) == document


def test_a_damaged_solution_says_what_is_wrong_and_where(answers, tmp_path):
    path = tmp_path / "s.json"
    cases = [
        (answers["frontier"] | {"points": [{"k": 2}]}, "not a valid frontier: points[0] has no loss"),
        (answers["frontier"] | {"rows": "many"}, "not a valid frontier: rows is 'many', not integer"),
        (answers["optimize"] | {"cut": {"age": "*"}}, "not a valid decision: cut.age is '*', not array"),
        ({"node": {"age": -1}}, "not a valid decision: node.age is -1, less than 0"),
        ({"exact": 3}, "not a valid negotiation: exact is 3"),
        ({"groups": []}, "not a valid decision: "),
        ({"nodes": {}}, "has no node, cut or groups"),
        ({"results": []}, "this is a comparison"),
        ([], "not a saved solution"),
    ]
    for document, said in cases:
        path.write_text(json.dumps(document))
        with pytest.raises(ShoalError) as refused:
            solution_in(path)
        assert said in str(refused.value)


def test_a_tally_has_a_valid_head_and_a_damaged_one_is_refused(people, tmp_path):
    path = people / "people.tally"
    metadata = parquet.read_schema(path).metadata
    head = tally_head(metadata, path)
    assert valid(head, "tally")
    for change, said in (
        ({"kind": "other"}, "not a tally of Shoal"),
        ({"counted": "age"}, "not a valid tally: counted is 'age', not array"),
        ({"parts": [["people.csv", 1]]}, "parts[0] has fewer than 3"),
        ({"coarse": {"age": [1, ["20"], ["20"], ["1"]]}}, "coarse.age[3][0] is '1', not integer"),
    ):
        spoilt = tmp_path / "spoilt.tally"
        table = parquet.read_table(path).replace_schema_metadata({KEY: json.dumps(head | change)})
        parquet.write_table(table, spoilt)
        done = run("frontier", "study.yaml", "--tally", spoilt, cwd=people)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert said in done.stderr


def test_the_heads_of_an_index_and_a_journal_are_checked():
    head = {"key": "k", "names": ["a"], "bottom": [0], "top": [1], "rows": 3}
    head |= {"sensitive": [], "doubled": [], "columns": ["a"], "lm": {"unit": 1, "row": 1}}
    assert valid(head, "index")
    assert not valid(head | {"bottom": [True]}, "index")
    with pytest.raises(ShoalError, match="rows is -1"):
        index_head(json.dumps(head | {"rows": -1}).encode(), Path("x.index"))
    journal = {"moves": ["", ".certificate.json"], "removes": [], "replace": True, "table": None}
    assert valid(journal, "journal")
    for suffix in ("/etc/x", "x", "./x", ".\\x", ".\0", "\n", ".x\n/"):
        assert first_fault(journal | {"moves": [suffix]}, schema_named("journal")), suffix


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_use_only_words_that_the_checker_knows_and_the_page_names_them(kind):
    assert set(words_of(schema_named(kind))) <= WORDS | DESCRIBING
    jsonschema.Draft202012Validator.check_schema(schema_named(kind))
    page = (Path(__file__).parents[2] / "docs" / "schemas" / "README.md").read_text()
    assert f"(../../src/shoal/documents/{kind}.schema.json)" in page
