"""Measures nodes of a lattice: k, the suppressed rows, and the loss under one metric."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node, Problem
from shoal.kernels import ClassTables, Codebook, Column
from shoal.metrics.metric import Ints, Metric
from shoal.running.clock import Clock

TABLE_BUDGET = 1 << 30
"""Bytes of class tables that are kept for rolling up others."""


BETWEEN_LOOKS = 8_000_000
"""Combinations times nodes that are gone through between two looks at a clock: some tenths of a second."""


def few_nodes(problem: Problem, most: int) -> int:
    """Return how many nodes to measure between two looks at a clock, at most `most`."""
    return min(max(BETWEEN_LOOKS // max(len(problem.codes), 1), 1), most)


class Evaluated(NamedTuple):
    """A measured node. Losses are whole multiples of the metric's unit.

    `sizes` are the suppressed class sizes, in persons, rising; `excess[i]` is what suppressing the first i of
    them adds to loss0, so the last entry gives the loss; `rows[i]` counts the rows suppressed.
    """

    node: Node
    k: int
    loss0: int
    suppressed: int
    sizes: tuple[int, ...]
    excess: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def loss(self) -> int:
        """The loss with its suppressed rows."""
        return self.loss0 + self.excess[-1]

    @property
    def ks(self) -> tuple[int, ...]:
        """The k left when the first i sizes are suppressed, rising with i; 0 if no row is left."""
        return *self.sizes, self.k


class Pair(NamedTuple):
    """What a node gives at one amount of suppression."""

    k: int
    loss: int
    suppressed: int


class NodeMeasurer(ABC):
    """Measures nodes one by one, each only once, for searches that go from node to node."""

    told_at: tuple[str, int] = ("k", 5)
    """What is called k here, and the k that people ask for most: whoever watches is told its least loss."""

    def __init__(self, problem: Problem, metric: Metric) -> None:
        self.problem = problem
        self.metric = metric
        self._seen: dict[Node, Evaluated] = {}

    @property
    def evaluated(self) -> int:
        """How many different nodes have been measured one by one."""
        return len(self._seen)

    def seen(self) -> list[Evaluated]:
        """Return the measurements of all single nodes."""
        return list(self._seen.values())

    def measure(self, node: Node) -> Evaluated:
        """Return the measurement of a node; a second call costs nothing."""
        known = self._seen.get(node)
        if known is None:
            known = self._seen[node] = self._measure(node)
        return known

    @property
    def monotone(self) -> bool:
        """Whether a node allows every k that a node below it allows."""
        return True

    def measure_many(self, nodes: Sequence[Node], clock: Clock) -> list[Evaluated]:
        """Return the measurements of nodes in their order, of as many as there is time for."""
        found = []
        for node in nodes:
            if clock.over and node not in self._seen:
                break
            found.append(self.measure(node))
        return found

    def pairs(self, found: Evaluated) -> list[Pair]:
        """Return what a measured node gives at every amount of suppression."""
        amounts = zip(found.ks, found.excess, found.rows, strict=True)
        return [Pair(k, found.loss0 + excess, rows) for k, excess, rows in amounts]

    @abstractmethod
    def _measure(self, node: Node) -> Evaluated:
        """Measure a node for the first time."""


@dataclass(frozen=True)
class Measured:
    """A box of measured nodes, one entry per node, in attribute order."""

    levels: npt.NDArray[np.int64]
    k: npt.NDArray[np.int64]
    suppressed: npt.NDArray[np.int64]
    loss: Ints


class Evaluator(NodeMeasurer):
    """Measures the nodes of one problem for one suppression limit and one metric."""

    def __init__(
        self, problem: Problem, metric: Metric, suppression_limit: int, threads: int = 1
    ) -> None:
        super().__init__(problem, metric)
        self.suppression_limit = suppression_limit
        self.threads = threads
        if problem.persons is not None and any(problem.bottom):
            problem = problem.on(problem.bottom)
        self._book = Codebook(
            [ladder.codes for ladder in problem.ladders], metric.weights(), metric.multiplies
        )
        if metric.needs_class and problem.labels is not None:
            counts = problem.labels
        else:
            counts = problem.counts[:, None]
        keys = self._book.pack(np.ascontiguousarray(problem.codes))
        ground = (0,) * len(problem.ladders)
        self._bottom = self._book.roll_up(keys, np.ascontiguousarray(counts), ground, problem.bottom)
        self._persons = problem.pairs
        self._tables = ClassTables(
            self._book, *self._bottom, problem.bottom, suppression_limit, TABLE_BUDGET, self._persons
        )

    def measure_many(self, nodes: Sequence[Node], clock: Clock) -> list[Evaluated]:
        """Return the measurements of as many nodes as there is time for, in order, on all threads."""
        new = [node for node in dict.fromkeys(nodes) if node not in self._seen]
        if new and not clock.over:
            found = self._tables.measure_many(np.array(new, dtype=np.int32), self.threads, clock.left)
            for node, one in zip(new, found, strict=False):
                self._seen[node] = self._evaluated(node, *one)
        return [self._seen[node] for node in takewhile(self._seen.__contains__, nodes)]

    def _measure(self, node: Node) -> Evaluated:
        return self._evaluated(node, *self._tables.measure(node))

    def _evaluated(
        self, node: Node, measured: npt.NDArray[np.int64], profile: npt.NDArray[np.int64]
    ) -> Evaluated:
        levels = np.array([node], dtype=np.int64)
        excess = self.metric.excess(levels, profile[:, 1:])
        return Evaluated(
            node,
            int(measured[0, Column.K]),
            int(self.metric.loss0(levels, measured)[0]),
            int(measured[0, Column.ROWS]),
            tuple(profile[:, 0].tolist()),
            (0, *excess.tolist()),
            (0, *profile[:, 1].tolist()),
        )

    def measure_below(
        self, nodes: Sequence[Node], k: int, seconds: float = math.inf
    ) -> tuple[Ints, Ints, npt.NDArray[np.int64]]:
        """Return loss0, excess and rows of the classes smaller than k, of as many nodes as there is time for.

        The nodes are measured in their order, on all threads.
        """
        levels = np.array(nodes, dtype=np.int64).reshape(len(nodes), -1)
        found = self._tables.measure_below(levels.astype(np.int32), k, self.threads, seconds)
        levels = levels[: len(found)]
        sums = found[:, Column.ROWS :]
        return self.metric.loss0(levels, found), self.metric.excess(levels, sums), sums[:, 0]

    def measure_all(self, batch: int = 4096) -> Iterator[Measured]:
        """Yield the whole lattice in boxes of about `batch` nodes, on all threads.

        Boxes fix the levels of the first attributes, so memory does not grow with the lattice.
        """
        lo, hi = self.problem.bottom, self.problem.top
        fixed, size = 0, self.problem.nodes
        while fixed < len(lo) and size > batch:
            size //= hi[fixed] - lo[fixed] + 1
            fixed += 1
        for start in np.ndindex(*(hi[a] - lo[a] + 1 for a in range(fixed))):
            levels = tuple(lo[a] + start[a] for a in range(fixed))
            yield self._measure_box(levels + lo[fixed:], levels + hi[fixed:])

    def _measure_box(self, lo: Node, hi: Node) -> Measured:
        # Attributes with many levels first, so that the tables below them soon become small.
        order = sorted(range(len(lo)), key=lambda a: lo[a] - hi[a])
        measured = self._book.measure_box(
            *self._bottom,
            self.problem.bottom,
            lo,
            hi,
            order,
            self.suppression_limit,
            self.threads,
            self._persons,
        )
        spans = [h - low + 1 for low, h in zip(lo, hi, strict=True)]
        levels = np.indices(spans).reshape(len(lo), -1).T + np.array(lo)
        sums = measured[:, Column.ROWS :]
        return Measured(
            levels,
            measured[:, Column.K],
            measured[:, Column.ROWS],
            self.metric.loss0(levels, measured) + self.metric.excess(levels, sums),
        )
