"""The nodes that a search has not resolved yet, stored as their minimal elements."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from shoal.data.tally import Node
from shoal.kernels import UpSet


class Unresolved:
    """An up-set of the lattice: it starts as the whole lattice, and down-sets are removed.

    Only the minimal nodes are stored, so a lattice of any size can be searched.

    `bound` gives a number that never falls when a node is generalized; `lowest` returns a minimal node
    of the lowest bound, and so of the lowest bound of all unresolved nodes.
    """

    def __init__(self, bottom: Node, top: Node, bound: Callable[[Node], int]) -> None:
        self._bound = bound
        self._nodes = UpSet(bottom, top)
        self._current: dict[Node, int] = {}
        self._queue: list[tuple[int, int, Node]] = []
        self._insert(bottom)

    def __len__(self) -> int:
        return len(self._nodes)

    def lowest(self) -> tuple[int, Node] | None:
        """Return the lowest bound of all unresolved nodes and a minimal node that has it."""
        while self._queue:
            bound, height, node = self._queue[0]
            if self._current.get(node) != bound:
                heapq.heappop(self._queue)
                continue
            risen = self._bound(node)
            if risen <= bound:
                return bound, node
            self._current[node] = risen
            heapq.heapreplace(self._queue, (risen, height, node))
        return None

    def resolve(self, cover: Node) -> None:
        """Remove all nodes at or below the cover."""
        gone, come = self._nodes.take(cover)
        for levels in gone:
            del self._current[tuple(levels)]
        for levels in come:
            self._insert(tuple(levels))

    def _insert(self, node: Node) -> None:
        bound = self._bound(node)
        self._current[node] = bound
        heapq.heappush(self._queue, (bound, sum(node), node))
