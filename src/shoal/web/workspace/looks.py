"""A first look at a table: its rows and columns, what they hold, and a proposed role for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlglot.expressions as exp

from shoal.data.engine import Engine, Profile, Value
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.sql.statements import text_of
from shoal.errors import InputError
from shoal.proposal.fitting import LISTED
from shoal.proposal.found_codes import blank_usual_codes
from shoal.proposal.guessed_roles import guess_roles
from shoal.proposal.local_dates import with_local_dates
from shoal.proposal.proposal import ProposedColumn, propose
from shoal.proposal.suggested import Suggestion

SAMPLES = 20
"""How many rows of a table are shown."""


@dataclass(frozen=True)
class Guessed:
    """The proposed role of a column and why; its hierarchy is described or listed in rows."""

    column: str
    role: str
    reason: str
    description: Mapping[str, Any] | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None
    note: str = ""


@dataclass(frozen=True)
class Look:
    """What is known about a table before anybody has given its columns roles."""

    rows: int
    profiles: tuple[Profile, ...]
    guesses: tuple[Guessed, ...]
    notices: tuple[str, ...] = ()
    samples: tuple[tuple[Value, ...], ...] = ()
    persons: str | None = None
    """The column that seems to tell who a row is about, if persons have several rows."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the table is read, as a record says it: the codes of missing values."""
    households: str | None = None
    """The column that seems to tell which rows live together."""
    sample_weight: str | None = None
    """The column that seems to say how many people a row stands for."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns, in their order."""
        return tuple(profile.column for profile in self.profiles)

    @cached_property
    def _by_column(self) -> dict[str, Profile]:
        return {profile.column: profile for profile in self.profiles}

    def profile(self, column: str) -> Profile:
        """Return what a column holds."""
        return self._by_column[column]

    def kind(self, column: str) -> dict[str, Any]:
        """Return what a column holds, in a word and in numbers."""
        profile = self.profile(column)
        word = "text"
        if profile.nested is not None:
            word = "nested"
        elif profile.distinct == 0:
            word = "empty"
        elif profile.date:
            word = "date"
        elif profile.decimal and not profile.zeros:
            word = "whole number" if profile.whole else "number"
        elif profile.digits:
            word = "code"
        lowest, highest = (
            (profile.lowest, profile.highest) if profile.decimal else (profile.first, profile.last)
        )
        if word == "text":
            # Alphabetical order says nothing, and would mislead for numbers within text.
            lowest = highest = None
        return {
            "kind": word,
            "distinct": profile.distinct,
            "missing": profile.missing,
            "unique": profile.once,
            "lowest": lowest,
            "highest": highest,
        }


def look_at(engine: Engine, *, given: bool = False) -> Look:
    """Return a look at the engine's table.

    Where a study is `given`, nothing is said about hierarchies that are proposed: its own take their place.
    """
    rows = engine.count()
    if rows == 0:
        raise InputError("the table has no rows, only a header; a table needs rows")
    codes = blank_usual_codes(engine, LISTED)
    profiles, _ = with_local_dates(engine.profile(LISTED), engine)
    whom: tuple[str | None, ...] = (None, None, None)
    try:
        proposal = propose(_KnownTable(engine, rows, profiles))
        guesses = tuple(map(_guessed, proposal.columns))
        notices = (*codes.notices, *(engine.notes if given else proposal.notices))
        told = (proposal.persons, proposal.households, proposal.sample_weight)
        whom = tuple(None if one is None else one.name for one in told)
    except InputError as problem:
        # The curator decides what is quasi; until then every column has a guessed role.
        guesses = tuple(
            Guessed(guess.name, guess.role.value, guess.reason) for guess in guess_roles(profiles, rows)
        )
        notices = (*engine.notes, *codes.notices, problem.what)
    said = codes.reading.to_dict()
    persons, *others = whom
    return Look(rows, profiles, guesses, notices, first_rows(engine), persons, said, *others)


class _KnownTable:
    """An engine that knows its rows and profiles already and does not look again."""

    def __init__(self, engine: Engine, rows: int, profiles: tuple[Profile, ...]) -> None:
        self._engine, self._rows, self._profiles = engine, rows, profiles

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def count(self) -> int:
        return self._rows

    def profile(self, few: int) -> tuple[Profile, ...]:
        return self._profiles


def _guessed(column: ProposedColumn) -> Guessed:
    found = column.hierarchy
    if not isinstance(found, Suggestion):
        return Guessed(column.name, column.role.value, column.reason)
    rows = None if found.rows is None else tuple(map(tuple, found.rows))
    return Guessed(column.name, column.role.value, column.reason, found.description, rows, found.note)


def first_rows(engine: Engine, most: int = SAMPLES) -> tuple[tuple[Value, ...], ...]:
    """Return the first rows of a table in DuckDB as text, with None for a missing value."""
    if not isinstance(engine, DuckDBEngine):
        return ()
    kinds = engine.kinds()
    texts = [text_of(name, kinds[name]) for name in map(engine.inner, engine.columns)]
    return tuple(engine.rows(exp.select(*texts).from_(engine.source).limit(most)))


def read_look(path: Path) -> Look:
    """Return the look kept in a file."""
    given = json.loads(path.read_text(encoding="utf-8"))
    return Look(
        given["rows"],
        tuple(Profile(**{**each, "values": tuple(each["values"])}) for each in given["profiles"]),
        tuple(_guess_of(each) for each in given["guesses"]),
        tuple(given["notices"]),
        tuple(map(tuple, given["samples"])),
        given.get("persons"),
        given.get("reading", {}),
        given.get("households"),
        given.get("sample_weight"),
    )


def _guess_of(given: Mapping[str, Any]) -> Guessed:
    rows = given["rows"]
    return Guessed(**{**given, "rows": None if rows is None else tuple(map(tuple, rows))})
