"""CSV and TSV files as they come: their encoding, delimiter and columns, and what is odd about them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.data.files.encodings import AS_DUCKDB_READS, UTF_8, Encoding, encoding_of, first_text
from shoal.data.files.sources import check_columns, ending_of
from shoal.errors import InputError

_DELIMITERS = ",;\t|"
_SAID = re.compile(r'"?sep=(.)"?\r?(?:\n|\r|$)', re.IGNORECASE)
_HEAD = 1 << 20
_SAMPLE = 50
"""How many rows are looked at for spaces after delimiters, and for row names without a header."""
_ENOUGH = 10
"""This many rows with spaces after delimiters are enough, even if the header has none."""


@dataclass(frozen=True)
class TextFile:
    """A CSV or TSV file whose first line names the columns.

    `line_end` is set if a column name contains a line end, which could mislead the guess. `said` means
    that a line before the header names the delimiter; `spaced`, that a space follows every delimiter;
    `numbered`, that the first column has no name, as R and pandas write row names.
    """

    path: Path
    delimiter: str
    columns: tuple[str, ...]
    line_end: str | None = None
    encoding: Encoding = AS_DUCKDB_READS
    said: bool = False
    spaced: bool = False
    numbered: bool = False

    @property
    def notes(self) -> Iterator[str]:
        """Sentences about what was found, for someone who reads the table for the first time."""
        if self.encoding.name != UTF_8 and not self.encoding.said:
            yield f"the file is read as {self.encoding.shown}; say `encoding:` in the study if it is not that"
        if self.numbered:
            yield "the first column has no name, as the names of rows have none; it is left out"
        if self.spaced:
            yield "a space follows every delimiter; the spaces are not part of the values"


def inspect_text(path: Path, encoding: str | None = None, *, as_written: bool = False) -> TextFile:
    """Return the delimiter and the columns of a CSV or TSV file, in the given `encoding` or one found.

    If it is to be read `as_written`, nothing is noted as odd.
    """
    found = encoding_of(path, encoding)
    head = first_text(path, found, _HEAD)
    told = None if as_written else _SAID.match(head)
    if told is not None:
        head = head[told.end() :]
    line = 1 if told is None else 2
    record = _first_record(head)
    if not record.rstrip("\r\n"):
        raise InputError("the first line is empty; it must name the columns", file=path, line=line)
    if ending_of(path).startswith(".tsv"):
        delimiter = "\t"
    elif told is not None:
        delimiter = told[1]
    else:
        outside = "".join(record.split('"')[::2])
        delimiter = max(_DELIMITERS, key=lambda d: (outside.count(d), -_DELIMITERS.index(d)))
    spaced = delimiter != "\t" and not as_written and _spaced(record, delimiter)
    source = io.StringIO(record, newline="")
    try:
        columns = next(csv.reader(source, delimiter=delimiter, strict=True, skipinitialspace=spaced))
    except (csv.Error, StopIteration):
        raise InputError("the header cannot be read; check its quotes", file=path, line=line) from None
    header = record[: source.tell()]
    rows = [] if as_written else _sample(head[len(header) :], delimiter, whole=len(head) < _HEAD)
    spaced = (spaced or len(rows) >= _ENOUGH) and delimiter != "\t" and all(map(_all_spaced, rows))
    if spaced:
        columns = [column.strip(" ") for column in columns]
    numbered = len(columns) > 1 and columns[0] == "" and not as_written
    if numbered:
        columns = columns[1:]
    elif rows and all(len(row) == len(columns) + 1 for row in rows):
        numbered = True
    check_columns(columns, path, line)
    end = _line_end(header, columns, path)
    return TextFile(path, delimiter, tuple(columns), end, found, told is not None, spaced, numbered)


def _spaced(record: str, delimiter: str) -> bool:
    """Return whether a space follows every delimiter of a header."""
    outside = "".join(record.split('"')[::2]).split(delimiter)[1:]
    return bool(outside) and all(part.startswith(" ") for part in outside)


def _all_spaced(row: Sequence[str]) -> bool:
    return len(row) > 1 and all(field.startswith(" ") for field in row[1:])


def _sample(text: str, delimiter: str, *, whole: bool) -> list[list[str]]:
    """Return some rows of a text; faults are reported later, when all rows are read."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            rows.append(row)
            if len(rows) > _SAMPLE:
                break
    except csv.Error:
        return []
    if len(rows) > _SAMPLE or not whole:
        rows = rows[:-1]
    return [row for row in rows if row]


def _line_end(header: str, columns: Sequence[str], path: Path) -> str | None:
    """Return the line end of a header whose names contain line ends; None if DuckDB finds it itself."""
    end = header[len(header.rstrip("\r\n")) :]
    inside = "".join(columns)
    if end != "\r":
        return end if end and ("\r" in inside or "\n" in inside) else None
    if "\n" in inside:  # DuckDB cannot be told about lone returns
        raise InputError(
            "a column name contains a line end that differs from the file's own; rename it",
            file=path,
            line=1,
        )
    return None


def _first_record(text: str) -> str:
    """Return the header: the first line, or more if a quoted name contains line ends."""
    record = ""
    for line in io.StringIO(text, newline="\n"):
        record += line
        if record.count('"') % 2 == 0:
            break
    return record if '"' in record else record.rstrip("\r\n").split("\r", 1)[0]
