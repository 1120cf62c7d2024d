"""Datafly: generalizes the attribute with the most distinct values until few rows must be suppressed.

Reference: L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression",
International Journal on Uncertainty, Fuzziness and Knowledge-based Systems 10 (5), 2002. Its steps: (1)
count the sequences of quasi values; (2) while more than k rows lie in sequences of fewer than k,
generalize the attribute with the most distinct values by a level, the first of several; (3) suppress the
sequences of fewer than k; (4) where some rows are suppressed but fewer than k, suppress further whole
sequences, the smallest first, until k are; (5) release the rest.

Where the paper leaves room: sequences that break any part of the promise count like those of fewer than k.
Step 4 breaks ties by the order of the labels' codes. Without a suppression limit, step 2 stops at k rows to
suppress, and step 4 may add more; with a limit, attributes are generalized until all suppressed rows, step 4
included, fit into it. An attribute at its highest level is not generalized further. If step 4 would leave no
row, step 2 continues. If not even the top is allowed with step 4, another node may be: then the answer is
Flash's, without step 4. Where time runs out on the way, the answer is where the way ends: the top.

Guarantee: the promise is kept, a node is found if one exists, and either no row or at least k rows are
suppressed, unless the answer is Flash's. Nothing is said about the loss. Without a limit up to k rows are
suppressed, or more by step 4, although other algorithms suppress none by default.

Complexity: at most one count of the classes per level of each attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal.criteria import Groups, broken
from shoal.data.tally import Node, Problem, labels_at
from shoal.describe.hierarchies import Label
from shoal.running.clock import Clock
from shoal.search.lattice.classes import NodeClasses
from shoal.search.lattice.flash import flash
from shoal.search.task import Algorithm, Found, Task

Mask = npt.NDArray[np.bool_]


def datafly(task: Task, clock: Clock) -> Found:
    """Return the node at which few enough rows must be suppressed, with the extra suppressed groups."""
    problem = task.problem
    counted = NodeClasses(problem, task.tally, task.sensitive, task.population)
    k = task.promise.k or 1
    node, steps, labels = problem.bottom, 0, label_counts(problem)
    height = sum(problem.top) - sum(problem.bottom)
    while True:
        if clock.over:
            node = problem.top
        clock.show(steps / max(height, 1), f"{steps:,} levels up")
        classes = counted.at(node)
        gone = broken(classes.groups, task.criteria)
        rows = int(classes.groups.rows[gone].sum())
        if rows <= (task.limit if task.limited else k):
            all_gone = _enforce(task, classes.groups, gone, k)
            suppressed = int(classes.groups.rows[all_gone].sum())
            fits = not task.limited or suppressed <= task.limit
            if suppressed < problem.rows and fits:
                break
        if node == problem.top:
            found = flash(task, clock)
            return replace(found, optimal=False, details={"steps": steps, "found_by": "flash"})
        node, steps = _generalized(node, problem.top, labels), steps + 1
    details = {"steps": steps, "suppressed_by_step_3": rows, "suppressed_by_step_4": suppressed - rows}
    return Found(
        task.at(node),
        task.promise,
        deleted=_labels(task, node, classes.codes[all_gone & ~gone]),
        details=details,
    )


def label_counts(problem: Problem) -> list[list[int]]:
    """Return how many labels each attribute has on each of its levels, in all rows."""
    found = []
    for a, ladder in enumerate(problem.ladders):
        values = np.unique(problem.codes[:, a])
        found.append([len(np.unique(codes[values])) for codes in ladder.codes])
    return found


def _generalized(node: Node, top: Node, labels: Sequence[Sequence[int]]) -> Node:
    """Return the node one level above on the attribute with the most distinct values, by `label_counts`."""
    free = [a for a in range(len(node)) if node[a] < top[a]]
    a = max(free, key=lambda a: (labels[a][node[a]], -a))
    return (*node[:a], node[a] + 1, *node[a + 1 :])


def _enforce(task: Task, groups: Groups, gone: Mask, k: int) -> Mask:
    """Return the suppressed groups after adding the smallest ones until there are k rows, or none.

    If a criterion compares groups with all released rows, groups that then break it are suppressed too.
    """
    gone = gone.copy()
    rows = int(groups.rows[gone].sum())
    while 0 < rows < k and not gone.all():
        left = np.flatnonzero(~gone)
        gone[left[groups.sizes[left].argmin()]] = True
        gone[~gone] = broken(groups.where(~gone), task.criteria)
        rows = int(groups.rows[gone].sum())
    return gone


def _labels(task: Task, node: Node, codes: npt.NDArray[np.int32]) -> tuple[tuple[Label, ...], ...]:
    """Return the labels of classes, given their codes at a node."""
    shown = []
    for a, ladder in enumerate(task.problem.ladders):
        labels = labels_at(task.hierarchies[ladder.name], task.tally.domain(ladder.name), node[a])
        shown.append(dict(zip(ladder.codes[node[a]].tolist(), labels, strict=True)))
    return tuple(tuple(shown[a][code] for a, code in enumerate(row)) for row in codes.tolist())


DATAFLY = Algorithm(
    "datafly",
    "Datafly (Sweeney 2002)",
    "node",
    datafly,
    (
        "the promise is kept",
        "a node is found if one exists and there is enough time",
        "none or at least k rows are suppressed, unless Flash finds the answer; without a limit up to k "
        "rows, or more if whole groups are suppressed to reach k",
    ),
)
