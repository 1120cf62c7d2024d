"""What histograms are made from: the classes of the lattice's bottom, with their sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.kernels import Codebook, HistogramIndex, LazyHistograms, suppressed_map
from shoal.problem import Node, Problem
from shoal.tally import Tally

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class ValueSets:
    """Which sensitive values each combination of the tally has: one bit a value, missing ones none.

    A column takes `widths[c]` words of `bits`.
    """

    bits: Words
    widths: tuple[int, ...]


def value_sets(tally: Tally, columns: Sequence[str]) -> ValueSets:
    """Return the sets of the sensitive columns' values, one row a combination."""
    parts, widths = [], []
    for column in columns:
        domain = tally.domain(column)
        values = len(domain) - (None in domain)
        width = max((values + 63) // 64, 1)
        codes = tally.cell_codes[:, tally.others.index(column)].astype(np.int64)
        there = codes < values  # the missing value is the last of its domain
        part = np.zeros((len(tally), width), dtype=np.uint64)
        bit = np.uint64(1) << (codes[there] % 64).astype(np.uint64)
        np.bitwise_or.at(part, (tally.cell_combinations[there], codes[there] // 64), bit)
        parts.append(part)
        widths.append(width)
    empty = np.zeros((len(tally), 0), dtype=np.uint64)
    return ValueSets(np.ascontiguousarray(np.concatenate([empty, *parts], axis=1)), tuple(widths))


class Ground:
    """The table over the lattice's bottom, from which the kernels roll up."""

    def __init__(self, problem: Problem, sets: ValueSets) -> None:
        self.problem = problem
        self.sets = sets
        self._book = Codebook([ladder.codes for ladder in problem.ladders])
        self._levels: Node = (0,) * len(problem.ladders)
        self._table = (
            self._book.pack(np.ascontiguousarray(problem.codes)),
            np.ascontiguousarray(problem.counts[:, None]),
            sets.bits,
            sets.widths,
        )

    def index(self, threads: int) -> HistogramIndex:
        """Return the histograms of all nodes."""
        lo, hi = self.problem.bottom, self.problem.top
        return HistogramIndex.build(self._book, *self._table, self._levels, lo, hi, threads)

    def lazy(self, budget: int) -> LazyHistograms:
        """Return histograms that are made when they are asked for."""
        return LazyHistograms(self._book, *self._table, self._levels, budget)

    def map(self, k: int, l: int, threads: int) -> npt.NDArray[np.int64]:
        """Return the suppressed rows of every node, in attribute order, keeping no histogram."""
        lo, hi = self.problem.bottom, self.problem.top
        return suppressed_map(self._book, *self._table, self._levels, lo, hi, k, l, threads)
