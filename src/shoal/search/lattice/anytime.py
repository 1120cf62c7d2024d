"""Finds good nodes soon, and better ones while it has time: for lattices too large for a proof.

Local search with restarts. From a node it goes to the best neighbour, one level up or down in one attribute,
as long as that lowers the loss; then to one that is up in one attribute and down in another. If nothing
helps, it starts again from a node made of good ones: the best with some levels drawn anew, or a child of
two good ones (as a genetic search breeds them), or now and then a random node. If the promise is
monotone, a start that is not allowed is raised along a random chain to its lowest allowed node. The more
starts in a row find nothing better, the farther away the next ones are.

Whole neighbourhoods are judged at once, on all threads, and no node twice. A node whose loss0 is not below
the loss to be improved is not judged at all: loss0 never exceeds the loss. Nor is a node that is up in one
attribute and down in another, if the node above it, with only the one up, bars it, or if its loss0 and the
excess that is sure at and below that node (`Judged`) are not below that loss together.

Guarantee: no neighbour of `best` is allowed and cheaper, unless the time ran out. Nothing more is proven. The
same seed gives the same answer if no clock ends the search.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Protocol

from shoal.data.tally import Node, Problem
from shoal.metrics.metric import Metric
from shoal.running.clock import Clock
from shoal.search.lattice.allowed import rank
from shoal.search.lattice.climbs import Steps
from shoal.search.lattice.node_judge import Judged

ROUNDS = 40
"""How many starts there are without a time limit, or before a proof goes on beside more of them."""
BATCH = 32
"""How many nodes are judged before the search checks whether one of them helps."""
ELITE = 12
"""How many good nodes new starts are made of."""
HOPELESS = 10**9
"""A proof over more nodes would take longer than people wait."""


class Judging(Protocol):
    """What the search asks of nodes: a `Judge`, or one that measures many k at once."""

    problem: Problem
    metric: Metric

    @property
    def monotone(self) -> bool:
        """Whether a generalization of an allowed node is allowed."""

    def judge_many(self, nodes: Sequence[Node], clock: Clock) -> list[Judged]:
        """Return the judgements of nodes in their order, of as many as there is time for."""


class Anytime:
    """The search; `best` is the best allowed node that it met, and `elite` are the ends of its descents.

    `within` are the lowest and the highest node to look at, by default those of the lattice.
    """

    def __init__(
        self, judge: Judging, clock: Clock, seed: int = 0, within: tuple[Node, Node] | None = None
    ) -> None:
        self.judge, self.clock = judge, clock
        self.best: Judged | None = None
        self.elite: list[Judged] = []
        self.starts = 0
        self._chance = random.Random(seed)
        self._within = within
        self._bottom, self._top = within or (judge.problem.bottom, judge.problem.top)
        self._bounded = judge.metric.separable and judge.metric.monotone
        self._steps = Steps(judge.problem, judge.metric)
        self.vain = 0

    def run(self, rounds: int | None = ROUNDS, start: Node | None = None) -> None:
        """Descend from a node, by default the top, and from `rounds` others, while there is time."""
        for _ in self.steps(rounds, start):
            pass

    def steps(self, rounds: int | None = None, start: Node | None = None) -> Iterator[None]:
        """Do the same descent by descent: without `rounds` as long as it is gone on with."""
        self.descend(self._top if start is None else start)
        yield
        while (rounds is None or self.starts <= rounds) and not self.clock.over:
            before = self.best
            self.start(self.another())
            if before is None and self.vain > ROUNDS:
                break  # chance does not find an allowed node
            done = self.starts / rounds if rounds else self.clock.gone
            self.clock.show(done, f"{self.starts:,} starts", self.lost)
            yield
        # The best may have been met on a way up.
        while self.best is not None and not self.clock.over and self.best.node not in self._ends():
            self.descend(self.best.node)

    @property
    def lost(self) -> float | None:
        """The share of all detail that the best node loses."""
        return None if self.best is None else self.judge.metric.share(self.best.loss)

    def start(self, node: Node) -> None:
        """Descend from a node, and count how many starts in a row found nothing better."""
        before = self.best
        self.descend(node)
        self.vain = 0 if before is not self.best else self.vain + 1

    def _ends(self) -> set[Node]:
        return {one.node for one in self.elite}

    def descend(self, node: Node, *, swapping: bool = True) -> None:
        """Go from a node, or an allowed one above it, to better neighbours until there is none.

        Without `swapping` only to those one level away, which takes a fraction of the time.
        """
        self.starts += 1
        at = self._raised(node)
        while at is not None and at.allowed and not self.clock.over:
            better = self._better(at, swapping)
            if better is None:
                good = {one.node: one for one in (*self.elite, at)}
                self.elite = sorted(good.values(), key=rank)[:ELITE]
                return
            at = better

    def look(self, nodes: Sequence[Node]) -> list[Judged]:
        """Judge nodes, and record the best; fewer come back if the time is over."""
        found = self.judge.judge_many(nodes, self.clock)
        allowed = [one for one in found if one.allowed]
        if allowed:
            here = min(allowed, key=rank)
            if self.best is None or rank(here) < rank(self.best):
                self.best = here
        return found

    def _better(self, at: Judged, swapping: bool) -> Judged | None:
        """Return the best neighbour if it is better, or else a better one of those two steps away."""
        near = [*self._steps.below(at.node), *self._steps.above(at.node)]
        best = self._first_better(at, [node for node in near if self._promising(node, at)], len(near))
        if best is not None or not swapping:
            return best
        return self._first_better(at, self._swapped(at), BATCH)

    def _first_better(self, at: Judged, nodes: list[Node], size: int) -> Judged | None:
        """Return the best of the first so many nodes that have a better one."""
        for i in range(0, len(nodes), max(size, 1)):
            found = [one for one in self.look(nodes[i : i + size]) if one.allowed]
            best = min(found, key=rank, default=at)
            if rank(best) < rank(at):
                return best
            if self.clock.over:
                break
        return None

    def _promising(self, node: Node, at: Judged, surely: int = 0) -> bool:
        if not self._inside(node):
            return False
        return not self._bounded or self._steps.loss0(node) + surely < at.loss

    def _inside(self, node: Node) -> bool:
        return self._within is None or all(
            lo <= level <= hi for lo, level, hi in zip(self._bottom, node, self._top, strict=True)
        )

    def _swapped(self, at: Judged) -> list[Node]:
        """Return the nodes a level up in one attribute and one down in another that may be better."""
        found = []
        for higher in self.look([node for node in self._steps.above(at.node) if self._inside(node)]):
            if higher.barred:
                continue
            found += [
                node
                for node in self._steps.below(higher.node)
                if node != at.node and self._promising(node, at, higher.surely)
            ]
        self._chance.shuffle(found)
        return found

    def another(self) -> Node:
        """Return a node to start anew from."""
        chance = self._chance
        if not self.elite or chance.random() < 0.05:
            return tuple(chance.randint(lo, hi) for lo, hi in zip(self._bottom, self._top, strict=True))
        if len(self.elite) > 1 and chance.random() < 0.3:
            one, two = chance.sample(self.elite, 2)
            levels = [chance.choice(pair) for pair in zip(one.node, two.node, strict=True)]
        else:
            near = chance.random() < 0.7
            levels = list((self.elite[0] if near else chance.choice(self.elite)).node)
        many = min(2 + chance.randrange(3 + self.vain // 8), len(levels))
        for a in chance.sample(range(len(levels)), many):
            levels[a] = chance.randint(self._bottom[a], self._top[a])
        return tuple(levels)

    def _raised(self, node: Node) -> Judged | None:
        """Return a node judged, or the lowest allowed one of a random chain above it, or None."""
        found = self.look([node])
        if not found or found[0].allowed or not self.judge.monotone:
            return found[0] if found else None
        order = [
            a for a, (at, hi) in enumerate(zip(node, self._top, strict=True)) for _ in range(hi - at)
        ]
        self._chance.shuffle(order)
        low, high, top = 0, len(order), None
        while high - low > 1 or top is None:
            middle = high if top is None else (low + high) // 2
            found = self.look([raised(node, order[:middle])])
            if not found or (top is None and not found[0].allowed):
                return None
            if found[0].allowed:
                high, top = middle, found[0]
            else:
                low = middle
        return top


def raised(node: Node, order: Sequence[int]) -> Node:
    """Return the node with each attribute raised by a level as often as it is listed.

    >>> raised((0, 1), [1, 1])
    (0, 3)
    """
    levels = list(node)
    for a in order:
        levels[a] += 1
    return tuple(levels)
