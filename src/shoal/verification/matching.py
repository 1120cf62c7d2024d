"""How many rows are like a row, if a missing value is like any other: sdcMicro's reading of a table.

Two rows are alike if they agree in every column in which neither misses its value. This is no equivalence:
two unlike rows may both be like a third. So there are no classes, only a count for each combination.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells
from shoal.running import stopping

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FITS = 1 << 62


def alike(cells: Cells, weights: npt.ArrayLike, asked: npt.NDArray[np.bool_] | None = None) -> Floats:
    """Return, for each combination, the sum of the weights of all combinations that are like it.

    If only some combinations are `asked` about, the others have 0.
    """
    given = np.asarray(weights, dtype=np.float64)
    found = np.zeros(len(given), dtype=np.float64)
    for here, there, keys in _compared(cells, asked):
        sums = np.bincount(keys[len(here) :], given[there], minlength=int(keys.max()) + 1)
        found[here] += sums[keys[: len(here)]]
    return found


def persons_alike(cells: Cells, asked: npt.NDArray[np.bool_]) -> Ints:
    """Return how many persons have a row that is like each combination that is asked about; others have 0.

    Those with rows in several combinations count once, however many of these are like it.
    """
    if cells.persons is None:
        return np.rint(alike(cells, cells.counts, asked)).astype(np.int64)
    whose = cells.persons
    found = np.rint(alike(cells, whose.cell_persons, asked)).astype(np.int64)
    if not len(whose.cells):
        return found
    order = np.argsort(whose.cells, kind="stable")
    entries, persons = whose.cells[order], whose.persons[order]
    met = [np.zeros((0, 2), dtype=np.int64)]
    for here, there, keys in _compared(cells, asked):
        # Of each key the persons who have it, then of each combination all persons of its key.
        key_of = np.full(len(cells.counts), -1, dtype=np.int64)
        key_of[there] = keys[len(here) :]
        listed = key_of[entries]
        pairs = np.unique(np.stack([listed[listed >= 0], persons[listed >= 0]], axis=1), axis=0)
        begins = np.searchsorted(pairs[:, 0], keys[: len(here)], "left")
        many = np.searchsorted(pairs[:, 0], keys[: len(here)], "right") - begins
        at = np.repeat(begins - np.cumsum(many) + many, many) + np.arange(many.sum())
        met.append(np.stack([np.repeat(here, many), pairs[at, 1]], axis=1))
    once = np.unique(np.concatenate(met), axis=0)
    return found + np.bincount(once[:, 0], minlength=len(found))


def _compared(cells: Cells, asked: npt.NDArray[np.bool_] | None) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield combinations that are asked about, others, and a number for each, the same for those alike.

    Combinations that miss the same columns are one pattern. For every two patterns those columns are compared
    that neither misses, so the work is the number of patterns times that of the combinations, sorted.
    """
    missing = np.stack(
        [
            cells.codes[:, a] == len(domain) - 1
            if domain and domain[-1] is None
            else np.zeros(len(cells.codes), dtype=np.bool_)
            for a, domain in enumerate(cells.domains)
        ],
        axis=1,
    )
    patterns, of = np.unique(missing, axis=0, return_inverse=True)
    members = [np.flatnonzero(of.reshape(-1) == i) for i in range(len(patterns))]
    for every, mine in zip(members, patterns, strict=True):
        here = every if asked is None else every[asked[every]]
        if not len(here):
            continue
        for there, theirs in zip(members, patterns, strict=True):
            stopping.look()
            both = np.concatenate([here, there])
            yield here, there, _keys(cells, both, np.flatnonzero(~(mine | theirs)))


def _keys(cells: Cells, rows: Ints, columns: Ints) -> Ints:
    """Return a number for each row, the same for rows that agree in the columns, from 0 up."""
    keys, size = np.zeros(len(rows), dtype=np.int64), 1
    for a in columns.tolist():
        if size * len(cells.domains[a]) > FITS:
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
            size = len(rows)
        keys = keys * len(cells.domains[a]) + cells.codes[rows, a]
        size *= len(cells.domains[a])
    return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
