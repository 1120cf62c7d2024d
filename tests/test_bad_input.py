"""Bad input: exit status 2, exactly one line that says what and where, never a traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shoal.cli import main
from tests.commands import SHOAL

TABLE = "age,zip,name\n30,02138,Ann\n31,02139,Bob\n34,02141,Cleo\n"
STUDY = (
    "table: people.csv\n"
    "attributes:\n"
    "  age: {role: quasi, hierarchy: age.csv}\n"
    "  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}\n"
)
AGES = "30;30-34;*\n31;30-34;*\n34;30-34;*\n"

BAD_TABLES = {
    "no rows": ("age,zip,name\n", "people.csv: the table has no rows"),
    "nothing": ("", "people.csv: the file is empty"),
    "no header": ("\n", "people.csv, line 1: the first line is empty"),
    "a column twice": ("age,zip,age\n1,2,3\n", "people.csv, line 1: the column 'age' appears twice"),
    "a column twice but for its case": (
        "age,zip,Age\n1,2,3\n",
        "line 1: the column 'Age' appears twice",
    ),
    "a column without a name": ("age,zip,\n1,2,3\n", "people.csv, line 1: column 3 has no name"),
    "a ragged row": ("age,zip\n30,02138\n31\n", "people.csv, line 3: 1 fields where the header has 2"),
    "bytes of no encoding": (
        b"age,zip\n30,\x81\xe9\xe9\xe9\xe9\n",
        "people.csv, line 2: neither UTF-8 nor Windows-1252 (byte 0x81)",
    ),
    "half of UTF-16": (TABLE.encode("utf-16")[:-1], "people.csv, line 4: not UTF-16 (byte 0x0a)"),
    "an open quote": ('age,zip\n30,"02138\n', "people.csv, line 2: a quote is not closed"),
    "an unknown value": (
        TABLE + "35,02138,Eve\n",
        "age.csv: no row for the value '35' of the column 'age'",
    ),
    "lost zeros": (TABLE + "30,2138,Eve\n", "the value '2138' has 4 characters where the mask says 5"),
    "no such column": (
        "agee,zip\n1,2\n",
        "study.yaml, line 3: the table people.csv has no column 'age'; did you mean agee?",
    ),
}

BAD_HIERARCHIES = {
    "two parents": ("30;x;p;*\n31;x;q;*\n34;x;p;*\n", "age.csv, line 2: the value 'x' has two parents"),
    "ragged rows": (
        "30;x;*\n31;*\n34;x;*\n",
        "age.csv, line 2: 2 columns where the first row has 3: value '31'",
    ),
    "no common root": ("30;*\n31;*\n34;+\n", "age.csv, line 3: no common root: '*' and '+'"),
    "an empty row": ("30;*\n\n31;*\n34;*\n", "age.csv, line 2: an empty row"),
    "a duplicate row": (
        "30;*\n31;*\n30;*\n34;*\n",
        "age.csv, line 3: the value '30' appears twice (first on line 1)",
    ),
    "an empty label": (
        "30;x;*\n31;;*\n34;x;*\n",
        "age.csv, line 2: the value '31' has an empty label in column 2",
    ),
    "nothing": ("", "age.csv: the hierarchy is empty"),
    "bytes of Latin-1": (b"30;*\n31;\xe9\n", "age.csv, line 2: not UTF-8 (byte 0xe9)"),
    "a NUL": (b"30;*\n31;\0\n", "age.csv, line 2: a NUL byte"),
    "an open quote": ('30;*\n"31;*\n34;*\n', "age.csv, line 2: unexpected end of data"),
    "a value missing": (
        "30;*\n34;*\n",
        "age.csv: no row for the value '31' of the column 'age' (1 rows)",
    ),
    "many values missing": (
        "30;*\n",
        "age.csv: no row for the value '31' of the column 'age' (1 rows) and 1 more",
    ),
}

BAD_STUDIES = {
    "no such table": (
        STUDY.replace("people.csv", "persons.csv"),
        "persons.csv: no such file; check the path",
    ),
    "no such hierarchy": (
        STUDY.replace("age.csv", "ages.csv"),
        "ages.csv: no such file; check the path",
    ),
    "a folder as table": (STUDY.replace("people.csv", "."), "the ending '.yaml' is unknown"),
    "an unknown kind of table": (
        STUDY.replace("people.csv", "study.yaml"),
        "study.yaml: does not say where a table is (engine, url, table)",
    ),
    "no such column": (
        STUDY.replace("  age", "  aeg"),
        "study.yaml, line 3: the table people.csv has no column 'aeg'; did you mean age?",
    ),
    "a role misspelt": (
        STUDY.replace("quasi", "qausi", 1),
        "study.yaml, line 3: unknown role 'qausi'; did you mean quasi?",
    ),
    "an entry misspelt": (
        STUDY.replace("hierarchy", "hierachy", 1),
        "study.yaml, line 3: unknown entry 'hierachy'",
    ),
    "a description misspelt": (
        STUDY.replace("mask", "maks"),
        "unknown description 'maks'; did you mean mask?",
    ),
    "no YAML": ("table: [", "study.yaml, line 1: not YAML"),
    "nothing": ("", "study.yaml: a study is a mapping"),
    "a level above the root": (
        STUDY.replace("age.csv}", "age.csv, max_level: 3}"),
        "study.yaml, line 3: max_level 3",
    ),
    "bytes of Latin-1": (b"table: pe\xf6ple.csv\n", "study.yaml, line 1: not UTF-8 (byte 0xf6)"),
}

BAD_OPTIONS = {
    "an unknown metric": (["--metric", "MDL"], "unknown metric 'MDL'; "),
    "a metric misspelt": (["--metric", "Perc"], "unknown metric 'Perc'; did you mean Prec?"),
    "a metric that lacks its column": (
        ["--metric", "CM"],
        "study.yaml: the metric CM needs a column of the role class",
    ),
    "an unknown method": (["--method", "exactly"], "unknown method 'exactly'; did you mean exact?"),
    "an unknown option": (["--metrc", "LM"], "did you mean --metric?"),
    "an option without its value": (["--metric"], "--metric"),
    "one argument too many": (["more.yaml"], "more.yaml"),
    "negative suppression": (["--suppress", "-1"], "suppression of -1 is negative"),
    "more than everything": (["--suppress", "101%"], "suppression of 101% is more than the whole table"),
    "more rows than there are": (["--suppress", "4"], "suppression of 4 rows, but the table has 3"),
    "not an amount": (["--suppress", "lots"], "'lots' is not an amount of suppression"),
    "no number at all": (["--suppress", "nan"], "'nan' is not an amount of suppression"),
    "an endless number": (
        ["--suppress", "1e999999999"],
        "'1e999999999' is not an amount of suppression",
    ),
    "an empty amount": (["--suppress", ""], "'' is not an amount of suppression"),
    "a k of 0": (["--min-k", "0"], "--min-k is "),
    "a negative k": (["--min-k", "-5"], "--min-k is "),
    "a k that is no number": (["--min-k", "many"], "'--min-k'"),
    "half a k": (["--max-k", "2.5"], "'--max-k'"),
    "a range of k upside down": (["--min-k", "3", "--max-k", "2"], "no k lies between 3 and 2"),
    "no time": (["--time-limit", "0"], "--time-limit is 0.0; use more than 0"),
    "negative time": (["--time-limit", "-1"], "--time-limit is -1.0; use more than 0"),
    "time that is no number": (["--time-limit", "nan"], "--time-limit is nan"),
    "time in words": (["--time-limit", "soon"], "'--time-limit'"),
    "no depth": (["--method", "poka", "--depth", "0"], "--depth is 0; use a whole number, 1 or more"),
    "depth for another method": (["--depth", "2"], "the method exact has no depth"),
    "no threads": (["--threads", "0"], "--threads is 0; use a whole number from 1 to 1,024"),
    "a million threads": (
        ["--threads", "1000000"],
        "--threads is 1000000; use a whole number from 1 to 1,024",
    ),
    "a memory in words": (["--memory-limit", "much"], "DuckDB refuses its settings"),
    "a negative memory": (["--memory-limit", "-1GB"], "a memory limit of -1GB is negative"),
    "too little memory": (["--memory-limit", "1KB"], "DuckDB is out of memory"),
    "a file to spill into": (["--temp-directory", "people.csv"], "people.csv: is not a folder"),
    "a place that is taken": (["--save", "age.csv"], "age.csv: already exists"),
    "a folder that is not there": (["--save", "no/x.json"], "no/x.json: its folder does not exist"),
    "a name that is too long": (["--save", "x" * 300], "File name too long"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "age.csv").write_text(AGES)
    (tmp_path / "study.yaml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refusal(folder, monkeypatch, capsys):
    """Runs a command that must fail; returns the line it says."""

    def run(*arguments):
        before = {path: path.read_bytes() for path in folder.iterdir()}
        monkeypatch.setattr(sys, "argv", ["shoal", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        assert stopped.value.code == 2
        assert printed.out == ""
        assert printed.err.startswith("shoal: ")
        assert printed.err.endswith("\n")
        assert printed.err.count("\n") == 1
        assert len(printed.err) < 700
        assert {path: path.read_bytes() for path in folder.iterdir()} == before
        return printed.err

    return run


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table(folder, refusal, case):
    content, words = BAD_TABLES[case]
    write(folder / "people.csv", content)
    assert words in refusal("frontier", "study.yaml")


@pytest.mark.parametrize("case", BAD_HIERARCHIES)
def test_a_bad_hierarchy(folder, refusal, case):
    content, words = BAD_HIERARCHIES[case]
    write(folder / "age.csv", content)
    assert words in refusal("frontier", "study.yaml")


@pytest.mark.parametrize("case", BAD_STUDIES)
def test_a_bad_study(folder, refusal, case):
    content, words = BAD_STUDIES[case]
    write(folder / "study.yaml", content)
    assert words in refusal("frontier", "study.yaml")


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_a_bad_option(refusal, case):
    arguments, words = BAD_OPTIONS[case]
    assert words in refusal("frontier", "study.yaml", *arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["forntier", "study.yaml"], "frontier"),
        (["--nonsense"], "--nonsense"),
        (["frontier"], "Missing argument"),
        (["frontier", "nope.yaml"], "nope.yaml: no such file; check the path"),
        (["frontier", "."], ".: cannot be read: Is a directory"),
        (
            ["frontier", "people.csv"],
            "people.csv, line 1: a study is a mapping with table and attributes",
        ),
    ],
)
def test_a_bad_command(refusal, arguments, words):
    assert words in refusal(*arguments)


def test_a_process_says_one_line_too(folder):
    content, words = BAD_TABLES["bytes of no encoding"]
    write(folder / "people.csv", content)
    done = subprocess.run(
        [*SHOAL, "frontier", "study.yaml", "--json"],
        capture_output=True,
        check=False,
        cwd=folder,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().count("\n") == 1
    assert words in done.stderr.decode()
