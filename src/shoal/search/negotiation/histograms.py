"""Looks up suppressed(node, k, l): in the index of all nodes, or in histograms computed on demand."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Protocol

from shoal.kernels import HistogramIndex, LazyHistograms, LazyVisits, Visits
from shoal.running import stopping
from shoal.search.negotiation.request import LatticeShape, Node

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from shoal.search.negotiation.bottom_classes import BottomClasses

    Ints = npt.NDArray[np.int64]

Found = tuple[Node, int]
"""A node and the rows it suppresses."""


class Inquiry(Protocol):
    """One request: look-ups and searches over any kind of histograms, with its visits counted.

    k of 1 and l of 0 constrain nothing.
    """

    @property
    def visited(self) -> int:
        """How many nodes' histograms the request has looked at."""

    def seen(self) -> tuple[Node, ...]:
        """Return these nodes."""

    def suppressed(self, node: Node, k: int, l: int) -> int:
        """Return the rows in classes of fewer than k rows or fewer than l distinct values."""

    def lowest(self, top: Node, k: int, l: int, limit: int) -> Found | None:
        """Return the best node at or below `top` that suppresses at most the limit.

        The best is the lowest; of these the one that suppresses fewest; of these the first in attribute
        order.
        """

    def lowest_from(self, height: int, k: int, l: int, limit: int) -> Found | None:
        """Return the best node of at least this height that suppresses at most the limit."""


class Histograms(Protocol):
    """The histograms of one lattice."""

    def inquiry(self) -> Inquiry:
        """Return a new request."""

    def largest_k(self, node: Node, l: int, limit: int, most: int) -> int:
        """Return the largest k up to `most` that suppresses at most the limit, 0 where l takes more."""

    def largest_l(self, node: Node, limit: int, most: int) -> int:
        """Return the largest l up to `most` that suppresses at most the limit."""

    def entries(self, node: Node) -> Ints:
        """Return (size, distinct values, classes) by size and distinct values."""

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order."""


class IndexedHistograms:
    """All histograms of a lattice."""

    def __init__(self, index: HistogramIndex) -> None:
        self.index = index
        self.largest_k = index.largest_k
        self.largest_l = index.largest_l
        self.entries = index.entries

    def inquiry(self) -> Inquiry:
        """Return a new request."""
        return _IndexInquiry(self.index)

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order."""
        return self.index.map(k, l)


class _IndexInquiry:
    def __init__(self, index: HistogramIndex) -> None:
        self._index = index
        self._visits = Visits(index.nodes)

    @property
    def visited(self) -> int:
        return len(self._visits)

    def seen(self) -> tuple[Node, ...]:
        return tuple(map(tuple, self._index.seen(self._visits)))

    def suppressed(self, node: Node, k: int, l: int) -> int:
        return self._index.suppressed(self._visits, node, k, l)

    def lowest(self, top: Node, k: int, l: int, limit: int) -> Found | None:
        return _found(self._index.lowest(self._visits, top, k, l, limit))

    def lowest_from(self, height: int, k: int, l: int, limit: int) -> Found | None:
        return _found(self._index.lowest_from(self._visits, height, k, l, limit))


class HistogramsOnDemand:
    """Histograms computed one by one within a memory budget, for lattices that are too large for an index.

    Its searches bound uncounted nodes by counted ones (proof: kernels/negotiation/lazy_search.hpp), so they
    visit other nodes than the paper's searches, but give the same answers.
    """

    def __init__(self, ground: BottomClasses, shape: LatticeShape, budget: int, threads: int) -> None:
        self.ground, self.shape, self.threads = ground, shape, threads
        self.lazy: LazyHistograms = ground.lazy(budget)
        # Every look-up changes the cache, so only one thread may look at a time.
        self.lock = Lock()

    def inquiry(self) -> Inquiry:
        """Return a new request."""
        return _LazyInquiry(self)

    def largest_k(self, node: Node, l: int, limit: int, most: int) -> int:
        """Return the largest k up to `most` that suppresses at most the limit, 0 where l takes more."""
        with self.lock:
            return self.lazy.largest_k(node, l, limit, most)

    def largest_l(self, node: Node, limit: int, most: int) -> int:
        """Return the largest l up to `most` that suppresses at most the limit."""
        with self.lock:
            return self.lazy.largest_l(node, limit, most)

    def entries(self, node: Node) -> Ints:
        """Return (size, distinct values, classes) by size and distinct values."""
        with self.lock:
            return self.lazy.entries(node)

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order; it counts all of them."""
        return self.ground.map(k, l, self.threads)


class _LazyInquiry:
    def __init__(self, histograms: HistogramsOnDemand) -> None:
        self._histograms = histograms
        self._visits = LazyVisits()

    @property
    def visited(self) -> int:
        return len(self._visits)

    def seen(self) -> tuple[Node, ...]:
        return tuple(map(tuple, self._visits.seen()))

    def suppressed(self, node: Node, k: int, l: int) -> int:
        with self._histograms.lock:
            return self._histograms.lazy.suppressed(self._visits, node, k, l)

    def lowest(self, top: Node, k: int, l: int, limit: int) -> Found | None:
        return self._search(top, 0, k, l, limit)

    def lowest_from(self, height: int, k: int, l: int, limit: int) -> Found | None:
        return self._search(self._histograms.shape.top, height, k, l, limit)

    def _search(self, top: Node, least: int, k: int, l: int, limit: int) -> Found | None:
        held = self._histograms
        bottom, threads = held.shape.bottom, held.threads
        with held.lock:
            stopping.look()
            found = held.lazy.lowest(self._visits, bottom, top, least, k, l, limit, threads)
        return _found(found)


def _found(found: tuple[list[int], int] | None) -> Found | None:
    return None if found is None else (tuple(found[0]), found[1])
