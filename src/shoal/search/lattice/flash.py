"""Flash: the cheapest allowed node by any metric, proven, from a fraction of the lattice.

Named after Flash (Kohlmayer, Prasser, Eckert, Kemper and Kuhn, "Flash: efficient, stable and optimal
k-anonymity", PASSAT 2012), whose way of judging it keeps: from a node, a chain of cheap steps to the top is
bisected, and one judgement settles all nodes below. Flash settles the whole lattice this way; this search
goes by rising loss and ends at the optimum.

Guarantee: no allowed node costs less; of those that cost the same the lowest is taken, then the first in
attribute order. It holds with suppression, and with criteria that are not monotone.

Proof. Facts of every judged node E (`Judge`): if E is barred, no node at or below E is allowed; else
an allowed node N <= E costs at least loss0(N) + surely(E). E *covers* if it is barred, or if floor +
surely(E) exceeds the best known loss, where floor is a lower bound of loss0 over all unsettled nodes. Nodes
that are covered, or judged themselves, are settled. The unsettled nodes form an up-set, stored by its minimal
nodes, since only down-sets and judged minimal nodes are removed from it (`lattice.unresolved`). Every
unsettled node M is at or above a minimal one N, and (bound(N), height, order) <= (loss(M), height, order). So
once no minimal node has less than the best known node, no node has.

Covering is monotone: every node below a covering node covers. So a chain is bisected for its highest covering
node, which is then raised until no neighbour covers.

Complexity: in the worst case all nodes, each judged once. Only the minimal unsettled nodes and the judged
nodes are stored, so lattices of millions of nodes can be searched. With criteria that are not monotone, or a
metric whose loss0 can fall, each judgement settles less: only what the facts above still allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import takewhile

import numpy as np

from shoal.data.tally import Node
from shoal.kernels import NodeSet
from shoal.metrics.metric import Ints
from shoal.running.beside import Beside
from shoal.running.clock import Clock
from shoal.search.lattice.allowed import rank, refuse_none
from shoal.search.lattice.anytime import HOPELESS, ROUNDS, Anytime
from shoal.search.lattice.climbs import Steps, first
from shoal.search.lattice.node_judge import Judge, Judged
from shoal.search.lattice.unresolved import Unresolved
from shoal.search.task import Algorithm, Found, Task

BOUND = 0.1
"""The share of a time limit for a bound by parts of the columns, if the lattice is too large for a proof."""
SKETCHES = (0.05, 0.6)
"""The shares of a time limit after which a search without proof begins: a short one, and one to the end."""


def flash(task: Task, clock: Clock) -> Found:
    """Return the cheapest allowed node."""
    from shoal.search.lattice.columns_bound import bound_by_columns  # which runs this search itself

    hopeless = task.problem.nodes > HOPELESS
    least = bound_by_columns(task, clock.part(BOUND)) if hopeless else Fraction(0)
    search = Cheapest(task.judge(), clock)
    done = search.run()
    best = search.best
    if best is None:
        raise refuse_none(done)
    proven = best.loss if done else min(search.floor, best.loss)
    details = {
        "nodes": task.problem.nodes,
        "judged": search.judge.judged,
        "lower_bound": float(max(task.metric.figure(proven), least)),
        "loss": float(task.metric.figure(best.loss)),
    }
    return Found(task.at(best.node), task.promise, done, details=details)


def cheapest_without_map(judge: Judge, clock: Clock) -> tuple[Judged, bool]:
    """Return the cheapest allowed node that is found, and whether that is proven.

    That is for algorithms that map the lattice, where it has too many nodes for a map.
    """
    search = Cheapest(judge, clock)
    done = search.run()
    if search.best is None:
        raise refuse_none(done)
    return search.best, done


class Cheapest:
    """Searches for the cheapest allowed node: `best` so far, `floor` a bound of all unsettled nodes.

    Where only nodes that cost less than some loss are of use, the search ends when there can be none of them.
    """

    def __init__(self, judge: Judge, clock: Clock, below: Fraction | None = None) -> None:
        self.judge = judge
        self.below = below
        self.clock = clock
        self.best: Judged | None = None
        self.floor = 0
        self.steps = Steps(judge.problem, judge.metric)
        self._bounded = judge.metric.monotone
        self._open = _Open(len(judge.problem.ladders), judge.metric.dtype)

    def run(self, sketching: bool = True) -> bool:
        """Search until the best node is proven (True) or the time runs out (False).

        Without a limit, a search for better nodes goes on beside a proof that is out of reach.
        """
        problem, beside = self.judge.problem, None
        most = max(self.look(problem.top).loss0, 1)
        sketches = [0.0] if problem.nodes > HOPELESS else list(SKETCHES)
        if self.below is None:
            self.descend(problem.bottom)
        unresolved = Unresolved(problem.bottom, problem.top, self.bound)
        while (lowest := unresolved.lowest()) is not None:
            self.floor, node = lowest
            if self.best is not None and (self.floor, sum(node), node) >= rank(self.best):
                return True
            if self.below is not None and self.floor >= self.below:
                return True
            if self.clock.over:
                return False
            if sketching and sketches and self.clock.past(sketches[0]):
                del sketches[0]
                search = self.sketch(last=not sketches)
                if problem.nodes > HOPELESS and not self.clock.limited:
                    beside = Beside(self._better_nodes(search), self.clock)
                continue
            self.clock.show(
                self.floor / most,
                lambda: f"{self.judge.judged:,} nodes judged, {len(unresolved):,} regions open",
                self.judge.lost,
            )
            unresolved.resolve(self.cover(node))
            if beside is not None:
                beside.go_on()
        return True

    def bound(self, node: Node) -> int:
        """Return a lower bound of the node's loss0 that never falls when it is generalized."""
        if not self._bounded:
            return 0
        return self.steps.loss0(node) if self.judge.metric.separable else self._open.loss0_below(node)

    def look(self, node: Node) -> Judged:
        """Judge a node, and record it."""
        found = self.judge.judge(node)
        if (
            self._open.add(found)
            and found.allowed
            and (self.best is None or rank(found) < rank(self.best))
        ):
            self.best = found
        return found

    def descend(self, node: Node) -> None:
        """Find a good node quickly: the lowest allowed node of a chain, then cheaper ones below it."""
        chain = self.steps.chain(node)
        lowest = first(chain[:-1], lambda node: self.look(node).allowed)
        at: Judged | None = self._cheapest_on(chain[lowest:])
        while at is not None and not self.clock.over:
            near = takewhile(lambda _: not self.clock.over, self.steps.below(at.node))
            below = (self.look(node) for node in near)
            at = next((found for found in below if found.allowed and found.loss < at.loss), None)

    def _cheapest_on(self, chain: Sequence[Node]) -> Judged:
        """Return about the cheapest of the allowed nodes of a chain; if rows may be suppressed, it may be far
        above the lowest: nodes some way apart are judged, then those nearer to the cheapest of these.
        """
        best = self.look(chain[0])
        low, high, step = 1, len(chain) if self.judge.limit else 1, max(len(chain) // 16, 1)
        while low < high and not self.clock.over:
            _, at = min((rank(self.look(chain[i])), i) for i in range(low, high, step))
            best = min(best, self.look(chain[at]), key=rank)
            low, high = max(at - step, 1), min(at + step + 1, len(chain)) if step > 1 else 0
            step = max(step // 4, 1)
        return best

    def sketch(self, last: bool) -> Anytime:
        """Improve the answer for the time limit, because the main search starts from small losses."""
        limited = last and self.clock.limited
        clock = self.clock.part(0.97, heard=True) if limited else self.clock
        search = Anytime(self.judge, clock)
        search.run(None if limited else ROUNDS, None if self.best is None else self.best.node)
        if search.best is not None:
            self.look(search.best.node)
        return search

    def good_nodes(self) -> Iterator[None]:
        """Search for good nodes step by step, without a proof and without an end of its own."""
        self.look(self.judge.problem.top)
        self.descend(self.judge.problem.bottom)
        yield
        yield from self._better_nodes(Anytime(self.judge, self.clock))

    def _better_nodes(self, search: Anytime) -> Iterator[None]:
        """Go on with a search for better nodes, start by start."""
        for _ in search.steps(None, None if self.best is None else self.best.node):
            if search.best is not None:
                self.look(search.best.node)
            yield

    def covers(self, judged: Judged) -> bool:
        """Return whether no unsettled node at or below this one can be the best."""
        if judged.barred:
            return True
        return self._bounded and self.best is not None and self.floor + judged.surely > self.best.loss

    def cover(self, node: Node) -> Node:
        """Return a node at or above a minimal unsettled one, such that all nodes below it are settled."""
        known = self._open.highest_above(node, self._least())
        if known is not None:
            return known
        # Without level losses, judging a node gives its loss0, which may settle it at once.
        if not self.judge.metric.separable and not self.covers(self.look(node)):
            return node
        chain = self.steps.chain(node)
        end = first(chain, lambda node: not self.tried(node))
        if end == 0:
            self.look(node)
            return node
        return self.raised(chain[end - 1])

    def raised(self, cover: Node) -> Node:
        """Return a covering node at or above this one, none of whose neighbours above covers."""
        higher: Node | None = cover
        while higher is not None:
            cover = higher
            higher = next((node for node in self.steps.above(cover) if self.tried(node)), None)
        return cover

    def tried(self, node: Node) -> bool:
        """Return whether a node covers; it is not judged if a node below it does not cover."""
        if self.clock.over or self._open.any_below(node, self._least()):
            return False
        return self.covers(self.look(node))

    def _least(self) -> int:
        """Return the smallest `surely` with which a node that is not barred covers."""
        if self.best is None or not self._bounded:
            return self.judge.metric.largest + 1
        return self.best.loss - self.floor + 1


class _Open:
    """The judged nodes that are not barred, with the sure excess of each, and every known loss0."""

    def __init__(self, attributes: int, dtype: type) -> None:
        self._seen: set[Node] = set()
        self._nodes = NodeSet(attributes)
        self._list: list[Node] = []
        self._surely: Ints = np.zeros(256, dtype=dtype)
        self._all = NodeSet(attributes)
        self._loss0: list[int] = []

    def add(self, found: Judged) -> bool:
        """Record a node; return False if it is known."""
        if found.node in self._seen:
            return False
        self._seen.add(found.node)
        self._all.add(found.node)
        self._loss0.append(found.loss0)
        if not found.barred:
            at = len(self._list)
            if at == len(self._surely):
                self._surely = np.concatenate([self._surely, np.zeros_like(self._surely)])
            self._surely[at] = found.surely
            self._nodes.add(found.node)
            self._list.append(found.node)
        return True

    def highest_above(self, node: Node, least: int) -> Node | None:
        """Return the highest known node at or above this one that covers, if there is one."""
        if not len(self._list) or self._surely[: len(self._list)].max() < least:
            return None
        found = [self._list[i] for i in self._nodes.above(node) if self._surely[i] >= least]
        return max(found, key=sum, default=None)

    def any_below(self, node: Node, least: int) -> bool:
        """Return whether some known node at or below this one does not cover."""
        return self._nodes.any_below(node, self._surely[: len(self._list)] < least)

    def loss0_below(self, node: Node) -> int:
        """Return the largest known loss0 at or below this node, 0 if none is known."""
        return max((self._loss0[i] for i in self._all.below(node)), default=0)


FLASH = Algorithm(
    "flash",
    "Flash (Kohlmayer and others 2012)",
    "node",
    flash,
    ("the promise is kept",),
    at_end=("no allowed node costs less, also where rows are suppressed",),
)
