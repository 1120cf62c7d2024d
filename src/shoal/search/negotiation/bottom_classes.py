"""What histograms are computed from: the classes of the lattice's bottom, with their sensitive values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node, Problem
from shoal.kernels import Codebook, HistogramIndex, LazyHistograms, suppressed_map
from shoal.metrics import LM
from shoal.metrics.metric import FITS
from shoal.search.lattice.value_sets import ValueSets


class BottomClasses:
    """The classes of the lattice's bottom, from which the kernels roll up.

    Where the losses by LM fit into the kernels' numbers, `lm` is that metric, and an index holds what the
    classes of each size cost.
    """

    def __init__(self, problem: Problem, sets: ValueSets) -> None:
        self.problem = problem
        self.sets = sets
        lm = LM(problem)
        self.lm = lm if lm.largest < FITS else None
        both = zip(lm.factors, lm.weights(), strict=True)
        costs = [] if self.lm is None else [factor * weights for factor, weights in both]
        self._book = Codebook([ladder.codes for ladder in problem.ladders], costs)
        self._levels: Node = (0,) * len(problem.ladders)
        self._table = (
            self._book.pack(np.ascontiguousarray(problem.codes)),
            np.ascontiguousarray(problem.counts[:, None]),
            sets.bits,
            sets.widths,
        )

    def index(self, threads: int) -> HistogramIndex:
        """Return the histograms of all nodes, by distinct persons if these have several rows."""
        lo, hi = self.problem.bottom, self.problem.top
        if self.problem.persons is not None:
            asked = (*self._table[:2], self.problem.pairs, self._levels, lo, hi, threads)
            return HistogramIndex.build_by_persons(self._book, *asked)
        return HistogramIndex.build(self._book, *self._table, self._levels, lo, hi, threads)

    def lazy(self, budget: int) -> LazyHistograms:
        """Return histograms that are computed on demand."""
        return LazyHistograms(self._book, *self._table, self._levels, budget)

    def map(self, k: int, l: int, threads: int) -> npt.NDArray[np.int64]:
        """Return the suppressed rows of every node, in attribute order, keeping no histogram."""
        lo, hi = self.problem.bottom, self.problem.top
        return suppressed_map(self._book, *self._table, self._levels, lo, hi, k, l, threads)
