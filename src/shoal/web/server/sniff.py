"""Tells what an uploaded file is by its first bytes; its name is not trusted."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from shoal.documents.whole.rights import create
from shoal.errors import InputError
from shoal.web.server.server_limits import Limits, in_words

BLOCK = 1 << 20

_AT_HOME = "upload CSV or Parquet, or open the pages with a study of this file where it is"
_REFUSED = (
    (b"$FL", f"a file of SPSS (.sav); {_AT_HOME}"),
    (b"<stata_dta>", f"a file of Stata (.dta); {_AT_HOME}"),
    (b"HEADER RECORD*", f"a file of SAS (.xpt); {_AT_HOME}"),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", f"a file of SAS (.sas7bdat); {_AT_HOME}"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet (.xlsx); save the sheet as CSV, and upload that"),
    (b"PK\x05\x06", "an empty zip archive; upload a table as CSV or Parquet"),
    (
        b"\xd0\xcf\x11\xe0",
        "an old spreadsheet or document (.xls); save the sheet as CSV, and upload that",
    ),
    (b"%PDF", "a PDF; upload the table itself, as CSV or Parquet"),
    (b"BZh", "packed with bzip2; unpack it, and upload the table as CSV or Parquet"),
    (b"\xfd7zXZ", "packed with xz; unpack it, and upload the table as CSV or Parquet"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd; unpack it, and upload the table as CSV or Parquet"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
)


def store_table(upload: Path, folder: Path, limits: Limits) -> Path:
    """Check the bytes of an uploaded table and move it into the folder; return its path there.

    Text is checked to its end (UTF-8, no NUL, no endless line); packed text is unpacked up to a limit.
    """
    with upload.open("rb") as file:
        head = file.read(64)
    if not head:
        raise InputError("the file is empty; a table needs a header and rows")
    for mark, what in _REFUSED:
        if head.startswith(mark):
            raise InputError(f"this is {what}")
    if head.startswith(b"PAR1"):
        return upload.rename(folder / "table.parquet")
    if head.startswith(b"ARROW1") or head[:4] == b"\xff\xff\xff\xff":
        return upload.rename(folder / "table.arrow")
    table = folder / "table.csv"
    if head.startswith(b"\x1f\x8b"):
        create(table, private=True)
        with table.open("wb") as file:
            file.writelines(_checked(_unpacked(upload), limits))
        upload.unlink()
        return table
    with upload.open("rb") as file:
        for _ in _checked(_blocks(file), limits):
            pass
    return upload.rename(table)


def _blocks(file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _unpacked(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            yield from _blocks(file)
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"the packed file is damaged ({problem}); pack it again") from None


def _checked(blocks: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    """Pass on blocks of plain text within the limits, and refuse anything else."""
    text = _Text(limits)
    for block in blocks:
        text.look(block)
        yield block
    text.end()


class _Text:
    """Checks text block by block."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes = 0
        self._lines = 0
        self._open = 0
        """Bytes of the last, unfinished line so far."""

    def look(self, block: bytes) -> None:
        if not self._bytes:
            self._first(block)
        self._bytes += len(block)
        if self._bytes > self._limits.unpacked_bytes:
            most = in_words(self._limits.unpacked_bytes)
            raise InputError(f"unpacked, the table is larger than {most}; use the command line for it")
        if b"\0" in block:
            raise InputError("a NUL byte; this is not a text file in UTF-8")
        self._check_lines(block.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        self._decode(block, False)

    def end(self) -> None:
        if not self._bytes:
            raise InputError("the file is empty; a table needs a header and rows")
        self._decode(b"", True)

    def _first(self, block: bytes) -> None:
        start = block.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if start in (b"<", b"{"):
            what = "a web page or XML" if start == b"<" else "JSON"
            raise InputError(f"this looks like {what}, not like a table; upload CSV or Parquet")

    def _check_lines(self, block: bytes) -> None:
        lines = block.split(b"\n")
        lengths = [len(line) for line in lines]
        lengths[0] += self._open
        if max(lengths) > self._limits.line_bytes:
            line = self._lines + next(
                i for i, length in enumerate(lengths, 1) if length > self._limits.line_bytes
            )
            raise InputError(
                f"line {line:,} is longer than {in_words(self._limits.line_bytes)}; "
                "is this a table with one row a line?"
            )
        self._open = lengths[-1]
        self._lines += len(lines) - 1

    def _decode(self, block: bytes, final: bool) -> None:
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as problem:
            wrong = problem.object[problem.start]
            raise InputError(
                f"not UTF-8 (byte 0x{wrong:02x}); save the file as UTF-8, in a spreadsheet as CSV UTF-8"
            ) from None
