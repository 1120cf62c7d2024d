"""What a field of a question takes: how a text is read, and what is refused. Refusals name the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import index
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from shoal.errors import InputError, did_you_mean, show
from shoal.numbers import figure

Number = float | str | Fraction
"""A number that is read exactly: 4, 0.25 or "1/3"."""
Pair = str | Sequence[Number]
"""Two numbers: a text with a comma, or a pair."""
Amount = str | float
"""How many rows: a number, a share (0.01), or a text such as "1%"."""
Levels = Mapping[str, int] | str
"""A level for some attributes; as text "age=1,zip=2"."""
Names = str | Iterable[str]
Place = str | Path


@dataclass(frozen=True)
class Takes:
    """What a field takes: anything, unless a subclass says more."""

    def check(self, name: str, given: Any) -> Any:
        """Return what is given for a field in the form that answers use, or refuse it."""
        return given


@dataclass(frozen=True)
class Text(Takes):
    """A text."""

    def check(self, name: str, given: Any) -> Any:
        """Refuse what is not a text."""
        if not isinstance(given, str):
            raise InputError(f"{name} is {given!r}; use a text")
        return given


@dataclass(frozen=True)
class Word(Takes):
    """One of some words, each with what it means."""

    known: Mapping[str, str]

    def check(self, name: str, given: Any) -> Any:
        """Refuse an unknown word."""
        if given not in self.known:
            hint = did_you_mean(str(given), tuple(self.known))
            raise InputError(f"unknown {name} {show(str(given))}; {hint}")
        return given


@dataclass(frozen=True)
class Looked(Takes):
    """A name that is looked up, and refused if it is unknown; Python may give the thing itself.

    `find` names the function that looks it up, as "module:function", so that it is loaded only when
    needed.
    """

    find: str

    def check(self, name: str, given: Any) -> Any:
        """Refuse a name that is not found."""
        if isinstance(given, str):
            resolve_name(self.find)(given)
        return given


@dataclass(frozen=True)
class Whole(Takes):
    """A whole number within a range."""

    least: int | None = 1
    most: int | None = None

    def check(self, name: str, given: Any) -> int:
        """Return the number, or refuse what is none or out of range."""
        try:
            number = None if isinstance(given, bool) else index(given)
        except TypeError:
            number = None
        if number is None or not self.holds(number):
            raise InputError(f"{name} is {given}; use a whole number{self.span}")
        return number

    def holds(self, number: int) -> bool:
        """Whether a number lies in the range."""
        return (self.least is None or number >= self.least) and (
            self.most is None or number <= self.most
        )

    @property
    def span(self) -> str:
        """The range in words."""
        if self.least is None:
            return ""
        return f", {self.least} or more" if self.most is None else f" from {self.least} to {self.most:,}"


@dataclass(frozen=True)
class Real(Takes):
    """A number from `least` (itself allowed unless it is `above` only) to below `below`."""

    least: float = 0
    above: bool = False
    below: float | None = None

    def check(self, name: str, given: Any) -> float:
        """Return the number, or refuse what is none or out of range."""
        number = isinstance(given, (int, float)) and not isinstance(given, bool)
        if not number or not self.holds(given):
            raise InputError(f"{name} is {given}; use {self.span}")
        return float(given) if isinstance(given, int) else given

    def holds(self, number: float) -> bool:
        """Whether a number lies in the range; NaN does not."""
        enough = number > self.least if self.above else number >= self.least
        return enough and (self.below is None or number < self.below)

    @property
    def span(self) -> str:
        """The range in words."""
        least = f"more than {figure(self.least)}" if self.above else f"{figure(self.least)} or more"
        return least if self.below is None else f"{least} and less than {figure(self.below)}"


@dataclass(frozen=True)
class Share(Takes):
    """A share from 0 to 1, exactly as it is written."""

    def check(self, name: str, given: Any) -> Fraction:
        """Return the share, or refuse it."""
        from shoal.describe.promise import share

        return share(given, name)


@dataclass(frozen=True)
class Shares(Takes):
    """A share for each value of a sensitive column.

    On a command line they are VALUE=SHARE, among the texts of another option.
    """

    among: str

    def check(self, name: str, given: Any) -> dict[str, Fraction]:
        """Return the shares, or refuse one of them."""
        from shoal.describe.promise import share

        for value in given:
            if not isinstance(value, str):
                raise InputError(f"{name} has {value!r}; name sensitive values as text")
        return {value: share(limit, f"{self.among} of {value}") for value, limit in given.items()}

    def split(self, texts: Iterable[str]) -> tuple[str | None, dict[str, str]]:
        """Return the share of all values, and those of single ones; a value may have an equals sign."""
        uniform: str | None = None
        values: dict[str, str] = {}
        for word in texts:
            value, sign, limit = word.rpartition("=")
            if not sign:
                if uniform is not None:
                    raise InputError(
                        f"two uniform limits, {uniform} and {word}; give one, or write VALUE={word}"
                    )
                uniform = word
            elif value in values:
                raise InputError(f"two limits for {value}, {values[value]} and {limit}; give one")
            else:
                values[value] = limit
        return uniform, values


@dataclass(frozen=True)
class Diverse(Takes):
    """How many values a group must seem to have, 1 or more, exactly as it is written."""

    limited: bool = True

    def check(self, name: str, given: Any) -> Fraction:
        """Return the number, or refuse it."""
        from shoal.describe.promise.limits import LARGEST, diversity

        return diversity(given, name, most=LARGEST if self.limited else None)


@dataclass(frozen=True)
class Risky(Takes):
    """The limit of a risk: a share above 0, exactly as it is written."""

    def check(self, name: str, given: Any) -> Fraction:
        """Return the limit, or refuse it."""
        from shoal.describe.promise.limits import risk_limit

        return risk_limit(given, name)


@dataclass(frozen=True)
class Fractional(Takes):
    """The part of a population that was drawn, exactly as it is written."""

    def check(self, name: str, given: Any) -> Any:
        """Return the fraction, or refuse it."""
        from shoal.describe.units import Units

        return Units.said(sampling_fraction=given).sampling_fraction


@dataclass(frozen=True)
class Gain(Takes):
    """How far shares may be apart: a number above 0, exactly as it is written."""

    def check(self, name: str, given: Any) -> Fraction:
        """Return the number, or refuse it."""
        from shoal.describe.promise.limits import gain

        return gain(given, name)


@dataclass(frozen=True)
class Two(Takes):
    """Two numbers that the function `of`, named as in `Looked`, takes or refuses."""

    form: str
    of: str

    def check(self, name: str, given: Any) -> tuple[Number, Number]:
        """Return both, or refuse what is not a pair."""
        parts = given.split(",") if isinstance(given, str) else given
        if not isinstance(parts, Sequence) or len(parts) != 2:
            raise InputError(f"{name} is {show(str(given))}; write it as {self.form}")
        resolve_name(self.of)(parts[0], parts[1])
        return parts[0], parts[1]


@dataclass(frozen=True)
class Suppression(Takes):
    """A number of rows, or a share of them; how many rows that is depends on the table."""

    def check(self, name: str, given: Any) -> Any:
        """Refuse an amount that no table could have."""
        from shoal.describe.quantities import suppression_limit

        suppression_limit(given, 1 << 62)
        return given


@dataclass(frozen=True)
class Heights(Takes):
    """A level for some attributes; a text is read later, when the attributes' names are known."""

    def check(self, name: str, given: Any) -> Any:
        """Refuse levels that no hierarchy has."""
        if isinstance(given, str):
            return given
        if not isinstance(given, Mapping):
            raise InputError(f"{name} is {given!r}; give levels by attribute, such as {{'age': 1}}")
        level = Whole(0)
        return {
            attribute: level.check(f"{name} of {show(str(attribute))}", of)
            for attribute, of in given.items()
        }


@dataclass(frozen=True)
class Several(Takes):
    """Several names, if not any then of those `known`. A text is one, or some with `commas` between them."""

    commas: bool = False
    known: Mapping[str, str] = field(default_factory=dict)

    def check(self, name: str, given: Any) -> tuple[str, ...]:
        """Return the names, each once."""
        if isinstance(given, str):
            given = given.split(",") if self.commas else (given,)
            given = [part.strip() if self.commas else part for part in given]
            if self.commas and not any(given):
                raise InputError(f"{name} names nothing; name some, separated by commas")
        names = tuple(dict.fromkeys(one for one in given if one != ""))
        for one in names if self.known else ():
            Word(self.known).check(name, one)
        return names


@dataclass(frozen=True)
class Pairs(Takes):
    """Values by name; on a command line NAME=VALUE."""

    def check(self, name: str, given: Any) -> Mapping[str, Any]:
        """Return the values by name; a list of texts is read."""
        if isinstance(given, Mapping):
            return given
        found: dict[str, str] = {}
        for word in given:
            key, sign, value = word.partition("=")
            if not sign:
                raise InputError(f"{name} has {show(word)} without a value; write NAME=VALUE")
            if key in found:
                raise InputError(f"{name} has {show(key)} twice; give it once")
            found[key] = value
        return found


@dataclass(frozen=True)
class WordByColumn(Word):
    """One of some words, for all columns or by column."""

    def check(self, name: str, given: Any) -> Any:
        """Refuse unknown words."""
        words = given.values() if isinstance(given, Mapping) else [given]
        for word in words:
            super().check(name, word)
        return given


@dataclass(frozen=True)
class Flag(Takes):
    """Yes or no; if it is on by default, a command line may switch it off."""


@dataclass(frozen=True)
class Size(Takes):
    """A size of memory, such as 4GB."""

    def check(self, name: str, given: Any) -> Any:
        """Refuse what is not a size."""
        from shoal.data.budget import parse_size

        try:
            parse_size(given)
        except InputError as problem:
            raise InputError(f"{name}: {problem.what}") from None
        return given


@dataclass(frozen=True)
class File(Takes):
    """The path of a file or folder."""

    def check(self, name: str, given: Any) -> Any:
        """Return a text as a path."""
        return Path(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class NewFile(File):
    """The path of a file or folder that is written, and replaces only what nothing here reads."""


@dataclass(frozen=True)
class AnyTable(File):
    """A table: a file, and in Python also a frame."""


@dataclass(frozen=True)
class Listener(Takes):
    """A function that is told something; only Python has those."""
