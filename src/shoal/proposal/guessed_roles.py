"""Guesses the role of each column from its values, its name, and what it adds to the risk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from shoal.data.engine import Engine, Profile
from shoal.describe import Role
from shoal.errors import show
from shoal.numbers import percent
from shoal.proposal.column_names import (
    Meaning,
    is_key_of_households,
    is_key_of_persons,
    is_own_age,
    meaning_of,
)
from shoal.proposal.evidence import evidence
from shoal.proposal.unique_rows import FEWEST_ROWS, MOST_MEASURED, UniqueRows

NEARLY_ALL = 0.9
"""With at least this share of unique values, a text or code counts as a key."""
MANY_VALUES = 0.2
"""With this share of different values, a column that numbers cases counts as a key."""
FEW_POINTED_AT = 10
"""So few values point at nobody, whatever the column is called: "phone" may be yes or no."""
FEW = 50
"""Up to this many distinct texts are categories."""
MOST_TEXTS = 1000
"""With more distinct texts, a column whose name is unknown counts as free text."""
LONG_TEXT = 60
MOST_CLASSES = 20


@dataclass(frozen=True)
class Guess:
    """A column's role and the reason. `sure` means known by name or given; `topic` is for its hierarchy."""

    profile: Profile
    role: Role
    reason: str
    topic: str = ""
    sure: bool = False

    @property
    def name(self) -> str:
        """The column."""
        return self.profile.column

    def turned(self, role: Role, reason: str) -> Guess:
        """Return the column with another role."""
        return replace(self, role=role, reason=reason)


def guess_roles(
    profiles: Sequence[Profile],
    rows: int,
    given: Collection[str] = (),
    look: Callable[[Profile], Sequence[str]] = lambda profile: profile.values,
) -> list[Guess]:
    """Return a guess for every column, in order; those `given` a hierarchy are quasi.

    `look` gives some values of a column. A column of which nothing is known is not released as it is,
    but undecided.
    """
    guesses = [_given(one) if one.column in given else _guess(one, rows, look(one)) for one in profiles]
    guesses = _one_age(guesses, given)
    return _one_class(guesses)


def _given(profile: Profile) -> Guess:
    meaning = meaning_of(profile.column)
    reason = "a given hierarchy fits it"
    if meaning is not None and meaning.role in {Role.CLASS, Role.SENSITIVE}:
        reason += f"; could be [quasi, {meaning.role}]"
    return Guess(profile, Role.QUASI, reason, meaning.topic if meaning else "", sure=True)


def _guess(profile: Profile, rows: int, values: Sequence[str]) -> Guess:
    if profile.nested is not None:
        return Guess(profile, Role.IDENTIFYING, f"holds {profile.nested}, which cannot be recoded")
    if profile.distinct == 0:
        return Guess(profile, Role.UNDECIDED, "all its values are missing")
    unique = profile.once / max(rows - profile.missing, 1)
    many = profile.distinct >= MANY_VALUES * (rows - profile.missing)
    seen = None if profile.date else evidence(values, profile.digits, many)
    if seen is not None and seen.role is Role.IDENTIFYING:
        return Guess(profile, Role.IDENTIFYING, seen.reason, seen.topic, sure=True)
    meaning = meaning_of(profile.column) or meaning_of(profile.label or "")
    if meaning is not None and meaning.role is Role.IDENTIFYING:
        if profile.distinct > FEW_POINTED_AT or many:
            also = f"; {_unique(unique)}" if unique >= NEARLY_ALL else ""
            reason = f'"{meaning.words}" points at a person{also}'
            return Guess(profile, Role.IDENTIFYING, reason, sure=True)
        reason = f'"{meaning.words}" points at a person, but it has only {_different(profile)}'
        return Guess(profile, Role.UNDECIDED, reason)
    if profile.distinct == 1:
        return Guess(profile, Role.UNDECIDED, "only one value, so it distinguishes nobody")
    if _is_key(profile, meaning, unique, many):
        reason = _unique(unique) if unique >= NEARLY_ALL else "numbers of cases that few rows share"
        return Guess(profile, Role.IDENTIFYING, reason)
    if meaning is not None and meaning.role in {Role.SENSITIVE, Role.CLASS} and not profile.date:
        return _private(profile, meaning, unique)
    if seen is not None and seen.role is Role.SENSITIVE:
        return Guess(profile, Role.SENSITIVE, seen.reason, sure=True)
    if meaning is not None and meaning.role is Role.QUASI:
        reason = f'"{meaning.words}" may be known to others'
        return Guess(profile, Role.QUASI, reason, meaning.topic, sure=True)
    if profile.date:
        birth = profile.first is not None and is_of_births(profile.first, profile.last or "")
        reason = "dates over many years, as of birth" if birth else "a date that others may know"
        return Guess(profile, Role.QUASI, reason, "birth" if birth else "", sure=True)
    if seen is not None:
        return Guess(profile, seen.role, seen.reason, seen.topic, sure=True)
    if profile.distinct > FEW and is_key_of_persons(profile.column):
        return Guess(profile, Role.IDENTIFYING, "tells who a row is about", sure=True)
    return _by_values(profile, unique)


def is_of_births(first: str, last: str) -> bool:
    """Return whether days from first to last can hardly be anything but days of birth.

    >>> is_of_births("1931-05-01", "2004-12-31"), is_of_births("2019-01-01", "2024-12-31")
    (True, False)
    """
    return first[:2] in {"18", "19"} and last[:4].isdigit() and int(last[:4]) - int(first[:4]) >= 30


def _is_key(profile: Profile, meaning: Meaning | None, unique: float, many: bool) -> bool:
    """Return whether a column numbers cases: its name says so, and enough of its values differ."""
    numbered = meaning is not None and meaning.numbered
    if not numbered and not is_key_of_households(profile.column):
        return False
    return not profile.date and (unique >= NEARLY_ALL or (many and profile.distinct > FEW))


def _private(profile: Profile, meaning: Meaning, unique: float) -> Guess:
    """Return the guess for a column whose name suggests something private or an outcome."""
    if unique >= NEARLY_ALL and profile.distinct > FEW_POINTED_AT and not profile.decimal:
        # It would be released unchanged, and anyone who knows a text would find its row.
        return Guess(profile, Role.IDENTIFYING, f'"{meaning.words}", but {_unique(unique)}')
    if meaning.words == "note" and not profile.decimal:  # in some languages a note is a grade
        return Guess(profile, Role.IDENTIFYING, "notes, which may say anything")
    if meaning.role is Role.SENSITIVE:
        return Guess(profile, Role.SENSITIVE, f'"{meaning.words}" is private', sure=True)
    if meaning.weak:
        return Guess(profile, Role.UNDECIDED, f'a "{meaning.words}" of which nothing says more')
    if 2 <= profile.distinct <= MOST_CLASSES:
        return Guess(profile, Role.CLASS, f"an outcome with {profile.distinct} values", sure=True)
    return Guess(profile, Role.SENSITIVE, f'a "{meaning.words}", not a class: {_different(profile)}')


def _by_values(profile: Profile, unique: float) -> Guess:
    """Return the guess for a column whose name says nothing, and which has two values or more."""
    if profile.decimal and not is_code(profile):
        if profile.whole and unique == 1.0:
            return Guess(profile, Role.IDENTIFYING, "numbers that are all different, like keys")
        return Guess(profile, Role.UNDECIDED, "numbers of which nothing says what they are")
    if unique >= NEARLY_ALL:
        return Guess(profile, Role.IDENTIFYING, _unique(unique))
    if profile.distinct > FEW and (profile.longest or 0) > LONG_TEXT:
        return Guess(profile, Role.IDENTIFYING, "long texts, which may say anything")
    if profile.distinct > MOST_TEXTS:
        return Guess(profile, Role.IDENTIFYING, f"too many texts for categories: {_different(profile)}")
    kind = "codes" if is_code(profile) else "categories"
    return Guess(profile, Role.UNDECIDED, f"{kind} of which nothing says what they are")


def measured(guesses: list[Guess], engine: Engine, rows: int) -> list[Guess]:
    """Return the guesses after a count of what undecided columns add to the risk.

    Those that single people out, alone or beside two others, become quasi; the others say what they add.
    """
    known = [each.profile for each in guesses if each.role is Role.QUASI and each.sure]
    open_ones = [
        each
        for each in guesses
        if each.role is Role.UNDECIDED and not each.sure and each.profile.distinct > 1
    ]
    if not open_ones or rows < FEWEST_ROWS:
        return guesses
    counts = UniqueRows(engine, rows, known)
    found = {each.name: counts.added(each.profile) for each in open_ones[:MOST_MEASURED]}

    def settled(each: Guess) -> Guess:
        if (added := found.get(each.name)) is None:
            return each
        if not added.singles_out:
            return replace(each, reason=f"{each.reason}; {added.sentence}")
        return each.turned(Role.QUASI, f"singles people out: {added.sentence}")

    return [settled(each) for each in guesses]


def is_code(profile: Profile) -> bool:
    """Return whether all values are digits of one length, and codes rather than numbers."""
    same = profile.digits and profile.shortest == profile.longest
    return same and (profile.zeros or (profile.longest or 0) >= 8) and (profile.longest or 0) > 1


def _one_age(guesses: list[Guess], given: Collection[str]) -> list[Guess]:
    """Keep one column about the person's age: two forms of it would reveal more."""
    ages = [each for each in guesses if each.role is Role.QUASI and is_own_age(each.name)]
    best = sorted(ages, key=lambda each: (each.topic != "age", not each.profile.decimal))[:1]
    kept = [each for each in ages if each.name in given] or best
    return _turned(guesses, ages, kept, Role.IDENTIFYING, "{} is released instead")


def _one_class(guesses: list[Guess]) -> list[Guess]:
    """Keep one class column, a sure one if possible, since a study has only one."""
    classes = [each for each in guesses if each.role is Role.CLASS]
    kept = sorted(classes, key=lambda each: not each.sure)[:1]
    return _turned(guesses, classes, kept, Role.SENSITIVE, "another outcome besides {}")


def _turned(
    guesses: list[Guess], some: list[Guess], kept: list[Guess], role: Role, reason: str
) -> list[Guess]:
    """Give some columns another role, except the kept ones; the reason names the first of these."""
    lost = [each for each in some if each not in kept]
    return [
        each.turned(role, reason.format(_shown(kept[0].name))) if each in lost else each
        for each in guesses
    ]


def _unique(share: float) -> str:
    return "all its values are unique" if share == 1 else f"{percent(share)} of its values are unique"


def _different(profile: Profile) -> str:
    return "one value" if profile.distinct == 1 else f"{profile.distinct:,} different values"


def _shown(name: str) -> str:
    return name if name.isprintable() else show(name)
