"""The sets of sensitive values of combinations; when combinations merge, their sets are united."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Tally

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class ValueSets:
    """Which sensitive values each combination of the tally has: one bit per value, none for missing.

    A column takes `widths[c]` words of `bits`.
    """

    bits: Words
    widths: tuple[int, ...]


def value_sets(
    tally: Tally, columns: Sequence[str], which: npt.NDArray[np.bool_] | None = None
) -> ValueSets:
    """Return the sets of sensitive values, one row per combination; those of some cells only."""
    parts, widths = [], []
    for column in columns:
        domain = tally.domain(column)
        values = len(domain) - (None in domain)
        width = max((values + 63) // 64, 1)
        codes = tally.in_cells(column).astype(np.int64)
        there = codes < values  # the missing value is the last of its domain
        if which is not None:
            there &= which
        part = np.zeros((len(tally), width), dtype=np.uint64)
        bit = np.uint64(1) << (codes[there] % 64).astype(np.uint64)
        np.bitwise_or.at(part, (tally.cell_combinations[there], codes[there] // 64), bit)
        parts.append(part)
        widths.append(width)
    empty = np.zeros((len(tally), 0), dtype=np.uint64)
    return ValueSets(np.ascontiguousarray(np.concatenate([empty, *parts], axis=1)), tuple(widths))
