"""The exact frontier of the loss and one other objective than k, by the search for k.

`exact_frontier` asks of k only what its three facts say. They hold of other numbers, for a fixed requirement
on k and a fixed limit of suppressed rows:

- suppressed, counted as the rows that stay: a row's class only grows upwards, so fewer rows lie in classes
  that are too small. A node below E suppresses all that E does: it costs at least loss0 + E's excess.
- l, the distinct values that every class which stays has at least: as k, with "has at most b distinct values"
  for "has at most b rows"; a class has every value that its parts have.
- t without suppression, counted downwards from the largest there can be: it never rises upwards, since the
  distance is convex and a merged class's shares are an average of its parts'. There is no excess.

A node that is no point (too much or everything would be suppressed) counts 0: none below it is a point, by
the same facts.
"""

from __future__ import annotations

import numpy as np

from shoal.data.tally import Node
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluated, NodeMeasurer
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.objective_frontier import ObjectiveOutcome
from shoal.search.lattice.objectives import closeness
from shoal.search.lattice.thresholds import Points, ThresholdEvaluator

MOST_ROWS_FOR_T = 1 << 20
"""With more rows, distances are too large numbers for this search."""


def two_objectives(
    evaluator: ThresholdEvaluator, objective: str, *, clock: Clock | None = None
) -> ObjectiveOutcome:
    """Return the certified frontier of `objective` and the loss, or what a time limit left of it."""
    one_by_one = _OneByOne(evaluator, objective)
    outcome = exact_frontier(one_by_one, clock=clock)
    points: Points | None = None
    for point in outcome.points:
        again = evaluator.node(point.node)
        points = again if points is None else points.with_(again)
    return ObjectiveOutcome(points, outcome.evaluated, outcome.certified, outcome.seconds)


class _OneByOne(NodeMeasurer):
    """Measures nodes as `exact_frontier` asks, the other objective in the place of k, to be large."""

    def __init__(self, evaluator: ThresholdEvaluator, objective: str) -> None:
        super().__init__(evaluator.problem, evaluator.metric)
        self._evaluator = evaluator
        self._objective = objective

    def _measure(self, node: Node) -> Evaluated:
        found = self._evaluator.bounds(node)
        if not len(found):
            return Evaluated(node, 0, self._evaluator.loss0(node), self.problem.rows, (), (0,), ())
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
        rows = self.problem.rows
        if self._objective == "l":
            return int(found.distinct[-1])
        if self._objective == "t":
            return 2 * rows**3 + 1 - int(closeness(found, rows)[-1])
        return rows - int(found.suppressed[-1])
