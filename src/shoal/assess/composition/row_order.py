"""Whether two releases list their rows in the same order, so that they can be joined by position.

Both files are divided into equally many windows. If the orders are independent, the windows of a block's rows
(see `pairs`: those that may be the same persons) in one file say nothing about their windows in the other.
For each release, the rows n_wb of block b in window w are compared with the c_b / W that are expected there,
in units of the root of that; the correlation r of the two tables, times the root of their degrees of freedom
(W - 1)(B - 1), is then about a normal number of variance 1. If both are in the same order, it is about that
root itself.

Windows as wide as the root of the rows keep most rows in theirs even if others are suppressed before them. A
reversed order is detected too. Finding nothing proves nothing: two releases with hardly any common columns
can be in the same order without their rows showing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, sqrt

import numpy as np
import numpy.typing as npt

from shoal.assess.composition.pairs import Ints

CERTAIN = 6.0
"""Standard deviations that chance reaches once in a billion times."""
FEWEST = 20
"""The fewest rows for a measurement."""


@dataclass(frozen=True)
class SharedOrder:
    """The correlation of row positions in two releases: 1 is the same order, -1 the reverse.

    `deviations` is its distance from chance, in standard deviations; `paired` says whether that is certain.
    """

    correlation: float
    deviations: float
    paired: bool


@dataclass(frozen=True)
class Placed:
    """How many rows of each block of a release are in each window."""

    windows: Ints
    blocks: Ints
    counts: Ints


def count_windows(one: int, other: int) -> int:
    """Return the number of windows for releases of this size; 0 if there is nothing to measure."""
    rows = min(one, other)
    return isqrt(rows) if rows >= FEWEST else 0


def shared_order(one: Placed, other: Placed, windows: int) -> SharedOrder | None:
    """Return the correlation of row positions; None if all rows may be the same persons."""
    size = 1 + max(int(side.blocks.max(initial=-1)) for side in (one, other))
    in_one, in_other = (
        np.bincount(side.blocks, weights=side.counts, minlength=size).astype(np.int64)
        for side in (one, other)
    )
    common = (in_one > 0) & (in_other > 0)
    freedom = (windows - 1) * (int(common.sum()) - 1)
    if freedom <= 0:
        return None
    turned = Placed(windows - 1 - other.windows, other.blocks, other.counts)
    spreads = [
        _product(side, side, rows, rows, common, windows)
        for side, rows in ((one, in_one), (other, in_other))
    ]
    if min(spreads) <= 0:
        return None
    along, against = (
        _product(one, side, in_one, in_other, common, windows) / sqrt(spreads[0] * spreads[1])
        for side in (other, turned)
    )
    found = along if along >= against else -against
    deviations = abs(found) * sqrt(freedom) if max(along, against) > 0 else 0.0
    return SharedOrder(found, deviations, deviations > CERTAIN)


def _product(
    one: Placed, other: Placed, in_one: Ints, in_other: Ints, common: npt.NDArray[np.bool_], windows: int
) -> float:
    """Return the sum over windows and blocks of the products of both deviations.

    With expected counts c_b / W, it is W times the sum of n n' / root(c c'), less the sum of root(c c').
    """
    keys = [side.blocks * windows + side.windows for side in (one, other)]
    ones, at_one = np.unique(keys[0], return_inverse=True)
    others, at_other = np.unique(keys[1], return_inverse=True)
    counts = (np.bincount(at_one, weights=one.counts), np.bincount(at_other, weights=other.counts))
    both, here, there = np.intersect1d(ones, others, assume_unique=True, return_indices=True)
    blocks = both // windows
    roots = np.sqrt(in_one) * np.sqrt(in_other)
    kept = common[blocks]
    together = (counts[0][here] * counts[1][there])[kept] / roots[blocks[kept]]
    return float(windows * together.sum() - roots[common].sum())
