"""A first look at a table: its rows and columns, what they hold, and a proposed role for each."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from shoal.data.engine import Engine, Profile, Value
from shoal.data.files import sources
from shoal.errors import InputError
from shoal.proposal.fitting import LISTED
from shoal.proposal.guessed_roles import guess_roles
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


def look_at(engine: Engine, table: Path | None = None) -> Look:
    """Return a look at the engine's table, with its first rows if it is one file."""
    rows = engine.count()
    if rows == 0:
        raise InputError("the table has no rows, only a header; a table needs rows")
    profiles = engine.profile(LISTED)
    notices: tuple[str, ...] = ()
    try:
        proposal = propose(_KnownTable(engine, rows, profiles))
        guesses = tuple(map(_guessed, proposal.columns))
        notices = proposal.notices
    except InputError as problem:
        # The curator decides what is quasi; until then every column has a guessed role.
        guesses = tuple(
            Guessed(guess.name, guess.role.value, guess.reason) for guess in guess_roles(profiles, rows)
        )
        notices = (problem.what,)
    return Look(rows, profiles, guesses, notices, first_rows(table) if table is not None else ())


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


def first_rows(table: Path, most: int = SAMPLES) -> tuple[tuple[Value, ...], ...]:
    """Return the first rows of a file as text, with None for a missing value."""
    ending = sources.ending_of(table)
    if ending in sources.TEXT_ENDINGS:
        return _first_of_text(table, most)
    import pyarrow as pa

    if ending in sources.PARQUET_ENDINGS:
        from pyarrow import parquet

        batch = next(parquet.ParquetFile(table).iter_batches(batch_size=most), None)
        found = pa.table([]) if batch is None else pa.Table.from_batches([batch])
    else:
        from pyarrow import ipc

        with pa.memory_map(str(table)) as source:
            try:
                found = ipc.open_file(source).read_all().slice(0, most)
            except pa.ArrowInvalid:
                source.seek(0)
                found = ipc.open_stream(source).read_all().slice(0, most)
    return tuple(zip(*map(_texts, found.columns), strict=True))


def _texts(column: Any) -> list[Value]:
    """Return cells as text; Python does not know all dates and time zones."""
    try:
        return [None if cell is None else str(cell) for cell in column.to_pylist()]
    except (ArithmeticError, ValueError, KeyError):
        return ["(cannot be shown)"] * len(column)


def _first_of_text(table: Path, most: int) -> tuple[tuple[Value, ...], ...]:
    import gzip

    told = sources.inspect_text(table)
    opened: Any = gzip.open if table.name.lower().endswith(".gz") else open
    with opened(table, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=told.delimiter)
        try:
            rows = list(islice(reader, 1, most + 1))
        except csv.Error:
            return ()
    width = len(told.columns)
    return tuple(tuple(cell or None for cell in row) for row in rows if len(row) == width)


def read_look(path: Path) -> Look:
    """Return the look kept in a file."""
    given = json.loads(path.read_text(encoding="utf-8"))
    return Look(
        given["rows"],
        tuple(Profile(**{**each, "values": tuple(each["values"])}) for each in given["profiles"]),
        tuple(_guess_of(each) for each in given["guesses"]),
        tuple(given["notices"]),
        tuple(map(tuple, given["samples"])),
    )


def _guess_of(given: Mapping[str, Any]) -> Guessed:
    rows = given["rows"]
    return Guessed(**{**given, "rows": None if rows is None else tuple(map(tuple, rows))})
