"""The exact frontier of several objectives: searches boxes of the lattice, cheapest first; skips most.

A node gives points: itself at thresholds (`lattice.thresholds`), with what is suppressed there, the class
size k and the distinct values l that are left, its distance t from the table, and its loss.

Facts, for nodes N <= H (H generalizes N) and a metric as `metrics.metric.Metric` asks:

1. A class of H is a union of classes of N. So a row that lies at H in a class of fewer than k rows, or of
   fewer than l distinct values, lies at N in such a class too: what a threshold suppresses at H it suppresses
   at N, and perhaps more.
2. Hence at the same threshold N suppresses at least as many rows as H, and its excess is at least H's: a
   row's excess never grows upwards, and no row's is negative. Where H exceeds the limit, so does N.
3. loss0 never falls upwards. So a point of N with thresholds (k, l) costs at least
   loss0(lo) + excess(H, k, l) for any lo <= N.
4. Let k', l' be the least class size >= k and the least number of distinct values >= l among H's classes:
   H suppresses the same at (k', l') as at (k, l). They exist: N keeps a class at (k, l), and H's class around
   it has no fewer rows and values. So the bound of H at (k', l') is no worse than N's point in k, in l, in
   suppressed rows, and in loss. The largest l that a limit allows is one of these l.
5. Without suppression, the largest distance t of a class never rises upwards: the distance is convex, and a
   merged class's shares are an average of its parts'. This fails where persons are in several classes;
   `lattice.person_distances` has a bound that holds there.

Where persons have several rows, sizes are distinct persons, and distinct values are those of different
persons, a matching: a union has every person of its parts with the same values, so facts 1 to 4 hold.

Skipping. A box of nodes from lo to hi can be skipped if every bound of hi (`bounds`, with loss0(lo)) is
dominated by a known point: then that point also dominates every point in the box, strictly, so ties are never
lost. If hi has no bound at all, no node of the box is a point.

The boxes partition the lattice. The box of lowest loss0(lo) comes next; it is skipped, or measured whole if
it is small, or halved. When none is left, every node was measured or skipped, so the frontier is complete,
ties included. Without skipping (`prune` false, or a metric that is not monotone) every node is measured.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import prod

from shoal.data.tally import Node
from shoal.kernels import Diversity
from shoal.running.beside import Beside
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import few_nodes
from shoal.search.lattice.every_k import ASKED
from shoal.search.lattice.objectives import Front
from shoal.search.lattice.thresholds import Points, ThresholdEvaluator

SMALL = 256
"""Boxes of up to this many nodes are measured whole, if boxes are skipped at all."""
LARGE = 2048
"""The same if no box is skipped."""
FEW = 6
"""So many good nodes are measured even if the time is over: there is no other answer."""


def _between(lo: Node, node: Node, hi: Node) -> bool:
    return all(low <= at <= high for low, at, high in zip(lo, node, hi, strict=True))


@dataclass(frozen=True)
class ObjectiveOutcome:
    """The points, ordered by the objectives in turn; how many nodes were measured; if it is complete."""

    points: Points | None
    evaluated: int
    certified: bool
    seconds: float


def objective_frontier(
    evaluator: ThresholdEvaluator,
    objectives: tuple[str, ...],
    *,
    prune: bool = True,
    clock: Clock | None = None,
    known: Iterable[Node | None] = (),
    first: int | None = None,
) -> ObjectiveOutcome:
    """Return the certified frontier of the objectives, or what a time limit left of it.

    `known` are good nodes that are measured first, in case the time runs out: boxes come by rising loss0.
    If `first` is given, only so many are; who finds others goes on beside the search, and None is a step of
    that which has found none.
    """
    clock = clock or Clock()
    fill = evaluator.thresholds.diversity == Diversity.LARGEST
    front = Front(objectives, evaluator.problem.rows, fill)
    search = _ObjectiveSearch(evaluator, front, clock, prune)
    steps = search.begin(known)
    for _ in islice(steps, first):
        pass
    certified = search.run(None if first is None else Beside(steps, clock))
    return ObjectiveOutcome(search.front.points(), search.evaluated, certified, clock.seconds)


class _ObjectiveSearch:
    def __init__(self, evaluator: ThresholdEvaluator, front: Front, clock: Clock, prune: bool) -> None:
        self.evaluator = evaluator
        self.front = front
        self.clock = clock
        self.prune = prune and evaluator.metric.monotone
        self.bottom, self.top = evaluator.problem.bottom, evaluator.problem.top
        self._bounds: dict[Node, Points] = {}
        self._loss0: dict[Node, int] = {}
        self._corners: set[Node] = set()
        """Nodes measured singly that are in no box measured whole."""
        self._begun: set[Node] = set()
        """The same of those that were known before."""
        self._measured = 0

    @property
    def evaluated(self) -> int:
        """How many different nodes have been measured."""
        return self._measured + len(self._corners | self._begun)

    def begin(self, known: Iterable[Node | None]) -> Iterator[None]:
        """Add the points of nodes that are known to be good, one by one; a few of them in any case."""
        for node in known:
            if node is not None:
                if self.clock.over and len(self._begun) >= FEW:
                    return
                self.front.add(self.evaluator.node(node))
                self._begun.add(node)
            yield

    def run(self, beside: Beside | None = None) -> bool:
        """Search until no box is left (True) or the time runs out (False)."""
        nodes, done = self.evaluator.problem.nodes, 0
        boxes = [(self.floor(self.bottom), self.bottom, self.top)]
        while boxes:
            if self.clock.over:
                return False
            floor, lo, hi = heapq.heappop(boxes)
            size = prod(high - low + 1 for low, high in zip(lo, hi, strict=True))
            skipped = self.prune and self.skipped(hi, floor)
            most = min(SMALL if self.prune else LARGE, self.evaluator.most_nodes)
            if skipped or size <= few_nodes(self.evaluator.problem, most):
                if not skipped:
                    self.measure(lo, hi, size)
                self._bounds.pop(hi, None)
                done += size
            else:
                for half in self.halves(lo, hi):
                    heapq.heappush(boxes, (self.floor(half[0]), *half))
            self.clock.show(
                done / nodes,
                f"{self.evaluated:,} nodes evaluated, {len(boxes):,} regions open",
                *self.least_lost(),
            )
            if beside is not None:
                beside.go_on()
        return True

    def least_lost(self) -> tuple[Callable[[], float | None], str]:
        """Return what gives the share of all detail that is lost at a k people ask for, and words for that k.

        Without k among the objectives, it is the least that is lost at all.
        """
        k = max(ASKED, self.evaluator.thresholds.k) if "k" in self.front.names else 0

        def lost() -> float | None:
            points = self.front.points()
            losses = [] if points is None else points.loss[points.k >= k].tolist()
            return self.evaluator.metric.share(min(losses)) if losses else None

        return lost, f" at k = {k:,}" if k else ""

    def skipped(self, hi: Node, floor: int) -> bool:
        """Return whether a box with this highest node and this least loss0 can be skipped."""
        if hi not in self._bounds:
            points, self._bounds[hi] = self.evaluator.corner(hi)
            self._corners.add(hi)
            self.front.add(points)
        bounds = self._bounds[hi]
        return not len(bounds) or self.front.beats(bounds, floor)

    def floor(self, lo: Node) -> int:
        """Return the loss0 of a box's lowest node; the same for all boxes if nothing is skipped."""
        if not self.prune:
            return 0
        if lo not in self._loss0:
            self._loss0[lo] = self.evaluator.loss0(lo)
            if not self.evaluator.metric.separable:
                self._corners.add(lo)
        return self._loss0[lo]

    def measure(self, lo: Node, hi: Node, size: int) -> None:
        """Add all points of a box."""
        self.front.add(self.evaluator.box(lo, hi))
        self._measured += size
        # A node measured singly was the highest or the lowest of its box, and of all inner boxes that contain
        # it.
        self._corners -= {lo, hi}
        self._begun = {node for node in self._begun if not _between(lo, node, hi)}

    def halves(self, lo: Node, hi: Node) -> tuple[tuple[Node, Node], tuple[Node, Node]]:
        """Return the halves of a box along the attribute whose levels cost most, or that has most."""
        metric = self.evaluator.metric
        spans = [high - low for low, high in zip(lo, hi, strict=True)]
        prices = [0] * len(lo)
        if self.prune and metric.separable:
            losses = metric.level_losses()
            prices = [
                losses[a][high] - losses[a][low]
                for a, (low, high) in enumerate(zip(lo, hi, strict=True))
            ]
        a = max(range(len(lo)), key=lambda a: (spans[a] > 0, prices[a], spans[a]))
        middle = (lo[a] + hi[a]) // 2
        below = (*hi[:a], middle, *hi[a + 1 :])
        above = (*lo[:a], middle + 1, *lo[a + 1 :])
        return (lo, below), (above, hi)
