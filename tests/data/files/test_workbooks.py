"""Workbooks: the first visible sheet is the table, and nothing that is written runs."""

from __future__ import annotations

import datetime as dt
import zipfile

import pyarrow as pa
import pytest
import xlsxwriter

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files import workbooks
from shoal.errors import InputError
from tests.data.files.labelled_tables import read, write


def book(path, *sheets, hide=()):
    with xlsxwriter.Workbook(str(path)) as made:
        for s, rows in enumerate(sheets):
            sheet = made.add_worksheet()
            if s in hide:
                sheet.hide()
            elif hide:
                sheet.set_first_sheet()
                sheet.activate()
            for r, row in enumerate(rows):
                for c, cell in enumerate(row):
                    sheet.write(r, c, cell)
    return path


def test_the_first_visible_sheet_is_the_table(tmp_path):
    rows, others = [["a", "b"], [1, "x"], [2.0, None]], [["note"], ["secret"]]
    assert read(book(tmp_path / "t.xlsx", rows, others))[0] == {"a": [1, 2], "b": ["x", None]}
    hidden = book(tmp_path / "u.xlsx", others, rows, hide={0})
    assert read(hidden)[0] == {"a": [1, 2], "b": ["x", None]}


def test_a_column_of_several_kinds_is_text(tmp_path):
    rows = [["a", "b"], [1, 0.5], ["?", 2], [True, 3]]
    assert read(book(tmp_path / "t.xlsx", rows))[0] == {"a": ["1", "?", "true"], "b": [0.5, 2.0, 3.0]}


def test_empty_rows_and_columns_at_the_end_are_not_read(tmp_path):
    rows = [["a", "", ""], [1], [None, None], ["", ""]]
    assert read(book(tmp_path / "t.xlsx", rows))[0] == {"a": [1]}


def test_a_column_without_a_name_is_refused(tmp_path):
    with pytest.raises(InputError, match="line 1: column 2 has no name"):
        DuckDBEngine(book(tmp_path / "t.xlsx", [["a", ""], [1, 2]]))


def test_an_empty_sheet_is_refused(tmp_path):
    with pytest.raises(InputError, match="the first sheet is empty"):
        DuckDBEngine(book(tmp_path / "t.xlsx", []))


def test_nothing_in_a_written_workbook_is_a_formula_or_a_link(tmp_path):
    texts = ["=1+1", "@SUM(A1)", "http://example.org", "{=1}"]
    path = write(pa.table({"=a": texts}), tmp_path / "t.xlsx")
    assert read(path)[0] == {"=a": texts}
    with zipfile.ZipFile(path) as packed:
        assert b"<f>" not in packed.read("xl/worksheets/sheet1.xml")


def test_the_same_rows_give_the_same_file(tmp_path):
    table = pa.table({"a": [1, 2]})
    one, other = (write(table, tmp_path / name).read_bytes() for name in ("a.xlsx", "b.xlsx"))
    assert one == other


def test_what_a_sheet_cannot_count_is_text(tmp_path):
    table = pa.table({"long": [10**16, 1], "day": [dt.date(1850, 1, 1), None], "yes": [True, None]})
    found = read(write(table, tmp_path / "t.xlsx"))[0]
    assert found == {
        "long": ["10000000000000000", "1"],
        "day": ["1850-01-01", None],
        "yes": [True, None],
    }


def test_too_many_rows_and_too_long_texts_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="no more than 32,767 characters"):
        write(pa.table({"a": ["x" * 40_000]}), tmp_path / "t.xlsx")
    monkeypatch.setattr(workbooks, "MOST_ROWS", 2)
    with pytest.raises(InputError, match=r"these are 3 rows; release as CSV"):
        write(pa.table({"a": [1, 2, 3]}), tmp_path / "t.xlsx")


def write_ods(path, rows):
    """Write a small OpenDocument spreadsheet: numbers as numbers, all else as text."""

    def cell(value):
        if value is None:
            return "<table:table-cell/>"
        kind = "float" if isinstance(value, int | float) else "string"
        number = f' office:value="{value}"' if kind == "float" else ""
        inside = f"<text:p>{value}</text:p>"
        return f'<table:table-cell office:value-type="{kind}"{number}>{inside}</table:table-cell>'

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    known = ("office", "table", "text")
    names = " ".join(f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in known)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        listed = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
        file.writestr("META-INF/manifest.xml", f"<manifest:manifest {listed}/>")
        file.writestr(
            "content.xml",
            f'<office:document-content {names} office:version="1.2"><office:body><office:spreadsheet>'
            f'<table:table table:name="people">{body}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )


def test_an_open_document_is_read(tmp_path):
    write_ods(tmp_path / "people.ods", [("age", "town"), (31, "Köln"), (44, None), (2.5, "Bonn")])
    engine = DuckDBEngine(tmp_path / "people.ods")
    found = engine.cells(["age", "town"])
    engine.close()
    rows = [[found.domains[c][code] for c, code in enumerate(row)] for row in found.codes.tolist()]
    assert sorted(rows) == [["2.5", "Bonn"], ["31", "Köln"], ["44", None]]
