"""How many rows are like a row, if a missing value is like any other: sdcMicro's reading of a table.

Two rows are alike if they agree in every column in which neither misses its value. This is no equivalence:
two unlike rows may both be like a third. So there are no classes, only a count for each combination.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells
from shoal.running import stopping

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FITS = 1 << 62


def alike(cells: Cells, weights: npt.ArrayLike) -> Floats:
    """Return, for each combination, the sum of the weights of all combinations that are like it.

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
    given = np.asarray(weights, dtype=np.float64)
    patterns, of = np.unique(missing, axis=0, return_inverse=True)
    members = [np.flatnonzero(of.reshape(-1) == i) for i in range(len(patterns))]
    found = np.zeros(len(given), dtype=np.float64)
    for here, mine in zip(members, patterns, strict=True):
        for there, theirs in zip(members, patterns, strict=True):
            stopping.look()
            both = np.concatenate([here, there])
            keys = _keys(cells, both, np.flatnonzero(~(mine | theirs)))
            sums = np.bincount(keys[len(here) :], given[there], minlength=int(keys.max()) + 1)
            found[here] += sums[keys[: len(here)]]
    return found


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
