"""Text files as they come: encodings, delimiters, line ends, row names, spaces and decimal commas."""

from __future__ import annotations

import csv
import gzip
import io
from contextlib import closing

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study, verify
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files import encodings
from shoal.data.files.encodings import encoding_of, known_encoding
from shoal.data.files.text_tables import inspect_text
from shoal.data.opening import open_engine
from shoal.describe.table_reading import Reading
from shoal.errors import InputError
from tests.examples import examples

LETTERS = "aZ09 _,;|\t\"'\n\r.-äéßÉ€Œ"
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"]


def rows_of(engine) -> list[tuple[str | None, ...]]:
    cells = engine.cells(engine.columns)
    found = []
    for codes, n in zip(cells.codes.tolist(), cells.counts.tolist(), strict=True):
        found += [tuple(d[c] for d, c in zip(cells.domains, codes, strict=True))] * n
    return sorted(found, key=str)


@settings(max_examples=examples(60))
@given(data=st.data())
def test_any_table_in_any_encoding_reads_back_the_same_or_is_refused_with_its_line(
    tmp_path_factory, data
):
    name = data.draw(st.sampled_from(ENCODINGS))
    letters = LETTERS.replace("€", "").replace("Œ", "") if name == "latin-1" else LETTERS
    cells = st.text(st.sampled_from(letters), max_size=5)
    rows = data.draw(st.lists(st.tuples(cells, cells), min_size=1, max_size=6))
    delimiter = data.draw(st.sampled_from(",;|\t"))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [("naïve", "b c"), *rows]
    )
    path = tmp_path_factory.mktemp("text") / "people.csv"
    path.write_bytes(text.getvalue().encode(name))
    said = data.draw(st.sampled_from([None, name]))
    expected = sorted(((a or None, b or None) for a, b in rows), key=str)
    try:
        with closing(open_engine(path, Reading(encoding=said))) as engine:
            assert engine.columns == ("naïve", "b c")
            assert rows_of(engine) == expected
    except InputError as problem:
        if problem.line is None:
            raise


@pytest.mark.parametrize("name", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings_are_found_and_stated(tmp_path, name, packed):
    content = "Größe,Preis\ngroß,5 €\n".encode(name)
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    engine = DuckDBEngine(path)
    assert (engine.columns, rows_of(engine)) == (("Größe", "Preis"), [("groß", "5 €")])
    shown = {"cp1252": "Windows-1252", "utf-8": ""}.get(name, "UTF-16")
    told = f"the file is read as {shown}; say `encoding:` in the study if it is not that"
    assert engine.notes == ((told,) if shown else ())
    engine.close()


def test_what_is_said_overrides_what_is_found(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("Łódź,b\n1,2\n".encode("cp1250"))
    engine = open_engine(path, Reading(encoding="cp1250"))
    assert engine.columns == ("Łódź", "b")
    assert engine.notes == ()
    engine.close()
    with pytest.raises(InputError, match=r"a.csv, line 1: not UTF-8 \(byte 0xa3\); say the encoding"):
        open_engine(path, Reading(encoding="UTF-8"))
    with pytest.raises(InputError, match="the encoding 'klingon' is unknown; write one such as"):
        open_engine(path, Reading(encoding="klingon"))


@pytest.mark.parametrize("content", ["é\n€".encode() + b"\xe9\n", "a\né".encode()[:-1]])
def test_damaged_utf_8_is_no_windows_1252(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a.csv, line 2: not UTF-8, though much of it looks like that"):
        encoding_of(path)


def test_a_letter_may_lie_across_two_blocks(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    for name in ("utf-8", "utf-16", "cp1252"):
        path.write_bytes('ä;b\r\né;€\n"x\r\ny";z\r\n'.encode(name))
        for size in range(1, 9):
            monkeypatch.setattr(encodings, "BLOCK", size)
            engine = DuckDBEngine(path)
            assert rows_of(engine) == [("x\r\ny", "z"), ("é", "€")]
            engine.close()


def test_copies_go_with_the_engine_and_follow_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\né,1\n".encode("cp1252"))
    engine = DuckDBEngine(path, temp_directory=tmp_path / "spill")
    assert rows_of(engine) == [("é", "1")]
    assert list((tmp_path / "spill").glob("shoal-*/0.csv"))
    engine.close()
    assert not list((tmp_path / "spill").glob("shoal-*"))
    shared = DuckDBEngine(path)
    assert rows_of(shared) == [("é", "1")]
    path.write_bytes("a,b\né,1\nö,2\n".encode("cp1252"))
    assert rows_of(shared) == [("é", "1"), ("ö", "2")]
    shared.close()


def test_a_first_line_says_the_delimiter(tmp_path):
    path = tmp_path / "a.csv"
    for line in ("sep=;", '"sep=;"', "SEP=;"):
        path.write_text(f"{line}\na,x;b\n1;2\n")
        engine = DuckDBEngine(path)
        assert (engine.columns, rows_of(engine)) == (("a,x", "b"), [("1", "2")])
        engine.close()


@pytest.mark.parametrize("header", [",a,b", '"","a","b"', "a,b"])
def test_row_names_are_left_out(tmp_path, header):
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n1,x,y\n2,z,\n")
    engine = DuckDBEngine(path)
    assert (engine.columns, rows_of(engine)) == (("a", "b"), [("x", "y"), ("z", None)])
    assert engine.notes == (
        "the first column has no name, as the names of rows have none; it is left out",
    )
    engine.close()


def test_spaces_after_delimiters_are_no_part_of_values(tmp_path):
    path = tmp_path / "adult.csv"
    path.write_text('age, work, income\n39, State-gov, <=50K\n50, ?, "a, b"\n')
    engine = DuckDBEngine(path)
    assert engine.columns == ("age", "work", "income")
    assert rows_of(engine) == [("39", "State-gov", "<=50K"), ("50", "?", "a, b")]
    assert engine.notes == ("a space follows every delimiter; the spaces are not part of the values",)
    engine.close()
    path.write_text("age,work\n" + "39, State-gov\n" * 12)
    assert inspect_text(path).spaced
    path.write_text("age,work\n" + "39, State-gov\n" * 9)
    assert not inspect_text(path).spaced  # a few rows do not tell


def test_all_names_that_appear_again_are_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,A,c,b,b\n")
    with pytest.raises(InputError) as problem:
        DuckDBEngine(path)
    assert str(problem.value).endswith(
        "a.csv, line 1: columns appear more than once (case does not count): 'a' (2 times), 'b' (3 times); "
        "rename them"
    )


def test_line_ends_with_and_without_a_return_read_alike(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'a,b\r\n1,x\n"2\r\n",y\r\n')
    engine = DuckDBEngine(path)
    assert rows_of(engine) == [("1", "x"), ("2\r\n", "y")]
    engine.close()


@pytest.mark.parametrize(
    ("decimal", "given", "read"),
    [
        (",", ["1.234,5", "-0,25", "12", "1.234", "12.5", "01.02.2024", "a,b"],
         ["1234.5", "-0.25", "12", "1234", "12.5", "01.02.2024", "a,b"]),
        (".", ["1,234.5", "1,234", "12.5", "1,2"], ["1234.5", "1234", "12.5", "1,2"]),
        (None, ["1.234,5", "1,5"], ["1.234,5", "1,5"]),
    ],
)  # fmt: skip
def test_decimal_marks(tmp_path, decimal, given, read):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n" + "".join(f"{value};1\n" for value in given))
    engine = open_engine(path, Reading(decimal=decimal))
    assert sorted(x for x, _ in rows_of(engine)) == sorted(read)
    engine.close()


def test_a_study_says_encoding_and_decimal_mark(tmp_path):
    (tmp_path / "a.csv").write_bytes("Löhne;b\n1.000,5;x\n2.000;y\n".encode("cp1252"))
    (tmp_path / "study.yaml").write_text(
        "table: a.csv\nencoding: windows-1252\ndecimal: ','\nattributes:\n"
        "  Löhne: {role: quasi, hierarchy: {intervals: {widths: [1000]}}}\n"
    )
    with Study.open(tmp_path / "study.yaml") as study:
        assert study.tally().domain("Löhne") == ("1000.5", "2000")
    text = (tmp_path / "study.yaml").read_text().replace("','", "';'")
    (tmp_path / "study.yaml").write_text(text)
    with pytest.raises(InputError, match=r"line 3: a decimal mark is a point or a comma, not ';'"):
        Study.open(tmp_path / "study.yaml")


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_name_of_an_encoding_is_known(name):
    assert known_encoding(name.upper()) in {"utf-8", "utf-16-le", "utf-16-be", "cp1252", "iso8859-1"}


def test_a_table_in_memory_has_no_notes():
    engine = DuckDBEngine(pa.table({"a": ["1"]}))
    assert engine.notes == ()
    engine.close()


def test_a_release_is_read_as_it_is_written(tmp_path):
    """Names and values that look odd are what they are in a release, or others would be checked."""
    table = pa.table({"a": ["1", "1", "2", "2"] * 6, " b": [" x", " x", "  x", "  x"] * 6})
    quasi = {"a": {"mask": {"digits": 1}}, " b": {"*": {"one": [" x"], "two": ["  x"]}}}
    with Study(table, quasi=quasi) as study:
        study.release(study.anonymize(algorithm="flash", k=2)).write(tmp_path / "out.csv")
    assert inspect_text(tmp_path / "out.csv").spaced
    found = verify(tmp_path / "out.csv")
    assert (found.failures, found.measured.groups) == ((), 2)
