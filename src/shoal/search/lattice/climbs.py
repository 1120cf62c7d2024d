"""Ways through the lattice: chains and neighbours, the cheapest step first, and the nodes of one height."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from shoal.data.tally import Node, Problem
from shoal.metrics.metric import Metric

T = TypeVar("T")


class Steps:
    """Steps from level to level, the cheapest first.

    A step's price is what it adds to loss0, or else the entropy that it removes. An attribute's steps stay in
    order: a step's price is at least that of the step before.
    """

    def __init__(self, problem: Problem, metric: Metric) -> None:
        self._bottom, self._top = problem.bottom, problem.top
        self._losses: Sequence[Sequence[float]] = (
            metric.level_losses() if metric.separable else _negative_entropy(problem)
        )
        steps: list[tuple[float, int, int]] = []
        for a, (lo, hi) in enumerate(zip(problem.bottom, problem.top, strict=True)):
            price: float = 0
            for level in range(lo, hi):
                price = max(price, self._losses[a][level + 1] - self._losses[a][level])
                steps.append((price, a, level))
        steps.sort()
        self._steps = [(a, level) for _, a, level in steps]

    def loss0(self, node: Node) -> int:
        """Return the node's loss0 under a separable metric."""
        return int(sum(losses[level] for losses, level in zip(self._losses, node, strict=True)))

    def chain(self, node: Node) -> list[Node]:
        """Return the nodes from this one to the top, one step apart."""
        chain, levels = [node], list(node)
        for a, level in self._steps:
            if level >= node[a]:
                levels[a] += 1
                chain.append(tuple(levels))
        return chain

    def above(self, node: Node) -> Iterator[Node]:
        """Yield the neighbours above, cheapest step first."""
        for a, level in self._steps:
            if level == node[a]:
                yield (*node[:a], level + 1, *node[a + 1 :])

    def below(self, node: Node) -> Iterator[Node]:
        """Yield the neighbours below, most expensive step first."""
        for a, level in reversed(self._steps):
            if level + 1 == node[a]:
                yield (*node[:a], level, *node[a + 1 :])


def first(of: Sequence[T], holds: Callable[[T], bool]) -> int:
    """Return the place of the first that holds, given that all after it do; the length if none does.

    >>> first([3, 5, 8, 9], lambda number: number > 4)
    1
    """
    low, high = -1, len(of)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(of[middle]):
            high = middle
        else:
            low = middle
    return high


def _negative_entropy(problem: Problem) -> list[list[float]]:
    """Return the negative entropy of each attribute and level, which rises with generalization."""
    result = []
    for ladder, marginal in zip(problem.ladders, problem.marginals, strict=True):
        shares = [np.bincount(codes, weights=marginal) / max(problem.rows, 1) for codes in ladder.codes]
        result.append([float((p[p > 0] * np.log(p[p > 0])).sum()) for p in shares])
    return result


def nodes_at(bottom: Node, top: Node, height: int) -> Iterator[Node]:
    """Yield the nodes at a height above the bottom, in attribute order.

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
