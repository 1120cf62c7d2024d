"""Finds the usual codes for missing values in a table, where it is evident that they mean that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from shoal.data.engine import Engine, Profile
from shoal.describe.table_reading import Reading
from shoal.numbers import many

_SIGNS = ("?", "??", "-", "--", ".", "..", "*", "#N/A", "N/A", "n/a", "#NULL!")
"""No real value looks like this."""
_WORDS = ("NA", "na", "NULL", "Null", "null", "NaN", "nan", "unknown", "Unknown", "UNKNOWN", "missing")
"""Words, some of which may be real values: among country codes, NA is Namibia."""
USUAL = (*_SIGNS, *_WORDS)
"""The texts that may stand for missing values."""
_LOW = ("-1", "-7", "-8", "-9", "-88", "-99", "-888", "-999", "-9999", "-99999")
_HIGH = ("99", "999", "9999", "99999", "999999")
MOST = 10_000
"""Columns with more values are not searched for numbers that stand for missing ones."""
APART = 2
"""A code like 99 is evident where it is at least this many times as large as every other value,"""
OFTEN = 10
"""or has at least this many times the rows of the next value, which is at most 90 if the code is 99."""


@dataclass(frozen=True)
class FoundCodes:
    """The codes, as a study writes them, and sentences about them for the user."""

    reading: Reading
    notices: tuple[str, ...]


def blank_usual_codes(engine: Engine, few: int) -> FoundCodes:
    """Find the usual codes of a table, and let its engine read them as missing values from now on.

    Words and signs come first, since only without them does a column of numbers look like one. A code
    holds for the whole study if it is evident in every column that has it. `few` is that of
    `Engine.profile`.
    """
    plain = [profile for profile in engine.profile(few) if profile.nested is None]
    texts: dict[str, dict[str, int]] = {}
    kept: set[str] = set()
    for profile in plain:
        for code, rows in _rows_of(engine, profile, USUAL).items():
            if code in _WORDS and _two_letters(profile):
                kept.add(code)
            else:
                texts.setdefault(profile.column, {})[code] = rows
    if texts:
        engine.blank({column: tuple(codes) for column, codes in texts.items()})
        plain = [profile for profile in engine.profile(few) if profile.nested is None]
    numbers = {profile.column: some for profile in plain if (some := dict(_numbers(engine, profile)))}
    if numbers:
        engine.blank({column: tuple(codes) for column, codes in numbers.items()})
    found: dict[str, dict[str, int]] = {
        name: texts.get(name, {}) | numbers.get(name, {})
        for name in engine.columns
        if name in texts or name in numbers
    }
    shared = {code: None for codes in texts.values() for code in codes if code not in kept}
    own = {name: tuple(code for code in codes if code not in shared) for name, codes in found.items()}
    reading = Reading(tuple(shared), {name: codes for name, codes in own.items() if codes})
    return FoundCodes(reading, tuple(_told(found)))


def _rows_of(engine: Engine, profile: Profile, codes: tuple[str, ...]) -> dict[str, int]:
    """Return how many rows of a column have each of the codes; the engine counts no other value."""
    if not profile.distinct or (profile.decimal and not profile.values):
        return {}
    if profile.values and not set(codes) & set(profile.values):
        return {}
    cells = engine.cells([profile.column], {profile.column: {code: code for code in codes}})
    values = [cells.domains[0][code] for code in cells.codes[:, 0].tolist()]
    return {str(value): rows for value, rows in zip(values, cells.counts.tolist(), strict=True)}


def _two_letters(profile: Profile) -> bool:
    """Return whether all values have two letters, as codes of countries and states do."""
    letters = (profile.first or "").isalpha() and (profile.last or "").isalpha()
    return profile.shortest == profile.longest == 2 and profile.distinct > 2 and letters


def _numbers(engine: Engine, profile: Profile) -> Iterator[tuple[str, int]]:
    """Yield the numbers of a column that stand for missing values, with their rows."""
    if not profile.whole or profile.zeros or not 2 < profile.distinct <= MOST:
        return
    if not ((profile.lowest or 0) < 0 or str(profile.last) in _HIGH or _nines(profile.highest)):
        return
    cells = engine.cells([profile.column])
    rows = {
        int(value): (value, count)
        for code, count in zip(cells.codes[:, 0].tolist(), cells.counts.tolist(), strict=True)
        if (value := cells.domains[0][code]) is not None
    }
    below = [number for number in rows if number < 0]
    if all(rows[number][0] in _LOW for number in below):
        yield from (rows[number] for number in sorted(below))
    top, next_, *_ = sorted(rows, reverse=True)
    if rows[top][0] in _HIGH and next_ > 0:
        often = rows[top][1] >= OFTEN * rows[next_][1] and 10 * top >= 11 * next_
        if top >= APART * next_ or often:
            yield rows[top]


def _nines(highest: float | None) -> bool:
    return highest is not None and highest.is_integer() and str(int(highest)) in _HIGH


def _told(found: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for column, codes in found.items():
        said = ", ".join(f"{code} ({many(rows, 'row')})" for code, rows in codes.items())
        yield f"{column}: the study takes {said} for missing values; correct it if they are not"
