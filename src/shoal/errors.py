"""Every error users can meet: one sentence that says what is wrong, where, and what to do.

Parameters are in backquotes, by their Python names; the command line shows its options instead.
`exit_status` is what the command line ends with, `http_status` what the web's API answers with.
"""

from __future__ import annotations

import difflib
import shlex
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

MOST_KNOWN = 20
"""The most words that an error lists."""


class ShoalError(Exception):
    """The base of all errors that Shoal raises on purpose."""

    exit_status = 2
    http_status = 422


class InputError(ShoalError):
    """A file, a value or an option is not what it must be.

    >>> print(InputError("no such level: 7", file="age.csv", line=3))
    age.csv, line 3: no such level: 7
    """

    def __init__(self, what: str, *, file: str | Path | None = None, line: int | None = None) -> None:
        where = "" if file is None else str(file)
        if line is not None:
            where += f", line {line}" if where else f"line {line}"
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.file = file
        self.line = line
        self.field: str | None = None
        """The field of a question that is refused by itself."""


class TooLittleError(InputError):
    """There is too little memory or disk for the work; it says nothing about the table."""


class NoTableError(InputError):
    """An engine has no table of that name."""


class TakenError(InputError):
    """Another process is writing the output."""


class TallyTooLargeError(TooLittleError):
    """A table has more distinct combinations than there is memory to search them."""

    def __init__(self, what: str, advice: str, *, budget: int, file: str) -> None:
        super().__init__(f"{what}; {advice}", file=file)
        self.needs, self.budget = what, budget

    def advised(self, advice: str) -> TallyTooLargeError:
        """Return the same refusal with other advice."""
        return TallyTooLargeError(self.needs, advice, budget=self.budget, file=str(self.file))


class CoarseTallyError(InputError):
    """A saved tally counts columns only from higher levels than those asked for."""

    def __init__(self, file: Path, levels: Mapping[str, int]) -> None:
        named = ",".join(f"{name}={level}" for name, level in levels.items())
        super().__init__(
            f"the tally was counted from higher levels; search from there (`min_levels` "
            f"{shlex.quote(named)}), or make it again",
            file=file,
        )


class NoSolutionError(ShoalError):
    """The question is well posed, and no solution exists under its constraints."""

    exit_status = 3
    http_status = 409


class VerificationError(ShoalError):
    """The released rows break a promise: nothing is released."""

    exit_status = 1


class TimeOverError(ShoalError):
    """The time is up, and there is no answer yet."""


class MissingExtraError(ShoalError):
    """An optional dependency is not installed.

    >>> print(MissingExtraError("plots", "matplotlib", "plot"))
    plots need matplotlib: pip install 'shoal[plot]'
    >>> print(MissingExtraError("frames of pandas", "pandas"))
    frames of pandas need pandas: pip install pandas
    """

    def __init__(self, what: str, package: str, extra: str | None = None) -> None:
        install = package if extra is None else f"'shoal[{extra}]'"
        super().__init__(f"{what} need {package}: pip install {install}")


class BrokenByAttackError(InputError):
    """An attack proves a promise broken; nothing is released unless it is accepted by name."""

    def __init__(self, what: str, attack: str) -> None:
        super().__init__(f"{what}, or accept the attack {attack}")
        self.attack = attack


class NotYetError(InputError):
    """Something must be done first."""

    http_status = 409


class ChangedError(InputError):
    """A solution was found for another study than the present one."""

    http_status = 409


class NotThereError(ShoalError):
    """The session has nothing under that key."""

    http_status = 404


class EndedError(InputError):
    """The session ended while something was being made for it."""

    http_status = 404

    def __init__(self) -> None:
        super().__init__("this session has ended; open the link again")


class TooLargeError(InputError):
    """An upload or a file has more bytes than the server takes."""

    http_status = 413


class TooManyError(ShoalError):
    """The server already has as many sessions, studies or jobs as it allows."""

    http_status = 429


class UnansweredError(ShoalError):
    """A question was given up: it took too long, or what it was about is gone."""

    http_status = 503


class FullError(InputError):
    """The disk has no room left."""

    http_status = 507


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion to append to an error, or the known words if none is near.

    >>> did_you_mean("qasi", ["quasi", "sensitive"])
    'did you mean quasi?'
    >>> did_you_mean("xyz", ["quasi", "sensitive"])
    'known are quasi, sensitive'
    """
    known = list(known)
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]}?"
    if not known:
        return "none are known"
    more = f" and {len(known) - MOST_KNOWN:,} more" if len(known) > MOST_KNOWN else ""
    return "known are " + ", ".join(known[:MOST_KNOWN]) + more


def printable(text: str) -> str:
    r"""Return text with escapes in place of whatever a terminal would obey, hide or turn around.

    JSON stays the same document: it escapes the first 32 characters itself, and the others get its escapes.

    >>> print(printable("a\x1b[31m\u202eb\x9c\U000e0001"))
    a\x1b[31m\u202eb\u009c\udb40\udc01
    """
    if text.isprintable():
        return text
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character.isprintable() or character == "\n" or unicodedata.category(character) == "Zs":
        return character
    if character < " ":
        return f"\\x{ord(character):02x}"
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def show(value: str | None) -> str:
    """Return a value as errors quote it: missing values by name, long ones cut.

    >>> show(None), show("a")
    ('(missing)', "'a'")
    """
    if value is None:
        return "(missing)"
    return repr(value if len(value) <= 60 else value[:57] + "...")
