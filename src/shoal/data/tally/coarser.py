"""Proposes lowest levels at which a tally fits into its budget, and says what they cost."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.budget import memory_of
from shoal.data.engine import Engine, Value
from shoal.data.tally.problem import Ladder
from shoal.numbers import percent

MARGIN = 1.15
"""A sketch may miss this factor of the true number of cells."""


@dataclass(frozen=True)
class CoarserLevels:
    """Lowest levels of some attributes, about how many cells remain, and the least loss.

    `share` is the LM of the lowest node as a share of the maximum. `fits` is False if not even the highest
    levels are enough.
    """

    levels: Mapping[str, int]
    cells: int
    share: float
    fits: bool

    def sentence(self) -> str:
        """Return what the user can do."""
        more = "allow more memory (`tally_memory`)"
        if not self.fits:
            left = f"even at the highest levels about {self.cells:,} are left"
            return f"{left}; name fewer columns, or {more}"
        levels = ",".join(f"{name}={level}" for name, level in self.levels.items())
        return (
            f"with `min_levels` {shlex.quote(levels)} about {self.cells:,} are left, and at least "
            f"{percent(self.share)} of the information is lost (LM); or {more}"
        )


@dataclass(frozen=True)
class MergeableAttribute:
    """A quasi attribute whose values may be merged: its levels, its values and their rows."""

    ladder: Ladder
    domain: tuple[Value, ...]
    rows: npt.NDArray[np.int64]

    def shown(self, level: int) -> npt.NDArray[np.int32]:
        """Return, for each value, the first that has the same label on a level."""
        _, first, label = np.unique(self.ladder.codes[level], return_index=True, return_inverse=True)
        return first[label].astype(np.int32)

    def mapping(self, level: int) -> dict[Value, Value]:
        """Return the same as values, for an engine."""
        return {
            value: self.domain[code]
            for value, code in zip(self.domain, self.shown(level).tolist(), strict=True)
        }

    @cached_property
    def losses(self) -> list[Fraction]:
        """The weighted LM of each level, averaged per row."""
        costs = (self.ladder.covered - 1) @ self.rows
        divisor = max(self.ladder.leaves - 1, 1) * max(int(self.rows.sum()), 1)
        return [self.ladder.weight * Fraction(int(cost), divisor) for cost in costs]

    @cached_property
    def bits(self) -> list[float]:
        """The entropy of each level."""
        whole = max(int(self.rows.sum()), 1)
        shares = [np.bincount(codes, weights=self.rows) / whole for codes in self.ladder.codes]
        return [float(-(p[p > 0] * np.log2(p[p > 0])).sum()) for p in shares]


def propose(
    engine: Engine,
    columns: Sequence[str],
    scales: Mapping[str, MergeableAttribute],
    weight: Fraction,
    budget: int,
) -> CoarserLevels:
    """Return lowest levels at which the cells over the columns fit into the budget.

    Levels rise along one chain, built from the counts of single columns: each step loses the least LM per bit
    of entropy that it removes. Along a chain the combinations only become fewer, so bisection finds the level
    with few counts by the engine. `weight` is the sum over all quasi attributes.
    """
    chain = steps(scales)

    def about(levels: Mapping[str, int]) -> int:
        merged = {name: scales[name].mapping(level) for name, level in levels.items() if level}
        return engine.about_cells(columns, merged)

    most = budget / MARGIN
    low, high = 0, len(chain) - 1
    counts = {high: about(chain[high])}
    if high == 0 or memory_of(counts[high], len(columns)) > most:
        return CoarserLevels({}, counts[high], 1.0, False)
    # The tally is known not to fit at `low`, and to fit at `high`.
    while high - low > 1:
        middle = (low + high) // 2
        counts[middle] = about(chain[middle])
        if memory_of(counts[middle], len(columns)) > most:
            low = middle
        else:
            high = middle
    levels = {name: level for name, level in chain[high].items() if level > 0}
    loss = sum((scales[name].losses[level] for name, level in chain[high].items()), Fraction(0))
    return CoarserLevels(levels, counts[high], float(loss / weight), True)


def steps(scales: Mapping[str, MergeableAttribute]) -> list[dict[str, int]]:
    """Return the chain of levels from the lowest to the highest of all attributes."""
    levels = {name: scale.ladder.lo for name, scale in scales.items()}
    chain = [dict(levels)]
    while True:
        ways = []
        for name, scale in scales.items():
            here = levels[name]
            for level in range(here + 1, scale.ladder.hi + 1):
                saved = scale.bits[here] - scale.bits[level]
                price = float(scale.losses[level] - scale.losses[here])
                ways.append((price / saved if saved > 1e-9 else np.inf, level - here, name, level))
        if not ways:
            return chain
        *_, name, level = min(ways)
        levels[name] = level
        chain.append(dict(levels))
