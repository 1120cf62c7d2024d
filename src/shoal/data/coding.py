"""How rows are counted: values merged on request, texts coded as cells, and a digest of what was counted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.engine import Cells, Merged, Value
from shoal.data.person_rows import PersonRows
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


MOST_ROWS = 2**53
"""The most rows that are counted exactly, since some sums use doubles."""


def check_counts(counts: Any, source: str | Path | None = None) -> None:
    """Refuse negative counts, and more rows than can be counted exactly.

    >>> check_counts(np.array([3, -1]), "a.tally")
    Traceback (most recent call last):
    shoal.errors.InputError: a.tally: the tally is damaged: a count is negative; make it again
    """
    if len(counts) and counts.min() < 0:
        raise InputError("the tally is damaged: a count is negative; make it again", file=source)
    if counts.sum(dtype=np.float64) > MOST_ROWS:
        raise InputError(
            f"the counts add up to more than {MOST_ROWS:,} rows, which no table has; make the tally again",
            file=source,
        )


def coded(names: Sequence[str], texts: Sequence[Any], counts: Any, whose: Whose | None = None) -> Cells:
    """Return cells from Arrow columns of text, plain or dictionaries, with a count for each row.

    Domains are sorted by UTF-8 bytes with the missing value last, whatever the order of the rows. `whose`
    tells of persons, if they were counted.

    >>> import pyarrow as pa
    >>> cells = coded(["a"], [pa.chunked_array([["y", None, "x", "y"]])], np.array([1, 2, 3, 4]))
    >>> cells.domains, cells.codes[:, 0].tolist(), cells.counts.tolist()
    ((('x', 'y', None),), [0, 1, 2], [3, 5, 2])
    """
    codes = np.empty((len(counts), len(names)), dtype=np.int32)
    domains = []
    for i, text in enumerate(texts):
        found = text.combine_chunks().dictionary_encode()
        values = found.dictionary.to_pylist()
        order = sorted(range(len(values)), key=lambda v: values[v].encode())
        place = np.empty(len(values) + 1, dtype=np.int32)
        place[order] = np.arange(len(values))
        place[-1] = len(values)
        numbers = found.indices.fill_null(len(values)).to_numpy()
        codes[:, i] = place[numbers]
        missing = bool(found.indices.null_count)
        domains.append(tuple(values[v] for v in order) + ((None,) if missing else ()))
    return cells_of(names, tuple(domains), codes, counts, whose)


def cells_of(
    names: Sequence[str],
    domains: tuple[tuple[Value, ...], ...],
    codes: Any,
    counts: Any,
    whose: Whose | None = None,
) -> Cells:
    """Return the cells of coded rows; equal ones are put together."""
    if whose is None:
        codes, counts = summed(codes, counts)
        return Cells(tuple(names), domains, codes, counts)
    distinct, place = placed(codes)
    rows = np.bincount(place, weights=counts, minlength=len(distinct)).astype(np.int64)
    return Cells(tuple(names), domains, distinct, rows, whose.in_cells(place, counts, len(distinct)))


@dataclass(frozen=True)
class Whose:
    """Whose the counted rows are: those of `persons[i]` persons, or of one person with the `numbers[i]`.

    A person's rows are in several cells if the person has a number, and else the number is -1.
    """

    numbers: Any
    persons: Any

    @classmethod
    def fetched(cls, numbers: Any, persons: Any) -> Whose:
        """Return what two Arrow columns tell."""
        return cls(numbers.fill_null(-1).to_numpy(), persons.to_numpy())

    def in_cells(self, place: Any, counts: Any, size: int) -> PersonRows:
        """Return the persons of cells, where the counted rows i lie in cell `place[i]`."""
        alone = self.numbers < 0
        whole = np.bincount(place[alone], weights=self.persons[alone], minlength=size).astype(np.int64)
        some = ~alone
        return PersonRows.listed(whole, place[some], self.numbers[some], counts[some])


_ONE_NUMBER = 1 << 62
"""Rows of codes with fewer possible values than this are sorted as one number each."""


def placed(codes: Any) -> tuple[Any, Any]:
    """Return the distinct rows of codes in their order, and the place of every row among them.

    >>> placed(np.array([[1, 0], [0, 2], [1, 0]]))
    (array([[0, 2],
           [1, 0]]), array([1, 0, 1]))
    """
    if not codes.shape[1]:
        return codes[:1], np.zeros(len(codes), dtype=np.int64)
    widths = [int(codes[:, a].max(initial=0)) + 1 for a in range(codes.shape[1])]
    if prod(widths) < _ONE_NUMBER and codes.min(initial=0) >= 0:  # sorted several times as fast as rows
        keys = np.zeros(len(codes), dtype=np.int64)
        for a, width in enumerate(widths):
            keys = keys * width + codes[:, a].astype(np.int64)
        if prod(widths) <= 4 * len(codes):  # no need to sort
            first = np.full(prod(widths), len(codes), dtype=np.int64)
            first[keys[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last assignment stays
            here = first < len(codes)
            return np.ascontiguousarray(codes[first[here]]), (np.cumsum(here) - 1)[keys]
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        return np.ascontiguousarray(codes[first]), place.reshape(-1)
    order = np.lexsort(codes.T[::-1])
    first = np.ones(len(codes), dtype=np.bool_)
    first[1:] = (codes[order[1:]] != codes[order[:-1]]).any(axis=1)
    place = np.empty(len(codes), dtype=np.int64)
    place[order] = np.cumsum(first) - 1
    return np.ascontiguousarray(codes[order[first]]), place


def summed(codes: Any, counts: Any) -> tuple[Any, Any]:
    """Return the distinct rows of codes in their order, their counts added up."""
    if not len(codes) or not codes.shape[1]:
        return codes[:1], np.array([counts.sum()], dtype=np.int64)[: len(codes)]
    order = np.lexsort(codes.T[::-1])
    codes, counts = codes[order], counts[order]
    first = np.ones(len(codes), dtype=np.bool_)
    first[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    return np.ascontiguousarray(codes[starts]), np.add.reduceat(counts, starts)


def fingerprint(cells: Cells) -> str:
    """Return the SHA-256 of distinct rows and their counts, which come in one order from every engine."""
    made = hashlib.sha256(json.dumps([cells.columns, cells.domains]).encode())
    made.update(cells.codes.astype("<i4").tobytes())
    made.update(cells.counts.astype("<i8").tobytes())
    if (whose := cells.persons) is not None:
        for told in (whose.cell_persons, whose.cells, whose.persons, whose.rows):
            made.update(told.astype("<i8").tobytes())
    return made.hexdigest()


_TABLE = "merged{}"


def merged_names(columns: Sequence[str], merged: Merged | None) -> dict[int, str]:
    """Return the name of the mapping table of each merged column, by the column's place, as `sql` wants it.

    >>> merged_names(["age", "zip"], {"zip": {"02138": "02138", "02139": "02138"}})
    {1: 'merged1'}
    """
    return {i: _TABLE.format(i) for i, name in enumerate(columns) if name in (merged or {})}


def merged_tables(columns: Sequence[str], merged: Merged | None) -> dict[str, pa.Table]:
    """Return the mapping tables (value, shown) by their names, for an engine to take in."""
    import pyarrow as pa

    tables = {}
    for i, table in merged_names(columns, merged).items():
        pairs = (merged or {})[columns[i]]
        tables[table] = pa.table(
            {
                "value": pa.array(list(pairs), pa.string()),
                "shown": pa.array(list(pairs.values()), pa.string()),
            }
        )
    return tables
