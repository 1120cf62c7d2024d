"""The exact frontier: every Pareto-optimal (k, loss) pair, proven, from a fraction of the nodes.

A node gives a pair for every amount of suppression: its classes go from the smallest size up, whole sizes
at a time, from none to as many as fit into the limit; k is the smallest size left. A size counts
distinct persons, by default one a row; the limit and the losses are in rows. With `fill`, the rule of
the POkA paper, it gives only the last of these pairs, for which it suppresses as much as fits.

Facts, for N <= E (E generalizes N), a fixed limit, and a metric as `metrics.metric.Metric` asks:

1. A row's class only grows upwards, and its persons with it: those of a class of E are the union of those of
   its parts. So a row in a class smaller than k at E is in one at N. If N may suppress what k needs, so may
   E: for each k the nodes that allow it form an up-set, and the largest k never falls.
2. loss0, the loss without suppression, never falls, and is a lower bound of the loss.
3. Let excess(E, k) be what suppressing E's classes smaller than k adds. These rows are suppressed at N too,
   and each costs at N at least the excess it costs at E. So N's pair of k costs at least loss0(N) +
   excess(E, k).

Resolving. Let l be a lower bound of loss0 over all unresolved nodes; beaten(loss) is the largest k with
which a pair that costs at least `loss` is of no interest (`Staircase.beaten`). An evaluated E *covers at l*
if k <= beaten(l + excess(E, k)) for each of its pairs. Then every unresolved node N at or below E is of no
interest: a k of N is allowed at E (fact 1), so E has a least pair k' >= k, and suppresses the same for
both; N's pair costs at least l + excess(E, k'), and k <= k' is beaten there.

With `fill` N has one pair, its largest k(N) <= k(E). Let b = beaten(l): E covers if k(E) <= b; or else,
because an unresolved N <= E with k(N) > b suppresses all classes of at most b persons and so costs at least
l' = l + excess(E, b + 1), if k(E) <= beaten(l'), and so on while b rises.

A node that is evaluated itself is resolved too; if it is minimal among the unresolved ones, all below it
are resolved already. So the unresolved nodes always form an up-set, which `lattice.unresolved` holds by its
minimal elements; l is the least loss0 (or bound of it) among these. When none is left every node was
evaluated or is of no interest: the frontier is complete, ties included.

Choosing. Covering is monotone: if E covers, so does every node below it (k and the loss that must be
exceeded both move the right way). So a chain of cheapest steps from the minimal node to the top is searched
by bisection for its highest covering node, which is then raised, attribute by attribute, until no neighbour
covers. A node above an evaluated one that does not cover need not be evaluated.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice, takewhile

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node
from shoal.kernels import NodeSet
from shoal.metrics.metric import Ints
from shoal.running.beside import Beside
from shoal.running.clock import Clock
from shoal.search.lattice.anytime import HOPELESS
from shoal.search.lattice.climbs import Steps, first
from shoal.search.lattice.evaluator import Evaluated, NodeMeasurer
from shoal.search.lattice.every_k import every_k, least_lost
from shoal.search.lattice.pareto import Outcome, ParetoPoint, Staircase
from shoal.search.lattice.unresolved import Unresolved

Mask = npt.NDArray[np.bool_]

SKETCH = 0.4
"""The share of a time limit that goes into a first sketch of the frontier."""
FIRST = 500
"""The steps of a sketch without a limit, before a proof that is out of reach goes on beside more of them."""


def exact_frontier(
    evaluator: NodeMeasurer,
    *,
    fill: bool = False,
    min_k: int = 1,
    max_k: int | None = None,
    clock: Clock | None = None,
) -> Outcome:
    """Return the certified frontier over all nodes and amounts, or what a time limit left of it.

    With `fill` every node suppresses as much as the limit lets it, as in the paper. Nodes that cannot give a
    point within `min_k` and `max_k` are not searched.
    """
    search = _FrontierSearch(evaluator, Staircase(min_k, max_k, fill), clock or Clock())
    certified = search.run()
    return Outcome(tuple(search.stairs), evaluator.evaluated, certified, search.clock.seconds)


def sketched(
    evaluator: NodeMeasurer, *, min_k: int = 1, clock: Clock
) -> tuple[Staircase, Iterator[None]]:
    """Return good points without proof, and the steps of the search for them, which has no end of its own."""
    search = _FrontierSearch(evaluator, Staircase(min_k), clock)
    search.evaluate(search.top)
    return search.stairs, search.sketch(clock, endless=True)


class _FrontierSearch:
    def __init__(self, evaluator: NodeMeasurer, stairs: Staircase, clock: Clock) -> None:
        self.evaluator = evaluator
        self.stairs = stairs
        self.clock = clock
        self.bottom, self.top = evaluator.problem.bottom, evaluator.problem.top
        self.steps = Steps(evaluator.problem, evaluator.metric)
        self.known = _EvaluatedNodes(len(self.top), evaluator.metric.dtype)

    def run(self) -> bool:
        """Search until all is resolved (True) or the time is over (False).

        Without a limit, a search for better nodes goes on beside a proof that is out of reach.
        """
        most = max(self.evaluate(self.top).loss, 1)
        hopeless, beside = self.evaluator.problem.nodes > HOPELESS, None
        if self.clock.limited:
            for _ in self.sketch(self.clock.part(0.97 if hopeless else SKETCH, heard=True), hopeless):
                pass
        elif hopeless:
            steps = self.sketch(self.clock, endless=True)
            for _ in islice(steps, FIRST):
                pass
            beside = Beside(steps, self.clock)
        lost, at = least_lost(self.evaluator, self.stairs)
        unresolved = Unresolved(self.bottom, self.top, self.bound)
        while (lowest := unresolved.lowest()) is not None:
            if self.clock.over:
                return False
            floor, node = lowest
            self.clock.show(
                floor / most,
                f"{len(self.stairs.ks):,} points, {self.evaluator.evaluated:,} nodes evaluated, "
                f"{len(unresolved):,} regions open",
                lost,
                at,
            )
            unresolved.resolve(self.cover(node, floor))
            if beside is not None:
                beside.go_on()
        return True

    def sketch(self, clock: Clock, endless: bool) -> Iterator[None]:
        """Find something good for every k, step by step, in case the time runs out.

        A chain from the bottom to the top, then a search without proof. The main search goes from small
        losses up, and would otherwise know nothing of large k for long.
        """
        for node in takewhile(lambda _: not clock.over, self.steps.chain(self.bottom)):
            self.evaluate(node)
            yield
        yield from every_k(self.evaluator, self.stairs, clock, self.take, endless=endless)

    def bound(self, node: Node) -> int:
        """Return a lower bound of the node's loss0 that never falls when it is generalized."""
        if self.evaluator.metric.separable:
            return self.steps.loss0(node)
        return self.known.loss0_below(node)

    def evaluate(self, node: Node) -> Evaluated:
        """Return the measured node; add its points, and remember it."""
        found = self.evaluator.measure(node)
        self.take(found)
        return found

    def take(self, found: Evaluated) -> None:
        """Add the points of a measured node, and remember it."""
        if self.known.add(found):
            if self.stairs.fill:
                self.stairs.add(ParetoPoint(found.k, found.loss, found.node, found.suppressed))
            else:
                for k, loss, suppressed in self.evaluator.pairs(found):
                    if not self.stairs.dominates(k, loss):
                        self.stairs.add(ParetoPoint(k, loss, found.node, suppressed))

    def cover(self, node: Node, floor: int) -> Node:
        """Return a node at or above a minimal unresolved one below which all is resolved."""
        hopeless = self.known.hopeless(floor, self.stairs)
        for known in self.known.above(node, hopeless):
            if self.covers(known, floor):
                return known.node
        # Without level losses a node's loss0 is known by evaluating it, and may resolve it at once.
        if not self.evaluator.metric.separable and not self.covers(self.evaluate(node), floor):
            return node
        chain = self.steps.chain(node)
        end = first(chain, lambda node: not self.tried(node, floor, hopeless))
        if end == 0:
            self.evaluate(node)
            return node
        return self.raised(chain[end - 1], floor, hopeless)

    def raised(self, cover: Node, floor: int, hopeless: Mask) -> Node:
        """Return a covering node at or above the cover none of whose neighbours covers."""
        for higher in self.steps.above(cover):
            if self.tried(higher, floor, hopeless):
                return self.raised(higher, floor, hopeless)
        return cover

    def tried(self, node: Node, floor: int, hopeless: Mask) -> bool:
        """Whether a node covers; it is not evaluated if a hopeless one lies below it."""
        if self.clock.over or self.known.any_below(node, hopeless):
            return False
        return self.covers(self.evaluate(node), floor)

    def covers(self, node: Evaluated, floor: int) -> bool:
        """Whether no unresolved node at or below this one is of interest."""
        if self.stairs.fill:
            return self.covers_filled(node, floor)
        for k, excess in zip(node.ks, node.excess, strict=True):
            if k > self.stairs.beaten(floor + excess):
                self.known.note_failing(node, k, excess)
                return False
        return True

    def covers_filled(self, node: Evaluated, floor: int) -> bool:
        """The same where every node suppresses as much as it may."""
        b = self.stairs.beaten(floor)
        while node.k > b:
            risen = self.stairs.beaten(floor + node.excess[bisect_right(node.sizes, b)])
            if risen <= b:
                return False
            b = risen
        return True


class _EvaluatedNodes:
    """The evaluated nodes, as arrays that can be asked which lie above or below a node."""

    def __init__(self, attributes: int, dtype: type) -> None:
        self._members: dict[Node, int] = {}
        self._evaluated: list[Evaluated] = []
        self._nodes = NodeSet(attributes)
        self._ks = np.zeros(1024, dtype=np.int64)
        self._loss0: Ints = np.zeros(1024, dtype=dtype)
        self._excess: Ints = np.zeros(1024, dtype=dtype)

    def add(self, found: Evaluated) -> bool:
        """Add a node; False if it is known already."""
        if found.node in self._members:
            return False
        at = len(self._evaluated)
        if at == len(self._ks):
            self._ks = np.concatenate([self._ks, np.zeros_like(self._ks)])
            self._loss0 = np.concatenate([self._loss0, np.zeros_like(self._loss0)])
            self._excess = np.concatenate([self._excess, np.zeros_like(self._excess)])
        self._members[found.node] = at
        self._evaluated.append(found)
        self._nodes.add(found.node)
        self._ks[at] = found.k
        self._loss0[at] = found.loss0
        self._excess[at] = found.excess[-1]
        return True

    def note_failing(self, found: Evaluated, k: int, excess: int) -> None:
        """Remember the pair for which a node did not cover: `hopeless` looks at it first."""
        at = self._members[found.node]
        self._ks[at], self._excess[at] = k, excess

    def hopeless(self, floor: int, stairs: Staircase) -> Mask:
        """Return which surely do not cover: one of their pairs, with `fill` the last, is not beaten."""
        count = len(self._evaluated)
        return self._ks[:count] > stairs.beaten_all(self._excess[:count] + floor)

    def above(self, node: Node, hopeless: Mask) -> list[Evaluated]:
        """Return the nodes at or above this one that are not hopeless, the highest first."""
        found = [self._evaluated[i] for i in self._nodes.above(node) if not hopeless[i]]
        return sorted(found, key=lambda known: -sum(known.node))

    def any_below(self, node: Node, hopeless: Mask) -> bool:
        """Whether a hopeless node lies at or below this one."""
        return self._nodes.any_below(node, hopeless)

    def loss0_below(self, node: Node) -> int:
        """Return the largest loss0 of the nodes at or below this one, 0 if none is known."""
        below = self._nodes.below(node)
        return int(self._loss0[below].max()) if below else 0
