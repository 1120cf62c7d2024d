"""Hierarchies of many values lie beside the record, which names and digests their file."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from shoal import InputError, Study, apply, remake
from shoal.describe.hierarchies import Hierarchy
from shoal.release.papers import kept_hierarchies
from shoal.release.papers.kept_hierarchies import SUFFIX, hierarchies_beside, hierarchies_in
from tests.examples import examples
from tests.release.test_publish import valid

VALUES = st.none() | st.text(alphabet="ab,\"'\n0é", min_size=1, max_size=3)


@st.composite
def hierarchies(draw):
    leaves = draw(st.lists(VALUES, min_size=1, max_size=8, unique=True))
    first = [None if leaf is None else draw(st.sampled_from("xyz")) for leaf in leaves]
    return Hierarchy.from_rows(
        [
            (leaf, up, "*") if leaf is not None else (None, None, "*")
            for leaf, up in zip(leaves, first, strict=True)
        ]
    )


@settings(max_examples=examples(30))
@given(st.dictionaries(st.text(max_size=3), hierarchies(), max_size=3))
def test_a_file_gives_back_what_was_written(tmp_path_factory, given):
    path = tmp_path_factory.mktemp("hierarchies") / "x.csv.record.json"
    file = path.with_name("x" + SUFFIX)
    told = hierarchies_beside(given, file, file.name)
    found = hierarchies_in(told, path)
    assert found == {name: [list(row) for row in one.rows()] for name, one in given.items()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study whose hierarchies have too many values for a record, as far as the limit here goes."""
    monkeypatch.setattr(kept_hierarchies, "LISTED", 100)
    rows = [f"{a},{'nsew'[a % 4]}" for a in range(20, 60) for _ in range(3)]
    (tmp_path / "people.csv").write_text("\n".join(["age,town", *rows]) + "\n")
    (tmp_path / "study.yaml").write_text(
        "table: people.csv\nattributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {origin: 20, widths: [5, 10, 20]}}}\n"
        "  town: {role: quasi, hierarchy: {'*': [n, s, e, w]}}\n"
    )
    return tmp_path


def release(folder, name="out.csv", **options):
    with Study.open(folder / "study.yaml") as study:
        return study.release(study.anonymize("flash", k=3), seed=4).write(folder / name, **options)


def test_a_release_is_made_again_and_applied_from_both_files(folder):
    release(folder)
    out, file = folder / "out.csv", folder / ("out.csv" + SUFFIX)
    assert file.stat().st_mode & 0o077 == 0
    record = json.loads((folder / "out.csv.record.json").read_text())
    valid(record, "record.schema.json")
    assert record["hierarchies"] == {}
    assert record["hierarchies_file"]["file"] == file.name
    assert record["hierarchies_file"]["values"] == {"age": 40, "town": 4}
    (folder / "study.yaml").unlink()
    remake(folder / "out.csv.record.json", folder / "again.csv")
    assert (folder / "again.csv").read_bytes() == out.read_bytes()
    assert (folder / ("again.csv" + SUFFIX)).read_bytes() == file.read_bytes()
    (folder / "new.csv").write_text("age,town\n" + "61,n\n20,s\n40,w\n" * 20)
    reused = apply(folder / "out.csv.record.json", folder / "new.csv", folder / "reused.csv")
    assert [new.placed for new in reused.new_values] == [("61",)]


def test_a_record_without_its_hierarchies_is_refused(folder):
    release(folder)
    record, file = folder / "out.csv.record.json", folder / ("out.csv" + SUFFIX)
    kept = file.read_bytes()
    file.write_bytes(kept + b" ")
    with pytest.raises(InputError, match=r"these are not the hierarchies of out\.csv\.record\.json"):
        remake(record, folder / "again.csv")
    file.unlink()
    with pytest.raises(InputError, match=r"the hierarchies of out\.csv\.record\.json are in this file"):
        apply(record, folder / "people.csv", folder / "again.csv")
    assert not (folder / "again.csv").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda rows: [row | {"codes": [-1, *row["codes"][1:]]} for row in rows],
        lambda rows: [row | {"codes": [99, *row["codes"][1:]]} for row in rows],
        lambda rows: [row | {"codes": []} for row in rows],
        lambda rows: [row | {"labels": None} for row in rows],
        lambda rows: [rows[0], rows[1] | {"codes": rows[1]["codes"][1:]}],
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, damage):
    file = tmp_path / ("out.csv" + SUFFIX)
    given = {"age": Hierarchy.from_rows([("1", "x", "*"), ("2", "x", "*")])}
    hierarchies_beside(given, file, file.name)
    table = parquet.read_table(file)
    parquet.write_table(pa.Table.from_pylist(damage(table.to_pylist()), schema=table.schema), file)
    with pytest.raises(InputError, match="this is not a file of hierarchies"):
        kept_hierarchies.read(file)


def test_a_release_of_few_values_takes_the_place_of_all_files(folder, monkeypatch):
    file = folder / ("out.csv" + SUFFIX)
    file.write_bytes(b"somebody's")
    with pytest.raises(InputError, match=r"out\.csv\.hierarchies\.parquet: already exists"):
        release(folder)
    assert file.read_bytes() == b"somebody's"
    release(folder, force=True)
    monkeypatch.setattr(kept_hierarchies, "LISTED", 1000)
    published = release(folder, force=True)
    assert not file.exists()
    assert "hierarchies_file" not in published.record
    assert len(published.record["hierarchies"]["age"]) == 40
