"""The nodes of a lattice by their height, the sum of their levels above the bottom."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.data.tally.problem import Node


def nodes_at(bottom: Node, top: Node, height: int) -> Iterator[Node]:
    """Yield the nodes so many steps above the bottom, in attribute order.

    >>> list(nodes_at((0, 0), (1, 2), 2))
    [(0, 2), (1, 1)]
    """
    if not bottom:
        if height == 0:
            yield ()
        return
    above = sum(top[1:]) - sum(bottom[1:])
    for step in range(max(height - above, 0), min(top[0] - bottom[0], height) + 1):
        for rest in nodes_at(bottom[1:], top[1:], height - step):
            yield (bottom[0] + step, *rest)
