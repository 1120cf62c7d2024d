"""Every node of the lattice: the slow and obvious way to the whole trade-off by the paper's rule.

Guarantee: all Pareto-optimal pairs. Cost: every node's classes are counted, each rolled up from a
node one level below it; memory does not grow with the lattice.
"""

from __future__ import annotations

import numpy as np

from shoal.running.clock import Clock
from shoal.search.lattice.evaluator import Evaluator, Measured, few_nodes
from shoal.search.lattice.every_k import least_lost
from shoal.search.lattice.pareto import Outcome, ParetoPoint, Staircase

BATCH = 4096
"""Nodes that are measured at once, at most."""


def exhaustive(
    evaluator: Evaluator, *, min_k: int = 1, max_k: int | None = None, clock: Clock | None = None
) -> Outcome:
    """Return the frontier after measuring every node, or what a time limit left of it.

    `min_k` and `max_k` only select points; every node is measured. Over every amount of suppression,
    `objective_frontier` without skipping measures all nodes.
    """
    clock = clock or Clock()
    stairs = Staircase(min_k, max_k, fill=True)
    done, total = 0, evaluator.problem.nodes
    for box in evaluator.measure_all(few_nodes(evaluator.problem, BATCH)):
        for i in _candidates(box):
            stairs.add(
                ParetoPoint(
                    int(box.k[i]),
                    int(box.loss[i]),
                    tuple(box.levels[i].tolist()),
                    int(box.suppressed[i]),
                )
            )
        done += len(box.k)
        clock.show(done / total, f"{done:,} of {total:,} nodes", *least_lost(evaluator, stairs))
        if clock.over and done < total:
            return Outcome(tuple(stairs), done, False, clock.seconds)
    return Outcome(tuple(stairs), done, True, clock.seconds)


def _candidates(box: Measured) -> list[int]:
    """Return the Pareto points of the box, so that the staircase has far fewer points to add."""
    heights = box.levels.sum(axis=1)
    found: list[int] = []
    best: int | None = None
    # k descending, then loss, height and attribute order rising: a later node that is not cheaper is
    # dominated, or ties and ranks behind.
    keys = [*(box.levels[:, a] for a in reversed(range(box.levels.shape[1]))), heights]
    for i in np.lexsort((*keys, box.loss, -box.k)).tolist():
        if best is None or box.loss[i] < best:
            best = int(box.loss[i])
            found.append(i)
    return found
