"""An index by persons: the histograms of all nodes by distinct persons; l is counted from the rows.

The index holds distinct persons where by rows it holds distinct sensitive values (`pack_persons` in the
kernels): "fewer than k persons" is asked as "fewer than k values". Values of different persons are a
matching, which no index holds; nor does it tell which persons have all rows suppressed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.running.clock import Clock
from shoal.search.negotiation.histograms import FoundNode, IndexInquiry, Inquiry
from shoal.search.negotiation.request import LatticeShape, Node

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from shoal.kernels import HistogramIndex
    from shoal.search.negotiation.index_losses import IndexedLosses, Losses
    from shoal.search.negotiation.person_histograms import PersonHistograms

    Ints = npt.NDArray[np.int64]


class IndexedPersons:
    """All histograms of a lattice by persons; `counted` makes those that are counted from the rows."""

    def __init__(
        self,
        index: HistogramIndex,
        persons: int,
        shape: LatticeShape,
        counted: Callable[[], PersonHistograms],
    ) -> None:
        self.index, self.shape = index, shape
        self.persons: int | None = persons
        self._count = counted

    @cached_property
    def counted(self) -> PersonHistograms:
        """The histograms that are counted one by one."""
        return self._count()

    def lost(self, node: Node, k: int, l: int) -> int | None:
        """Return how many persons have all rows suppressed."""
        if not l and self.index.largest_l(node, 0, k) >= k:
            return 0
        return self.counted.lost(node, k, l)

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by height."""
        return _Either(IndexInquiry(self.index), lambda: self.counted.inquiry(clock))

    def largest_k(self, node: Node, l: int, limit: int, most: int) -> int:
        """Return the largest k up to `most` that suppresses at most the limit, 0 if l needs more."""
        if l:
            return self.counted.largest_k(node, l, limit, most)
        return self.index.largest_l(node, limit, most)

    def largest_l(self, node: Node, limit: int, most: int) -> int:
        """Return the largest l up to `most` that suppresses at most the limit."""
        return self.counted.largest_l(node, limit, most)

    def entries(self, node: Node) -> Ints:
        """Return (size, distinct values, classes, rows) by size and distinct values."""
        if self.shape.sensitive:
            return self.counted.entries(node)
        import numpy as np

        rows, persons, classes = self.index.entries(node).T
        sizes, place = np.unique(persons, return_inverse=True)
        told = np.zeros((len(sizes), 4), dtype=np.int64)
        told[:, 0] = sizes
        np.add.at(told[:, 2], place.reshape(-1), classes)
        np.add.at(told[:, 3], place.reshape(-1), rows * classes)
        return told

    def map(self, k: int, l: int) -> Ints:
        """Return the suppressed rows of every node, in attribute order."""
        return self.counted.map(k, l) if l else self.index.map(1, k)


class PersonLosses:
    """Losses by one metric, from an index by persons, or counted where l is asked for."""

    at_once = True

    def __init__(self, indexed: IndexedLosses, counted: Callable[[], Losses]) -> None:
        self.name, self.told = indexed.name, indexed.told
        self._indexed, self._count = indexed, counted

    @cached_property
    def _counted(self) -> Losses:
        return self._count()

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by loss."""
        return _Either(self._indexed.inquiry(clock), lambda: self._counted.inquiry(clock))

    def of(self, node: Node, k: int, l: int) -> int:
        """Return the loss of a node for k and l."""
        return self._counted.of(node, k, l) if l else self._indexed.of(node, 1, k)


class _Either:
    """A request that looks into the index for k alone, and counts if l is asked for."""

    def __init__(self, indexed: Inquiry, counted: Callable[[], Inquiry]) -> None:
        self._indexed, self._count = indexed, counted

    @cached_property
    def _counted(self) -> Inquiry:
        return self._count()

    @property
    def visited(self) -> int:
        return len(self.seen())

    def seen(self) -> tuple[Node, ...]:
        found = self._indexed.seen()
        if "_counted" in self.__dict__:
            found = tuple(dict.fromkeys([*found, *self._counted.seen()]))
        return found

    def suppressed(self, node: Node, k: int, l: int) -> int:
        if l:
            return self._counted.suppressed(node, k, l)
        return self._indexed.suppressed(node, 1, k)

    def best(self, top: Node, k: int, l: int, limit: int) -> FoundNode | None:
        return self._counted.best(top, k, l, limit) if l else self._indexed.best(top, 1, k, limit)

    def best_from(self, height: int, k: int, l: int, limit: int) -> FoundNode | None:
        if l:
            return self._counted.best_from(height, k, l, limit)
        return self._indexed.best_from(height, 1, k, limit)
