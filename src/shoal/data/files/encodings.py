"""How the bytes of a text file become text: which encoding it has, and a copy of it in UTF-8.

DuckDB reads only UTF-8, with line ends of one kind. A file is read from end to end, block by block,
because the first umlaut may be far down.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shoal.documents.digests import reading
from shoal.errors import InputError, show

BLOCK = 1 << 20
_FIRST = 1000
UTF_8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SHOWN = {UTF_8: "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "cp1252": "Windows-1252"}
_ENTRIES = {"cp1252": "windows-1252"}
_TOLD = {"latin-1": "iso8859-1", "utf-16": "utf-16-le"}
_TWO_BYTES = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
"""A letter in UTF-8; in Windows-1252, two or three characters that hardly ever stand together."""
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a]")
"""Bytes that no text has."""
_RETURN = re.compile("\r(?!\n)")


@dataclass(frozen=True)
class Encoding:
    """A file's encoding, whether it was `said` by the user, and whether its line ends are `mixed`."""

    name: str
    said: bool
    mixed: bool

    @property
    def plain(self) -> bool:
        """Whether DuckDB reads the file as it is."""
        return self.name == UTF_8 and not self.mixed

    @property
    def shown(self) -> str:
        """The encoding as people call it."""
        return _SHOWN.get(self.name, self.name)

    @property
    def entry(self) -> str | None:
        """The encoding as a study says it; None if it is the usual one."""
        return None if self.name == UTF_8 else _ENTRIES.get(self.name, self.name)


AS_DUCKDB_READS = Encoding(UTF_8, False, False)


def encoding_of(path: Path, said: str | None = None) -> Encoding:
    """Return the encoding of a text file: the one that is `said`, or the one that is found.

    A byte-order mark gives it away; zeros in every other byte mean UTF-16; what is not UTF-8 is
    Windows-1252, which has all letters of Latin-1 in the same places, unless it has bytes that mean
    nothing there.
    """
    first = _head(path)
    if said is not None:
        name = known_encoding(said)
        marked = next((found for mark, found in _MARKS if first.startswith(mark)), None)
        if name.startswith("utf-16") and marked is not None:
            name = marked
    else:
        name = _marked(first)
    ends = _LineEnds()
    problem = _fault(path, name, ends)
    if problem is not None and said is None and name == UTF_8:
        name, ends = "cp1252", _LineEnds()
        other = _fault(path, name, ends)
        if other is not None or any(_CONTROLS.search(block) for block in _blocks(path)):
            raise _refusal(path, problem, "neither UTF-8 nor Windows-1252")
        if _cut_off(problem) or any(_TWO_BYTES.search(block) for block in _blocks(path)):
            raise _refusal(path, problem, "not UTF-8, though much of it looks like that")
        problem = None
    if problem is not None:
        raise _refusal(path, problem, f"not {_SHOWN.get(name, name)}")
    return Encoding(name, said is not None, ends.mixed)


def known_encoding(said: str) -> str:
    """Return the name that Python has for an encoding, or refuse it.

    >>> known_encoding("Windows-1252"), known_encoding("latin1"), known_encoding("UTF-8")
    ('cp1252', 'iso8859-1', 'utf-8')
    """
    try:
        name = codecs.lookup(said).name
        "".encode(name)
    except (LookupError, ValueError):
        raise InputError(
            f"the encoding {show(said)} is unknown; write one such as utf-8, windows-1252 or latin-1"
        ) from None
    return {"utf-8-sig": UTF_8}.get(name, _TOLD.get(name, name))


def copy_as_utf8(path: Path, encoding: Encoding, target: Path) -> None:
    """Write a file's text to another file, in UTF-8, with one kind of line ends outside quotes.

    It needs memory for one block only. Files in which some lines end in a lone return are refused.
    """
    outside = _Outside(path)
    with reading(target), target.open("w", encoding=UTF_8, newline="") as file:
        for text in _texts(path, encoding.name):
            file.write(outside.even(text) if encoding.mixed else text)


class _Outside:
    """Gives lines one kind of ends outside quotes, block by block."""

    def __init__(self, path: Path) -> None:
        self._path, self._line, self._quoted = path, 1, False
        self._kinds: set[str] = set()

    def even(self, text: str) -> str:
        """Return a text in which a return with a line feed is a line feed."""
        parts = text.split('"')
        for i, part in enumerate(parts):
            self._quoted ^= i > 0
            if not self._quoted:
                self._check(part)
                parts[i] = part.replace("\r\n", "\n")
            self._line += part.count("\n") or part.count("\r")
        return '"'.join(parts)

    def _check(self, part: str) -> None:
        lone = _RETURN.search(part)
        feed = part.find("\n")
        self._kinds |= {"return"} if lone else set()
        self._kinds |= {"feed"} if feed >= 0 else set()
        if len(self._kinds) > 1:
            at = lone.start() if lone else feed
            raise InputError(
                "some lines end in a return alone, others in a line feed; let all lines end alike",
                file=self._path,
                line=self._line + part.count("\n", 0, at),
            )


def first_text(path: Path, encoding: Encoding, most: int) -> str:
    """Return the first characters of a file, without the mark of its encoding."""
    found = ""
    for text in _texts(path, encoding.name):
        found += text
        if len(found) >= most:
            break
    return found[:most]


def _head(path: Path) -> bytes:
    first = b""
    for block in _blocks(path):
        first += block
        if len(first) >= _FIRST:
            break
    return first[:_FIRST]


def _marked(first: bytes) -> str:
    for mark, name in _MARKS:
        if first.startswith(mark):
            return name
    low, high = first[::2].count(0), first[1::2].count(0)
    if min(low, high) == 0 and max(low, high) * 4 > len(first):
        return "utf-16-le" if high else "utf-16-be"
    return UTF_8


class _LineEnds:
    """Which line ends a text has, block by block."""

    def __init__(self) -> None:
        self._kinds: set[str] = set()

    def look(self, text: str) -> None:
        """Look at the next block; most have no return, which is quick to see."""
        if "\r" not in text:
            self._kinds |= {"feed"} if "\n" in text else set()
            return
        both = text.count("\r\n")
        kinds = {"both": both, "feed": text.count("\n") - both, "return": text.count("\r") - both}
        self._kinds |= {kind for kind, n in kinds.items() if n}

    @property
    def mixed(self) -> bool:
        """Whether there are several kinds, perhaps inside quotes."""
        return len(self._kinds) > 1


def _fault(path: Path, name: str, ends: _LineEnds) -> UnicodeDecodeError | None:
    """Return an error for the first byte that an encoding lacks; `ends` looks at all text before it."""
    try:
        for text in _texts(path, name):
            ends.look(text)
    except UnicodeDecodeError as problem:
        return problem
    return None


def _texts(path: Path, name: str) -> Iterator[str]:
    """Yield a file's text in blocks that do not split a line end, without the mark at the start."""
    decoder = codecs.getincrementaldecoder(name)()
    held, first, before = "", True, 0
    for block in _blocks_and_end(path):
        try:
            text = held + decoder.decode(block, final=not block)
        except UnicodeDecodeError as problem:
            # What was being decoded begins with bytes left over from the last block.
            fault = before + len(block) - len(problem.object) + problem.start
            problem.reason = str(_line_of(path, fault))
            raise
        before += len(block)
        if first:
            text, first = text.removeprefix("\ufeff"), False
        held = "\r" if text.endswith("\r") and block else ""
        yield text.removesuffix(held) if held else text


def _line_of(path: Path, byte: int) -> int:
    """Return the line that a byte of a file is in."""
    line = 1
    for block in _blocks(path):
        line += block[:byte].count(b"\n")
        byte -= len(block)
        if byte <= 0:
            break
    return line


def _cut_off(problem: UnicodeDecodeError) -> bool:
    """Return whether the file ends within a character of UTF-8."""
    rest = problem.object[problem.start :]
    return len(rest) < 4 and all(0x80 <= byte < 0xC0 for byte in rest[1:]) and rest[0] >= 0xC0


def _refusal(path: Path, problem: UnicodeDecodeError, what: str) -> InputError:
    byte = problem.object[problem.start]
    return InputError(
        f"{what} (byte 0x{byte:02x}); say the encoding in the study, as in `encoding: cp1250`, or save the "
        "file as UTF-8",
        file=path,
        line=int(problem.reason),
    )


def _blocks_and_end(path: Path) -> Iterator[bytes]:
    yield from _blocks(path)
    yield b""


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield a file in blocks, unpacked."""
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            while block := file.read(BLOCK):
                yield block
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"cannot be read: {problem}", file=path) from None
