"""Good nodes for every k at once, without proof: the anytime search takes turns at a series of k.

All turns share what was measured: a measured node gives a pair at every k (`evaluator`), so a descent
for one k is also a good start for the next, and each begins at the best node that is known for its k.
First every k has a short descent, and then a whole one. After that each in turn is searched as if it were
the only one, until several starts find nothing better: those that people ask for first come first, so they
soon have what a search for them alone would find.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from shoal.data.tally import Node
from shoal.running.clock import Clock
from shoal.search.lattice.anytime import ROUNDS, Anytime
from shoal.search.lattice.evaluator import Evaluated, NodeMeasurer, Pair
from shoal.search.lattice.node_judge import Judged
from shoal.search.lattice.pareto import Staircase

ASKED = 5
"""The k that people ask for most."""
STEPS = (ASKED, 2, 10, 3, 20, 50)
PATIENCE = 5
"""How many starts in a row a turn takes without finding anything better."""
MOST = 1000
"""Larger k have no search of their own: their nodes are close to the top, and met on the way."""


def every_k(
    measurer: NodeMeasurer,
    stairs: Staircase,
    clock: Clock,
    take: Callable[[Evaluated], None],
    *,
    endless: bool = False,
) -> Iterator[None]:
    """Measure good nodes for every k that the stairs ask for, descent by descent, until the time is over.

    `take` is given each measured node, and adds it to the stairs. Without `endless` each k has a fixed
    number of starts, and the search ends after them.
    """
    seekers = {
        k: Anytime(AtK(measurer, k, stairs.fill, take), clock, k) for k in _series(measurer, stairs)
    }

    def show() -> None:
        words = f"{len(stairs.ks):,} points, {measurer.evaluated:,} nodes evaluated"
        clock.show(clock.gone, words, *least_lost(measurer, stairs))

    def start(k: int, seeker: Anytime) -> Node:
        known = stairs.cheapest(k)
        if known is not None and (seeker.best is None or known.loss < seeker.best.loss):
            return known.node
        return seeker.another()

    for swapping in (False, True):
        for k, seeker in takewhile(lambda _: not clock.over, seekers.items()):
            known = stairs.cheapest(k)
            seeker.descend(known.node if known is not None else seeker.another(), swapping=swapping)
            show()
            yield
    turn = 0
    while not clock.over and (endless or turn < ROUNDS // PATIENCE):
        turn += 1
        for k, seeker in seekers.items():
            seeker.vain = 0
            while seeker.vain < PATIENCE and not clock.over:
                seeker.start(start(k, seeker))
                show()
                yield


def least_lost(measurer: NodeMeasurer, stairs: Staircase) -> tuple[Callable[[], float | None], str]:
    """Return what gives the share of all detail that is lost at a k people ask for, and words for that k."""
    name, asked = measurer.told_at
    k = max(asked, stairs.min_k) if stairs.max_k is None else min(max(asked, stairs.min_k), stairs.max_k)

    def lost() -> float | None:
        loss = stairs.least(k)
        return None if loss is None else measurer.metric.share(loss)

    return lost, f" at {name} = {k:,}" if name else ""


def _series(measurer: NodeMeasurer, stairs: Staircase) -> list[int]:
    """Return the k that are searched for, those that people ask for first."""
    return ks_between(stairs.min_k, min(measurer.problem.people, stairs.max_k or MOST))


def ks_between(least: int, most: int) -> list[int]:
    """Return some k from the least to the most, those that people ask for first.

    >>> ks_between(4, 30)
    [5, 10, 20, 30]
    """
    wanted = [step * scale for scale in (1, 10, 100) for step in STEPS]
    return [k for k in dict.fromkeys(wanted) if least <= k <= most] or [least]


class AtK:
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
        # What holds for all nodes below: the facts in `exact_frontier`.
        barred = max(found.ks) < self._k
        surely = found.excess[bisect_left(found.sizes, self._k)]
        if not good:
            most = self.metric.largest + 1
            return Judged(found.node, False, found.suppressed, found.loss0, most, barred, surely)
        best = min(good, key=lambda pair: pair.loss)
        return Judged(found.node, True, best.suppressed, found.loss0, best.loss, barred, surely)
