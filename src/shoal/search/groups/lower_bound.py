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

It asks more where there is time for `rounds` of it: a row that needs dear labels does not pay alone, for the
k - 1 rows or more that share its group pay as much. Every row gets a share, and in every box of labels the k
largest shares sum to at most k times the box's price; then the shares of a group of k rows or more sum to at
most its cost, and all shares together are a bound (the kernel `SharedCovers` has the proof). This counts rows
also where k counts persons: k persons have k rows or more.

Where groups are known, it looks at each row on all attributes at once (the kernel `NearCovers` has the
proof): what a row's group costs bounds how far the rows can be with which its cheapest labels are shared, and
the cheapest labels over enough of those are found by branch and bound. Rows that there is no time for count
nothing in this bound, so it is the larger of the two that counts.

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

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder, Problem
from shoal.kernels import cheapest_covers, near_covers, shared_covers
from shoal.metrics.by_cell import CellMetric
from shoal.metrics.class_size import ClassSize
from shoal.metrics.dm import DM
from shoal.metrics.metric import FITS, Metric
from shoal.running.clock import Clock
from shoal.search.groups.grouping import least_size
from shoal.search.task import Found, Task

MOST_WORK = 1_000_000_000
"""Nodes times combinations that one part may have; Adult's nine attributes have a quarter of it."""
SHARES = (0, 0.01, 1)
"""Shares of that, tried one after the other."""
MOST_LOOKS = 2**62
"""So many costs the look at all columns at once may take in, if nobody says how many."""
DEAREST, MOST_COLUMNS = 2**46, 128
"""Where a row may cost more, or there are more columns, the kernel does not look at all of them at once."""
PREPARING = 2e-7
"""Seconds for each cell that it may take to look at all columns at once before the first row is looked at."""
ASKED_WORK = 300_000_000
"""Likewise for the bound that comes with one answer."""
RAISES = (100, 20, 20, 10, 10, 5, 5, 3, 3, 2, 2, 1, 1)
"""By how many hundredths shares are raised before each round but the first; later ones gain little."""


def lower_bounds(
    metric: Metric,
    ks: Sequence[int],
    clock: Clock,
    threads: int = 1,
    most: int = MOST_WORK,
    rounds: int = 0,
    known: NearOnes | None = None,
) -> list[int] | None:
    """Return a bound of any recoding's loss for each k, in the metric's unit; None if there is none.

    The ks rise. If time ends the search, the bound is that of smaller parts, or 0, and still holds.
    `rounds` of shared costs raise it. Groups that are `known` raise it where there are many columns, for a
    single k.
    """
    rows = metric.problem.rows
    if isinstance(metric, DM):
        return [rows * min(k, rows) for k in ks]
    if isinstance(metric, ClassSize):
        return [rows - rows // k for k in ks]
    if not isinstance(metric, CellMetric):
        return None
    best, given, parts = [0] * len(ks), _Parts(metric), []
    first = clock if known is None else clock.part(0.5)
    for parts in _partitions(metric.problem, most):
        if first.over:
            break
        found = given.alone(parts, ks, first, threads)
        best = [max(pair) for pair in zip(best, found, strict=True)]
        if rounds:
            shared = given.shared(parts, ks, first, most, RAISES[: rounds - 1])
            best = [max(pair) for pair in zip(best, shared, strict=True)]
    # One part is the whole lattice, and has told what is cheapest for each row.
    spare = clock.left > PREPARING * metric.problem.codes.size
    if known is not None and len(ks) == 1 and len(parts) > 1 and spare:
        best = [given.near(ks[0], clock, threads, known, best[0])]
    return best


def told_bound(
    task: Task, k: int, effort: float, clock: Clock, known: NearOnes | None = None
) -> dict[str, float]:
    """Return what no recoding of a task with labels of the hierarchies loses less than, as answers tell it.

    It is empty if the metric has no such bound.
    """
    rounds = int(min(1 + effort, len(RAISES) + 1))
    found = lower_bounds(task.metric, [k], clock, task.threads, ASKED_WORK, rounds, known)
    return {} if found is None else {"lower_bound": float(task.metric.figure(max(found[0], 0)))}


def bounded(task: Task, found: Found, effort: float, clock: Clock) -> Found:
    """Return an answer with its bound, if it has none yet."""
    if "lower_bound" in found.details:
        return found
    single = replace(task, promise=task.promise.of_single_groups())
    told = told_bound(task, least_size(single.criteria), effort, clock)
    return replace(found, details={**found.details, **told})


@dataclass(frozen=True)
class NearOnes:
    """Groups that keep k, by combination (-1 where it is in none), and some near ones of each combination.

    Neither has to be good: the better they are, the sooner the bound is found. `work` says how many costs may
    be looked at.
    """

    of: npt.NDArray[np.int64]
    near: npt.NDArray[np.int32]
    work: int = MOST_LOOKS


def _partitions(problem: Problem, most: int) -> Iterator[list[list[int]]]:
    """Yield small parts, larger ones, and the largest that fit, if there is time for those."""
    places = sorted(range(len(problem.ladders)), key=lambda a: len(_levels(problem.ladders[a])))
    before: list[list[int]] = []
    for share in SHARES:
        room = int(most * share) // max(len(problem.codes), 1)
        parts: list[list[int]] = []
        for a in places:
            fits = parts and math.prod(len(_levels(problem.ladders[b])) for b in [*parts[-1], a]) <= room
            parts[-1:] = [[*parts[-1], a]] if fits else [*parts[-1:], [a]]
        if parts != before:
            yield parts
        before = parts


class _Parts:
    """Parts of the attributes as the kernels take them, and the bounds of disjoint parts, added up.

    A part that there was no time for adds nothing. Prices are rounded down to a coarser unit if the sums,
    with some room, would not fit.
    """

    def __init__(self, metric: CellMetric) -> None:
        self.metric = metric
        self.problem = problem = metric.problem
        self.coarser = -(-4 * (metric.largest + metric.refund + problem.rows) // FITS)
        self.prices = [
            cost.astype(object) * factor // self.coarser
            for cost, factor in zip(metric.weights(), metric.factors, strict=True)
        ]
        self.rows = np.ascontiguousarray(problem.counts[:, None])

    def alone(self, parts: list[list[int]], ks: Sequence[int], clock: Clock, threads: int) -> list[int]:
        """Return the bounds by the cheapest labels of every single row, for each k."""
        sizes = self.problem.counts
        if self.problem.persons is not None:
            sizes = self.problem.persons.in_groups(np.arange(len(sizes)), len(sizes))
        wanted = np.array(ks, dtype=np.int64)[:, None]
        total = np.zeros(len(ks), dtype=object)
        for part in parts:
            if clock.over:
                break
            found = cheapest_covers(
                self._axes(part),
                self._values(part),
                self.rows,
                np.ascontiguousarray(sizes[:, None]),
                wanted,
                self._dearest(part),
                threads,
                clock.left,
            )
            if found is not None:
                total += found[:, 0]
        return [int(cost) * self.coarser - self.metric.refund for cost in total]

    def shared(
        self, parts: list[list[int]], ks: Sequence[int], clock: Clock, work: int, raises: Sequence[int]
    ) -> list[int]:
        """Return the bounds by shares of what groups cost, for each k."""
        totals = [0] * len(ks)
        for part in parts:
            if clock.over:
                break
            axes, values, dearest = self._axes(part), self._values(part), self._dearest(part)
            for i, k in enumerate(ks):
                found = shared_covers(axes, values, self.rows, k, dearest, raises, work, clock.left)
                totals[i] += found or 0
        return [total * self.coarser - self.metric.refund for total in totals]

    def near(self, k: int, clock: Clock, threads: int, known: NearOnes, best: int) -> int:
        """Return the bound by the rows near each row, on all attributes, or the best so far, if that is more.

        It is not asked where the known groups, which keep k, say that it cannot be.
        """
        part, of = list(range(len(self.problem.ladders))), known.of
        axes, values, sizes = self._axes(part), self._values(part), self.problem.counts
        if self.problem.persons is not None:
            sizes = self.problem.persons.in_groups(np.arange(len(sizes)), len(sizes))
        dearest = self._dearest(part)
        if dearest >= DEAREST or len(part) > MOST_COLUMNS or not len(sizes):
            return best
        upper = np.where(
            of < 0, dearest, sum(_group_prices(*axis, values[:, a], of) for a, axis in enumerate(axes))
        )
        # No row counts more than its group costs it.
        most = int(np.minimum(upper, dearest) @ self.rows[:, 0])
        if most * self.coarser - self.metric.refund <= best:
            return best
        found, _ = near_covers(
            axes,
            values,
            self.rows,
            np.ascontiguousarray(sizes[:, None]),
            min(k, self.problem.rows + 1),
            dearest,
            np.ascontiguousarray(upper[:, None]),
            known.near,
            known.work,
            threads,
            clock.left,
        )
        return max(best, found * self.coarser - self.metric.refund)

    def _axes(self, part: list[int]) -> list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
        return [
            (
                _from(self.problem.ladders[a].codes, self.problem.ladders[a]).astype(np.int32),
                _from(self.prices[a], self.problem.ladders[a]).astype(np.int64),
            )
            for a in part
        ]

    def _values(self, part: list[int]) -> npt.NDArray[np.int32]:
        return np.ascontiguousarray(self.problem.codes[:, part])

    def _dearest(self, part: list[int]) -> int:
        """Return what a suppressed row costs in some attributes."""
        metric, ladders = self.metric, self.problem.ladders
        return sum(
            metric.factors[a] * metric.suppressed(ladders[a].leaves, ladders[a].height) // self.coarser
            for a in part
        )


def _group_prices(
    codes: npt.NDArray[np.int32],
    prices: npt.NDArray[np.int64],
    values: npt.NDArray[np.int32],
    of: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return what the lowest common label of its group costs each combination, of one attribute."""
    groups = of + 1
    first = np.zeros(int(groups.max(initial=0)) + 1, dtype=np.int64)
    first[groups] = values
    level = np.full(len(first), len(codes) - 1, dtype=np.int64)
    for lower in reversed(range(len(codes) - 1)):
        apart = np.zeros(len(first), dtype=np.bool_)
        apart[groups[codes[lower][values] != codes[lower][first[groups]]]] = True
        level[~apart] = lower
    found: npt.NDArray[np.int64] = prices[level[groups], values]
    return found


def _levels(ladder: Ladder) -> range:
    return range(ladder.lo, ladder.hi + 1)


def _from(table: npt.NDArray[np.generic], ladder: Ladder) -> npt.NDArray[np.generic]:
    """Return the part of a table by level that is about the levels the study allows."""
    return np.ascontiguousarray(table[ladder.lo : ladder.hi + 1])
