"""The exact frontier of k and loss where every released group also keeps a promise.

A node's pairs are those of `exact_frontier`, but for each k the classes that break the promise are
suppressed too. Of the facts that the search relies on, those about suppression hold for the rows that are
surely suppressed at every node below: rows of classes that are too small, or break a criterion that is
monotone with suppression (`node_judge.Judge`). So the bounds by which nodes are covered count these rows
alone, and the points count all that are suppressed.
"""

from __future__ import annotations

from shoal.criteria import KAnonymity
from shoal.data.tally import Node
from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluated, Evaluator, NodeMeasurer, Pair
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.node_judge import Judge
from shoal.search.lattice.pareto import Outcome
from shoal.search.task import Task


def promised_frontier(task: Task, *, clock: Clock | None = None) -> Outcome:
    """Return every Pareto-optimal (k, loss) of the nodes that keep a task's promise, whatever its k."""
    others = [one for one in task.criteria if not isinstance(one, KAnonymity)]
    measurer: NodeMeasurer = Evaluator(task.problem, task.metric, task.limit, task.threads)
    if others:
        measurer = _Promised(task.judge(criteria=others))
    return exact_frontier(measurer, clock=clock)


class _Promised(NodeMeasurer):
    """Measures nodes that keep a promise: it measures the bounds, and keeps the pairs separately."""

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge.problem, judge.metric)
        self._judge = judge
        self._pairs: dict[Node, list[Pair]] = {}

    @property
    def monotone(self) -> bool:
        """Whether a generalization of an allowed node is allowed."""
        return self._judge.monotone

    def _measure(self, node: Node) -> Evaluated:
        bound, self._pairs[node] = self._judge.amounts(node)
        return bound

    def pairs(self, found: Evaluated) -> list[Pair]:
        """Return the pairs that keep the promise."""
        return self._pairs[found.node]
