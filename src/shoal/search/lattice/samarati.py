"""Samarati's search: the lowest height at which a node is allowed, by bisection.

Reference: P. Samarati, "Protecting respondents' identities in microdata release", IEEE Transactions on
Knowledge and Data Engineering 13 (6), 2001: AG-TS, generalization by attribute with suppression by row. If a
node of some height is allowed, so is one of every greater height, so the lowest height is found by bisection.
Of the allowed nodes of that height it takes the one that suppresses least, then the cheapest by the metric,
then the first.

Guarantee: the promise is kept within the suppression allowed, and no allowed node is lower. It says
nothing about other metrics.

Proof. Above a node that is not barred (`Judge`) no node is barred, so every height above one with
such nodes has some too, and bisection finds the lowest. If the promise is monotone, these are the
allowed nodes. If not, heights are then tried one by one from there up: no lower node is allowed, and the
first height with one is the lowest. A node is not judged if one above it is barred.

Complexity: at worst all nodes of about log2(height of the lattice) heights, if the promise is monotone.
"""

from __future__ import annotations

from shoal.kernels import NodeSet
from shoal.running.clock import Clock
from shoal.search.lattice.allowed import refuse_none
from shoal.search.lattice.climbs import first, nodes_at
from shoal.search.lattice.node_judge import Judge, Judged
from shoal.search.task import Algorithm, Found, Task


class _TimeOverError(Exception):
    """The time is over."""


def samarati(task: Task, clock: Clock) -> Found:
    """Return the best allowed node of the lowest height."""
    search = _Heights(task.judge(), clock)
    proven = True
    try:
        if not search.find():
            raise refuse_none()
        best = search.best_of_lowest()
    except _TimeOverError:
        proven = False
        if search.known is None:
            raise refuse_none(False) from None
        best = search.known
    details = {
        "nodes": task.problem.nodes,
        "judged": search.judge.judged,
        "height": sum(best.node),
        "heights_tried": search.tried,
        "proven": proven,
    }
    return Found(task.at(best.node), task.promise, details=details)


class _Heights:
    """Searches allowed nodes height by height; `known` is the lowest allowed one so far."""

    def __init__(self, judge: Judge, clock: Clock) -> None:
        self.judge, self.clock = judge, clock
        self.known: Judged | None = None
        self.tried: list[int] = []
        self._bottom, self._top = judge.problem.bottom, judge.problem.top
        self._barred = NodeSet(len(self._top))

    def find(self) -> bool:
        """Find an allowed node of the lowest height; False if there is none."""
        height = sum(self._top) - sum(self._bottom)
        if not self.any_at(height):
            return False
        lowest = first(range(height), self.any_at)
        return self.judge.monotone or any(self.any_at(h, True) for h in range(lowest, height + 1))

    def any_at(self, height: int, allowed: bool = False) -> bool:
        """Find a node at a height above the bottom that is not barred, or one that is `allowed`."""
        self.tried.append(sum(self._bottom) + height)
        for node in nodes_at(self._bottom, self._top, height):
            found = self.look(node)
            if found is None or found.barred or (allowed and not found.allowed):
                continue
            if found.allowed:
                self.known = found
            return True
        return False

    def best_of_lowest(self) -> Judged:
        """Return the best allowed node at the height of the known one."""
        assert self.known is not None
        height = sum(self.known.node) - sum(self._bottom)
        for node in nodes_at(self._bottom, self._top, height):
            found = self.look(node)
            if found is not None and found.allowed and _order(found) < _order(self.known):
                self.known = found
        return self.known

    def look(self, node: tuple[int, ...]) -> Judged | None:
        """Return the judged node, or None if it is known not to be allowed."""
        if self.clock.over:
            raise _TimeOverError
        if self._barred.above(node):
            return None
        found = self.judge.judge(node)
        if found.barred:
            self._barred.add(node)
        words = f"{self.judge.judged:,} nodes judged, {len(self.tried)} heights tried"
        self.clock.show(0.0, words, self.known and self.judge.metric.share(self.known.loss))
        return found


def _order(found: Judged) -> tuple[int, int, tuple[int, ...]]:
    return found.suppressed, found.loss, found.node


SAMARATI = Algorithm(
    "samarati",
    "Samarati's binary search by height (2001)",
    "node",
    samarati,
    ("the promise is kept",),
    at_end=("no allowed node has a lower height",),
)
