"""Hierarchy files in ARX's format: no header, one row per leaf, from the leaf to the root."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from shoal.describe.hierarchies.levels import Hierarchy, Label
from shoal.documents.digests import decoded, reading
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
        return decoded(path.read_bytes(), path)


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
    outside = "".join(text.split("\n", 1)[0].split('"')[::2])
    return max(DELIMITERS, key=lambda d: (outside.count(d), -DELIMITERS.index(d)))


def _quote(label: str) -> str:
    if any(mark in label for mark in ';,\t"\n\r'):
        return '"' + label.replace('"', '""') + '"'
    return label
