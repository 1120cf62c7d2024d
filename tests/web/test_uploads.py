"""What is uploaded: tables are read, everything else is refused with a sentence, and the server lives on."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from threading import BoundedSemaphore

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from shoal.data.files.codebook import Codebook, Kind, Variable
from shoal.data.files.stat_writing import write_statistics
from shoal.data.files.workbooks import write_workbook
from shoal.errors import InputError, TooManyError
from shoal.web.server.intake import read_apart
from shoal.web.server.reader import take
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.looks import read_look
from tests.web.conftest import SMALL
from tests.web.test_guard import refused

TABLE = "name,age,zip,disease\nAnn,31,02138,flu\nBob,44,02139,cold\nCid,,02139,flu\n"


def as_parquet(table):
    held = io.BytesIO()
    parquet.write_table(table, held)
    return held.getvalue()


def as_feather(table):
    held = io.BytesIO()
    feather.write_feather(table, held)
    return held.getvalue()


def as_zip(name, content):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, content)
    return held.getvalue()


def as_file(ending):
    """The table as a file of SPSS, Stata, SAS or a spreadsheet."""
    pytest.importorskip("pyreadstat")
    pytest.importorskip("python_calamine")
    rows = pa.table({"age": [31, 44, None], "zip": ["02138", "02139", "02139"]})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table{ending}")
        if ending == ".xlsx":
            write_workbook(rows, path)
        else:
            known = Codebook((Variable("age", Kind.NUMBER), Variable("zip", Kind.TEXT)))
            write_statistics(rows, known, path)
        return path.read_bytes()


def endless_line():
    """A line of two gigabytes, packed: members of a gzip file are read as one."""
    return gzip.compress(b"a,b\n1,") + gzip.compress(b"x" * (16 << 20)) * 128


ARROW = pa.table({"age": [31, 44, None], "zip": ["02138", "02139", "02139"]})
GOOD = {
    "csv": TABLE.encode(),
    "csv with a mark": b"\xef\xbb\xbf" + TABLE.encode(),
    "semicolons": TABLE.replace(",", ";").encode(),
    "tabs": TABLE.replace(",", "\t").encode(),
    "returns": TABLE.replace("\n", "\r\n").encode(),
    "packed": gzip.compress(TABLE.encode()),
    "parquet": as_parquet(ARROW),
    "feather": as_feather(ARROW),
    "windows-1252": TABLE.replace("Ann", "Zoë").encode("windows-1252"),
    "utf-16": TABLE.replace("Ann", "Zoë").encode("utf-16"),
    "packed windows-1252": gzip.compress(TABLE.replace("Ann", "Zoë").encode("windows-1252")),
    **{ending: (lambda ending=ending: as_file(ending)) for ending in (".sav", ".dta", ".xpt", ".xlsx")},
}


@pytest.mark.parametrize("kind", GOOD)
def test_a_table_is_read_by_what_it_holds(tmp_path, kind):
    upload = tmp_path / "upload"
    content = GOOD[kind]
    upload.write_bytes(content() if callable(content) else content)
    take({"upload": str(upload), "folder": str(tmp_path)}, SMALL)
    look = read_look(tmp_path / "look.json")
    assert look.rows == 3
    assert look.profile("age").missing == 1
    assert look.profile("age").whole
    assert look.samples[2][look.columns.index("age")] is None
    assert {path.stem for path in tmp_path.iterdir()} <= {"table", "look", "spill"}
    if "name" in look.columns and look.samples[0][0] != "Ann":
        assert look.samples[0][0] == "Zoë"


def test_a_table_is_read_whatever_it_is_called(server, client):
    answer = client.post("/api/studies", params={"name": "../../etc/passwd\0.exe"}, content=GOOD["csv"])
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert made["title"] == "../../etc/passwd .exe"
    columns = {column["name"]: column for column in made["columns"]}
    assert columns["age"]["kind"] == "whole number"
    assert columns["zip"]["roles"] == ["quasi"]
    assert all(column["roles"] and column["reason"] for column in columns.values())
    rows = client.get(f"/api/studies/{made['id']}/rows").json()["rows"]
    assert rows[0] == ["Ann", "31", "02138", "flu"]
    (work,) = server.sessions.get(client.cookies[server.place.cookie]).studies.values()
    assert sorted(path.name for path in work.bench.folder.iterdir()) == [
        "hierarchies",
        "history.json",
        "look.json",
        "table.csv",
    ]
    assert work.bench.folder.stat().st_mode & 0o777 == 0o700


BAD = {
    "nothing": (b"", "the file is empty"),
    "packed nothing": (gzip.compress(b""), "the file is empty"),
    "a header alone": (b"a,b\n", "no rows"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "NUL byte"),
    "a page": (b"\n <!doctype html><p>age,zip", "a web page or XML"),
    "json": (b'{"age": 3}', "JSON"),
    "a pdf": (b"%PDF-1.7 x", "a PDF"),
    "a spreadsheet that is none": (as_zip("xl/workbook.xml", "<x/>"), "cannot be read as a workbook"),
    "a zip archive": (as_zip("people.csv", TABLE), "a zip archive"),
    "a bomb as a spreadsheet": (
        lambda: as_zip("xl/workbook.xml", b"0" * (64 << 20)),
        "the workbook is larger than 16 MB",
    ),
    "SPSS that is none": (b"$FL2" + b"x" * 200, "cannot be read as a file of SPSS"),
    "Stata that is none": (b"<stata_dta>" + b"x" * 200, "cannot be read as a file of Stata"),
    "an old spreadsheet": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "(.xls)"),
    "a bomb as gz": (lambda: gzip.compress(b"a,b\n" + b"1,2\n" * (5 << 20), 1), "larger than 16 MB"),
    "broken gz": (gzip.compress(TABLE.encode())[:-9], "the packed file is damaged"),
    "gz that is none": (b"\x1f\x8b" + b"x" * 100, "the packed file is damaged"),
    "too many columns": (",".join(f"c{i}" for i in range(10_000)).encode() + b"\n", "10,000 columns"),
    "an endless line": (endless_line, "line 2 is longer than 256 KB"),
    "a long line": (b"a,b\n1," + b"x" * (1 << 20), "line 2 is longer than 256 KB"),
    "a NUL": (b"a,b\n1,\0\n", "a NUL byte"),
    "no encoding": (b"name,age\nJos\x81\x8d,3\n", "neither UTF-8 nor Windows-1252"),
    "cut off in a character": ("name,age\né".encode()[:-1], "not UTF-8"),
    "too many rows": (b"a,b\n" + b"1,2\n" * 60_000, "60,000 rows"),
    "a long cell": (b"a,b\n1," + b"x" * 6000 + b"\n", "a cell of 6,000 characters"),
    "the same name twice": (b"age,age\n1,2\n", "appears twice"),
    "no name": (b"a,,b\n1,2,3\n", "no name"),
    "ragged rows": (b"a,b\n1,2\n1,2,3\n", ""),
    "an open quote": (b'a,b\n1,"2\n', ""),
    "broken parquet": (b"PAR1" + b"x" * 100 + b"PAR1", "not a Parquet file"),
    "parquet of too many rows": (
        as_parquet(pa.table({"a": pa.nulls(60_000, pa.int8())})),
        "60,000 rows",
    ),
    "parquet of too many columns": (
        as_parquet(pa.table({f"c{i}": [1] for i in range(400)})),
        "400 columns",
    ),
    "broken arrow": (b"ARROW1\0\0" + b"x" * 100, "not an Arrow file"),
    "arrow of too many columns": (
        as_feather(pa.table({f"c{i}": [1] for i in range(400)})),
        "400 columns",
    ),
}


SENT = (
    "nothing", "a picture", "a bomb as a spreadsheet", "a bomb as gz", "too many columns", "an endless line",
    "a NUL", "no encoding", "ragged rows", "broken parquet",
)  # fmt: skip


def bad(kind):
    """What is uploaded, packed only now where that takes long, and what is said of it."""
    content, sentence = BAD[kind]
    return content() if callable(content) else content, sentence


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_table_is_refused_by_the_reader(tmp_path, kind):
    content, sentence = bad(kind)
    upload = tmp_path / "upload"
    upload.write_bytes(content)
    with pytest.raises(InputError) as refusal:
        take({"upload": str(upload), "folder": str(tmp_path)}, SMALL)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("kind", SENT)
def test_what_is_no_table_is_refused_with_a_sentence(server, client, kind):
    content, sentence = bad(kind)
    answer = client.post("/api/studies", content=content)
    said = refused(answer, 422)
    assert sentence in said
    assert "\n" not in said
    assert str(server.sessions.root) not in said
    assert client.get("/api/studies").json() == {"studies": []}
    (session,) = [
        each for each in server.sessions._sessions.values() if each.key in client.cookies.values()
    ]
    assert list(session.folder.iterdir()) == []


@pytest.mark.parametrize("megabytes", [60, 150, 170, 198, 228, 237, 285])
def test_a_reader_that_takes_too_much_memory_ends_alone(tmp_path, megabytes):
    # Libraries fail in many ways where memory ends: while they load, start or read.
    upload = tmp_path / "upload"
    upload.write_bytes(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(100_000)))
    tight = replace(Limits(), read_memory=megabytes << 20)
    with pytest.raises(InputError, match=f"cannot be read within {megabytes} MB of memory"):
        read_apart("take", upload, tmp_path, tight)
    assert not upload.exists()


def test_a_reader_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    upload = tmp_path / "upload"
    upload.write_bytes(TABLE.encode())
    monkeypatch.setattr("shoal.web.server.intake.GRACE", -0.99)
    with pytest.raises(InputError, match="and 1 seconds"):
        read_apart("take", upload, tmp_path, replace(Limits(), read_seconds=1))
    assert not upload.exists()


@pytest.mark.parametrize(
    ("odd", "shown"),
    [
        (pa.array([2**31 - 1, -(2**31), 3], pa.date32()), "infinity"),
        (pa.array([1, 2, 3], pa.timestamp("us", tz="Mars/Olympus")), "1970-01-01 00:00:00.000001"),
    ],
)
def test_dates_that_python_does_not_know_are_read_all_the_same(tmp_path, odd, shown):
    upload = tmp_path / "upload"
    upload.write_bytes(as_parquet(pa.table({"odd": odd, "plain": ["x", "y", "z"]})))
    read_apart("take", upload, tmp_path, Limits())
    look = read_look(tmp_path / "look.json")
    assert look.samples[0] == (shown, "x")
    assert look.profile("odd").distinct == 3


def test_a_reader_that_breaks_says_so_and_not_that_it_was_too_much(tmp_path, monkeypatch, caplog):
    broken = subprocess.run(
        [sys.executable, "-m", "shoal.web.server.reader"],
        input=json.dumps({"task": "take", "limits": asdict(Limits())}),
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    monkeypatch.setattr("shoal.web.server.intake._run_reader", lambda *_: broken)
    with pytest.raises(InputError, match="a column cannot be read \\(KeyError\\)"):
        read_apart("take", tmp_path / "upload", tmp_path, Limits())
    assert "KeyError: 'folder'" in caplog.text


def test_only_so_many_wait_for_a_reader(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.web.server.intake._waiting", BoundedSemaphore(1))
    upload = tmp_path / "upload"

    def read(*_):
        with pytest.raises(TooManyError, match="try again soon"):
            read_apart("take", upload, tmp_path, Limits())
        return "{}"

    monkeypatch.setattr("shoal.web.server.intake._run_reader", read)
    assert read_apart("take", upload, tmp_path, Limits()) == {}


def test_the_look_of_a_table_is_kept_whole(tmp_path):
    upload = tmp_path / "upload"
    upload.write_bytes(TABLE.encode())
    assert read_apart("take", upload, tmp_path, Limits()) == {"table": "table.csv"}
    look = read_look(tmp_path / "look.json")
    assert look.columns == ("name", "age", "zip", "disease")
    assert [guess.role for guess in look.guesses] == ["identifying", "quasi", "quasi", "sensitive"]
    assert look.profile("zip").values == ("02138", "02139")
    assert look.samples[0] == ("Ann", "31", "02138", "flu")


def test_a_table_of_which_nothing_looks_quasi_is_opened_all_the_same(client):
    answer = client.post("/api/studies", content=b"name\nAnn\nBob\n")
    assert answer.status_code == 201
    made = answer.json()
    assert made["notices"]
    assert made["columns"][0]["roles"] == ["identifying"]
    said = refused(client.post(f"/api/studies/{made['id']}/negotiate", json={"k": 2}), 422)
    assert "no column has the role quasi" in said


def test_only_so_many_studies_are_open_in_one_session(client):
    for _ in range(SMALL.studies):
        assert client.post("/api/studies/built-in", json={"rows": 20}).status_code == 201
    said = refused(client.post("/api/studies/built-in", json={"rows": 20}), 429)
    assert "delete one first" in said
    one = client.get("/api/studies").json()["studies"][0]["id"]
    assert client.delete(f"/api/studies/{one}").status_code == 204
    assert client.post("/api/studies/built-in", json={"rows": 20}).status_code == 201


NO_RELEASES = {
    "nothing": (b"", "not the zip file"),
    "broken": (b"PK\x03\x04xxxx", "not the zip file"),
    "no certificate": (as_zip("a.csv", "x"), "0 certificates"),
    "no table": (as_zip("../../a.csv.certificate.json", "{}"), "is not in this file"),
    "no kind of table": (as_zip("a.exe.certificate.json", "{}"), "is not in this file"),
}


@pytest.mark.parametrize("kind", NO_RELEASES)
def test_what_is_no_release_is_not_verified(client, kind):
    content, sentence = NO_RELEASES[kind]
    assert sentence in refused(client.post("/api/verify", content=content), 422)


def test_a_release_that_unpacks_to_too_much_is_not_verified(client):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.csv", b"0" * (40 << 20))
        packed.writestr("a.csv.certificate.json", json.dumps({}))
    assert "unpacked, the release is larger" in refused(
        client.post("/api/verify", content=held.getvalue()), 422
    )


@pytest.mark.parametrize(
    ("table", "other", "what"),
    [
        ("a\n" + "1\n" * 50_001, None, "50,001 rows; at most 50,000 are allowed here"),
        (
            ",".join(f"c{i}" for i in range(301)) + "\n",
            None,
            "301 columns; at most 300 are allowed here",
        ),
        ("a\n1\n", "a\n" + "1\n" * 50_001, "50,001 rows; at most 50,000 are allowed here"),
        (
            as_parquet(pa.table({"a": [1] * 50_001})),
            None,
            "50,001 rows; at most 50,000 are allowed here",
        ),
    ],
)
def test_a_release_of_more_rows_or_columns_than_are_taken_is_not_verified(client, table, other, what):
    held = io.BytesIO()
    name = "a.csv" if isinstance(table, str) else "a.parquet"
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, table)
        packed.writestr(f"{name}.certificate.json", json.dumps({}))
        if other is not None:
            packed.writestr(f"{name}.sensitive.csv", other)
    assert what in refused(client.post("/api/verify", content=held.getvalue()), 422)
