"""Histograms of nodes where persons have several rows: counted one by one, and kept.

Sizes are distinct persons, and distinct values are those of different persons; suppression counts rows.
When a node is generalized, a class's persons are the union of its parts' persons, and values of
different persons stay so. So all that `negotiation.algorithm` relies on holds as it does for rows.
"""

from __future__ import annotations

from bisect import bisect_left
from threading import RLock

import numpy as np
import numpy.typing as npt

from shoal.criteria import Groups
from shoal.criteria.l_diversity import distinct_values
from shoal.data.tally import Node, Problem, Tally
from shoal.metrics import LM
from shoal.running import stopping
from shoal.running.clock import Clock
from shoal.search.lattice.classes import NodeClasses
from shoal.search.lattice.climbs import nodes_at
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.negotiation.histograms import FoundNode, Inquiry
from shoal.search.negotiation.request import LatticeShape

Ints = npt.NDArray[np.int64]


class PersonHistograms:
    """The histograms of a problem with persons; several threads may ask, and take turns."""

    def __init__(self, problem: Problem, tally: Tally, shape: LatticeShape) -> None:
        self.shape, self._problem, self._tally = shape, problem, tally
        self.persons: int | None = problem.people
        self._sizes = Evaluator(problem, LM(problem), max(problem.rows - 1, 0))
        self._classes = NodeClasses(problem, tally, shape.sensitive)
        self._entries: dict[Node, Ints] = {}
        self._turn = RLock()

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by height."""
        return _PersonInquiry(self, clock)

    def suppressed(self, node: Node, k: int, l: int) -> int:
        """Return the rows in classes of fewer than k persons, or of fewer than l values of different ones."""
        with self._turn:
            if l:
                sizes, distinct, _, rows = self.entries(node).T
                return int(rows[(sizes < k) | (distinct < l)].sum())
            found = self._sizes.measure(node)
            return self.shape.rows if k > found.k else found.rows[bisect_left(found.sizes, k)]

    def entries(self, node: Node) -> Ints:
        """Return (size, distinct values, classes, rows) by size and distinct values."""
        with self._turn:
            if node not in self._entries:
                self._entries[node] = self._counted(node)
            return self._entries[node]

    def _counted(self, node: Node) -> Ints:
        groups = self._classes.at(node).groups
        fewest = self._fewest(groups)
        pairs, place = np.unique(np.stack([groups.sizes, fewest], axis=1), axis=0, return_inverse=True)
        place = place.reshape(-1)
        rows = np.bincount(place, weights=groups.rows).astype(np.int64)
        return np.column_stack([pairs, np.bincount(place), rows])

    def _fewest(self, groups: Groups) -> Ints:
        """Return the distinct values of different persons in each class, of several columns the fewest."""
        if not self.shape.sensitive:
            return np.zeros(len(groups), dtype=np.int64)
        values = [
            distinct_values(groups, name, self._tally.domain(name)) for name in self.shape.sensitive
        ]
        return np.asarray(np.min(values, axis=0), dtype=np.int64)

    def lost(self, node: Node, k: int, l: int) -> int | None:
        """Return how many persons have all rows suppressed."""
        classes = self._classes.at(node)
        gone = (classes.groups.sizes < k) | (self._fewest(classes.groups) < l)
        return self._problem.lost(gone[classes.of])

    def largest_k(self, node: Node, l: int, limit: int, most: int) -> int:
        """Return the largest k up to `most` that suppresses at most the limit, 0 if l needs more."""
        if self.suppressed(node, 1, l) > limit:
            return 0
        # A k suppresses the same as the next class size.
        for k in np.unique(self.entries(node)[:, 0]).tolist():
            if k >= most or self.suppressed(node, k + 1, l) > limit:
                return min(int(k), most)
        return most

    def largest_l(self, node: Node, limit: int, most: int) -> int:
        """Return the largest l up to `most` that suppresses at most the limit."""
        for l in np.unique(self.entries(node)[:, 1]).tolist():
            if l >= most or self.suppressed(node, 1, l + 1) > limit:
                return min(int(l), most)
        return most

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order."""
        lo, hi = self.shape.bottom, self.shape.top
        spans = [high - low + 1 for low, high in zip(lo, hi, strict=True)]
        found = np.zeros(self.shape.nodes, dtype=np.int64)
        for i, steps in enumerate(np.ndindex(*spans)):
            stopping.look()
            found[i] = self.suppressed(tuple(low + s for low, s in zip(lo, steps, strict=True)), k, l)
        return found[:, None]


class _PersonInquiry:
    """A request by height. Above a height with allowed nodes all have some: the lowest is bisected."""

    def __init__(self, histograms: PersonHistograms, clock: Clock) -> None:
        self._histograms, self._clock = histograms, clock
        self._visited: set[Node] = set()

    @property
    def visited(self) -> int:
        return len(self._visited)

    def seen(self) -> tuple[Node, ...]:
        return tuple(self._visited)

    def suppressed(self, node: Node, k: int, l: int) -> int:
        stopping.look()
        self._visited.add(node)
        return self._histograms.suppressed(node, k, l)

    def best(self, top: Node, k: int, l: int, limit: int) -> FoundNode | None:
        return self._lowest(top, sum(self._histograms.shape.bottom), k, l, limit)

    def best_from(self, height: int, k: int, l: int, limit: int) -> FoundNode | None:
        return self._lowest(self._histograms.shape.top, height, k, l, limit)

    def _lowest(self, top: Node, least: int, k: int, l: int, limit: int) -> FoundNode | None:
        """Return the best node at or below `top` of the lowest height from `least` on that has one."""
        rows = self.suppressed(top, k, l)
        if rows > limit:
            return None
        bottom = self._histograms.shape.bottom
        best, low, high = FoundNode(top, rows), max(least, sum(bottom)), sum(top)
        while low < high or sum(best.node) != high:
            middle = (low + high) // 2
            found: FoundNode | None = None
            for node in nodes_at(bottom, top, middle - sum(bottom)):
                if self._clock.over:
                    return FoundNode(best.node, best.suppressed, None, False, low)
                rows = self.suppressed(node, k, l)
                if rows <= limit and (found is None or (rows, node) < (found.suppressed, found.node)):
                    found = FoundNode(node, rows)
            if found is None:
                low = middle + 1
            else:
                best, high = found, middle
        return best
