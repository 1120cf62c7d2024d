"""Looks at a table through its engine, and proposes a study."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from shoal.data.engine import Engine, Profile
from shoal.describe import Role
from shoal.describe.table_reading import AS_IT_IS, Reading
from shoal.errors import InputError, show
from shoal.proposal.fitting import LISTED, choose_hierarchy
from shoal.proposal.found_codes import blank_usual_codes
from shoal.proposal.given import Fitting, fit_files
from shoal.proposal.guessed_roles import Guess, guess_roles, measured
from shoal.proposal.local_dates import with_local_dates
from shoal.proposal.stand_for import key_of_persons, with_households, with_weight
from shoal.proposal.suggested import Suggestion
from shoal.tabular import AnswerColumn, AnswerTable, Tabular

MOST_NODES = 200_000
"""Lattices up to this size are searched in seconds or minutes, so quasi columns are added up to it."""
MOST_GUESSED_NODES = 20_000
"""The same for columns that are quasi only by their values, which are not worth a long search."""

LOOKED_AT = 2000
"""How many values of a column are looked at where it has many."""
_COMMAS = (
    'numbers such as 1,5 have a decimal comma; the study says `decimal: ","`; remove it if they do not'
)
_COMMA = re.compile(r"-?[0-9.]*[0-9],[0-9]+")


@dataclass(frozen=True)
class ProposedColumn:
    """One column of a proposed study; its hierarchy is a suggestion, or a file given before."""

    name: str
    role: Role
    reason: str
    distinct: int
    missing: int
    hierarchy: Suggestion | Path | None = None


@dataclass(frozen=True, repr=False)
class Proposal(Tabular):
    """A proposed study: every column of the table, in its order; `notices` are for the user.

    `persons` is the column that says who a row is about, where persons have several rows; `households` which
    rows live together, `sample_weight` how many people a row stands for; `reading` has the codes that stand
    for missing values, and what a text file needs said of it.
    """

    rows: int
    columns: tuple[ProposedColumn, ...]
    notices: tuple[str, ...] = ()
    persons: ProposedColumn | None = None
    households: ProposedColumn | None = None
    sample_weight: ProposedColumn | None = None
    reading: Reading = AS_IT_IS

    def having(self, role: Role) -> tuple[ProposedColumn, ...]:
        """Return the columns of a role."""
        return tuple(column for column in self.columns if column.role is role)

    def _repr_html_(self) -> str:
        """Return the columns and the notices for notebooks."""
        from shoal.present.notebook import kit

        return kit.page(kit.table(self.as_table()), kit.sentences(self.notices))

    def as_table(self) -> AnswerTable:
        """Return the columns as a table: what each is taken for, and why."""
        return AnswerTable(
            f"a study of {self.rows:,} rows; quasi: {', '.join(one.name for one in self.having(Role.QUASI))}",
            (
                AnswerColumn("column", str, [one.name for one in self.columns]),
                AnswerColumn("role", str, [one.role.value for one in self.columns]),
                AnswerColumn("values", int, [one.distinct for one in self.columns]),
                AnswerColumn("missing", int, [one.missing for one in self.columns]),
                AnswerColumn("why", str, [one.reason for one in self.columns]),
            ),
        )


def propose(engine: Engine, hierarchies: Path | None = None) -> Proposal:
    """Return a study of the engine's table that can run as it is, or refuse a table that allows none.

    `hierarchies` is a folder of files named like columns, which are then quasi.

    >>> import pyarrow as pa
    >>> from shoal.data.engines.duckdb.engine import DuckDBEngine
    >>> table = pa.table({"name": ["Ann", "Bob"], "age": [31, 44], "diagnosis": ["flu", "cold"]})
    >>> [column.role.value for column in propose(DuckDBEngine(table)).columns]
    ['identifying', 'quasi', 'sensitive']
    """
    rows = engine.count()
    if rows == 0:
        raise InputError("the table has no rows, so there is nothing to look at", file=engine.name)
    codes = blank_usual_codes(engine, LISTED)
    profiles, doubts = with_local_dates(engine.profile(LISTED), engine)
    fitting = Fitting({}, {}, ())
    if hierarchies is not None:
        fitting = fit_files(hierarchies, profiles, engine)

    def look(profile: Profile) -> Sequence[str]:
        if profile.nested is not None or profile.distinct == 0:
            return ()
        return profile.values or engine.first_values(profile.column, LOOKED_AT)

    guesses = guess_roles(profiles, rows, fitting.files, look)
    guesses, home = with_households(guesses, rows)
    guesses, weight = with_weight(guesses, look)
    guesses = measured(guesses, engine, rows)
    if not any(guess.role is Role.QUASI for guess in guesses):
        guesses = _likeliest(guesses)
    columns = _with_hierarchies(guesses, fitting, engine)
    if not any(column.role is Role.QUASI for column in columns):
        raise InputError(
            "no column looks like something that others know about a person; put a hierarchy file named "
            "like such a column into a folder (`hierarchies`), or write the study by hand",
            file=engine.name,
        )
    forms = (*fitting.notices, *_other_forms(profiles), *_last_resorts(columns))
    text = engine.found or AS_IT_IS
    marks = (_COMMAS,) if text.decimal == "," else ()
    notices = (*engine.notes, *marks, *codes.notices, *doubts, *forms)
    person = key_of_persons([guess for guess in guesses if guess is not home], rows)
    whose, lives, drawn = (_named(columns, one) for one in (person, home, weight))
    reading = replace(codes.reading, encoding=text.encoding, decimal=text.decimal)
    return Proposal(rows, columns, notices, whose, lives, drawn, reading)


def _named(columns: Sequence[ProposedColumn], guess: Guess | None) -> ProposedColumn | None:
    return next((one for one in columns if guess is not None and one.name == guess.name), None)


def _last_resorts(columns: Sequence[ProposedColumn]) -> Iterator[str]:
    """Yield notices of hierarchies whose groups mean nothing."""
    for one in columns:
        if isinstance(one.hierarchy, Suggestion) and one.hierarchy.last_resort:
            yield (
                f"{one.name} has {one.distinct:,} values that are grouped by first letters, a last resort; "
                "edit its hierarchy before you rely on it"
            )


def _other_forms(profiles: Sequence[Profile]) -> Iterator[str]:
    """Yield advice about numbers in formats that count as text."""
    for profile in profiles:
        ends = (profile.first or "", profile.last or "")
        if profile.date or profile.decimal:
            continue
        if all(_COMMA.fullmatch(end) for end in ends):
            yield (
                f'{profile.column} looks like numbers with a comma; with `decimal: ","` in the study they '
                "can be grouped into intervals"
            )


def _likeliest(guesses: list[Guess]) -> list[Guess]:
    """Make the simplest undecided column quasi, so that there is something to study."""
    left = [each for each in guesses if each.role is Role.UNDECIDED and each.profile.distinct]
    if not left:
        return guesses
    best = min(left, key=lambda each: (each.profile.distinct == 1, each.profile.distinct))
    reason = "some column must be quasi, and this one may be known to others"
    return [each.turned(Role.QUASI, reason) if each is best else each for each in guesses]


def _with_hierarchies(
    guesses: list[Guess], fitting: Fitting, engine: Engine
) -> tuple[ProposedColumn, ...]:
    """Return the columns with a hierarchy for each quasi one, as many as a search can handle.

    Columns known by name come first, then those guessed from values.
    """
    chosen: dict[str, Suggestion | Path] = dict(fitting.files)
    settled: dict[str, Guess] = {}
    nodes = prod(fitting.levels.values())
    for guess in sorted(guesses, key=lambda each: not each.sure):
        settled[guess.name] = guess
        if guess.role is not Role.QUASI or guess.name in chosen:
            continue
        found = choose_hierarchy(guess.profile, guess.topic, engine)
        if found is None:
            reason = f"no hierarchy for {guess.profile.distinct:,} values; give one to make it quasi"
            settled[guess.name] = guess.turned(Role.UNDECIDED, reason)
        elif chosen and nodes * found.levels > (MOST_NODES if guess.sure else MOST_GUESSED_NODES):
            reason = f"{guess.reason}, but there are many quasi columns"
            settled[guess.name] = guess.turned(Role.UNDECIDED, reason)
        else:
            chosen[guess.name] = found
            nodes *= found.levels
    return tuple(_column(settled[guess.name], chosen.get(guess.name)) for guess in guesses)


def _column(guess: Guess, hierarchy: Suggestion | Path | None) -> ProposedColumn:
    profile = guess.profile
    counts = (profile.distinct, profile.missing)
    reason = guess.reason if profile.label is None else f"{guess.reason}; labelled {show(profile.label)}"
    return ProposedColumn(guess.name, guess.role, reason, *counts, hierarchy)
