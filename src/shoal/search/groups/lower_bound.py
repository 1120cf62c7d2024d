"""A lower bound of what any recoding with the hierarchies' labels loses, for a series of k.

Proof. Take any recoding that releases rows under labels of the hierarchies, between the study's lowest and
highest levels, so that at least k rows share every released combination of labels: full-domain, cuts, local
recoding, or any other. A released row r has labels g that stand above its values, and so do the k rows
or more that share g. So g is a generalization of r that covers k rows of the table, and r costs at least
what the cheapest of all such generalizations costs. A suppressed row costs more than any label does (1
an attribute in LM), whether few or many may be suppressed: r counts with the smaller of the two. The sum
over all rows is the bound. It does not ask whether the rows can have their cheapest labels together, so
no recoding need reach it. Group labels that are not in a hierarchy, such as Mondrian's intervals and
sets, can cost less: the bound is not about those.

The generalizations of a row are the nodes of the lattice, which may be too many. The bound holds for every
part of the attributes too: k rows that share all labels share those of a part, and the costs of disjoint
parts add up. So a large lattice is split into as few parts as fit; the bound is then lower.

Where k counts persons, g covers k persons, and so at least k rows. The persons of a class are at most the
sum of those who have rows in each of its combinations, where someone with rows in several counts several
times. So a generalization that covers k persons is among those whose sums reach k, and the cheapest of these
costs no more.

Metrics that add up the costs of cells (LM, Prec, NCP, NUE) have this bound. For DM a released row costs its
class's size, so k at least, and a suppressed one all rows. For ClassSize there are at most rows / k classes.
The other metrics have none here: CM, for one, loses nothing where classes agree in their label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder, Problem
from shoal.kernels import cheapest_covers
from shoal.metrics.by_cell import CellMetric
from shoal.metrics.class_size import ClassSize
from shoal.metrics.dm import DM
from shoal.metrics.metric import FITS, Metric
from shoal.running.clock import Clock

MOST_WORK = 1_000_000_000
"""Nodes times combinations that one part may have; Adult's nine attributes have a quarter of it."""
SHARES = (0, 0.01, 1)
"""Shares of that, tried one after the other."""


def lower_bounds(
    metric: Metric,
    ks: Sequence[int],
    clock: Clock,
    threads: int = 1,
    most: int = MOST_WORK,
) -> list[int] | None:
    """Return a bound of any recoding's loss for each k, in the metric's unit; None if there is none.

    The ks rise. If time ends the search, the bound is that of smaller parts, and still holds.
    """
    rows = metric.problem.rows
    if isinstance(metric, DM):
        return [rows * min(k, rows) for k in ks]
    if isinstance(metric, ClassSize):
        return [rows - rows // k for k in ks]
    if not isinstance(metric, CellMetric):
        return None
    best = [0] * len(ks)
    for parts in _partitions(metric.problem, most):
        found = _of_parts(metric, parts, ks, clock, threads)
        best = [max(pair) for pair in zip(best, found, strict=True)]
    return best


def _partitions(problem: Problem, most: int) -> Iterator[list[list[int]]]:
    """Yield small parts, larger ones, and the largest that fit, if there is time for those."""
    places = sorted(range(len(problem.ladders)), key=lambda a: len(_levels(problem.ladders[a])))
    before: list[list[int]] = []
    for share in SHARES:
        room = int(most * share) // max(len(problem.codes), 1)
        parts: list[list[int]] = []
        for a in places:
            fits = parts and prod(len(_levels(problem.ladders[b])) for b in [*parts[-1], a]) <= room
            parts[-1:] = [[*parts[-1], a]] if fits else [*parts[-1:], [a]]
        if parts != before:
            yield parts
        before = parts


def _of_parts(
    metric: CellMetric, parts: list[list[int]], ks: Sequence[int], clock: Clock, threads: int
) -> list[int]:
    """Return the sum of the parts' bounds; a part that there was no time for adds nothing."""
    problem = metric.problem
    # Rounded down to a coarser unit where the sums, with some room, would not fit.
    coarser = -(-4 * (metric.largest + metric.refund + problem.rows) // FITS)
    prices = [
        cost.astype(object) * factor // coarser
        for cost, factor in zip(metric.weights(), metric.factors, strict=True)
    ]
    sizes = problem.counts
    if problem.persons is not None:
        sizes = problem.persons.in_groups(np.arange(len(sizes)), len(sizes))
    total = np.zeros(len(ks), dtype=object)
    for part in parts:
        ladders = [problem.ladders[a] for a in part]
        found = cheapest_covers(
            [
                (_from(ladder.codes, ladder).astype(np.int32), _from(prices[a], ladder).astype(np.int64))
                for a, ladder in zip(part, ladders, strict=True)
            ],
            np.ascontiguousarray(problem.codes[:, part]),
            np.ascontiguousarray(problem.counts[:, None]),
            np.ascontiguousarray(sizes[:, None]),
            np.array(ks, dtype=np.int64)[:, None],
            sum(
                metric.factors[a] * metric.suppressed(ladder.leaves, ladder.height) // coarser
                for a, ladder in zip(part, ladders, strict=True)
            ),
            threads,
            clock.left,
        )
        if found is not None:
            total += found[:, 0]
    return [int(cost) * coarser - metric.refund for cost in total]


def _levels(ladder: Ladder) -> range:
    return range(ladder.lo, ladder.hi + 1)


def _from(table: npt.NDArray[np.generic], ladder: Ladder) -> npt.NDArray[np.generic]:
    """Return the part of a table by level that is about the levels the study allows."""
    return np.ascontiguousarray(table[ladder.lo : ladder.hi + 1])
