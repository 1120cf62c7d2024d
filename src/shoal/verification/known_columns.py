"""How many rows or persons are like a row for somebody who knows some columns, and with how many values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells
from shoal.data.person_rows import PersonRows
from shoal.describe.hierarchies import Label
from shoal.describe.promise import WILDCARD, Known
from shoal.errors import InputError, show
from shoal.running import stopping
from shoal.verification.matching import persons_alike
from shoal.verification.spread.measure import name_cell
from shoal.verification.spread.sensitive_column import SensitiveColumn
from shoal.verification.spread.whose import persons_in, persons_of

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class KnownRows:
    """The fewest rows that are like a row in a set of columns that is promised about.

    If the rows tell whose they are, these are the fewest persons. `l` is the fewest values that such rows
    have of a sensitive column, if that is promised.
    """

    k: int
    l: int | None = None  # noqa: E741  the literature's name

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as certificates show them."""
        return {"k": self.k} | ({} if self.l is None else {"l": self.l})


def measure_known(
    groups: Cells, known: Known, values: Mapping[str, Cells] | None = None
) -> tuple[KnownRows, list[str]]:
    """Return the fewest rows or persons that are like a row, and which sets of columns break the promise.

    `values` has for each column that l is about the groups with that column as their last.
    """
    fewest, failures = persons_of(groups), []
    what = "rows" if groups.persons is None else "persons"
    like = "are like" if known.missing == WILDCARD else "show"
    for columns in known.combinations:
        stopping.look()
        cells = _only(groups, [groups.columns.index(name) for name in columns])
        sizes = _persons(cells)
        if known.missing == WILDCARD:
            sizes = _fewest_alike(blanks_as_missing(cells, known.blank), known.k)
        if not len(sizes):
            continue
        least = int(sizes.min())
        if least < known.k:
            where = name_cell(cells, int(sizes.argmin()), range(len(columns)))
            failures.append(
                f"known: of {', '.join(columns)}, {least:,} {what} {like} {where}, fewer than {known.k:,}"
            )
        fewest = min(fewest, least)
    if known.l is None:
        return KnownRows(fewest), failures
    l, broken = _measure_values(known, values or {}, like)  # noqa: E741
    return KnownRows(fewest, l), failures + broken


def _measure_values(known: Known, values: Mapping[str, Cells], like: str) -> tuple[int, list[str]]:
    """Return the fewest values that rows that are alike have, and which sets of columns have too few."""
    found, failures = [], []
    for column in known.about:
        for columns in known.combinations:
            stopping.look()
            places = [values[column].columns.index(name) for name in columns]
            cells = _only(values[column], [*places, len(values[column].columns) - 1])
            inside = range(len(columns))
            if known.missing == WILDCARD:
                shown, counts = _values_alike(cells, known)
            else:
                shown, counts = cells, SensitiveColumn.of(cells, inside).distinct
            if not len(counts):
                continue
            least = int(counts.min())
            found.append(least)
            if least < (known.l or 1):
                at = int(counts.argmin())
                if shown is cells:  # groups are in the order of their codes
                    at = int(np.unique(cells.codes[:, : len(columns)], axis=0, return_index=True)[1][at])
                failures.append(
                    f"known: of {', '.join(columns)}, rows with {least:,} values of {show(column)} {like} "
                    f"{name_cell(shown, at, inside)}, fewer than {known.l:,}"
                )
    return min(found, default=0), failures


def _values_alike(cells: Cells, known: Known) -> tuple[Cells, Ints]:
    """Return the combinations of all columns but the last, and how many of its values those like each have.

    A value counts like somebody who has a row wherever it occurs.
    """
    if cells.persons is not None and _several_values(cells):
        raise InputError(
            "some persons have several values, and values of different persons are not counted where a "
            "blanked cell is like any value; verify k alone, or with a blank as a value of its own"
        )
    combinations, of = np.unique(cells.codes[:, :-1], axis=0, return_inverse=True)
    of = of.reshape(-1).astype(np.int64)
    there = np.array([value is not None for value in cells.domains[-1]], dtype=np.bool_)[
        cells.codes[:, -1]
    ]
    counts = np.bincount(of, weights=cells.counts, minlength=len(combinations)).astype(np.int64)
    nobody = np.zeros(len(combinations), dtype=np.int64)
    values = PersonRows.listed(
        nobody, of[there], cells.codes[there, -1].astype(np.int64), cells.counts[there]
    )
    shown = Cells(cells.columns[:-1], cells.domains[:-1], combinations, counts, values)
    asked = np.ones(len(combinations), dtype=np.bool_)
    return shown, persons_alike(blanks_as_missing(shown, known.blank), asked)


def _several_values(cells: Cells) -> bool:
    """Return whether somebody has several values of the last column."""
    place = [-1 if value is None else v for v, value in enumerate(cells.domains[-1])]
    of = np.array(place, dtype=np.int64)[cells.codes[:, -1]]
    return cells.persons is not None and cells.persons.regrouped(of, len(place)).spread > 0


def _only(groups: Cells, places: list[int]) -> Cells:
    """Return the counts over some of the columns."""
    codes, of = np.unique(groups.codes[:, places], axis=0, return_inverse=True)
    counts = np.zeros(len(codes), dtype=np.int64)
    np.add.at(counts, of.reshape(-1), groups.counts)
    columns = tuple(groups.columns[i] for i in places)
    persons = groups.persons and groups.persons.regrouped(of.reshape(-1), len(codes))
    return Cells(columns, tuple(groups.domains[i] for i in places), codes, counts, persons)


def _persons(cells: Cells) -> Ints:
    """Return how many rows each combination has, or persons if they are told."""
    return persons_in(cells, np.arange(len(cells.counts)), len(cells.counts))


def _fewest_alike(cells: Cells, k: int) -> Ints:
    """Return how many rows or persons are like each combination, exactly for all that have the fewest.

    A combination is like itself: with more than the fewest that are like another, it has no fewer.
    """
    own = _persons(cells)
    found = own.copy()
    asked = np.zeros(len(found), dtype=np.bool_)
    least = max(k, int(own.min(initial=own.sum())) + 1)
    while True:
        now = (own < least) & ~asked
        if not now.any():
            return found
        found[now] = persons_alike(cells, now)[now]
        asked |= now
        least = max(least, int(found[asked].min()))


def blanks_as_missing(cells: Cells, blank: Mapping[str, Label]) -> Cells:
    """Return the cells with the labels of blanked ones as missing values."""
    codes, domains = cells.codes.copy(), list(cells.domains)
    for a, name in enumerate(cells.columns):
        domain = domains[a]
        if name not in blank or blank[name] not in domain:
            continue
        if domain[-1] is not None:
            domain = (*domain, None)
        codes[codes[:, a] == domain.index(blank[name]), a] = len(domain) - 1
        domains[a] = tuple(domain)
    return replace(cells, codes=codes, domains=tuple(domains))
