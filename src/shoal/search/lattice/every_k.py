"""Good nodes for every k at once, without proof: the anytime search takes turns at a series of k.

All turns share what was measured: a measured node gives a pair at every k (`evaluator`), so a descent
for one k is also a good start for the next, and each begins at the best node that is known for its k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from shoal.data.tally import Node
from shoal.running.clock import Clock
from shoal.search.lattice.anytime import ROUNDS, Anytime
from shoal.search.lattice.evaluator import Evaluated, NodeMeasurer, Pair
from shoal.search.lattice.node_judge import Judged
from shoal.search.lattice.pareto import Staircase

STEPS = (5, 2, 10, 3, 20, 50)
MOST = 1000
"""Larger k have no search of their own: their nodes are close to the top, and met on the way."""


def every_k(
    measurer: NodeMeasurer,
    stairs: Staircase,
    clock: Clock,
    take: Callable[[Evaluated], None],
    *,
    endless: bool = False,
) -> None:
    """Measure good nodes for every k that the stairs ask for, until the time is over.

    `take` is given each measured node, and adds it to the stairs. Without `endless` each k has a fixed
    number of starts, and the search ends after them.
    """
    seekers = {
        k: Anytime(_AtK(measurer, k, stairs.fill, take), clock, k) for k in _series(measurer, stairs)
    }
    rounds = 0
    while not clock.over and (endless or rounds < ROUNDS):
        rounds += 1
        for k, seeker in takewhile(lambda _: not clock.over, seekers.items()):
            known = stairs.cheapest(k)
            new = known is not None and (seeker.best is None or known.loss < seeker.best.loss)
            seeker.descend(known.node if new and known is not None else seeker.another())
            clock.show(0.0, f"{len(stairs.ks):,} points, {measurer.evaluated:,} nodes evaluated")


def _series(measurer: NodeMeasurer, stairs: Staircase) -> list[int]:
    """Return the k that are searched for, those that people ask for first."""
    most = min(measurer.problem.people, MOST if stairs.max_k is None else stairs.max_k)
    wanted = [step * scale for scale in (1, 10, 100) for step in STEPS]
    chosen = [k for k in dict.fromkeys(wanted) if stairs.min_k <= k <= most]
    return chosen or [stairs.min_k]


class _AtK:
    """Judges nodes by what they give at one k."""

    def __init__(
        self, measurer: NodeMeasurer, k: int, fill: bool, take: Callable[[Evaluated], None]
    ) -> None:
        self.problem, self.metric = measurer.problem, measurer.metric
        self._measurer, self._k, self._fill, self._take = measurer, k, fill, take

    @property
    def monotone(self) -> bool:
        """Whether a generalization of an allowed node is allowed."""
        return self._measurer.monotone

    def judge_many(self, nodes: Sequence[Node], clock: Clock) -> list[Judged]:
        """Return the judgements of nodes in their order, of as many as there is time for."""
        return [self._judged(found) for found in self._measurer.measure_many(nodes, clock)]

    def _judged(self, found: Evaluated) -> Judged:
        self._take(found)
        last = Pair(found.k, found.loss, found.suppressed)
        pairs = [last] if self._fill else self._measurer.pairs(found)
        good = [pair for pair in pairs if pair.k >= self._k]
        if not good:
            return Judged(found.node, False, found.suppressed, found.loss0, self.metric.largest + 1)
        best = min(good, key=lambda pair: pair.loss)
        return Judged(found.node, True, best.suppressed, found.loss0, best.loss)
