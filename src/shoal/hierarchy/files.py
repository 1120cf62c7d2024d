"""Hierarchy files in the form that ARX reads and writes: no header, one row a leaf, leaf to root."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal.errors import InputError
from shoal.hierarchy.levels import Hierarchy, Label

DELIMITERS = ";,\t"


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Return the hierarchy of a file, or refuse it with the line and the value named."""
    path = Path(path)
    text = read_text(path)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError("a NUL byte; is this a text file?", file=path, line=line)
    first = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=lambda d: (_outside_quotes(first, d), -DELIMITERS.index(d)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[str | None, ...]] = []
    lines: list[int] = []
    try:
        for row in reader:
            rows.append(tuple(cell if cell != "" else None for cell in row))
            lines.append(reader.line_num)
    except csv.Error as problem:
        raise InputError(f"{problem}; check the quotes", file=path, line=reader.line_num) from None
    return Hierarchy.from_rows(rows, str(path), lines)


def write_hierarchy(rows: Iterable[Sequence[Label]]) -> str:
    """Return rows from leaf to root as the text of a hierarchy file, `;` between the columns.

    Commas and tabs are quoted too: a reader that sniffs the delimiter would count them.

    >>> print(write_hierarchy([("b, c", "*")]), end="")
    "b, c";*
    """
    return "".join(";".join(_quote(label or "") for label in row) + "\n" for row in rows)


def read_text(path: Path) -> str:
    """Return a text file's content, or refuse it in one sentence."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError("no such file; check the path", file=path) from None
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", file=path) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise InputError(
            f"not UTF-8 (byte 0x{data[problem.start]:02x}); save the file as UTF-8",
            file=path,
            line=line,
        ) from None


def _outside_quotes(line: str, delimiter: str) -> int:
    return sum(part.count(delimiter) for part in line.split('"')[::2])


def _quote(label: str) -> str:
    if any(mark in label for mark in ';,\t"\n\r'):
        return '"' + label.replace('"', '""') + '"'
    return label
