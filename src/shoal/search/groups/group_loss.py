"""What groups lose by the metric that was asked for, and how a search by cells is led to it.

The kernels add up what the cells of a group cost. So metrics that add up cells (LM, NCP, Prec, NUE) are
searched for directly where labels are those of the hierarchies. CM looks at class labels instead: there a
second search weighs each column by what it tells about the class, and the better one by CM is kept.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Problem
from shoal.metrics.by_cell import CellMetric
from shoal.running.clock import Clock
from shoal.search.groups.consistent import Search, Weighed
from shoal.search.groups.grouping import Grouping
from shoal.search.task import Task

Ints = npt.NDArray[np.int64]
LEAST = Fraction(1, 50)
"""The weight of a column that tells nothing about the class, beside that of the one that tells most."""


def group_loss(ground: Grouping, of_kept: Ints, cost: int) -> int | Fraction:
    """Return the loss of groups of the kept points, given what their cells cost in the search.

    By the metric that was asked for if it counts cells as the search does, or sizes and class labels; by
    the search's own (LM) otherwise.
    """
    metric = ground.task.metric
    if isinstance(metric, CellMetric) or metric.by_cells or metric.separable:
        return cost + ground.lost * ground.gone_row
    recoding = ground.recoding(of_kept.reshape(-1))
    classes, shown = recoding.shown_in(recoding.attributes)
    of = np.where(ground.kept[ground.point_of], classes[recoding.columns.of], len(shown))
    sizes = np.bincount(of, weights=ground.task.problem.counts, minlength=len(shown) + 1)
    majority = None
    labels = ground.task.problem.labels
    if labels is not None:
        by_class = np.zeros((len(shown) + 1, labels.shape[1]), dtype=np.int64)
        np.add.at(by_class, of, labels)
        majority = by_class[:-1].max(axis=1, initial=0)
    sums = metric.sums(sizes[:-1].astype(np.int64), majority, [])
    return metric.loss(sums, ground.lost)


def known_loss(ground: Grouping, of_kept: Ints, cost: int) -> int | None:
    """Return the exact loss by the metric that was asked for, given what groups and suppressed rows cost in
    the search; None if it takes the released labels to tell.
    """
    metric = ground.task.metric
    if type(ground.objective) is type(metric):
        return int(ground.loss_of(cost)) if ground.exact else None
    if metric.by_cells or metric.separable:
        return None
    return int(group_loss(ground, of_kept, cost))


def led_by_class(search: Search) -> Search:
    """Return a search that, for a metric of class labels, also tries columns weighed by what they tell."""

    def led(task: Task, clock: Clock, effort: float) -> Weighed:
        labels = task.problem.labels
        if not task.metric.needs_class or labels is None:
            return search(task, clock, effort)
        plain = search(task, clock.part(0.5), effort)
        if clock.over:
            return plain
        told = class_information(task.problem)
        most = max(told, default=0.0) or 1.0
        ladders = tuple(
            replace(ladder, weight=max(Fraction(bits / most).limit_denominator(50), LEAST))
            for ladder, bits in zip(task.problem.ladders, told, strict=True)
        )
        problem = replace(task.problem, ladders=ladders)
        weighed = search(
            replace(task, problem=problem, metric=type(task.metric)(problem)), clock, effort
        )
        return min(plain, weighed, key=lambda one: one.loss)

    return led


def class_information(problem: Problem) -> list[float]:
    """Return the bits that each column's values tell about the class.

    A column on its lowest level counts; what columns tell together is not looked at.
    """
    assert problem.labels is not None
    found = []
    for a, ladder in enumerate(problem.ladders):
        values = ladder.codes[ladder.lo][problem.codes[:, a]]
        joint = np.zeros((int(values.max(initial=-1)) + 1, problem.labels.shape[1]))
        np.add.at(joint, values, problem.labels)
        joint /= max(joint.sum(), 1)
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        here = joint > 0
        found.append(max(float((joint[here] * np.log2(joint[here] / apart[here])).sum()), 0.0))
    return found
