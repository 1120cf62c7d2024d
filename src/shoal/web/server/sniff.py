"""Tells what an uploaded file is by its first bytes; its name is not trusted."""

from __future__ import annotations

import codecs
import gzip
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from shoal.data.files.encodings import copy_as_utf8, encoding_of
from shoal.data.files.workbooks import read_workbook
from shoal.documents.whole.rights import create
from shoal.errors import InputError
from shoal.web.server.server_limits import Limits, in_words

BLOCK = 1 << 20

_REFUSED = (
    (b"PK\x05\x06", "an empty zip archive; upload a table as CSV or Parquet"),
    (
        b"\xd0\xcf\x11\xe0",
        "an old spreadsheet or document (.xls), or one locked by a password; save it as .xlsx or CSV",
    ),
    (b"%PDF", "a PDF; upload the table itself, as CSV or Parquet"),
    (b"BZh", "packed with bzip2; unpack it, and upload the table as CSV or Parquet"),
    (b"\xfd7zXZ", "packed with xz; unpack it, and upload the table as CSV or Parquet"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd; unpack it, and upload the table as CSV or Parquet"),
)
_KEPT = (
    (b"PAR1", ".parquet"),
    (b"ARROW1", ".arrow"),
    (b"\xff\xff\xff\xff", ".arrow"),
    (b"$FL3", ".zsav"),
    (b"$FL", ".sav"),
    (b"<stata_dta>", ".dta"),
    (b"HEADER RECORD*", ".xpt"),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", ".sas7bdat"),
)
"""Files that are kept as they are, by their first bytes."""
_BOOKS = (("xl/workbook.xml", ".xlsx"), ("content.xml", ".ods"))
"""Workbooks, by a file that each has in it."""


def store_table(upload: Path, folder: Path, limits: Limits) -> Path:
    """Check the bytes of an uploaded table and move it into the folder; return its path there.

    Text is checked to its end (no NUL, no endless line) and becomes UTF-8; packed text is unpacked up to a
    limit. The first sheet of a workbook becomes Parquet: whoever opens the table need not unpack it again.
    """
    with upload.open("rb") as file:
        head = file.read(64)
    if not head:
        raise InputError("the file is empty; a table needs a header and rows")
    for mark, what in _REFUSED:
        if head.startswith(mark):
            raise InputError(f"this is {what}")
    for mark, ending in _KEPT:
        if head.startswith(mark):
            return upload.rename(folder / f"table{ending}")
    if head.startswith(b"PK\x03\x04"):
        return _sheet(upload, folder, limits)
    if head.startswith(b"\x1f\x8b"):
        plain = folder / "unpacked"
        create(plain, private=True)
        with plain.open("wb") as file:
            text = _Text(limits)
            file.writelines(text.looking(_unpacked(upload)))
        upload.unlink()
        upload = plain
    else:
        text = _checked(upload, limits)
    table = folder / "table.csv"
    if not text.fault:
        return upload.rename(table)
    create(table, private=True)
    copy_as_utf8(upload, encoding_of(upload), table)
    if fault := _checked(table, limits).fault:
        raise InputError(fault)
    upload.unlink()
    return table


def _checked(path: Path, limits: Limits) -> _Text:
    """Return the check of a text file, which refuses what is no text within the limits."""
    text = _Text(limits)
    with path.open("rb") as file:
        for _ in text.looking(_blocks(file)):
            pass
    return text


def _sheet(upload: Path, folder: Path, limits: Limits) -> Path:
    """Return the first sheet of a workbook as Parquet; its size unpacked is looked at first."""
    from pyarrow import parquet

    try:
        with zipfile.ZipFile(upload) as packed:
            names, size = set(packed.namelist()), sum(one.file_size for one in packed.infolist())
    except zipfile.BadZipFile:
        raise InputError("this zip archive is damaged; pack it again") from None
    ending = next((ending for name, ending in _BOOKS if name in names), None)
    if ending is None:
        raise InputError("this is a zip archive; unpack it, and upload the table as CSV or Parquet")
    if size > limits.unpacked_bytes:
        most = in_words(limits.unpacked_bytes)
        raise InputError(f"unpacked, the workbook is larger than {most}; save the sheet as CSV")
    book = upload.rename(folder / f"workbook{ending}")
    rows, _ = read_workbook(book)
    table = folder / "table.parquet"
    create(table, private=True)
    parquet.write_table(rows, table)
    book.unlink()
    return table


def _blocks(file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _unpacked(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            yield from _blocks(file)
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"the packed file is damaged ({problem}); pack it again") from None


class _Text:
    """Checks text block by block; `fault` says why it is not UTF-8, if it is something else."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes = 0
        self._lines = 0
        self._open = 0
        """Bytes of the last, unfinished line so far."""
        self.fault, self._wide = "", False

    def looking(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Pass on blocks of text within the limits, and refuse anything else."""
        for block in blocks:
            if not self._bytes:
                self._first(block)
            self._bytes += len(block)
            if self._bytes > self._limits.unpacked_bytes:
                most = in_words(self._limits.unpacked_bytes)
                raise InputError(
                    f"unpacked, the table is larger than {most}; use the command line for it"
                )
            if not self._wide:
                self._look(block)
            yield block
        if not self._bytes:
            raise InputError("the file is empty; a table needs a header and rows")
        self._decode(b"", True)

    def _look(self, block: bytes) -> None:
        if b"\0" in block:
            raise InputError("a NUL byte; this is not a text file")
        self._check_lines(block.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        self._decode(block, False)

    def _first(self, block: bytes) -> None:
        if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self.fault, self._wide = "text in UTF-16", True
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
        if self.fault:
            return
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as problem:
            self.fault = (
                f"not UTF-8 (byte 0x{problem.object[problem.start]:02x}); save the file as UTF-8"
            )
