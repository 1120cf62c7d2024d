"""Proposed studies: whatever is proposed for a table, written and read back, runs."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.answers.solution import Frontier
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.demo import hospital
from shoal.describe.study_file import read_study_file
from shoal.proposal import Proposal, lay_out, propose, study_text
from shoal.proposal.file_layout import default_study
from shoal.proposal.suggested import Suggestion
from shoal.proposal.written import scalar
from shoal.study import Study
from tests.examples import examples


def roles(proposal: Proposal) -> dict[str, str]:
    return {column.name: column.role.value for column in proposal.columns}


def written(proposal: Proposal, table: Path, study: Path) -> Path:
    """The study, with its hierarchy files, on disk."""
    layout = lay_out(proposal, table, study)
    layout.folder.mkdir(exist_ok=True)
    for path, text in layout.files.items():
        path.write_text(text, encoding="utf-8", newline="")
    study.write_text(study_text(proposal, layout), encoding="utf-8", newline="")
    return study


def asked(study: Path) -> Frontier:
    with Study.open(study) as opened:
        assert opened.unlisted == ()
        return opened.frontier(suppress=0.05, time_limit=5)


def proposed(table: Path, study: Path, hierarchies: Path | None = None) -> Proposal:
    """The proposal for a file, written and asked."""
    engine = DuckDBEngine(table)
    try:
        proposal = propose(engine, hierarchies)
    finally:
        engine.close()
    assert asked(written(proposal, table, study)).points
    return proposal


def test_many_categories_are_all_listed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("city\n" + "".join(f'"Town {i % 3000}, north"\n' for i in range(6000)))
    (column,) = proposed(path, tmp_path / "t.yaml").columns
    assert column.distinct == 3000
    assert isinstance(column.hierarchy, Suggestion)
    assert len(column.hierarchy.rows or ()) == 3000


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_the_hospital_study_runs(tmp_path: Path, ending: str) -> None:
    from pyarrow import csv, feather

    path = tmp_path / f"stays.{ending}"
    table = hospital(3000)
    write = {
        "csv": csv.write_csv,
        "parquet": pyarrow.parquet.write_table,
        "arrow": feather.write_feather,
    }
    write[ending](table, str(path))
    assert roles(proposed(path, default_study(path))) == {
        "record-number": "identifying",
        "name": "identifying",
        "birth-date": "identifying",
        "age": "quasi",
        "sex": "quasi",
        "zip": "quasi",
        "occupation": "quasi",
        "admission-date": "quasi",
        "diagnosis": "sensitive",
        "outcome": "class",
    }


def test_the_adult_study_runs(adult: Path, tmp_path: Path) -> None:
    found = roles(proposed(adult / "adult.csv", tmp_path / "adult.study.yaml"))
    quasi = [
        "age",
        "education",
        "marital-status",
        "native-country",
        "occupation",
        "race",
        "sex",
        "workclass",
    ]
    assert sorted(name for name, role in found.items() if role == "quasi") == quasi
    assert found["salary-class"] == "class"
    assert "insensitive" not in found.values()


def test_the_adult_study_with_given_hierarchies_has_their_lattice(adult: Path, tmp_path: Path) -> None:
    folder = adult / "lattice-17920"
    study = tmp_path / "adult.study.yaml"
    found = proposed(adult / "adult-30162.csv", study, folder)
    given_files = {column.name for column in found.columns if isinstance(column.hierarchy, Path)}
    assert given_files == {path.stem for path in folder.iterdir()}
    assert [notice.split()[0] for notice in found.notices] == ["occupation"]  # by first letters
    assert asked(study).nodes == 17920 * 3  # and the occupation


# Hostile tables.

hostile = st.sampled_from(
    [
        *(
            "no",
            "null",
            "~",
            "123",
            "1e3",
            "*",
            "a: b",
            "- x",
            "#",
            '"',
            "'",
            "a\nb",
            " x ",
            "\t",
            "<<",
            "? x",
        ),
        *(
            "{a}",
            "[b]",
            "ключ",
            "名",
            "a\\b",
            "!tag",
            "&a",
            "%",
            "@",
            "`",
            "\x85",
            "\u2028",
            "\ufeff",
            "y",
        ),
        *(
            "2024-01-31",
            "..",
            "../../x",
            "/",
            "con",
            "[red]x",
            "table",
            "k" * 1100,
            "é" * 600,
            "x" * 3000,
        ),
    ]
)
names = hostile | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_is_the_same_text_in_yaml(text: str) -> None:
    assert yaml.safe_load(f"{{key: {scalar(text)}}}") == {"key": text}


def test_values_that_yaml_would_not_take_for_text_are_quoted() -> None:
    assert [scalar(text) for text in ("no", "12", "1.5", "a: b", " a", "2024-01-31", "y", "", "*")] == [
        '"no"', '"12"', '"1.5"', '"a: b"', '" a"', '"2024-01-31"', '"y"', '""', '"*"'
    ]  # fmt: skip
    assert [scalar(text) for text in ("native-country", "größe", "../a/b.csv", "two words")] == [
        "native-country", "größe", "../a/b.csv", "two words"
    ]  # fmt: skip


@settings(max_examples=examples(25))
@given(columns=st.lists(names, min_size=1, max_size=6, unique_by=lambda name: name.lower()))
@example(columns=["a/b", "a:b", "a b"])
def test_a_study_of_hostile_names_is_read_back(
    columns: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("hostile")
    table = folder / "it's #1: a table.parquet"
    # One column that is quasi whatever the others are called.
    columns = [name for name in columns if name.lower() != "country"] + ["country"]
    pyarrow.parquet.write_table(pa.table({name: ["a", "b", "a"] for name in columns}), table)
    study = folder / "study: #2.yaml"
    proposal = proposed(table, study)
    read = read_study_file(study)
    assert {name: set(found.roles) for name, found in read.attributes.items()} == {
        column.name: {column.role} for column in proposal.columns
    }
    assert len(read.attributes) == len(columns)


values = st.one_of(
    st.lists(kind, min_size=6, max_size=6)
    for kind in (
        st.none() | st.text(st.characters(codec="utf-8"), max_size=6),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.floats(),
        st.none() | st.floats(-1000, 1000).map(lambda number: round(number, 2)),
        st.none() | st.dates(),
        st.none() | st.datetimes(),
        st.none() | st.booleans(),
        st.none() | st.decimals(-1000, 1000, places=3),
        st.sampled_from(["01", "02", "1e5", ".5", "+3", "-0", "1_000", "٣", "1/2", " 7", "inf", "NaN"]),
        st.sampled_from(
            ["2024-01-01", "2024-1-1", "0000-01-01", "2024-02-30", "9999-12-31", "2024-01-01Z"]
        ),
        st.sampled_from(["02138", "0213*", "2138", "021385", "AB1 2CD"]),
    )
)
topics = st.sampled_from(
    ["age", "birth-date", "zip", "sex", "city", "occupation", "outcome", "x", "weight"]
)


@settings(max_examples=examples(60))
@given(table=st.dictionaries(topics, values, min_size=1, max_size=4))
def test_whatever_is_proposed_runs(
    table: dict[str, list[object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    path = folder / "table.parquet"
    # One column that is quasi whatever the others hold.
    pyarrow.parquet.write_table(pa.table({**table, "country": ["a", "b", "c"] * 2}), path)
    proposal = proposed(path, folder / "study.yaml")
    assert [column.name for column in proposal.columns] == [*table, "country"]
    assert all(column.reason for column in proposal.columns)
