"""Turns DuckDB's errors into plain sentences."""

from __future__ import annotations

import re
from pathlib import Path

from shoal.errors import InputError, NoTableError, TooLittleError


def first_line(problem: BaseException) -> str:
    """Return the first line of DuckDB's message."""
    return str(problem).strip().splitlines()[0]


def spill_full(problem: BaseException) -> str | None:
    """Return what to do if DuckDB found no disk space to spill to."""
    text = str(problem)
    if "max_temp_directory_size" in text or ("duckdb_temp" in text and "No space left" in text):
        return "the disk for temporary files is full; name a folder with more space (`temp_directory`)"
    return None


def refusal(problem: Exception, path: Path | None) -> InputError:
    """Turn DuckDB's error about a file into one sentence with its line."""
    text = str(problem)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        what = f"{columns[2]} fields where the header has {columns[1]}; correct the row"
    elif isinstance(problem, UnicodeDecodeError) or re.search("not utf-8|invalid unicode", text, re.I):
        what = "not UTF-8; save the file as UTF-8"
    elif "unterminated quote" in text:
        what = "a quote is not closed; correct the row"
    elif size := re.search(r"Maximum line size of (\d+) bytes exceeded", text):
        what = f"a row has more than {int(size[1]):,} bytes (is a quote not closed?); shorten it"
    elif full := spill_full(problem):
        what = full
    elif "Out of Memory" in text:
        what = f"DuckDB is out of memory ({first_line(problem)}); raise the memory limit"
    elif "state machine reached an invalid state" in text:
        what = "a row breaks the rules of CSV (mixed line ends, or a stray quote); correct it"
    else:
        what = re.sub(r"^\w[\w ]* Error: ", "", first_line(problem))
    kind: type[InputError] = InputError
    if spill_full(problem) or "Out of Memory" in text:
        kind = TooLittleError
    elif type(problem).__name__ == "CatalogException":  # DuckDB is loaded by who needs it
        kind = NoTableError
    return kind(what, file=path, line=int(line[1]) if line else None)
