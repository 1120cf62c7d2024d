"""Looks up suppressed(node, k, l): in the index of all nodes, or in histograms computed on demand."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from shoal.kernels import HistogramIndex, LazyHistograms, LazyVisits, Visits
from shoal.running import stopping
from shoal.running.clock import Clock
from shoal.search.negotiation.request import LatticeShape, Node

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from shoal.search.negotiation.bottom_classes import BottomClasses

    Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FoundNode:
    """A node, the rows it suppresses, and, if asked for, its loss in the metric's whole numbers.

    If it is not `proven` to be the best, the time was over: no node that suppresses at most the limit
    has a loss below `bound`, or, in searches by height, is lower.
    """

    node: Node
    suppressed: int
    loss: int | None = None
    proven: bool = True
    bound: int | None = None


class Inquiry(Protocol):
    """One request: look-ups and searches by one preference, with its visits counted.

    By height, the best node is the lowest, of these the one that suppresses fewest. By loss, it is the one
    that loses least, of these the lowest, of these the one that suppresses fewest. Ties go to the first
    in attribute order. k of 1 and l of 0 constrain nothing.
    """

    @property
    def visited(self) -> int:
        """How many nodes the request has looked at."""

    def seen(self) -> tuple[Node, ...]:
        """Return these nodes."""

    def suppressed(self, node: Node, k: int, l: int) -> int:
        """Return the rows in classes of fewer than k rows or fewer than l distinct values."""

    def best(self, top: Node, k: int, l: int, limit: int) -> FoundNode | None:
        """Return the best node at or below `top` that suppresses at most the limit."""

    def best_from(self, height: int, k: int, l: int, limit: int) -> FoundNode | None:
        """Return the best node that suppresses at most the limit, of the lowest height that has one.

        Only heights from `height` on count.
        """


class Histograms(Protocol):
    """The histograms of one lattice."""

    @property
    def persons(self) -> int | None:
        """How many persons have rows, None if every row is a person."""

    def lost(self, node: Node, k: int, l: int) -> int | None:
        """Return how many persons have all rows suppressed, None if every row is a person."""

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by height."""

    def largest_k(self, node: Node, l: int, limit: int, most: int) -> int:
        """Return the largest k up to `most` that suppresses at most the limit, 0 if l needs more."""

    def largest_l(self, node: Node, limit: int, most: int) -> int:
        """Return the largest l up to `most` that suppresses at most the limit."""

    def entries(self, node: Node) -> Ints:
        """Return (size, distinct values, classes, rows) by size and distinct values."""

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order."""


def with_rows(entries: Ints) -> Ints:
    """Return entries of classes whose rows are their sizes, with these rows."""
    import numpy as np

    return np.column_stack([entries, entries[:, 0] * entries[:, 2]])


class EachRow:
    """Histograms in which every row is a person."""

    persons: int | None = None

    def lost(self, node: Node, k: int, l: int) -> int | None:
        """Return None: the suppressed rows are the persons."""
        return None


class IndexedHistograms(EachRow):
    """All histograms of a lattice."""

    def __init__(self, index: HistogramIndex) -> None:
        self.index = index
        self.largest_k = index.largest_k
        self.largest_l = index.largest_l

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by height."""
        return IndexInquiry(self.index)

    def entries(self, node: Node) -> Ints:
        """Return (size, distinct values, classes, rows) by size and distinct values."""
        return with_rows(self.index.entries(node))

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order."""
        return self.index.map(k, l)


class IndexInquiry:
    """A request over all histograms, by height."""

    def __init__(self, index: HistogramIndex) -> None:
        self.index = index
        self.visits = Visits(index.nodes)

    @property
    def visited(self) -> int:
        """How many nodes' histograms the request has looked at."""
        return len(self.visits)

    def seen(self) -> tuple[Node, ...]:
        """Return these nodes."""
        return tuple(map(tuple, self.index.seen(self.visits)))

    def suppressed(self, node: Node, k: int, l: int) -> int:
        """Return the rows in classes of fewer than k rows or fewer than l distinct values."""
        return self.index.suppressed(self.visits, node, k, l)

    def best(self, top: Node, k: int, l: int, limit: int) -> FoundNode | None:
        """Return the lowest node at or below `top` that suppresses at most the limit."""
        found = self.index.lowest(self.visits, top, k, l, limit)
        return None if found is None else FoundNode(tuple(found[0]), found[1])

    def best_from(self, height: int, k: int, l: int, limit: int) -> FoundNode | None:
        """Return the lowest node of at least this height that suppresses at most the limit."""
        found = self.index.lowest_from(self.visits, height, k, l, limit)
        return None if found is None else FoundNode(tuple(found[0]), found[1])


class HistogramsOnDemand(EachRow):
    """Histograms computed one by one within a memory budget, for lattices that are too large for an index.

    Its searches bound uncounted nodes by counted ones (proof: kernels/negotiation/lazy_search.hpp), so they
    visit other nodes than the paper's searches, but give the same answers.
    """

    def __init__(self, ground: BottomClasses, shape: LatticeShape, budget: int, threads: int) -> None:
        self.ground, self.shape, self.threads = ground, shape, threads
        self.lazy: LazyHistograms = ground.lazy(budget)
        # Every look-up changes the cache, so only one thread may look at a time.
        self.lock = Lock()

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by height."""
        return _LazyInquiry(self, clock)

    def largest_k(self, node: Node, l: int, limit: int, most: int) -> int:
        """Return the largest k up to `most` that suppresses at most the limit, 0 if l needs more."""
        with self.lock:
            return self.lazy.largest_k(node, l, limit, most)

    def largest_l(self, node: Node, limit: int, most: int) -> int:
        """Return the largest l up to `most` that suppresses at most the limit."""
        with self.lock:
            return self.lazy.largest_l(node, limit, most)

    def entries(self, node: Node) -> Ints:
        """Return (size, distinct values, classes, rows) by size and distinct values."""
        with self.lock:
            return with_rows(self.lazy.entries(node))

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order; it counts all of them."""
        return self.ground.map(k, l, self.threads)


class _LazyInquiry:
    def __init__(self, histograms: HistogramsOnDemand, clock: Clock) -> None:
        self._histograms, self._clock = histograms, clock
        self._visits = LazyVisits()

    @property
    def visited(self) -> int:
        return len(self._visits)

    def seen(self) -> tuple[Node, ...]:
        return tuple(map(tuple, self._visits.seen()))

    def suppressed(self, node: Node, k: int, l: int) -> int:
        with self._histograms.lock:
            return self._histograms.lazy.suppressed(self._visits, node, k, l)

    def best(self, top: Node, k: int, l: int, limit: int) -> FoundNode | None:
        return self._search(top, 0, k, l, limit)

    def best_from(self, height: int, k: int, l: int, limit: int) -> FoundNode | None:
        return self._search(self._histograms.shape.top, height, k, l, limit)

    def _search(self, top: Node, least: int, k: int, l: int, limit: int) -> FoundNode | None:
        held = self._histograms
        numbers = (least, k, l, limit, held.threads, self._clock.left)
        with held.lock:
            stopping.look()
            found = held.lazy.lowest(self._visits, held.shape.bottom, top, *numbers)
        if found is None:
            return None
        node, suppressed, proven, bound = found
        if not proven:  # the time is over
            self._clock.end()
        return FoundNode(tuple(node), suppressed, None, proven, None if proven else bound)
