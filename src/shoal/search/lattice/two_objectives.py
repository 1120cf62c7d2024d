"""The exact frontier of the loss and one objective other than k, by the search for k.

`exact_frontier` relies only on three facts about k. They also hold for other numbers, for a fixed requirement
on k and a fixed limit of suppressed rows:

- suppressed, counted as the rows that remain: a row's class only grows upwards, so fewer rows are in classes
  that are too small. A node below E suppresses all that E does: it costs at least loss0 + E's excess.
- l, the fewest distinct values of a released class: as k, with "has fewer than l distinct values" for
  "has fewer than k rows"; a class has every value that its parts have. A node gives a pair for every l
  whose rows fit into the limit, or with `Diversity.LARGEST` only for the largest.
- t without suppression, counted downwards from the largest there can be: it never rises upwards, since the
  distance is convex and a merged class's shares are an average of its parts'. There is no excess. Where
  persons have several rows, it may rise: a bound of the nodes below (`lattice.person_distances`) takes its
  place for covering, and the points have the distances themselves. l and suppressed rows are as above.

A node that gives no point (too many or all rows would be suppressed) counts 0: by the same facts no node
below it gives one.
"""

from __future__ import annotations

import numpy as np

from shoal.data.tally import Node
from shoal.kernels import Diversity
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluated, NodeMeasurer, Pair
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.objective_frontier import ObjectiveOutcome
from shoal.search.lattice.objectives import Front
from shoal.search.lattice.thresholds import Points, ThresholdEvaluator

FINEST = 1 << 61
"""Distances that take larger numbers to tell apart are left to `objective_frontier`."""
MANY = 1000
"""Nodes after which it is found out which of their points are dominated: a few at a time take longer."""


def two_objectives(
    evaluator: ThresholdEvaluator, objective: str, *, clock: Clock | None = None
) -> ObjectiveOutcome:
    """Return the certified frontier of `objective` and the loss, or what a time limit left of it."""
    fill = evaluator.thresholds.diversity == Diversity.LARGEST
    kept = _Kept(evaluator, Front((objective, "loss"), evaluator.problem.rows, fill))
    one_by_one = _Closeness(kept) if objective == "t" else _OneByOne(kept, objective)
    outcome = exact_frontier(one_by_one, fill=fill, clock=clock)
    return ObjectiveOutcome(kept.points(), outcome.evaluated, outcome.certified, outcome.seconds)


class _Kept:
    """Keeps the points of all nodes that are measured, so that none is measured again after the time."""

    def __init__(self, evaluator: ThresholdEvaluator, front: Front) -> None:
        self.evaluator = evaluator
        self._front = front
        self._new: list[Points] = []

    def corner(self, node: Node) -> tuple[Points, Points]:
        """Return the points of a node, and points that bound all nodes below it."""
        points, bounds = self.evaluator.corner(node)
        self._new.append(points)
        if len(self._new) == MANY:
            self.points()
        return points, bounds

    def points(self) -> Points | None:
        """Return the points that no other dominates, ordered by the objectives in turn."""
        if self._new:
            self._front.add(Points.together(self._new))
            self._new.clear()
        return self._front.points()


class _OneByOne(NodeMeasurer):
    """Measures nodes for `exact_frontier`, with the other objective, to be maximized, in place of k."""

    def __init__(self, kept: _Kept, objective: str) -> None:
        super().__init__(kept.evaluator.problem, kept.evaluator.metric)
        self._kept = kept
        self._objective = objective
        self.told_at = ("l", 2) if objective == "l" else ("", 1)

    def _measure(self, node: Node) -> Evaluated:
        _, found = self._kept.corner(node)
        if not len(found):
            rows = self.problem.rows
            return Evaluated(node, 0, self._kept.evaluator.loss0(node), rows, (), (0,), (rows,))
        sizes = found.distinct[:-1].tolist() if self._objective == "l" else ()
        return Evaluated(
            node,
            self._level(found),
            int(found.loss0[-1]),
            int(found.suppressed[-1]),
            tuple(sizes),
            tuple(np.asarray(found.excess).tolist()),
            tuple(found.suppressed.tolist()),
        )

    def _level(self, found: Points) -> int:
        if self._objective == "l":
            return int(found.distinct[-1])
        return self.problem.rows - int(found.suppressed[-1])


class _Closeness(NodeMeasurer):
    """Measures nodes with the distance, counted downwards, in place of k: bounds, and points apart."""

    told_at = ("", 1)

    def __init__(self, kept: _Kept) -> None:
        super().__init__(kept.evaluator.problem, kept.evaluator.metric)
        assert kept.evaluator.finest is not None
        self._kept, self._finest = kept, kept.evaluator.finest
        self._pairs: dict[Node, list[Pair]] = {}

    @property
    def monotone(self) -> bool:
        """Whether no distance rises upwards: so it is by rows."""
        return self.problem.persons is None

    def _measure(self, node: Node) -> Evaluated:
        points, bounds = self._kept.corner(node)
        rows = self.problem.rows
        if not len(points):
            self._pairs[node] = []
            return Evaluated(node, 0, self._kept.evaluator.loss0(node), rows, (), (0,), (rows,))
        loss0 = int(points.loss0[-1])
        self._pairs[node] = [Pair(self._level(points), loss0, 0)]
        return Evaluated(node, self._level(bounds), loss0, 0, (), (0,), (0,))

    def pairs(self, found: Evaluated) -> list[Pair]:
        """Return the pair that a node gives."""
        return self._pairs[found.node]

    def _level(self, found: Points) -> int:
        # Rounded down: in the same order, and larger distances never have larger levels.
        far, of = int(found.far[-1]), int(found.far_of[-1])
        return self._finest + 1 - far * self._finest // (of * 2 * self.problem.rows)
