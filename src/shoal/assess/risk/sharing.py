"""How many persons of a population share their values with each class of a table (k-map)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells, Value
from shoal.errors import InputError
from shoal.kernels import Codebook, aggregate


def population_sizes(
    cells: Cells, population: Cells, maps: Mapping[str, Mapping[Value, Value]] | None = None
) -> npt.NDArray[np.int64]:
    """Return, for each class of the table, how many of the population fall into it.

    Both are over the same columns. `maps` gives, for columns that are recoded in the table, the label of
    each original value; a value that it does not name falls into no class.
    """
    if cells.columns != population.columns:
        raise InputError("the population is counted by other columns than the table")
    codes = np.empty(population.codes.shape, dtype=np.int32)
    for a, column in enumerate(cells.columns):
        place = {value: code for code, value in enumerate(cells.domains[a])}
        labels = (maps or {}).get(column)
        shown = population.domains[a]
        if labels is not None:
            # Leaving out a person that the mapping does not know can only raise the risk.
            here = [place.get(labels[value], -1) if value in labels else -1 for value in shown]
        else:
            here = [place.get(value, -1) for value in shown]
        codes[:, a] = np.array([*here, -1], dtype=np.int32)[population.codes[:, a]]
    known = (codes >= 0).all(axis=1)
    # The table's classes are distinct and come first, so the sums come in their order.
    book = Codebook([np.arange(len(domain), dtype=np.int32)[None, :] for domain in cells.domains])
    keys = book.pack(np.ascontiguousarray(np.concatenate([cells.codes, codes[known]])))
    counts = np.concatenate([np.zeros(len(cells.counts), dtype=np.int64), population.counts[known]])
    return aggregate(keys, counts[:, None])[1][: len(cells.counts), 0]
