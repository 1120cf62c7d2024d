"""Proposes lowest levels from which a tally fits into its budget, and says what they cost."""

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
"""How many times more cells there may be than a sketch says."""


@dataclass(frozen=True)
class CoarserLevels:
    """The lowest levels of some attributes, about how many cells are then left, and the loss at least.

    `share` is the LM of the lowest node, of the most that there can be. Where not even the highest levels
    are enough, `fits` is False.
    """

    levels: Mapping[str, int]
    cells: int
    share: float
    fits: bool

    def sentence(self) -> str:
        """Return the ways out."""
        more = "allow more (--tally-memory)"
        if not self.fits:
            left = f"even at the highest levels about {self.cells:,} are left"
            return f"{left}; name fewer columns, or {more}"
        levels = ",".join(f"{name}={level}" for name, level in self.levels.items())
        return (
            f"with --min-level {shlex.quote(levels)} about {self.cells:,} are left, and at least "
            f"{percent(self.share)} of the information is lost (LM); or {more}"
        )


@dataclass(frozen=True)
class Scale:
    """A quasi attribute whose values may be put together: its levels, its values and their rows."""

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
        """The weighted LM of each level, of one row on average."""
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
    scales: Mapping[str, Scale],
    weight: Fraction,
    budget: int,
) -> CoarserLevels:
    """Return lowest levels at which the cells over the columns fit into the budget.

    Levels rise along one chain, made from the columns' own counts: each step is the one that loses least (LM)
    for each bit of entropy that it takes away. Along a chain combinations only become fewer, so the engine
    counts about as often as the chain can be halved. `weight` is that of all quasi attributes together.
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
    # The tally at `low` is known not to fit, that at `high` to fit.
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


def steps(scales: Mapping[str, Scale]) -> list[dict[str, int]]:
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
