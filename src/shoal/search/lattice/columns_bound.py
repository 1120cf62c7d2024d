"""A lower bound of every allowed node's loss, from exact searches over parts of the columns.

Proof. Let N be an allowed node for k, and R the rows that it suppresses: those of its classes smaller than k,
at most as many as the limit. Let S be some of the columns, and N_S the node with N's levels in S. A class of
N_S is a union of classes of N, and its persons the union of theirs. So a row whose class at N_S is smaller
than k is in R: what N_S has to suppress, R_S, is a part of R. Hence N_S is allowed within the same limit, and
keeps a row where N does.

The loss of N is a sum over its columns. Its part over S is what N_S loses if it suppresses R instead of R_S,
and no less than what N_S loses: a suppressed cell costs at least as much as a released one. So it is at least
the least loss of all allowed nodes over S, which the exact search of that small lattice proves. The columns
are divided into disjoint parts, whose losses add up to that of N: the sum of their least losses bounds it
from below. If time ends a search, what it has proven so far counts instead.

It does not ask whether the nodes of the parts go together, so no node need reach it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import takewhile
from math import prod

from shoal.criteria import KAnonymity
from shoal.data.tally import Problem
from shoal.metrics.by_cell import CellMetric
from shoal.running.clock import Clock
from shoal.search.lattice.flash import Cheapest
from shoal.search.task import Task

SIZES = (1, 300, 10_000)
"""The most nodes of a part, round by round."""


def bound_by_columns(task: Task, clock: Clock, sizes: tuple[int, ...] = SIZES) -> Fraction:
    """Return a lower bound of every allowed node's loss; 0 if the proof does not hold.

    It holds for k alone, and for metrics that add up the costs of cells.
    """
    only_k = all(isinstance(one, KAnonymity) for one in task.criteria)
    if not only_k or not isinstance(task.metric, CellMetric):
        return Fraction(0)
    rounds = takewhile(lambda _: not clock.over, _partitions(task.problem, sizes))
    sums = (sum((_least(task, part, clock) for part in parts), Fraction(0)) for parts in rounds)
    return max(sums, default=Fraction(0))


def _least(task: Task, part: list[int], clock: Clock) -> Fraction:
    """Return a proven lower bound of the least loss over some of the columns."""
    if clock.over:
        return Fraction(0)
    problem = task.problem.part(part)
    metric = type(task.metric)(problem)
    search = Cheapest(task.judge(metric), clock)
    done = search.run(sketching=False)
    if search.best is None:
        return Fraction(0)
    least = search.best.loss if done else min(search.floor, search.best.loss)
    return max(metric.figure(least), Fraction(0))


def _partitions(problem: Problem, sizes: tuple[int, ...]) -> Iterator[list[list[int]]]:
    """Yield the columns in parts, as many in each as fit: those with the most values first."""
    levels = [ladder.hi - ladder.lo + 1 for ladder in problem.ladders]
    places = sorted(range(len(levels)), key=lambda a: -len(problem.marginals[a]))
    before: list[list[int]] = []
    for most in sizes:
        parts: list[list[int]] = []
        for a in places:
            open_ = next(
                (one for one in parts if prod(levels[b] for b in one) * levels[a] <= most), None
            )
            if open_ is None:
                parts.append([a])
            else:
                open_.append(a)
        if parts != before:
            yield parts
        before = parts
