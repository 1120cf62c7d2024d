"""DuckDB: every kind of file gives the same counts, whatever stands in it."""

from __future__ import annotations

import csv
import gzip
import io
import os
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import date
from decimal import Decimal
from itertools import product

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc
from sqlglot import exp

from shoal import Study
from shoal.data.engines.duckdb import cells as duckdb_cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.duckdb.instances import shared
from shoal.data.engines.duckdb.outlet import DuckDBOutlet
from shoal.data.engines.duckdb.refusals import refusal
from shoal.data.sql import statements as sql
from shoal.errors import InputError
from tests.engines.suite.tables import same_cells, typed_tables
from tests.examples import examples

ROWS = [
    ("02138", "39", "NA"),
    ("02138", "39", "NA"),
    ("2138", "39.0", "null"),
    ("02138", None, ""),
    (None, "", None),
    (" x ", "-1", "Grüße 🐟"),
    ("a,b;c|d\te", 'say "hi"', "two\nlines"),
    ("'; DROP TABLE source; --", "nan", "\\"),
    ("x" * 100_000, "=cmd()", "two\r\nlines"),
]
COLUMNS = ("zip", "age", "remark")


def counted(rows):
    """The rows as Shoal sees them: an empty text is missing."""
    return Counter(tuple(value or None for value in row) for row in rows)


def counts_of(engine, columns=None):
    """The engine's cells as rows with their counts."""
    cells = engine.cells(columns or engine.columns)
    assert cells.codes.shape == (len(cells.counts), len(cells.columns))
    return Counter(
        {
            tuple(domain[code] for domain, code in zip(cells.domains, row, strict=True)): int(count)
            for row, count in zip(cells.codes.tolist(), cells.counts, strict=True)
        }
    )


def count(path, **given):
    engine = DuckDBEngine(path, **given)
    try:
        return counts_of(engine)
    finally:
        engine.close()


def csv_text(rows, columns=COLUMNS, delimiter=",", end="\n"):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerows([columns, *rows])
    return out.getvalue()


def arrow_table(rows=ROWS, columns=COLUMNS):
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(columns)})


def write_ipc(path, table, opened=ipc.new_file):
    with opened(path, table.schema) as sink:
        sink.write_table(table)


WRITERS = {
    "a.csv": lambda path: path.write_text(csv_text(ROWS), newline=""),
    "b.csv": lambda path: path.write_text(csv_text(ROWS, delimiter=";"), newline=""),
    "c.csv": lambda path: path.write_text(csv_text(ROWS, delimiter="|"), newline=""),
    "d.csv": lambda path: path.write_text(csv_text(ROWS, delimiter="\t"), newline=""),
    "e.csv": lambda path: path.write_text(csv_text(ROWS, end="\r\n"), newline=""),
    "f.csv": lambda path: path.write_text("\ufeff" + csv_text(ROWS), newline=""),
    "g.csv": lambda path: path.write_text(csv_text(ROWS).rstrip("\n"), newline=""),
    "h.txt": lambda path: path.write_text(csv_text(ROWS), newline=""),
    "i.tsv": lambda path: path.write_text(csv_text(ROWS, delimiter="\t"), newline=""),
    "j.csv.gz": lambda path: path.write_bytes(gzip.compress(csv_text(ROWS).encode())),
    "K.CSV.GZ": lambda path: path.write_bytes(gzip.compress(csv_text(ROWS).encode())),
    "l.parquet": lambda path: pyarrow.parquet.write_table(arrow_table(), path),
    "m.arrow": lambda path: write_ipc(path, arrow_table()),
    "n.arrows": lambda path: write_ipc(path, arrow_table(), ipc.new_stream),
    "o.feather": lambda path: pyarrow.feather.write_feather(arrow_table(), path),
    "p.feather": lambda path: pyarrow.feather.write_feather(arrow_table(), path, compression="zstd"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_gives_the_same_counts(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)
    engine = DuckDBEngine(path)
    assert engine.name == str(path)
    assert engine.columns == COLUMNS
    assert engine.count() == len(ROWS)
    assert counts_of(engine) == counted(ROWS)
    assert counts_of(engine, ["age"]) == counted([(row[1],) for row in ROWS])
    engine.close()


def test_values_are_sorted_and_the_missing_one_is_last(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\nb\n10\n9\nB\n\né\n🐟\n~\n")
    cells = DuckDBEngine(path).cells(["a"])
    assert cells.domains == (("10", "9", "B", "b", "~", "é", "🐟", None),)
    assert cells.codes.tolist() == [[i] for i in range(8)]


def test_cells_come_in_the_order_of_their_codes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n2,x\n1,y\n2,\n1,x\n,x\n")
    codes = DuckDBEngine(path).cells(["a", "b"]).codes.tolist()
    assert codes == sorted(codes)


def test_a_relative_path_given_as_text_is_read(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("a\n1\n")
    monkeypatch.chdir(tmp_path)
    assert count("a.csv") == {("1",): 1}


@pytest.mark.parametrize(
    "name", ["people[1].csv", "*.csv", "?.csv", "{a,b}.csv", "[!x].csv", "it's.csv", "a b.csv"]
)
def test_a_path_is_no_pattern(tmp_path, name):
    for other in ("people1.csv", "x.csv", "a.csv"):
        (tmp_path / other).write_text("a\nother\n")
    (tmp_path / name).write_text("a\nmine\n")
    assert count(tmp_path / name) == {("mine",): 1}
    parquet = (tmp_path / name).with_suffix(".parquet")
    pyarrow.parquet.write_table(pa.table({"a": ["other"]}), tmp_path / "people1.parquet")
    pyarrow.parquet.write_table(pa.table({"a": ["mine"]}), parquet)
    assert count(parquet) == {("mine",): 1}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_folder_is_no_column(tmp_path, ending):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    if ending == "csv":
        (folder / "a.csv").write_text("a\n1\n")
    else:
        pyarrow.parquet.write_table(pa.table({"a": ["1"]}), folder / "a.parquet")
    assert DuckDBEngine(folder / f"a.{ending}").columns == ("a",)


HOSTILE = ["select", "n", "c0", "c1", "k0", "value", "code", "source", "cells", "domain0", "d", "rowid",
           "*", "?", '"; DROP TABLE source; --', "it's", "a.b", "group by", "new\nline", "🐟",
           " x ", "$1", "%s", "{}", "x" * 300]  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_names_are_never_statements(tmp_path, ending):
    rows = [tuple(f"{i}{name}" for name in HOSTILE) for i in (1, 1, 2)]
    path = tmp_path / f"a.{ending}"
    if ending == "csv":
        path.write_text(csv_text(rows, HOSTILE), newline="")
    elif ending == "parquet":
        pyarrow.parquet.write_table(arrow_table(rows, HOSTILE), path)
    else:
        write_ipc(path, arrow_table(rows, HOSTILE))
    engine = DuckDBEngine(path)
    assert engine.columns == tuple(HOSTILE)
    for i, name in enumerate(HOSTILE):
        assert counts_of(engine, [name]) == Counter(row[i : i + 1] for row in rows)
    six = HOSTILE[:6]
    assert counts_of(engine, six) == Counter(row[:6] for row in rows)


def test_values_are_never_statements(tmp_path):
    values = [
        '"; DROP TABLE source; --',
        "' OR 1=1 --",
        "$$",
        "\\'",
        "NULL",
        "\0",
        "a\0b",
        "%",
        "\x1b[31m",
        "\u2028",
    ]
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"a": values}), path)
    assert count(path) == Counter((value,) for value in values)


class TestCSV:
    @pytest.fixture
    def read(self, tmp_path):
        def reader(content):
            path = tmp_path / "a.csv"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return count(path)

        return reader

    @pytest.fixture
    def refusal(self, read, tmp_path):
        def refused(content):
            with pytest.raises(InputError) as problem:
                read(content)
            message = str(problem.value).replace(str(tmp_path) + os.sep, "")
            assert "\n" not in message
            assert len(message) < 300
            return message

        return refused

    @pytest.mark.parametrize("text", ["a,b\n", "a,b", "a,b\r\n", "\ufeffa,b\n"])
    def test_a_header_alone_has_no_rows(self, read, text):
        assert read(text) == Counter()

    def test_words_for_nothing_are_text(self, read):
        assert read("a,b\nNA,null\nnan,NULL\nNone,-\n") == Counter(
            [("NA", "null"), ("nan", "NULL"), ("None", "-")]
        )

    def test_an_empty_field_is_missing_quoted_or_not(self, read):
        assert read('a,b\n,""\n') == {(None, None): 1}

    def test_an_empty_line_is_a_missing_value_where_there_is_one_column(self, read):
        assert read("a\n1\n\n1\n") == {("1",): 2, (None,): 1}

    def test_quotes_hold_delimiters_line_ends_and_quotes(self, read):
        assert read('a,b\n"1,2","x\ny"\n"say ""hi""","\r\n"\n') == Counter(
            [("1,2", "x\ny"), ('say "hi"', "\r\n")]
        )

    def test_spaces_and_marks_of_comments_stay(self, read):
        assert read("a,b\n 1 , x\n#2,#\n") == Counter([(" 1 ", " x"), ("#2", "#")])

    def test_a_row_like_the_header_is_a_row(self, read):
        assert read("a,b\na,b\n") == {("a", "b"): 1}

    def test_lone_returns_end_lines(self, read):
        assert read("a,b\r1,x\r2,y\r") == Counter([("1", "x"), ("2", "y")])

    @pytest.mark.parametrize(
        ("quoted", "end"),
        [*product(("\n", "\r\n", "\r", "\n\r\n"), ("\n", "\r\n")), ("\r", "\r")],
    )
    def test_a_quoted_line_end_in_the_header(self, read, quoted, end):
        assert read(f'"a{quoted}b",c{end}1,2{end}3,"x{quoted}y"{end}') == Counter(
            [("1", "2"), ("3", f"x{quoted}y")]
        )
        assert read(f'"a{quoted}b","c{quoted}"{end}1,2') == {("1", "2"): 1}

    @pytest.mark.parametrize("quoted", ["\n", "\r\n"])
    def test_a_quoted_line_end_in_the_header_of_lone_returns_is_refused(self, refusal, quoted):
        words = "a.csv, line 1: a column name contains a line end that differs from the file's own; rename it"
        assert refusal(f'"a{quoted}b",c\r1,2\r') == words

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("a,b\n1,x\n2\n", "a.csv, line 3: 1 fields where the header has 2; correct the row"),
            ("a,b\n1,x\n2,y,z\n", "a.csv, line 3: 3 fields where the header has 2; correct the row"),
            ("a,b\n" + "1,x\n" * 50_000 + "2\n",
             "a.csv, line 50002: 1 fields where the header has 2; correct the row"),
            ('a,b\n1,x\n"2,y\n', "a.csv, line 3: a quote is not closed; correct the row"),
            (b"a,b\n1,x\n\x9d\xe9,y\n",
             "a.csv, line 3: neither UTF-8 nor Windows-1252 (byte 0x9d); say the encoding in the study, "
             "as in `encoding: cp1250`, or save the file as UTF-8"),
        ],
    )  # fmt: skip
    def test_bad_rows_are_refused_with_their_line(self, refusal, text, words):
        assert refusal(text) == words

    def test_lone_returns_among_other_line_ends_are_refused(self, refusal):
        words = "some lines end in a return alone, others in a line feed; let all lines end alike"
        assert refusal("a,b\n1,x\r2,y\n") == f"a.csv, line 2: {words}"

    def test_an_endless_row_is_refused(self, refusal):
        message = refusal("a,b\n" + "x" * 3_000_000 + ",y\n")
        assert message.startswith("a.csv, line 2: a row has more than 2,000,000 bytes")

    def test_a_byte_that_is_not_utf_8_is_found_late_too(self, refusal):
        message = refusal("ä,b\n".encode() + b"1,x\n" * 50_000 + b"\xe9,x\n")
        assert message.startswith(
            "a.csv, line 50002: not UTF-8, though much of it looks like that (byte 0xe9)"
        )


class TestOtherFiles:
    @pytest.mark.parametrize(
        ("names", "words"),
        [
            (["a", "a"], "the column 'a' appears twice"),
            (["a", "A"], r"the column 'A' appears twice \(as 'a'; case does not count\)"),
            (["a", ""], "column 2 has no name"),
        ],
    )
    @pytest.mark.parametrize("ending", ["parquet", "arrow"])
    def test_bad_columns_are_refused(self, tmp_path, names, words, ending):
        table = pa.table([["1"], ["2"]], names=names)
        path = tmp_path / f"a.{ending}"
        if ending == "parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            write_ipc(path, table)
        with pytest.raises(InputError, match=rf"a\.{ending}: {words}"):
            DuckDBEngine(path)

    @pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
    def test_other_content_is_refused(self, tmp_path, ending):
        path = tmp_path / f"a.{ending}"
        path.write_text("a,b\n1,2\n")
        with pytest.raises(InputError, match=rf"a\.{ending}: "):
            DuckDBEngine(path)

    def test_a_file_without_columns_is_refused(self, tmp_path):
        path = tmp_path / "a.arrow"
        write_ipc(path, pa.table({}))
        with pytest.raises(InputError, match=r"a\.arrow: the table has no columns"):
            DuckDBEngine(path)

    @pytest.mark.parametrize("ending", ["parquet", "arrow"])
    def test_a_table_without_rows_is_read(self, tmp_path, ending):
        table = pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int64())})
        path = tmp_path / f"a.{ending}"
        if ending == "parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            write_ipc(path, table)
        engine = DuckDBEngine(path)
        assert engine.count() == 0
        cells = engine.cells(["a", "b"])
        assert (cells.domains, cells.codes.shape, cells.counts.shape) == (((), ()), (0, 2), (0,))

    @pytest.mark.parametrize("ending", ["parquet", "arrow"])
    def test_typed_columns_are_read_as_text(self, tmp_path, ending):
        table = pa.table(
            {
                "i": [39, None],
                "f": [39.0, float("nan")],
                "b": [True, False],
                "d": [date(2020, 2, 29), None],
                "m": [Decimal("39.50"), None],
            }
        )
        path = tmp_path / f"a.{ending}"
        if ending == "parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            write_ipc(path, table)
        assert count(path) == Counter(
            [("39", "39", "true", "2020-02-29", "39.50"), (None, None, "false", None, None)]
        )

    @settings(max_examples=examples(25))
    @given(st.data())
    def test_a_damaged_arrow_file_is_read_or_refused(self, tmp_path_factory, data):
        path = tmp_path_factory.mktemp("damaged") / "a.arrow"
        opened = data.draw(st.sampled_from([ipc.new_file, ipc.new_stream]))
        write_ipc(path, arrow_table(ROWS[:5]), opened)
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(content)
        with suppress(InputError):
            count(path)


class TestSettings:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("a\n1\n")
        return path

    def test_without_a_limit_duckdb_takes_half_of_what_is_available(self, path, monkeypatch):
        from shoal.data.engines.duckdb import instances as duckdb_instances

        monkeypatch.setattr(duckdb_instances, "available_memory", lambda: 2 << 30)
        shared.close()
        for table in (path, arrow_table()):
            asked = DuckDBEngine(table)._connection.execute("SELECT current_setting('memory_limit')")
            assert asked.fetchall() == [("1.0 GiB",)]

    def test_reach_duckdb(self, path, tmp_path):
        spill = tmp_path / "spill"
        engine = DuckDBEngine(path, threads=1, memory_limit="500MB", temp_directory=spill)
        for name, value in (
            ("threads", 1),
            ("memory_limit", "476.8 MiB"),
            ("temp_directory", str(spill)),
        ):
            found = engine._connection.execute(f"SELECT current_setting('{name}')").fetchall()
            assert found == [(value,)]
        assert counts_of(engine) == {("1",): 1}

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"threads": 0}, "DuckDB refuses its settings: .*at least 1 thread"),
            ({"threads": 10**20}, "DuckDB refuses its settings"),
            ({"memory_limit": "much"}, "DuckDB refuses its settings: .*must have a number"),
            ({"memory_limit": ""}, "DuckDB refuses its settings"),
            ({"memory_limit": "5"}, "DuckDB refuses its settings: .*unit"),
            ({"memory_limit": "5 parsecs"}, "DuckDB refuses its settings"),
            ({"memory_limit": "-5GB"}, "a memory limit of -5GB is negative"),
        ],
    )
    def test_that_make_no_sense_are_refused(self, path, given, words):
        with pytest.raises(InputError, match=words) as problem:
            DuckDBEngine(path, **given)
        assert "\n" not in str(problem.value)

    def test_refuse_a_file_to_spill_into(self, path):
        with pytest.raises(InputError, match=r"a\.csv: is not a folder"):
            DuckDBEngine(path, temp_directory=path)

    def test_too_little_memory_is_told(self, path):
        with pytest.raises(
            InputError, match=r"a\.csv: DuckDB is out of memory .* raise the memory limit"
        ):
            count(path, memory_limit="1KB")


class TestQuestions:
    @pytest.fixture
    def engine(self):
        return DuckDBEngine(pa.table({"age": ["1"], "List": [["x"]]}))

    def test_a_column_that_is_not_there_is_refused(self, engine):
        with pytest.raises(InputError, match=r"the pyarrow Table: no column 'agee'; did you mean age\?"):
            engine.cells(["agee"])

    def test_columns_are_named_exactly(self, engine):
        with pytest.raises(InputError, match=r"no column 'Age'; did you mean age\?"):
            engine.cells(["Age"])

    def test_nested_columns_are_refused_only_when_they_are_needed(self, engine):
        assert counts_of(engine, ["age"]) == {("1",): 1}
        with pytest.raises(InputError, match=r"the column 'List' holds VARCHAR\[\], not plain values"):
            engine.cells(["List"])

    def test_a_question_can_be_asked_again_after_a_refusal(self, engine):
        for _ in range(2):
            with pytest.raises(InputError):
                engine.cells(["age", "List"])
            assert counts_of(engine, ["age"]) == {("1",): 1}

    def test_a_file_that_changes_for_the_worse_is_refused(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("a,b\n1,2\n")
        engine = DuckDBEngine(path)
        path.write_text("a,b\n1\n")
        with pytest.raises(InputError, match=r"a\.csv, line 2: 1 fields"):
            engine.cells(["a"])
        path.unlink()
        with pytest.raises(InputError):
            engine.cells(["a"])


class TestShared:
    """Small frames and files of text are read in one DuckDB, and do not notice each other."""

    @pytest.mark.parametrize("kind", ["frame", "file"])
    def test_each_has_its_own_tables(self, kind, tmp_path):
        def opened(rows):
            path = tmp_path / f"{len(rows)}.csv"
            path.write_text(csv_text(rows), encoding="utf-8", newline="")
            return DuckDBEngine(path if kind == "file" else arrow_table(rows))

        one, other = opened(ROWS[:3]), opened(ROWS[3:])
        for _ in range(2):
            assert counts_of(one) == counted(ROWS[:3])
            assert counts_of(other) == counted(ROWS[3:])
        one.close()
        assert counts_of(other) == counted(ROWS[3:])
        assert counts_of(opened(ROWS[:1])) == counted(ROWS[:1])
        seen = shared.cursor().execute("SELECT view_name FROM duckdb_views() WHERE NOT internal")
        assert seen.fetchall() == []

    def test_nothing_is_left_of_one_that_is_closed(self):
        table = arrow_table()
        before = sys.getrefcount(table)
        engine = DuckDBEngine(table)
        engine.keep("kept", sql.whole("source"))
        engine.close()
        assert sys.getrefcount(table) == before
        other = DuckDBEngine(pa.table({"a": ["x"]}))
        with pytest.raises(InputError, match="kept"):
            other.rows(sql.whole("kept"))

    def test_large_tables_and_settings_have_their_own(self, tmp_path):
        text = {"small": b"a\nx\n", "large": b"a\n" + b"x" * 1000 * 2000, "packed": b"a\nx\n"}
        text["packed"] = gzip.compress(text["packed"])
        paths = {name: tmp_path / f"{name}.csv{'.gz' * (name == 'packed')}" for name in text}
        for name, path in paths.items():
            path.write_bytes(text[name])
        pa.parquet.write_table(arrow_table(), tmp_path / "a.parquet")
        small = [DuckDBEngine(arrow_table()), DuckDBEngine(paths["small"])]
        own = [
            DuckDBEngine(pa.table({"a": ["x" * 1000] * 2000})),
            DuckDBEngine(pa.table({"a": pa.nulls(100_000)})),
            DuckDBEngine(arrow_table(), threads=1),
            DuckDBEngine(paths["small"], threads=1),
            DuckDBEngine(paths["large"]),
            DuckDBEngine(paths["packed"]),
            DuckDBEngine(tmp_path / "a.parquet"),
        ]
        small[0]._connection.execute("CREATE TABLE mark AS SELECT 1 AS made")
        ask = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'mark'"
        try:
            assert all(one._connection.execute(ask).fetchall() == [(1,)] for one in small)
            assert all(one._connection.execute(ask).fetchall() == [(0,)] for one in own)
        finally:
            small[0]._connection.execute("DROP TABLE mark")

    def test_threads_open_and_close_at_once(self):
        with ThreadPoolExecutor(8) as pool:
            tables = [arrow_table(ROWS[:n]) for n in range(1, len(ROWS))] * 20

            def work(table):
                engine = DuckDBEngine(table)
                try:
                    return counts_of(engine)
                finally:
                    engine.close()

            found = list(pool.map(work, tables))
        assert found == [counted(ROWS[:n]) for n in range(1, len(ROWS))] * 20

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    def test_a_process_that_is_forked_counts_too(self):
        code = (
            "import os, pyarrow as pa\n"
            "from shoal.data.engines.duckdb.engine import DuckDBEngine\n"
            "table = pa.table({'a': ['x', 'y']})\n"
            "before = DuckDBEngine(table)\n"
            "assert before.count() == 2\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    os._exit(DuckDBEngine(table).count())\n"
            "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2\n"
            "assert before.count() == 2\n"
        )
        # Newer versions of Python warn of a fork beside other threads, such as DuckDB's.
        quietly = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code]
        done = subprocess.run(quietly, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    def test_one_that_has_ended_is_replaced(self):
        DuckDBEngine(arrow_table()).close()
        shared._database.close()
        assert counts_of(DuckDBEngine(arrow_table())) == counted(ROWS)


def test_a_closed_table_says_so(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    engine = DuckDBEngine(tmp_path / "a.csv")
    engine.close()
    engine.close()
    with pytest.raises(InputError, match=r"a\.csv: the table is closed; open it again"):
        engine.count()
    with pytest.raises(InputError, match="the table is closed"):
        engine.cells(["a"])


class TestRest:
    """After a large count DuckDB gives its memory back, and nobody notices."""

    @pytest.fixture(autouse=True)
    def _two_cells_are_many(self, monkeypatch):
        monkeypatch.setattr("shoal.data.engines.duckdb.engine.MANY", 1)

    @pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
    def test_a_table_is_as_it_was(self, tmp_path, ending):
        path, rows = tmp_path / f"a.{ending}", ROWS[:5]
        if ending == "parquet":
            pa.parquet.write_table(arrow_table(rows), path)
        elif ending == "arrow":
            write_ipc(path, arrow_table(rows))
        else:
            text = csv_text(rows, delimiter="\t" if ending == "tsv" else ",")
            path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
        engine = DuckDBEngine(path, threads=1, temp_directory=tmp_path / "spill")
        for _ in range(3):
            assert counts_of(engine) == counted(rows)
            assert engine.count() == len(rows)
        settings = "SELECT current_setting('threads'), current_setting('temp_directory')"
        assert engine._connection.execute(settings).fetchone() == (1, str(tmp_path / "spill"))
        engine.close()
        with pytest.raises(InputError, match="the table is closed"):
            engine.count()

    def test_the_connection_is_closed_until_it_is_needed(self, tmp_path):
        (tmp_path / "a.csv").write_text("a\n1\n2\n")
        engine = DuckDBEngine(tmp_path / "a.csv")
        before = engine._connection
        engine.cells(["a"])
        with pytest.raises(duckdb.ConnectionException):
            before.execute("SELECT 1")
        assert engine.count() == 2
        assert engine._connection is engine._connection

    def test_few_cells_do_not_rest(self, tmp_path):
        (tmp_path / "a.csv").write_text("a\n1\n1\n")
        engine = DuckDBEngine(tmp_path / "a.csv")
        before = engine._connection
        engine.cells(["a"])
        assert engine._connection is before

    def test_frames_are_shown_again_after_a_rest(self):
        engine = DuckDBEngine(arrow_table())
        before = engine._connection
        engine.cells(engine.columns)
        assert engine._connection is not before
        assert counts_of(engine) == counted(ROWS)

    def test_a_file_that_went_meanwhile_is_told(self, tmp_path):
        path = tmp_path / "a.parquet"
        pa.parquet.write_table(arrow_table(), path)
        engine = DuckDBEngine(path)
        engine.cells(["zip"])
        path.unlink()
        for _ in range(2):
            with pytest.raises(InputError, match=r"a\.parquet"):
                engine.count()


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=4)
fields = (
    st.none() | texts | st.sampled_from(["", "NA", "null", "007", "7", "7.0", '"', ",", "\n", "'", " "])
)


@settings(max_examples=15)
@given(st.lists(st.tuples(fields, fields), max_size=8))
def test_any_rows_count_alike_in_csv_and_in_memory(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "a.csv"
    path.write_text(csv_text(rows, ("a", "b")), encoding="utf-8", newline="")
    table = pa.table(
        {
            "a": pa.array([a for a, _ in rows], pa.string()),
            "b": pa.array([b for _, b in rows], pa.string()),
        }
    )
    assert count(path) == count(table) == counted(rows)


@settings(max_examples=examples(60))
@given(table=typed_tables(), data=st.data())
def test_few_cells_are_counted_as_many_are(table, data):
    columns = data.draw(st.lists(st.sampled_from(table.column_names), min_size=1, unique=True))
    engine, large = DuckDBEngine(table), DuckDBEngine(table)
    large._session.small = False
    merged = {}
    for name in columns:
        values = engine.cells([name]).domains[0]
        merged[name] = {value: data.draw(st.sampled_from([*values, "both"])) for value in values[::2]}
    for mapping in (None, merged):
        few = engine.cells(columns, mapping)
        assert same_cells(large.cells(columns, mapping), few)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(duckdb_cells, "FEW", -1)
            assert same_cells(large.cells(columns, mapping), few)
    engine.close()
    large.close()


def test_duckdb_tells_how_far_it_is_and_never_writes_it_among_the_output():
    """In an interpreter without a script DuckDB would draw its own bar on the standard output."""
    code = (
        "import duckdb\n"
        "connect = duckdb.connect\n"
        "class Hasty:\n"
        "    def __init__(self, **given):\n"
        "        self.made = connect(**given)\n"
        "    def execute(self, statement, *given):\n"
        "        if 'lock_configuration' in statement:\n"
        "            self.made.execute('SET progress_bar_time = 0')\n"
        "        return self.made.execute(statement, *given)\n"
        "duckdb.connect = Hasty\n"
        "from shoal.data.engines.duckdb.connection import Connection\n"
        "c = Connection(threads=1).live\n"
        "c.execute('CREATE TABLE x AS SELECT DISTINCT hash(range) FROM range(3000000)')\n"
        "print(c.execute(\"SELECT current_setting('enable_progress_bar')\").fetchall()[0][0])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"


SPILLED = [
    # As DuckDB says it where it sees the end coming, and where the disk tells it.
    duckdb.OutOfMemoryException(
        "Out of Memory Error: failed to offload data block of size 256.0 KiB (1.7 MiB/1.7 MiB used).\n"
        "This limit was set by the 'max_temp_directory_size' setting.\n"
    ),
    duckdb.IOException(
        'IO Error: Could not write file "/x/duckdb_temp_storage_DEFAULT-0.tmp": No space left on device'
    ),
]


@pytest.mark.parametrize("problem", SPILLED)
def test_a_full_disk_for_temporary_files_is_told_with_the_way_out(problem, tmp_path):
    class Full:
        """A session and its connection, on a disk without space."""

        def sql(self, statement):
            raise problem

        def query_progress(self):
            return 0.0

        def interrupt(self):
            pass

        @contextmanager
        def writing(self, path):
            yield self

        @property
        def live(self):
            return self

    told = r"the disk for temporary files is full; [^\n]*temp_directory[^\n]*$"
    outlet = DuckDBOutlet(Full(), exp.select("1"), {})
    with pytest.raises(InputError, match=rf"^[^\n]*out.csv: {told}"):
        outlet.write(tmp_path / "out.csv")
    with pytest.raises(InputError, match=f"^{told}"):
        outlet.table()
    assert "temp_directory" in str(refusal(problem, None))


def test_a_full_disk_for_the_release_is_told_as_such(tmp_path):
    problem = duckdb.IOException('IO Error: Could not write file "/x/out.csv": No space left on device')
    assert "temp_directory" not in str(refusal(problem, None))


@pytest.mark.parametrize(("kind", "named"), [(threading.Thread, "start"), (threading.Event, "wait")])
def test_ctrl_c_ends_the_writing_before_its_connection_is_closed(kind, named, tmp_path, monkeypatch):
    """However often, and wherever in the making of the thread: DuckDB closes no connection that is in use."""
    table = pa.table({"age": [str(i % 50) for i in range(300_000)]})
    done, pressed = getattr(kind, named), []

    def interrupted(self, *given):
        if threading.current_thread() is not threading.main_thread() or len(pressed) == 3:
            return done(self, *given)
        if kind is threading.Thread:
            done(self, *given)
        pressed.append(self)
        raise KeyboardInterrupt

    with Study(table, quasi={"age": {"intervals": {"widths": [10]}}}, threads=1) as study:
        release = study.release(study.frontier(), k=2, seed=1)
        with monkeypatch.context() as patch:
            patch.setattr(kind, named, interrupted)
            with pytest.raises(KeyboardInterrupt):
                release.write(tmp_path / "out.csv")
        assert list(tmp_path.iterdir()) == []
        release.write(tmp_path / "out.csv")
