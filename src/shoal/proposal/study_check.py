"""Goes through a study and its table, and says at once all that is wrong or doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.data.engine import Engine, Profile
from shoal.data.opening import open_engine
from shoal.data.tally.counting import StudyCounts
from shoal.describe import Role
from shoal.describe.specification import Attribute, Specification
from shoal.describe.study_file import look_through
from shoal.describe.units import weight_of
from shoal.errors import InputError, did_you_mean, show
from shoal.numbers import percent
from shoal.proposal.column_names import meaning_of
from shoal.proposal.evidence import evidence
from shoal.proposal.fitting import LISTED
from shoal.proposal.guessed_roles import NEARLY_ALL
from shoal.proposal.suggested_groups import group_categories

EXACTLY = frozenset({Role.SENSITIVE, Role.CLASS, Role.INSENSITIVE})
"""The roles whose values are released as they are."""
SHOWN = 5
"""In tables with no more rows than this, unique values are no reason to doubt."""


@dataclass(frozen=True)
class StudyCheck:
    """What is wrong in a study, so that it cannot be used, and what is doubtful."""

    study: str
    wrong: tuple[str, ...]
    doubtful: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a JSON document."""
        return {"study": self.study, "wrong": list(self.wrong), "doubtful": list(self.doubtful)}


def check_study(path: str | Path) -> StudyCheck:
    """Return all that is wrong or doubtful in a study file and its table."""
    specification, problems = look_through(path)
    wrong = [str(problem) for problem in problems]
    doubtful: list[str] = []
    if specification is not None:
        try:
            engine = open_engine(specification.table, specification.reading)
        except InputError as problem:
            wrong.append(str(problem))
        else:
            try:
                wrong += _beside_the_table(specification, engine)
                doubtful += _doubts(specification, engine)
            finally:
                engine.close()
    return StudyCheck(str(path), tuple(dict.fromkeys(wrong)), tuple(doubtful))


def _beside_the_table(specification: Specification, engine: Engine) -> Iterator[str]:
    """Yield what is wrong about columns, hierarchies and units."""
    for name in dict.fromkeys((*specification.attributes, *specification.units.columns)):
        if name not in engine.columns:
            hint = did_you_mean(name, engine.columns)
            what = f"the table {engine.name} has no column {show(name)}; {hint}"
            yield str(specification.refuse(what, name))
    counts = StudyCounts(engine, specification, None)
    if all(name in engine.columns for name in specification.units.persons):
        yield from _tried(lambda: counts.persons)
    weight = specification.units.sample_weight
    if weight is not None and weight in engine.columns:
        yield from _tried(lambda: [weight_of(value, weight) for value in counts.column(weight)[0]])
    for name, given in specification.attributes.items():
        if name in engine.columns and given.hierarchy is not None:
            yield from _tried(lambda name=name: counts.ladder(name, *counts.column(name)))


def _tried(work: Any) -> Iterator[str]:
    try:
        work()
    except InputError as problem:
        yield str(problem)


def _doubts(specification: Specification, engine: Engine) -> Iterator[str]:
    """Yield what a curator should look at again."""
    attributes, units = specification.attributes, specification.units
    unlisted = [name for name in engine.columns if name not in (*attributes, *units.columns)]
    if unlisted:
        yield f"not listed, so never released: {', '.join(unlisted)}"
    if undecided := specification.having(Role.UNDECIDED):
        yield f"undecided, so not released until somebody decides: {', '.join(undecided)}"
    if not specification.having(Role.SENSITIVE):
        yield "no column is sensitive, so only k can be promised, and no one's values are protected"
    rows = engine.count()
    if rows == 0:
        yield "the table has no rows"
        return
    for profile in engine.profile(LISTED):
        given = attributes.get(profile.column)
        if given is not None and profile.nested is None:
            values = profile.values or engine.first_values(profile.column, LISTED)
            yield from _of_column(profile, given, rows, values)


def _of_column(profile: Profile, given: Attribute, rows: int, values: Sequence[str]) -> Iterator[str]:
    name = show(profile.column)
    if given.released and profile.distinct == 0:
        yield f"the column {name} has no values"
    if given.roles & EXACTLY:
        seen = None if profile.date else evidence(values, profile.digits, True)
        meaning = meaning_of(profile.column)
        unique = profile.once / max(rows - profile.missing, 1)
        if seen is not None and seen.role is Role.IDENTIFYING:
            yield f"the column {name} {seen.reason}, but would be released as it is"
        elif meaning is not None and meaning.role is Role.IDENTIFYING:
            yield f'the column {name} is released as it is, but "{meaning.words}" points at a person'
        elif unique >= NEARLY_ALL and rows > SHOWN and Role.QUASI not in given.roles:
            yield f"the column {name} is released as it is, but {percent(unique)} of its values are unique"
        if Role.INSENSITIVE in given.roles and meaning is not None and meaning.role is Role.QUASI:
            yield f'the column {name} is insensitive, but "{meaning.words}" may be known to others'
    if Role.SENSITIVE in given.roles and profile.distinct == 1:
        yield f"the sensitive column {name} has one value, which everybody then knows"
    if Role.QUASI in given.roles and isinstance(given.hierarchy, Path) and profile.values:
        yield from _last_resort(given.hierarchy, profile)


def _last_resort(path: Path, profile: Profile) -> Iterator[str]:
    """Yield a doubt if a hierarchy file still has the proposed groups by first letters."""
    from shoal.describe.hierarchies import read_hierarchy

    rows, how = group_categories(profile.values)
    if how != "first letters":
        return
    try:
        found = read_hierarchy(path).rows()
    except InputError:
        return
    if set(found) >= set(rows):
        column = show(profile.column)
        yield f"the column {column} is grouped by first letters, a last resort; edit {path.name}"
