"""Groups in a file of their own: the same recoding comes back, and a document without its file is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from shoal import InputError, Study, apply, attack, diff, remake, verify
from shoal.answers import groups_file, kept_groups
from shoal.answers.group_recoding import Group, GroupRecoding, Stretch
from shoal.answers.groups_file import read_groups, write_groups, write_points
from shoal.answers.kept_groups import SUFFIX
from shoal.answers.recoding import Decision
from shoal.cli.output import save
from shoal.describe.promise import Promise
from shoal.documents.digests import digest
from shoal.release.papers import kept_hierarchies
from shoal.release.solutions import read_solution
from tests.examples import examples

EARLIER = Path(__file__).with_name("earlier")
"""A solution, curves and a release of 0.1.0 with files of groups, and the solution with its groups listed."""
TEXTS = st.none() | st.text(alphabet="ab,\"'\n0é", max_size=3)


@st.composite
def recodings(draw):
    names = draw(st.lists(st.text(max_size=4), min_size=1, max_size=3, unique=True))
    rows = st.tuples(*[TEXTS] * len(names))
    seen = draw(st.lists(rows, min_size=1, max_size=8, unique=True))
    parts = [seen[::2], seen[1::2]] if len(seen) > 1 else [seen]
    groups = [Group({name: draw(TEXTS) for name in names}, tuple(part)) for part in parts]
    line = tuple(str(n) for n in range(6))
    meanings = {
        names[0]: {
            "all": Stretch(line, 1, draw(st.integers(2, 6)), draw(st.booleans()), draw(TEXTS)),
            "set": tuple(draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))),
            "missing": (None,),
            # Places on the first line do not tell it.
            "other way": Stretch(line[::-1], 0, draw(st.integers(1, 6))),
        }
    }
    return GroupRecoding(names, groups, meanings)


@settings(max_examples=examples(30))
@given(recodings(), recodings(), st.sampled_from([1, 4_000_000]))
def test_a_file_gives_back_what_was_written(tmp_path_factory, recoding, other, together):
    path = tmp_path_factory.mktemp("groups") / "x.groups.parquet"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(groups_file, "_TOGETHER", together)  # one row after the other, or all at once
        write_groups(recoding, path)
        write_points(iter([other, recoding]), path.with_name("points"))
    found = read_groups(path, recoding.attributes)
    assert found == recoding
    assert read_groups(path.with_name("points"), recoding.attributes, 1) == recoding
    assert read_groups(path.with_name("points"), other.attributes, 0) == other
    # What documents list is the same, too, but for the order of what labels stand for.
    assert _ordered(Decision(found, Promise(2))) == _ordered(Decision(recoding, Promise(2)))
    listed = Decision.from_dict(json.loads(json.dumps(Decision(recoding, Promise(2)).to_dict())))
    assert listed.recoding == recoding


def _ordered(decision):
    document = decision.to_dict()
    return document | {"meanings": sorted(document["meanings"], key=str)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study whose groups are too many for a document, as far as the limit here goes."""
    monkeypatch.setattr(kept_groups, "LISTED", 20)
    rng = np.random.default_rng(1)
    rows = [
        f"{a},{'nsew'[t]},{'xyz'[i]}"
        for a, t, i in zip(
            rng.integers(20, 60, 80), rng.integers(0, 4, 80), rng.integers(0, 3, 80), strict=True
        )
    ]
    (tmp_path / "people.csv").write_text("\n".join(["age,town,ill", *rows]) + "\n")
    (tmp_path / "study.yaml").write_text(
        "table: people.csv\nattributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {origin: 20, widths: [5, 10, 20]}}}\n"
        "  town: {role: quasi, hierarchy: {'*': [n, s, e, w]}}\n  ill: {role: sensitive}\n"
    )
    return tmp_path


@pytest.mark.parametrize("algorithm", ["mondrian", "local-recoding"])
def test_a_large_solution_is_saved_released_and_made_again(folder, algorithm):
    out = folder / "out.csv"
    with Study.open(folder / "study.yaml") as study:
        found = study.anonymize(algorithm, k=3)
        save(folder / "sol.json", found, False)
        document = json.loads((folder / "sol.json").read_text())
        assert "groups" not in document
        assert document["groups_file"]["file"] == "sol.json" + SUFFIX
        assert ((folder / ("sol.json" + SUFFIX)).stat().st_mode & 0o077) == 0
        decision = read_solution(folder / "sol.json")
        assert decision.recoding == found.decision().recoding
        assert json.loads("".join(found.pieces())) == json.loads(found.to_json())
        study.release(decision, seed=4).write(out)
        again = study.release(found, seed=4).table()
    assert (folder / ("out.csv" + SUFFIX)).is_file()
    assert "groups" not in json.loads((folder / "out.csv.record.json").read_text())["decision"]
    assert not verify(out).failures
    remake(folder / "out.csv.record.json", folder / "twice.csv")
    assert (folder / "twice.csv").read_bytes() == out.read_bytes()
    assert sorted(map(str, again.to_pylist())) == sorted(map(str, _rows(out)))
    reused = apply(folder / "out.csv.record.json", folder / "people.csv", folder / "new.csv")
    assert reused.published.verdict.measured.rows == 80
    assert diff(out, folder / "new.csv") is not None
    assert attack(out, source=folder / "study.yaml", attack=["downcoding", "refinement"]).findings


def _rows(path):
    from pyarrow import csv

    text = {name: pa.string() for name in ("age", "town", "ill")}
    return csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=text)).to_pylist()


def test_a_document_without_its_groups_is_refused(folder):
    with Study.open(folder / "study.yaml") as study:
        save(folder / "sol.json", study.anonymize("mondrian", k=3), False)
    groups = folder / ("sol.json" + SUFFIX)
    kept = groups.read_bytes()
    with pytest.raises(InputError, match="read the solution from its own file"):
        Decision.from_dict(json.loads((folder / "sol.json").read_text()))
    groups.write_bytes(kept + b" ")
    with pytest.raises(InputError, match="the digest differs"):
        read_solution(folder / "sol.json")
    groups.unlink()
    with pytest.raises(InputError, match="keep the two together"):
        read_solution(folder / "sol.json")
    other = folder / "other.parquet"
    parquet.write_table(pa.table({"a": [1]}), other)
    with pytest.raises(InputError, match="not a file of groups"):
        read_groups(other, ["age"])


def _without_age(rows):
    return [row for row in rows if row["attribute"] != "age"]


def _changed(name, change):
    def damage(rows):
        (row,) = [row for row in rows if row["attribute"] == ("age" if name != "sizes" else None)]
        row[name] = change(row[name])
        return rows

    return damage


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_without_age, "no attribute age"),
        (lambda rows: [*rows, rows[-1] | {"attribute": "more"}], "more too many"),
        (lambda rows: [], "no groups"),
        (_changed("codes", lambda codes: [-1, *codes[1:]]), "column codes points to nothing"),
        (_changed("codes", lambda codes: [len(codes), *codes[1:]]), "column codes points to nothing"),
        (_changed("codes", lambda codes: [None, *codes[1:]]), "column codes has gaps"),
        (_changed("codes", lambda codes: codes[1:]), "could not broadcast"),
        (_changed("codes", lambda codes: None), "column codes has gaps"),
        (_changed("shown", lambda shown: [999, *shown[1:]]), "column shown points to nothing"),
        (_changed("sizes", lambda sizes: [-1, *sizes[1:]]), "column sizes points to nothing"),
        (_changed("first", lambda first: [99_999] * len(first)), "points to nothing"),
        (_changed("last", lambda last: [99_999] * len(last)), "points to nothing"),
        (_changed("last", lambda last: [None] * len(last)), "points to nothing"),
        (_changed("members", lambda members: [[99_999]] * len(members)), "points to nothing"),
        (_changed("members", lambda members: [[-1]] * len(members)), "points to nothing"),
        (_changed("members", lambda members: members[1:]), "argument 4 is shorter"),
    ],
)
def test_a_damaged_file_of_groups_is_refused_in_one_sentence(folder, damage, said):
    with Study.open(folder / "study.yaml") as study:
        save(folder / "sol.json", study.anonymize("mondrian", k=3), False)
    file = folder / ("sol.json" + SUFFIX)
    table = parquet.read_table(file)
    parquet.write_table(pa.Table.from_pylist(damage(table.to_pylist()), schema=table.schema), file)
    with pytest.raises(InputError, match=f"not a file of groups: .*{said}"):
        read_groups(file, ["age", "town"])


def test_files_of_the_first_version_are_still_read(tmp_path):
    old = tmp_path / "old"
    shutil.copytree(EARLIER, old)
    listed = Decision.from_dict(json.loads((old / "listed.json").read_text())).recoding
    assert read_solution(old / "solution.json").recoding == listed
    remake(old / "out.csv.record.json", old / "again.csv")
    assert (old / "again.csv").read_bytes() == (old / "out.csv").read_bytes()
    assert apply(
        old / "out.csv.record.json", old / "people.csv", old / "new.csv"
    ).published.path.is_file()
    with Study.open(old / "study.yaml") as study:
        for k, groups in ((2, 19), (3, 12), (5, 7)):
            decision = read_solution(old / "curves.json", k, None, "mondrian")
            assert len(decision.recoding) == groups
            assert study.release(decision, seed=1).verified_table()[1].measured.k >= k


def test_a_smaller_solution_takes_the_place_of_both_files(folder, monkeypatch):
    with Study.open(folder / "study.yaml") as study:
        found = study.anonymize("mondrian", k=3)
        save(folder / "sol.json", found, False)
        with pytest.raises(InputError, match="already exists"):
            save(folder / "sol.json", found, False)
        monkeypatch.setattr(kept_groups, "LISTED", 10_000)
        save(folder / "sol.json", found, True)
    assert not (folder / ("sol.json" + SUFFIX)).exists()
    assert read_solution(folder / "sol.json").recoding == found.decision().recoding
    # Nothing temporary is left.
    assert {path.name for path in folder.iterdir()} == {"people.csv", "study.yaml", "sol.json"}


def _renamed(file):
    table = parquet.read_table(file)
    parquet.write_table(table.rename_columns([f"z_{name}" for name in table.column_names]), file)


@pytest.mark.parametrize("kind", ["groups", "hierarchies"])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_renamed, "it has no column attribute; take the one"),
        (lambda file: file.write_bytes(b"no Parquet"), "it is no Parquet, or damaged; take the one"),
        (lambda file: file.write_bytes(b""), "it is no Parquet, or damaged; take the one"),
        (lambda file: file.write_bytes(file.read_bytes()[:50]), "it is no Parquet, or damaged; take"),
    ],
)
def test_what_is_no_such_file_is_refused_in_our_own_words(folder, monkeypatch, kind, damage, said):
    monkeypatch.setattr(kept_hierarchies, "LISTED", 10)
    with Study.open(folder / "study.yaml") as study:
        study.release(study.anonymize("mondrian", k=3)).write(folder / "out.csv")
    file, record = folder / f"out.csv.{kind}.parquet", folder / "out.csv.record.json"
    before = digest(file)
    damage(file)
    record.write_text(record.read_text().replace(before, digest(file)))
    with pytest.raises(InputError, match=f"this is not a file of {kind}: {said}") as refused:
        remake(record, folder / "again.csv")
    assert Path(refused.value.file) == file
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError, match=r"in a file of this name, and this is a folder; put the file"):
        remake(record, folder / "again.csv")


def test_releases_are_compared_without_their_groups_and_it_is_told(folder):
    with Study.open(folder / "study.yaml") as study:
        found = study.anonymize("mondrian", k=3)
        for name in ("one", "two"):
            study.release(found).write(folder / f"{name}.csv")
    (folder / ("one.csv" + SUFFIX)).unlink()
    found = diff(folder / "one.csv", folder / "two.csv")
    assert found.same_rows
    said = " ".join(found.sentences())
    assert "What some labels of age, town stand for is unknown" in said
