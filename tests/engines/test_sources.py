"""What a table can be: endings, delimiters, headers, and files that are none."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files.sources import check_columns, check_file, ending_of, literal
from shoal.data.files.text_tables import inspect_text
from shoal.errors import InputError


@pytest.fixture
def write(tmp_path):
    def writer(content, name="people.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def count(path):
    engine = DuckDBEngine(path)
    return engine.cells(engine.columns)


@pytest.fixture
def refusal(write, tmp_path):
    """The one line with which a file is refused when it is opened and its rows are counted."""

    def refused(content, name="people.csv"):
        path = write(content, name)
        with pytest.raises(InputError) as problem:
            count(path)
        message = str(problem.value).replace(str(tmp_path) + os.sep, "")
        assert "\n" not in message
        assert len(message) < 300
        return message

    return refused


def columns_of(path):
    return inspect_text(path).columns


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.csv", ".csv"), ("A.CSV", ".csv"), ("a.b.tsv.gz", ".tsv.gz"), ("a.PARQUET", ".parquet"),
     ("a.pq", ".pq"), ("a.feather", ".feather"), ("a.arrow", ".arrow"), ("a.arrows", ".arrows"),
     ("a.ipc", ".ipc"), ("a.txt", ".txt")],
)  # fmt: skip
def test_endings_tell_the_kind(name, ending):
    assert ending_of(Path(name)) == ending


@pytest.mark.parametrize("name", ["a.xls", "a", "a.csv.zip", "a.gz", "csv"])
def test_other_endings_are_refused(name):
    with pytest.raises(InputError, match="is unknown; Shoal reads CSV, TSV, Parquet or Arrow"):
        ending_of(Path(name))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_sniffed(write, delimiter):
    path = write(f'a{delimiter}"b,c;|"{delimiter}d\n')
    found = inspect_text(path)
    assert (found.delimiter, found.columns) == (delimiter, ("a", "b,c;|", "d"))


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("a,b\n", ("a", "b")),
        ("a,b", ("a", "b")),
        ("a,b\r\n1,2\r\n", ("a", "b")),
        ("a,b\r1,2\r", ("a", "b")),
        ("\ufeffa,b\n", ("a", "b")),
        ('\ufeff"a","b"\n', ("a", "b")),
        ('"a""x","b"\n', ('a"x', "b")),
        ('"a\nx",b\n1,2\n', ("a\nx", "b")),
        ("age\n", ("age",)),
        (" a ,b\n", (" a ", "b")),
        (" a , b\n", ("a", "b")),
        ("Größe,🐟\n", ("Größe", "🐟")),
        ('a"x,b\n', ('a"x', "b")),
    ],
)
def test_headers_are_read_as_they_are(write, header, columns):
    assert columns_of(write(header)) == columns


def test_a_tsv_file_is_split_at_tabs_only(write):
    assert columns_of(write("a,b;c\td\n", "people.tsv")) == ("a,b;c", "d")


def test_compressed_headers_are_read(write):
    assert columns_of(write(gzip.compress(b"a;b\n1;2\n"), "people.CSV.gz")) == ("a", "b")


def test_paths_are_no_patterns():
    assert literal(Path("a[1]?*.csv")) == "a[[]1][?][*].csv"


class TestRefusals:
    def test_no_such_file(self, tmp_path):
        with pytest.raises(InputError, match=r"nope\.csv: no such file; check the path"):
            check_file(tmp_path / "nope.csv")

    def test_a_folder(self, write, tmp_path):
        write("", "people.csv/inside")
        with pytest.raises(InputError, match=r"people\.csv/inside: the ending '' is unknown"):
            DuckDBEngine(tmp_path / "people.csv")

    def test_a_file_that_may_not_be_read(self, write, monkeypatch):
        path = write("a,b\n1,2\n")

        def forbidden(self, *_, **__):
            raise PermissionError(13, "Permission denied", str(self))

        monkeypatch.setattr(Path, "open", forbidden)
        with pytest.raises(InputError, match=r"people\.csv: cannot be read: Permission denied"):
            DuckDBEngine(path)

    def test_a_path_that_is_too_long(self, tmp_path):
        with pytest.raises(InputError, match="cannot be read: File name too long"):
            DuckDBEngine(tmp_path / ("x" * 300 + ".csv"))

    def test_a_path_with_a_nul(self):
        with pytest.raises(InputError, match="cannot be read: embedded null byte"):
            DuckDBEngine("a\0b.csv")

    @pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.parquet", "a.arrow", "a.csv.gz"])
    def test_an_empty_file(self, refusal, name):
        assert refusal("", name) == f"{name}: the file is empty; a table needs a header and rows"

    @pytest.mark.parametrize(
        ("content", "name"),
        [
            ("\n", "a.csv"),
            ("\na,b\n1,2\n", "a.csv"),
            (gzip.compress(b"", mtime=0), "a.csv.gz"),
            ("\ufeff", "a.csv"),
        ],
    )
    def test_an_empty_first_line(self, refusal, content, name):
        message = refusal(content, name)
        assert message == f"{name}, line 1: the first line is empty; it must name the columns"

    def test_a_quote_in_the_header_that_is_not_closed(self, refusal):
        assert refusal('"a,b\n1,2\n').startswith("people.csv, line 1: the header cannot be read")

    def test_bytes_in_the_header_that_no_encoding_has(self, refusal):
        words = "people.csv, line 1: neither UTF-8 nor Windows-1252 (byte 0x81)"
        assert refusal(b"\x81,b\n1,2\n").startswith(words)

    def test_a_compressed_file_without_its_ending(self, refusal):
        found = refusal(gzip.compress(b"a,b\n1,2\n"))
        assert found.startswith("people.csv, line 1: neither UTF-8 nor Windows-1252 (byte 0x8b)")

    def test_a_file_that_is_not_compressed(self, refusal):
        assert "a.csv.gz: cannot be read: Not a gzipped file" in refusal("a,b\n1,2\n", "a.csv.gz")

    @pytest.mark.parametrize("cut", [12, 25, -12])
    def test_a_compressed_file_that_is_cut_off(self, refusal, cut):
        content = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
        assert refusal(content[:cut], "a.csv.gz").startswith("a.csv.gz: ")

    def test_a_compressed_file_that_is_damaged(self, refusal):
        content = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
        damaged = content[:12] + b"\xff" * 20 + content[32:]
        assert refusal(damaged, "a.csv.gz").startswith("a.csv.gz: cannot be read: ")

    @pytest.mark.parametrize(
        ("header", "words"),
        [
            ("a,a\n", "the column 'a' appears twice; rename one"),
            ("a,b,A\n", "the column 'A' appears twice (as 'a'; case does not count); rename one"),
            ("a,\n", "column 2 has no name; name it"),
            (",\n", "column 1 has no name; name it"),
            ("a\0,b\n", "the name of the column 'a\\x00' has a NUL byte; rename it"),
        ],
    )
    def test_bad_columns(self, refusal, header, words):
        assert refusal(header) == f"people.csv, line 1: {words}"

    def test_no_columns(self):
        with pytest.raises(InputError, match="x: the table has no columns"):
            check_columns([], "x")
