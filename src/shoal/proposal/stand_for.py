"""Finds the columns that say whom the rows stand for: keys of persons and households, and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from shoal.data.engine import Profile
from shoal.describe import Role
from shoal.proposal.column_names import is_key_of_households, is_key_of_persons, is_weight
from shoal.proposal.guessed_roles import FEW, Guess

MOST_ROWS_EACH = 50
"""A key with more rows for each of its values is hardly one of persons."""
MOST_TOGETHER = 12
"""With more rows per value on average, they are not households."""
FEWEST_HOMES = 10


def key_of_persons(guesses: Sequence[Guess], rows: int) -> Guess | None:
    """Return the key of persons, if one repeats; of several, the one with the fewest values."""
    keys = [
        one
        for one in guesses
        if one.role is Role.IDENTIFYING
        and is_key_of_persons(one.name)
        and one.topic != "names"  # two people may have one name
        and one.profile.missing == 0
        and rows <= MOST_ROWS_EACH * one.profile.distinct < MOST_ROWS_EACH * rows
    ]
    return min(keys, key=lambda one: one.profile.distinct, default=None)


def with_households(guesses: list[Guess], rows: int) -> tuple[list[Guess], Guess | None]:
    """Return the guesses, with the key of households as identifying, and that key, if there is one."""
    for one in guesses:
        distinct = one.profile.distinct
        if (
            is_key_of_households(one.name)
            and one.profile.nested is None
            and one.profile.missing == 0
            and distinct >= FEWEST_HOMES
            and distinct < rows <= MOST_TOGETHER * distinct
        ):
            key = one.turned(Role.IDENTIFYING, "tells which rows live together")
            return [key if each is one else each for each in guesses], key
    return guesses, None


def with_weight(
    guesses: list[Guess], look: Callable[[Profile], Sequence[str]]
) -> tuple[list[Guess], Guess | None]:
    """Return the guesses, with sampling weights as undecided, and the weight to use, if there is one."""
    found = [one for one in guesses if _weighs(one.profile, look)]
    if not found:
        return guesses, None
    own = [one for one in found if "house" not in one.name.casefold()] or found
    reason = "how many people a row stands for; that may tell how it was drawn"
    used = replace(own[0].turned(Role.UNDECIDED, reason), sure=True)

    def settled(each: Guess) -> Guess:
        if each is own[0]:
            return used
        if each in found:
            return replace(used, profile=each.profile, reason=f"another weight besides {used.name}")
        return each

    return [settled(each) for each in guesses], used


def _weighs(profile: Profile, look: Callable[[Profile], Sequence[str]]) -> bool:
    """Return whether a column holds sampling weights: numbers above 0, by name and size.

    If the name leaves it open, numbers like kilograms or pounds are body weights; sampling weights are
    about 1 on average, or stand for hundreds of people.
    """
    by_name = is_weight(profile.column)
    if by_name is False or not profile.decimal or profile.missing or (profile.lowest or 0) <= 0:
        return False
    if by_name or profile.distinct == 1:
        return bool(by_name)
    numbers = [float(value) for value in look(profile)]
    mean = sum(numbers) / max(len(numbers), 1)
    normal = profile.distinct > FEW // 5 and 0.7 <= mean <= 1.4 and not profile.whole
    return normal or mean >= 400
