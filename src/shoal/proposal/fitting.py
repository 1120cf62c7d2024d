"""Proposes hierarchies for columns, of the kind that suits the values of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shoal.data.engine import Engine, Profile
from shoal.data.opening import opened
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.hierarchies.taxonomies import knows
from shoal.describe.specification import HierarchyLike
from shoal.describe.table_reading import AS_IT_IS, Reading
from shoal.errors import InputError, did_you_mean, show
from shoal.proposal.column_names import meaning_of
from shoal.proposal.guessed_roles import is_code
from shoal.proposal.suggested import (
    LONGEST_MASK,
    Suggestion,
    suggest_categories,
    suggest_codes,
    suggest_dates,
    suggest_digit_intervals,
    suggest_intervals,
    suggest_mask,
)
from shoal.proposal.suggested_groups import MOST_BLOCKS, MOST_FLAT

LISTED = 1000
"""Up to this many values of a column are examined one by one."""
MOST_LISTED = 50_000
"""More values are not listed in a file, because nobody could edit it."""
MOST_DESCRIBED = 500_000
"""Columns with more values get no hierarchy at all: searches hold every quasi value in memory."""
LONGEST_LISTED = 10_000
"""Longer values do not belong in a file that people edit."""


_TAXONOMIES = {"country": "countries", "state": "us-states"}
_KINDS = frozenset({"kind", "country", "state", "occupation", "industry"})
_AMOUNTS = frozenset({"age", "birth", "count", "postal"})


def _is_whole(value: str) -> bool:
    """Return whether a number is whole, even if it is written 3.0."""
    try:
        return float(value).is_integer()
    except ValueError:
        return False


def choose_hierarchy(profile: Profile, topic: str, engine: Engine) -> Suggestion | None:
    """Return a hierarchy for a column that has values; None if they are too many or too long.

    `topic` is what the column's name is about: age, birth, postal, or anything else.
    """
    if profile.distinct > MOST_DESCRIBED:
        return None
    if profile.date and profile.first is not None and profile.last is not None:
        timed = profile.longest != len("2024-01-31")
        return suggest_dates(profile.first, profile.last, birth=topic == "birth", timed=timed)
    if is_code(profile) or topic == "postal":
        masked = _masked(profile)
        if masked is not None:
            return masked
    taxonomy = _TAXONOMIES.get(topic)
    if taxonomy and profile.values and knows(taxonomy, profile.values):
        return Suggestion({"taxonomy": taxonomy})
    whole = profile.whole or (bool(profile.values) and all(map(_is_whole, profile.values)))
    few = profile.distinct <= 4 or profile.lowest == profile.highest
    if whole and topic not in _AMOUNTS:  # few numbers may be codes, whose neighbours are unrelated
        few = profile.distinct <= MOST_FLAT
    if profile.decimal and topic in _KINDS and profile.values and profile.distinct <= MOST_BLOCKS:
        masked = _masked(profile) if profile.distinct > MOST_FLAT else None
        return masked or suggest_codes(profile.values)
    if profile.decimal and not few and profile.lowest is not None and profile.highest is not None:
        if topic == "postal" and whole and profile.lowest >= 0:
            return suggest_digit_intervals(profile.highest)
        age = topic == "age"
        return suggest_intervals(profile.lowest, profile.highest, whole=whole, age=age)
    return _listed(profile, engine)


def _masked(profile: Profile) -> Suggestion | None:
    """Return the masking of codes of one length; None if a value may contain the masking character."""
    length = profile.longest or 0
    if profile.shortest != length or not 2 <= length <= LONGEST_MASK:
        return None
    plain = profile.digits or (profile.values and not any("*" in value for value in profile.values))
    return suggest_mask(length) if plain else None


def _listed(profile: Profile, engine: Engine) -> Suggestion | None:
    if profile.distinct > MOST_LISTED or (profile.longest or 0) > LONGEST_LISTED:
        return None
    values = profile.values or engine.first_values(profile.column, MOST_LISTED)
    if any("\0" in value for value in values):  # hierarchy files are text
        return None
    return suggest_categories(values)


def propose_hierarchies(
    table: Any, names: Iterable[str], reading: Reading = AS_IT_IS
) -> dict[str, HierarchyLike]:
    """Return a hierarchy for each of some columns of a table, or say which column needs one of its own.

    >>> import pyarrow as pa
    >>> ages = pa.table({"age": [str(age) for age in range(17, 91)], "sex": ["f", "m"] * 37})
    >>> found = propose_hierarchies(ages, ["age", "sex"])
    >>> found["age"], found["sex"].labels
    ({'intervals': {'origin': 0, 'widths': [5, 10, 20, 40]}}, (('f', 'm'), ('*',)))
    """
    found: dict[str, HierarchyLike] = {}
    with opened(table, reading) as engine:
        profiles = {profile.column: profile for profile in engine.profile(LISTED)}
        for name in [names] if isinstance(names, str) else names:
            if name not in profiles:
                hint = did_you_mean(name, profiles)
                raise InputError(f"the table {engine.name} has no column {show(name)}; {hint}")
            meaning = meaning_of(name)
            suggestion = choose_hierarchy(profiles[name], meaning.topic if meaning else "", engine)
            if suggestion is None:
                raise InputError(
                    f"no hierarchy can be proposed for the {profiles[name].distinct:,} values of "
                    f"{show(name)}; give it one, as in quasi={{{name!r}: 'hierarchy.csv'}}"
                )
            rows, description = suggestion.rows, suggestion.description
            found[name] = Hierarchy.from_rows(rows, name) if rows is not None else description or {}
    return found
