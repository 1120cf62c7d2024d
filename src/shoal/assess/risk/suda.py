"""Who stands out by few columns, and by which: the special uniques detection algorithm (SUDA2).

A minimal sample unique of a row is a set of columns in which the row is the only one of its kind, while it is
not so in any smaller part of the set. The fewer columns it takes, the likelier the row is unique in the
population as well. Elliot, Manning and Ford (2002) therefore score a minimal unique of m of n columns by
(n - m)!, and a row by the sum of its minimal uniques. sdcMicro has the same scores. A missing value belongs
to no minimal unique. `kernels/risk/suda.hpp` says how they are found, and why none is missed.

Where persons have several rows, a set of columns is unique to a person if all rows with these values are the
person's, and a combination that only one person has counts once, however many rows it has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import comb, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells, Value
from shoal.data.person_rows import PersonRows
from shoal.errors import InputError
from shoal.kernels import suda
from shoal.numbers import many, percent
from shoal.tabular import AnswerColumn, AnswerTable, Tabular

Floats = npt.NDArray[np.float64]

USUAL_FRACTION = 0.01
"""The share of the population that is taken to be in the table if nobody says; sdcMicro takes the same."""
USUAL_SIZE = 3
QUICK = 2 * 10**9
"""So many combinations times sets of columns are looked at unasked: some ten seconds of one core."""
MOST_COLUMNS = 64
MOST_SETS = 1 << 24


@dataclass(frozen=True)
class ColumnPart:
    """A column, and the share of all scores that comes from minimal uniques with it."""

    column: str
    share: float


@dataclass(frozen=True)
class ValuePart:
    """A value of a column: its share of all scores, and `within` those that come from the column."""

    column: str
    value: Value
    share: float
    within: float


@dataclass(frozen=True, repr=False)
class SpecialUniques(Tabular):
    """The rows that are unique by at most `size` columns, and the columns and values that make them so.

    `rows` is how many there are, and `persons` whose they are if persons have several. `by_size` is how many
    minimal uniques there are of 1, 2, ... columns. The shares of `columns` add up to more than 1, since a
    minimal unique has several. Of every combination of the table, in its order, `scores`, `dis` (the chance
    that a match with the row is correct) and `smallest` (the columns of its smallest minimal unique, 0 if it
    has none); `parts` are the scores by column.
    """

    size: int
    fraction: float
    rows: int
    by_size: tuple[int, ...]
    columns: tuple[ColumnPart, ...]
    values: tuple[ValuePart, ...]
    scores: Floats = field(repr=False, compare=False)
    dis: Floats = field(repr=False, compare=False)
    smallest: npt.NDArray[np.int32] = field(repr=False, compare=False)
    parts: Floats = field(repr=False, compare=False)
    persons: int | None = None

    @property
    def who(self) -> str:
        """Who is unique, in words: rows, or persons with their rows."""
        whose = "" if self.persons is None else f" of {many(self.persons, 'person')}"
        return f"{many(self.rows, 'row')}{whose} {'is' if self.rows == 1 else 'are'}"

    def as_table(self) -> AnswerTable:
        """Return the columns, those that make people stand out the most first."""
        return AnswerTable(
            f"{self.who} unique by at most {self.size} columns",
            (
                AnswerColumn("column", str, [one.column for one in self.columns]),
                AnswerColumn("share", float, [one.share for one in self.columns], percent),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "size": self.size,
            "sampling_fraction": self.fraction,
            "rows": self.rows,
            "persons": self.persons,
            "by_size": list(self.by_size),
            "highest_dis": float(self.dis.max(initial=0.0)),
            "columns": [vars(one) for one in self.columns],
            "values": [vars(one) for one in self.values],
        }


def special_uniques(
    cells: Cells,
    size: int | None = None,
    *,
    fraction: float = USUAL_FRACTION,
    threads: int = 1,
    whose: PersonRows | None = None,
) -> SpecialUniques | None:
    """Return who stands out by at most `size` columns; None for size 0.

    Without a size it is 3, or less where that many sets of columns take long. `fraction` is the share of the
    population that is in the table. `whose` tells the persons of each combination, if they have several rows.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> people = Cells(("age", "sex"), (("31", "44"), ("f", "m")), codes, np.array([5, 5, 1]))
    >>> special_uniques(people).columns
    (ColumnPart(column='age', share=1.0), ColumnPart(column='sex', share=0.0))
    """
    n = len(cells.columns)
    size = _usual_size(n, len(cells.counts)) if size is None else min(size, n)
    if size == 0:
        return None
    if n > MOST_COLUMNS:
        raise InputError(f"{n:,} columns are too many for SUDA; name at most {MOST_COLUMNS} as quasi")
    if sets_of(n, size) > MOST_SETS:
        raise InputError(
            f"{n} columns have {sets_of(n, size):,} sets of at most {size}, too many for SUDA; ask for a "
            "smaller size"
        )
    codes = cells.codes.copy()
    for a, domain in enumerate(cells.domains):
        if domain and domain[-1] is None:
            codes[codes[:, a] == len(domain) - 1, a] = -1
    points = [float(factorial(n - m)) for m in range(1, size + 1)]
    counts, owners = np.ascontiguousarray(cells.counts, dtype=np.int64)[:, None], None
    if whose is not None:
        counts, owners = _of_persons(whose)
    found, parts, smallest, by_size = suda(codes, counts, points, threads)
    scores = found[:, 0]
    total = float(scores.sum())
    special = scores > 0
    pairs = 2 * int((counts[:, 0] == 2).sum())
    by_column = parts.sum(axis=0)
    columns = [
        ColumnPart(column, float(part) / total if total else 0.0)
        for column, part in zip(cells.columns, by_column, strict=True)
    ]
    return SpecialUniques(
        size=size,
        fraction=fraction,
        rows=int(cells.counts[special].sum()),
        by_size=tuple(by_size),
        columns=tuple(sorted(columns, key=lambda one: -one.share)),
        values=_values(cells, codes, parts, total),
        scores=scores,
        dis=_dis(scores, pairs, fraction, n),
        smallest=smallest[:, 0],
        parts=parts,
        persons=None if owners is None else len(np.unique(owners[special])),
    )


def _of_persons(whose: PersonRows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return how many persons have each combination, and who does where it is one.

    The kernel needs to know who only if somebody has rows in several combinations.
    """
    n = len(whose.cell_persons)
    counts = whose.in_groups(np.arange(n), n)
    owners = whose.spread + np.arange(n)
    listed = whose.cells[counts[whose.cells] == 1]
    owners[listed] = whose.persons[counts[whose.cells] == 1]
    both = np.stack([counts, owners], axis=1) if whose.spread else counts[:, None]
    return np.ascontiguousarray(both), owners


def sets_of(columns: int, size: int) -> int:
    """Return how many sets of at most `size` columns there are."""
    return sum(map(partial(comb, columns), range(1, size + 1)))


def _usual_size(columns: int, combinations: int) -> int:
    usual = min(USUAL_SIZE, columns)
    while usual and sets_of(columns, usual) * combinations > QUICK:
        usual -= 1
    return usual if columns <= MOST_COLUMNS else 0


def _values(
    cells: Cells, codes: npt.NDArray[np.int32], parts: Floats, total: float
) -> tuple[ValuePart, ...]:
    found = []
    for a, column in enumerate(cells.columns):
        seen = codes[:, a] >= 0
        sums = np.bincount(codes[seen, a], parts[seen, a], len(cells.domains[a]))
        whole = float(sums.sum())
        for code in np.flatnonzero(sums).tolist():
            part = float(sums[code])
            found.append(ValuePart(column, cells.domains[a][code], part / total, part / whole))
    return tuple(sorted(found, key=lambda one: -one.share))


def _dis(scores: Floats, pairs: int, fraction: float, columns: int) -> Floats:
    """Return the chance that a match with a row is correct, by data intrusion simulation.

    `pairs` are the rows that have exactly one other like them. The power of the score falls with the number
    of columns, as sdcMicro has it; it stays above 0, so that a higher score never is a lower chance.
    """
    power = max(1 + (8 - columns) / 20, 0.05)
    chances = np.zeros(len(scores))
    special = scores > 0
    weights = (scores[special] / scores.max(initial=1.0)) ** power  # a factor of all scores cancels out
    odds = pairs * (1 - fraction) / fraction
    chances[special] = 1 / (1 + odds / (weights * (1 / weights).sum()))
    return chances
