"""A saved index is taken where it is whole and of this study, and made anew where it is not."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.describe.study_file import read_study_file
from shoal.search.negotiation import index_file as saved
from shoal.search.negotiation import starting as opening
from tests.examples import examples


def session(path, **options):
    """A session over a study file, and what it was told."""
    told = []
    with Study.open(path) as study:
        return study.negotiator(notice=told.append, **options), told


def index_of(path):
    return path.with_name(path.name + ".index")


def is_taken(path):
    """Whether the index beside the study is used, without the table being opened."""
    specification = read_study_file(path)
    found = opening.reopen_negotiator(specification, lambda: pytest.fail("opened"), lambda _: None)
    return found is not None


def test_an_index_lies_beside_the_study_and_answers_the_same(study_file):
    first, told = session(study_file)
    assert told == []
    assert is_taken(study_file)
    negotiator, columns = opening.reopen_negotiator(
        read_study_file(study_file), lambda: pytest.fail("opened"), lambda _: None
    )
    assert columns == ("age", "zip", "job", "name")
    assert negotiator.shape == first.shape
    for k in range(1, 8):
        for l in (None, 1, 2, 3):
            one, other = first.ask(k=k, l=l), negotiator.ask(k=k, l=l)
            assert (one.exact, one.suggestions, one.visited) == (
                other.exact,
                other.suggestions,
                other.visited,
            )


def test_it_is_for_the_curator_alone(study_file):
    session(study_file)
    assert index_of(study_file).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("options", [{"index": False}, {"lazy": True}])
def test_it_is_left_out_where_asked(study_file, options):
    before = set(study_file.parent.iterdir())
    session(study_file, **options)
    assert set(study_file.parent.iterdir()) == before


def test_studies_in_memory_keep_nothing(tmp_path, monkeypatch):
    import pyarrow as pa

    monkeypatch.chdir(tmp_path)
    table = pa.table({"zip": ["02138", "02139"]})
    with Study(table, quasi={"zip": {"mask": {"digits": 5}}}) as study:
        assert study.negotiate(k=2).exact.node == {"zip": 1}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("people.csv", "Dan", "Don"),
        ("people.csv", "36,", "37,"),
        ("zip.csv", "0213*", "021-*"),
        ("study.yaml", "[5, 10, 20]", "[5, 10]"),
        ("study.yaml", "hierarchy: zip.csv", "hierarchy: zip.csv, max_level: 2"),
        ("study.yaml", "hierarchy: zip.csv", "hierarchy: zip.csv, min_level: 1"),
        ("study.yaml", "role: sensitive", "role: insensitive"),
        ("study.yaml", "  job: {role: sensitive}", "  name: {role: sensitive}"),
    ],
)
def test_it_is_made_anew_where_anything_changes(study_file, file, old, new):
    session(study_file)
    changed = study_file.with_name(file)
    assert old in changed.read_text()
    changed.write_text(changed.read_text().replace(old, new))
    assert not is_taken(study_file)
    before = index_of(study_file).read_bytes()
    _, told = session(study_file)
    assert told == []
    assert is_taken(study_file)
    assert index_of(study_file).read_bytes() != before


def test_what_does_not_matter_leaves_it_as_it_is(study_file):
    session(study_file)
    study_file.write_text("# a comment\n" + study_file.read_text())
    assert is_taken(study_file)


def test_another_version_makes_it_anew(study_file, monkeypatch):
    session(study_file)
    monkeypatch.setattr(saved, "VERSION", "0.0.0")
    assert not is_taken(study_file)


def test_an_index_without_costs_says_that_it_tells_no_losses_and_is_rebuilt(study_file):
    session(study_file)
    body = index_of(study_file).read_bytes()[:-32].replace(b"index 2\n", b"index 1\n", 1)
    index_of(study_file).write_bytes(body + hashlib.sha256(body).digest())
    negotiator, told = session(study_file)
    assert told == [
        f"{index_of(study_file)}: the saved index is of an earlier version and tells no losses; "
        "it is rebuilt"
    ]
    assert negotiator.ask(k=2).exact.loss is not None
    assert is_taken(study_file)


def test_every_truncation_is_noticed(study_file):
    session(study_file)
    whole = index_of(study_file).read_bytes()
    for length in range(1, len(whole), 7):
        index_of(study_file).write_bytes(whole[:length])
        negotiator, told = session(study_file)
        assert negotiator.ask(k=2).exact is not None
        assert told == [
            f"{index_of(study_file)}: the saved index is damaged or of another version; it is rebuilt"
        ]
        assert index_of(study_file).read_bytes() == whole


@settings(max_examples=examples(60))
@given(st.data())
def test_every_altered_byte_is_noticed(data):
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study.yaml"
        (Path(folder) / "t.csv").write_text("a,s\n1,x\n2,y\n")
        study.write_text(
            "table: t.csv\nattributes:\n"
            "  a: {role: quasi, hierarchy: {'*': ['1', '2']}}\n  s: {role: sensitive}\n"
        )
        path = index_of(study)
        session(study)
        whole = bytearray(path.read_bytes())
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
        path.write_bytes(bytes(whole))
        assert not is_taken(study)


def test_a_wrong_index_with_a_right_digest_is_refused_all_the_same(study_file):
    session(study_file)
    body = index_of(study_file).read_bytes()[:-32]
    for changed in (
        body[:-1],
        body[:-1] + bytes([body[-1] ^ 1]),
        body.replace(b'"rows": 6', b'"rows": 7'),
    ):
        assert changed != body
        index_of(study_file).write_bytes(changed + hashlib.sha256(changed).digest())
        _, told = session(study_file)
        assert len(told) == 1
        assert "damaged" in told[0]
        assert is_taken(study_file)


@pytest.mark.parametrize(
    "change",
    [
        {"names": ["age"]}, {"names": ["age", "zip", "job"]}, {"names": ["zip", "age"]},
        {"names": ["age", ["zip"]]}, {"names": "az"}, {"names": [1, 2]}, {"names": {"age": 1, "zip": 2}},
        {"bottom": [0, 1]}, {"bottom": [0]}, {"bottom": [False, False]}, {"bottom": [[0], [0]]},
        {"top": [4, [3]]}, {"top": [4, 3, 0]}, {"top": [4, 3.0]}, {"top": [4, 10**30]}, {"top": [19, 0]},
        {"rows": "6"}, {"rows": True}, {"rows": 6.0}, {"rows": [6]},
        {"sensitive": ["name"]}, {"sensitive": []}, {"sensitive": [["job"]]}, {"doubled": ["age"]},
        {"columns": [1, 2, 3, 4]}, {"columns": "abcd"}, {"columns": [["age"], "zip", "job", "name"]},
        {"columns": ["age", "zip"]}, {"columns": None},
        {"lm": 7}, {"lm": {"unit": 0, "row": 30}}, {"lm": {"unit": 15, "row": -1}}, {"lm": {"unit": 15}},
        {"lm": None}, {"lm": {"unit": 15, "row": 2**62}}, {"lm": {"unit": 15, "row": 10**30}},
    ],
)  # fmt: skip
def test_a_header_that_the_study_does_not_have_is_damage(study_file, change):
    study_file.write_text(study_file.read_text().replace("zip.csv", "zip.csv, max_level: 3"))
    session(study_file)
    rewrite_header(study_file, lambda header: json.dumps(json.loads(header) | change).encode())
    negotiator, told = session(study_file)
    assert negotiator.ask(k=2).exact is not None
    assert [text.split(": ", 1)[1] for text in told] == ["the saved index is damaged; it is rebuilt"]
    assert is_taken(study_file)


@pytest.mark.parametrize("header", [b"[]", b"7", b"{}", b"[" * 100_000, b"\xff"])
def test_a_header_of_another_kind_is_damage(study_file, header):
    session(study_file)
    rewrite_header(study_file, lambda _: header)
    _, told = session(study_file)
    assert len(told) == 1
    assert "damaged" in told[0]
    assert is_taken(study_file)


def rewrite_header(study_file, change):
    """Give the index another header, and the digest that belongs to it."""
    content = index_of(study_file).read_bytes()[:-32]
    mark, rest = content[:24], content[24:]
    end = 4 + int.from_bytes(rest[:4], "little")
    header = change(rest[4:end])
    content = mark + len(header).to_bytes(4, "little") + header + rest[end:]
    index_of(study_file).write_bytes(content + hashlib.sha256(content).digest())


def test_an_index_that_cannot_be_read_is_told_and_stays(study_file, monkeypatch):
    session(study_file)
    whole = index_of(study_file).read_bytes()
    real = Path.open

    def closed(self, *arguments, **options):
        if self == index_of(study_file):
            raise PermissionError(13, "Permission denied")
        return real(self, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", closed)
        negotiator, told = session(study_file)
    assert negotiator.ask(k=2).exact is not None
    assert told == [
        f"{index_of(study_file)} cannot be read (Permission denied) and is not replaced; "
        "make it readable, move it, or work without an index"
    ]
    assert index_of(study_file).read_bytes() == whole


@pytest.mark.parametrize("content", ["mine", ""])
def test_a_file_of_somebody_else_stays(study_file, content):
    index_of(study_file).write_text(content)
    negotiator, told = session(study_file)
    assert negotiator.ask(k=2).exact is not None
    assert told == [
        f"{index_of(study_file)} is not an index of Shoal and is not replaced; "
        "move it, or work without an index"
    ]
    assert index_of(study_file).read_text() == content


def test_a_folder_in_its_place_stays(study_file):
    index_of(study_file).mkdir()
    _, told = session(study_file)
    assert len(told) == 1
    assert index_of(study_file).is_dir()


def test_a_place_that_cannot_be_written_is_told_and_nothing_is_left(study_file, monkeypatch):
    def broken(self, target):
        raise OSError(28, "No space left on device")

    before = set(study_file.parent.iterdir())
    monkeypatch.setattr(Path, "replace", broken)
    negotiator, told = session(study_file)
    assert negotiator.ask(k=2).exact is not None
    assert told == [
        f"{index_of(study_file)}: the index cannot be saved (No space left on device); "
        "the next start rebuilds it"
    ]
    assert set(study_file.parent.iterdir()) == before


def test_a_table_that_changes_meanwhile_is_not_kept_under_its_old_digest(study_file, monkeypatch):
    real, calls = saved.key_of, []

    def changing(specification):
        calls.append(real(specification))
        table = study_file.with_name("people.csv")
        table.write_text(table.read_text() + "40,02138,cook,Gil\n")
        return calls[-1]

    monkeypatch.setattr(saved, "key_of", changing)
    session(study_file)
    assert len(set(calls)) == 2
    assert not index_of(study_file).exists()


def test_by_default_damage_is_a_warning(study_file):
    session(study_file)
    os.truncate(index_of(study_file), 100)
    with Study.open(study_file) as study, pytest.warns(UserWarning, match="damaged"):
        study.negotiator()
    with Study.open(study_file) as study, warnings.catch_warnings():
        warnings.simplefilter("error")
        study.negotiator()
