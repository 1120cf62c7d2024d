"""The cheapest allowed node of a lattice too large to search whole: branch and bound over boxes.

A box has the nodes from lo to hi. A node is allowed if the rows in classes below k or l fit into the limit.
When a node is generalized, these rows only become fewer, and its loss0 (what it loses when no row is
suppressed) never falls; nor does the excess of a suppressed row grow (`Metric`). So of all nodes of a box:

- None is allowed if hi is not. None with level v of an attribute is, if hi with that level is not: it lies at
  or below that node. So lo can be raised in each attribute to the first level with which hi is allowed.
- None with level v of an attribute loses less than lo with that level, by the next bound. So hi can be
  lowered in each attribute to the last level with which that bound is not above the best loss.
- Each loses at least loss0(lo) + excess(hi): the rows that hi suppresses are suppressed everywhere in the
  box, and cost there at least as much more as they do at hi.
- If the loss of lo is that bound, lo is the best of the box: no other node loses less or is as low.

Boxes are taken by their bound, then by the height of lo. Once the next one's bound and height come after
the loss and the height of the best node, none that is left can hold a better one. If the time is over
before that, no allowed node loses less than the least bound that is left.

With a height, only nodes of that height count: a box loses the levels that none of them has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from math import prod

from shoal.running import stopping
from shoal.running.beside import Beside
from shoal.running.clock import Clock
from shoal.search.lattice.anytime import HOPELESS, ROUNDS, Anytime
from shoal.search.lattice.node_judge import Judge, Judged
from shoal.search.negotiation.histograms import FoundNode
from shoal.search.negotiation.request import Node

MOST_OPEN = 1_000_000
"""The most boxes that wait; with more, the search ends as if its time were over."""
Box = tuple[Node, Node]


class _OverError(Exception):
    """The time is over."""


class BoxSearch:
    """Searches boxes for the cheapest node that a judge allows."""

    def __init__(self, judge: Judge, clock: Clock, visited: set[Node]) -> None:
        self.judge, self.clock, self.visited = judge, clock, visited
        metric = judge.metric
        self._levels = metric.level_losses() if metric.separable else None
        self._best: Judged | None = None
        self._height: int | None = None
        self._bound = 0
        """A lower bound of the loss of every node not yet looked at."""

    def cheapest(self, lo: Node, hi: Node, near: Node, height: int | None = None) -> FoundNode | None:
        """Return the cheapest allowed node from lo to hi, of a height if one is given.

        `near` is such a node, to begin with.
        """
        self._best, self._height, self._bound = None, height, 0
        first = self._take(self._judged(near))
        if not first.allowed:
            return None
        proven, beside = False, None
        try:
            if height is None:
                self._bound = self._loss0(lo) if self._levels is not None else 0
                if prod(high - low + 1 for low, high in zip(lo, hi, strict=True)) > HOPELESS:
                    beside = self._sketch(lo, hi)
                else:
                    self._descend(lo, near)
            self._search(lo, hi, beside)
            proven = True
        except _OverError:
            self.clock.end()  # the best so far is the answer, and later searches for it end too
        best = self._best or first
        bound = None if proven else min(self._bound, best.loss)
        return FoundNode(best.node, best.suppressed, best.loss, proven, bound)

    def _search(self, lo: Node, hi: Node, beside: Beside | None) -> None:
        """Look at boxes until none that is left can hold a better node, others beside that."""
        order = count()
        open_: list[tuple[int, int, int, Box, bool]] = [(self._bound, 0, next(order), (lo, hi), True)]
        while open_:
            bound, low, _, box, lowered = heappop(open_)
            self._bound = bound
            if self._worse(bound, low):
                break
            if len(open_) > MOST_OPEN:
                raise _OverError
            self.clock.show(
                0.0, f"{len(self.visited):,} nodes looked at, {len(open_):,} boxes left", self._lost()
            )
            if beside is not None:
                beside.go_on()
            for part in self._parts(box, lowered):
                if not self._worse(part[0], part[1]):
                    heappush(open_, (max(bound, part[0]), part[1], next(order), *part[2:]))

    def _worse(self, bound: int, low: int) -> bool:
        """Whether a box comes after the best node."""
        best = self._best
        return best is not None and (bound, low) > (best.loss, sum(best.node))

    def _parts(self, box: Box, lowered: bool) -> Iterator[tuple[int, int, Box, bool]]:
        """Yield the parts of a box that may hold something better: bound, height of lo, box, hi is new."""
        tight = self._tight(box, lowered)
        if tight is None:
            return
        lo, hi = tight
        top = self._look(hi)
        bottom = self._look(lo) if self._levels is None or lo == hi else None
        low = self._height if self._height is not None else sum(lo)
        bound = (self._loss0(lo) if bottom is None else bottom.loss0) + top.surely
        if lo == hi or self._worse(bound, low):
            return
        if bottom is not None and bottom.allowed and bottom.loss == bound and self._height is None:
            return
        a = self._widest(lo, hi)
        yield bound, low, (lo, (*hi[:a], lo[a], *hi[a + 1 :])), True
        raised = (*lo[:a], lo[a] + 1, *lo[a + 1 :])
        more = bound if self._levels is None else self._loss0(raised) + top.surely
        yield more, low + (self._height is None), (raised, hi), False

    def _fit(self, box: Box) -> Box | None:
        """Take away the levels that no node of the height has; None if nothing is left."""
        lo, hi = box
        if self._height is None:
            return box
        above = self._height - sum(lo)
        if above < 0:
            return None
        hi = tuple(min(h, low + above) for low, h in zip(lo, hi, strict=True))
        below = sum(hi) - self._height
        if below < 0:
            return None
        return tuple(max(low, h - below) for low, h in zip(lo, hi, strict=True)), hi

    def _tight(self, box: Box, lowered: bool) -> Box | None:
        """Take away levels that no better allowed node has; None if nothing is left.

        Raises lo to the first levels with which hi is allowed, unless hi is not new; then lowers hi.
        """
        fitting = self._fit(box)
        while fitting is not None:
            lo, hi = fitting
            top = self._look(hi)
            if not top.allowed:
                return None
            raised = list(lo)
            for a in range(len(lo) if lowered else 0):
                while raised[a] < hi[a] and not self._look((*hi[:a], raised[a], *hi[a + 1 :])).allowed:
                    raised[a] += 1
            lo = tuple(raised)
            capped = self._capped(lo, hi, top.surely)
            fitting, lowered = self._fit((lo, capped)), True
            if fitting is None or fitting[1] == hi:
                return fitting
        return None

    def _capped(self, lo: Node, hi: Node, surely: int) -> Node:
        """Lower hi to the last levels with which lo could still be as good as the best."""
        best, levels = self._best, self._levels
        if best is None or levels is None:
            return hi
        room = best.loss - surely - self._loss0(lo)
        found = list(hi)
        for a, low in enumerate(lo):
            while found[a] > low and levels[a][found[a]] - levels[a][low] > room:
                found[a] -= 1
        return tuple(found)

    def _widest(self, lo: Node, hi: Node) -> int:
        """Return the attribute whose next level costs most, or the one with most levels."""
        free = [a for a in range(len(lo)) if lo[a] < hi[a]]
        levels = self._levels
        if levels is None:
            return max(free, key=lambda a: hi[a] - lo[a])
        return max(free, key=lambda a: levels[a][lo[a] + 1] - levels[a][lo[a]])

    def _loss0(self, node: Node) -> int:
        if self._levels is None:
            return self._look(node).loss0
        return sum(losses[level] for losses, level in zip(self._levels, node, strict=True))

    def _descend(self, lo: Node, node: Node) -> None:
        """Go down from a node as long as a step loses less: a good node to begin with."""
        here = self._judged(node)
        while True:
            below = [
                self._look((*here.node[:a], here.node[a] - 1, *here.node[a + 1 :]))
                for a in range(len(lo))
                if here.node[a] > lo[a]
            ]
            found = min((one for one in below if one.allowed), key=lambda one: one.loss, default=None)
            if found is None or found.loss >= here.loss:
                return
            here = found

    def _sketch(self, lo: Node, hi: Node) -> Beside | None:
        """Search without proof, since this search will not end; leave some of the time for bounds.

        Without a limit, what goes on with that is returned.
        """
        limited = self.clock.limited
        clock = self.clock.part(0.9, heard=True) if limited else self.clock
        search = Anytime(_Visiting(self.judge, self.visited), clock, within=(lo, hi))
        search.run(None if limited else ROUNDS, self._begin_at)
        if search.best is not None:
            self._take(search.best)
        return None if limited else Beside(self._better_nodes(search), self.clock)

    def _better_nodes(self, search: Anytime) -> Iterator[None]:
        """Go on with a search for better nodes, start by start."""
        for _ in search.steps(None, self._begin_at):
            if search.best is not None:
                self._take(search.best)
            yield

    @property
    def _begin_at(self) -> Node | None:
        return None if self._best is None else self._best.node

    def _lost(self) -> float | None:
        """Return the share of all detail that the best node loses, for those who watch."""
        return None if self._best is None else self.judge.metric.share(self._best.loss)

    def _look(self, node: Node) -> Judged:
        """Return the judgement of a node, or end the search if the time is over."""
        if self.clock.over:
            raise _OverError
        stopping.look()
        return self._take(self._judged(node))

    def _judged(self, node: Node) -> Judged:
        self.visited.add(node)
        return self.judge.judge(node)

    def _take(self, found: Judged) -> Judged:
        """Record a node as the best if it is."""
        if found.allowed and self._height in (None, sum(found.node)):
            best = self._best
            if best is None or _rank(found) < _rank(best):
                self._best = found
        return found


class _Visiting:
    """A judge that notes which nodes it judges."""

    def __init__(self, judge: Judge, visited: set[Node]) -> None:
        self.problem, self.metric = judge.problem, judge.metric
        self._judge, self._visited = judge, visited

    @property
    def monotone(self) -> bool:
        """Whether a generalization of an allowed node is allowed."""
        return self._judge.monotone

    def judge_many(self, nodes: Sequence[Node], clock: Clock) -> list[Judged]:
        """Return the judgements of as many nodes as there is time for, in order."""
        found = self._judge.judge_many(nodes, clock)
        self._visited.update(one.node for one in found)
        return found


def _rank(found: Judged) -> tuple[int, int, int, Node]:
    return found.loss, sum(found.node), found.suppressed, found.node
