"""POkA: Pareto-optimal k-anonymization (Dewri, Ray, Ray and Whitley, CIKM 2009).

From a Pareto-optimal base node N it finds the next by going down to ground nodes at depth d below N (Function
2) and up from there (Function 1), until k is 2 or less (Function 3). The lists HBest and DBest keep the
result of every node searched from one base node.

Not certified. The paper assumes that k and the loss fall with every step down; but the loss can rise with
suppression, and where every neighbour of a base node shares its k or its loss, the search ends, because
nodes further below are not evaluated (tests/search keeps an example). A depth below the worst case can
miss ground nodes. Where the paper leaves room:

- a base node less than d steps above the bottom is searched to the bottom;
- with d = 1 a ground node counts only if its k and loss are below the base node's, as Function 2's
  output says;
- the search ends where no next node is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from shoal.data.tally import Node, Problem
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluated, NodeMeasurer
from shoal.search.lattice.pareto import Outcome, ParetoPoint


def average_depth(problem: Problem) -> int:
    """Return d_avg: the mean number of levels from the bottom to the top of an attribute, rounded up."""
    steps = sum(problem.top) - sum(problem.bottom)
    return max(1, -(-steps // len(problem.ladders)))


def poka(
    evaluator: NodeMeasurer,
    *,
    depth: int | None = None,
    min_k: int = 1,
    max_k: int | None = None,
    clock: Clock | None = None,
) -> Outcome:
    """Return the points that POkA finds with depth d (d_avg by default); never certified.

    The search goes from the top down and ends at `min_k`; points above `max_k` are dropped.
    """
    clock = clock or Clock()
    depth = average_depth(evaluator.problem) if depth is None else depth
    base: Evaluated | None = evaluator.measure(evaluator.problem.top)
    points: list[ParetoPoint] = []
    while base is not None and base.k >= max(min_k, 1):
        if max_k is None or base.k <= max_k:
            points.append(ParetoPoint(base.k, base.loss, base.node, base.suppressed))
        if base.k <= 2 or clock.over:
            break
        base = _Step(evaluator, base, depth, clock).depth_search(base.node)
    return Outcome(tuple(points), evaluator.evaluated, False, clock.seconds)


@dataclass
class _Step:
    """The search for the node after one base node N."""

    evaluator: NodeMeasurer
    base: Evaluated
    depth: int
    clock: Clock
    h_best: dict[Node, Evaluated | None] = field(default_factory=dict)
    d_best: dict[Node, Evaluated | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bottom = self.evaluator.problem.bottom
        self.top = self.evaluator.problem.top
        self.height = sum(self.base.node)
        self.depth = min(self.depth, self.height - sum(self.bottom))

    def depth_search(self, node: Node) -> Evaluated | None:
        """Function 2: the best node above some ground node below `node`."""
        if node in self.d_best:
            return self.d_best[node]
        best: Evaluated | None = None
        self._show()
        if self.clock.over:
            return best
        for child in takewhile(lambda _: not self.clock.over, self._below(node)):
            if self.height - sum(child) < self.depth:
                found = self.depth_search(child)
            elif self.depth > 1:
                found = self.height_search(child, None)
            else:
                ground = self.evaluator.measure(child)
                found = self.height_search(child, ground if self._smaller(ground) else None)
            best = _better(best, found)
        self.d_best[node] = best
        return best

    def _show(self) -> None:
        """Tell what the base node loses: it is the best with its k so far."""
        metric, base = self.evaluator.metric, self.base
        done = 1 - base.loss0 / max(metric.largest, 1)
        words = f"{self.evaluator.evaluated:,} nodes evaluated"
        self.clock.show(done, words, metric.share(base.loss), f" at k = {base.k:,}")

    def height_search(self, node: Node, own: Evaluated | None) -> Evaluated | None:
        """Function 1: the best node above `node`, or `own`, the node itself, where it counts."""
        if node in self.h_best:
            return self.h_best[node]
        best = own
        if self.clock.over:
            return best
        for child in takewhile(lambda _: not self.clock.over, self._above(node)):
            if self._inside(child):
                found = self.height_search(child, None)
            else:
                reached = self.evaluator.measure(child)
                found = self.height_search(child, reached) if self._smaller(reached) else None
            best = _better(best, found)
        self.h_best[node] = best
        return best

    def _smaller(self, node: Evaluated) -> bool:
        return node.k < self.base.k and node.loss < self.base.loss

    def _inside(self, node: Node) -> bool:
        """Return whether the node is below the base node, and not next to it."""
        return self.height - sum(node) > 1 and all(
            level <= most for level, most in zip(node, self.base.node, strict=True)
        )

    def _below(self, node: Node) -> Iterator[Node]:
        for a, level in enumerate(node):
            if level > self.bottom[a]:
                yield (*node[:a], level - 1, *node[a + 1 :])

    def _above(self, node: Node) -> Iterator[Node]:
        for a, level in enumerate(node):
            if level < self.top[a]:
                yield (*node[:a], level + 1, *node[a + 1 :])


def _better(one: Evaluated | None, other: Evaluated | None) -> Evaluated | None:
    """Return the node of higher k, then of lower loss."""
    if one is None or other is None:
        return one or other
    return other if (other.k, -other.loss) > (one.k, -one.loss) else one
