"""Losses by any metric, counted from the combinations: for large lattices, and for what no index can tell."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from threading import Lock

from shoal.criteria import criteria_of
from shoal.data.tally import Tally
from shoal.data.tally.problem import Problem
from shoal.describe.promise import Promise
from shoal.metrics import Metric
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.node_judge import Judge
from shoal.search.negotiation.cheapest_in_boxes import BoxSearch
from shoal.search.negotiation.histograms import FoundNode, Histograms, Inquiry
from shoal.search.negotiation.index_losses import told_by
from shoal.search.negotiation.request import LatticeShape, Node


class CountedLosses:
    """The losses of the nodes of a problem; what was counted for one request serves the next.

    Several threads may ask; they take turns.
    """

    at_once = False

    def __init__(
        self,
        shape: LatticeShape,
        histograms: Histograms,
        problem: Problem,
        tally: Tally,
        metric: Metric,
        threads: int = 1,
    ) -> None:
        self.shape, self.histograms = shape, histograms
        self.problem, self.tally, self.metric = problem, tally, metric
        self.name, self.told = metric.name, told_by(metric)
        self.threads = threads
        self.turn = Lock()
        self._judge: tuple[tuple[int, int, int], Judge] | None = None

    def inquiry(self, clock: Clock) -> Inquiry:
        """Return a new request by loss."""
        return _BoxInquiry(self, clock)

    def of(self, node: Node, k: int, l: int) -> int:
        """Return the loss of a node for k and l."""
        with self.turn:
            if l:
                return self.judge(k, l, max(self.shape.rows - 1, 0)).judge(node).loss
            found = self._evaluator.measure(node)
            return found.loss0 + found.excess[bisect_left(found.sizes, k)]

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.problem, self.metric, max(self.shape.rows - 1, 0))

    def judge(self, k: int, l: int, limit: int) -> Judge:
        """Return what judges nodes by k, l and a limit; the last one is kept."""
        asked = (k, l, limit)
        if self._judge is None or self._judge[0] != asked:
            sensitive = self.shape.sensitive
            criteria = criteria_of(Promise(k, l or None), self.tally, sensitive)
            columns = sensitive if l else ()
            judge = Judge(
                self.problem, self.tally, criteria, limit, self.metric, columns, threads=self.threads
            )
            self._judge = (asked, judge)
        return self._judge[1]


class _BoxInquiry:
    """A request by loss: which heights have allowed nodes is looked up in the histograms."""

    def __init__(self, losses: CountedLosses, clock: Clock) -> None:
        self._losses, self._clock = losses, clock
        self._heights = losses.histograms.inquiry(clock)
        self._visited: set[Node] = set()

    @property
    def visited(self) -> int:
        return len(self.seen())

    def seen(self) -> tuple[Node, ...]:
        return tuple(self._visited.union(self._heights.seen()))

    def suppressed(self, node: Node, k: int, l: int) -> int:
        return self._heights.suppressed(node, k, l)

    def best(self, top: Node, k: int, l: int, limit: int) -> FoundNode | None:
        return self._search(top, top, None, k, l, limit)

    def best_from(self, height: int, k: int, l: int, limit: int) -> FoundNode | None:
        lowest = self._heights.best_from(height, k, l, limit)
        if lowest is None:
            return None
        top, near = self._losses.shape.top, lowest.node
        found = self._search(top, near, sum(near), k, l, limit)
        if found is None or lowest.proven:
            return found
        return FoundNode(found.node, found.suppressed, found.loss, False)  # a lower height may have some

    def _search(
        self, top: Node, near: Node, height: int | None, k: int, l: int, limit: int
    ) -> FoundNode | None:
        losses = self._losses
        with losses.turn:
            search = BoxSearch(losses.judge(k, l, limit), self._clock, self._visited)
            return search.cheapest(losses.shape.bottom, top, near, height)
