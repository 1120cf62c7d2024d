"""Hierarchy files in ARX's format: no header, one row per leaf, from the leaf to the root."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from shoal.describe.hierarchies.levels import Hierarchy, Label
from shoal.documents.digests import reading
from shoal.errors import InputError, show

DELIMITERS = ";\t,"


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Return the hierarchy in a file; an error names the line and the value."""
    path = Path(path)
    text = read_text(path)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError("a NUL byte; is this a text file?", file=path, line=line)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    start = 1
    try:
        for row in reader:
            rows.append(row)
            lines.append(start)
            start = reader.line_num + 1
    except csv.Error as problem:
        begun = next(islice(io.StringIO(text, newline=""), start - 1, None)).rstrip("\r\n")
        raise InputError(
            f"{problem} in the row {show(begun)}; check the quotes", file=path, line=start
        ) from None
    return Hierarchy.from_rows(rows, str(path), lines)


def write_hierarchy(rows: Iterable[Sequence[Label]]) -> str:
    """Return rows, each from leaf to root, as the text of a hierarchy file with `;` between columns.

    Commas and tabs are quoted too, because readers count them when they guess the delimiter.

    >>> print(write_hierarchy([("b, c", "*")]), end="")
    "b, c";*
    """
    return "".join(";".join(_quote(label or "") for label in row) + "\n" for row in rows)


def read_text(path: Path) -> str:
    """Return the content of a text file, or raise an error that says why it cannot be read."""
    with reading(path):
        data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise InputError(
            f"not UTF-8 (byte 0x{data[problem.start]:02x}); save the file as UTF-8", file=path, line=line
        ) from None


def _delimiter(text: str) -> str:
    """Return the delimiter that gives the first rows equally many columns, or else the most frequent one."""
    for delimiter in DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            widths = {len(row) for row in islice(reader, 100) if row}
        except csv.Error:
            continue
        if len(widths) == 1 and widths != {1}:
            return delimiter
    first = text.split("\n", 1)[0]
    return max(DELIMITERS, key=lambda d: (_outside_quotes(first, d), -DELIMITERS.index(d)))


def _outside_quotes(line: str, delimiter: str) -> int:
    return sum(part.count(delimiter) for part in line.split('"')[::2])


def _quote(label: str) -> str:
    if any(mark in label for mark in ';,\t"\n\r'):
        return '"' + label.replace('"', '""') + '"'
    return label
