"""Guesses the role of each column by its name, or by its values if the name says nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from shoal.data.engine import Profile
from shoal.describe import Role
from shoal.errors import show
from shoal.numbers import percent
from shoal.proposal.column_names import Meaning, is_key_of_persons, is_own_age, meaning_of

NEARLY_ALL = 0.9
"""With at least this share of unique values, a text or code counts as a key."""
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


def guess_roles(profiles: Sequence[Profile], rows: int, given: Collection[str] = ()) -> list[Guess]:
    """Return a guess for every column, in order; those `given` a hierarchy are quasi."""
    guesses = [_given(one) if one.column in given else _guess(one, rows) for one in profiles]
    guesses = _one_age(guesses, given)
    guesses = _one_class(guesses)
    return _some_sensitive(guesses, given)


def _given(profile: Profile) -> Guess:
    meaning = meaning_of(profile.column)
    reason = "a given hierarchy fits it"
    if meaning is not None and meaning.role in {Role.CLASS, Role.SENSITIVE}:
        reason += f"; could be [quasi, {meaning.role}]"
    return Guess(profile, Role.QUASI, reason, meaning.topic if meaning else "", sure=True)


def _guess(profile: Profile, rows: int) -> Guess:
    if profile.nested is not None:
        return Guess(profile, Role.IDENTIFYING, f"holds {profile.nested}, which cannot be recoded")
    unique = profile.once / max(rows - profile.missing, 1)
    meaning = meaning_of(profile.column)
    if meaning is not None and meaning.role is Role.IDENTIFYING:
        also = f"; {_unique(unique)}" if unique >= NEARLY_ALL else ""
        return Guess(profile, Role.IDENTIFYING, f'"{meaning.words}" points at a person{also}', sure=True)
    if profile.distinct == 0:
        return Guess(profile, Role.INSENSITIVE, "all its values are missing")
    if meaning is not None and meaning.role in {Role.SENSITIVE, Role.CLASS} and not profile.date:
        return _private(profile, meaning, unique)
    if profile.distinct == 1:
        return Guess(profile, Role.INSENSITIVE, "only one value, so it distinguishes nobody")
    if meaning is not None and meaning.role is Role.QUASI:
        if meaning.numbered and unique >= NEARLY_ALL and not profile.decimal:
            return Guess(profile, Role.IDENTIFYING, _unique(unique))
        reason = f'"{meaning.words}" may be known to others'
        return Guess(profile, Role.QUASI, reason, meaning.topic, sure=True)
    if profile.date:
        return Guess(profile, Role.QUASI, "a date that others may know", sure=True)
    if profile.distinct > FEW and is_key_of_persons(profile.column):
        return Guess(profile, Role.IDENTIFYING, "tells who a row is about", sure=True)
    return _by_values(profile, unique)


def _private(profile: Profile, meaning: Meaning, unique: float) -> Guess:
    """Return the guess for a column whose name suggests something private or an outcome."""
    if unique >= NEARLY_ALL and profile.distinct > FEW and not profile.decimal:
        # It would be released unchanged, and anyone who knows a text would find its row.
        return Guess(profile, Role.IDENTIFYING, f'"{meaning.words}", but {_unique(unique)}')
    if meaning.role is Role.SENSITIVE:
        return Guess(profile, Role.SENSITIVE, f'"{meaning.words}" is private', sure=True)
    if 2 <= profile.distinct <= MOST_CLASSES:
        reason = f"an outcome with {profile.distinct} values"
        return Guess(profile, Role.CLASS, reason, sure=not meaning.weak)
    return Guess(profile, Role.SENSITIVE, f'a "{meaning.words}", not a class: {_different(profile)}')


def _by_values(profile: Profile, unique: float) -> Guess:
    """Return the guess for a column whose name says nothing, and which has two values or more."""
    code = is_code(profile)
    if profile.decimal and not code:
        if profile.distinct == 2:
            return Guess(profile, Role.QUASI, "two values that others may know")
        if profile.whole and unique == 1.0:
            return Guess(profile, Role.IDENTIFYING, "numbers that are all different, like keys")
        reason = "numbers that others are unlikely to know"
        if unique >= NEARLY_ALL:
            reason = f"measurements that others hardly know, although {_unique(unique)}"
        return Guess(profile, Role.INSENSITIVE, reason)
    if unique >= NEARLY_ALL:
        return Guess(profile, Role.IDENTIFYING, _unique(unique))
    if code:
        return Guess(profile, Role.QUASI, f"codes that others may know: {_different(profile)}")
    if profile.distinct > FEW and (profile.longest or 0) > LONG_TEXT:
        return Guess(profile, Role.IDENTIFYING, "long texts, which may say anything")
    if profile.distinct > MOST_TEXTS:
        return Guess(profile, Role.IDENTIFYING, f"too many texts for categories: {_different(profile)}")
    return Guess(profile, Role.QUASI, f"{profile.distinct} categories that others may know")


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


def _some_sensitive(guesses: list[Guess], given: Collection[str]) -> list[Guess]:
    """Make an occupation the sensitive column if nothing is more private and other columns are quasi."""
    if any(each.role is Role.SENSITIVE for each in guesses):
        return guesses
    quasi = [each for each in guesses if each.role is Role.QUASI]
    jobs = [each for each in quasi if each.topic == "occupation" and each.name not in given]
    if not jobs or len(quasi) < 2:
        return guesses
    reason = "nothing here is more private; otherwise make it quasi"
    return [each.turned(Role.SENSITIVE, reason) if each is jobs[0] else each for each in guesses]


def _unique(share: float) -> str:
    return "all its values are unique" if share == 1 else f"{percent(share)} of its values are unique"


def _different(profile: Profile) -> str:
    return "one value" if profile.distinct == 1 else f"{profile.distinct:,} different values"


def _shown(name: str) -> str:
    return name if name.isprintable() else show(name)
