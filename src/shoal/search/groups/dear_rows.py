"""Suppresses rows whose company makes a group dear, up to the limit, where that loses less.

A released row costs no more than a suppressed one. But a row that has little in common with any other makes
the labels of its group wide, and without it the others may cost so much less that its loss is paid for. Two
estimates of what a point saves, each less what it costs when it is suppressed:

- by its group: what that costs more with the point than without it;
- by its nearest: the point and as many of its nearest as make k rows cost so much for each row; what those
  pay more in its company than with their own nearest is saved, too.

Those that save most go, while the limit has room, of a group one at a time, and the rest of the table is
searched again as if they had never been there. That is kept only if it loses less in all, suppressed rows
counted: room to suppress never raises the loss, whatever the estimates were worth (the others may be too few
without the point, and have to join another group). It is done only for metrics that cost a cell the same
whatever the other rows are (LM, NCP, Prec).

Complexity: one pass over the points for each member of the largest group, up to MEMBERS, one over the points
and their nearest, and a search for each set of points that is tried, at most 2 * ROUNDS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.released_classes import NEVER_SEEN
from shoal.errors import NoSolutionError
from shoal.kernels import Regions
from shoal.metrics.by_cell import CellMetric
from shoal.running.clock import Clock
from shoal.search.groups.consistent import Search, Weighed
from shoal.search.groups.grouping import Grouping
from shoal.search.task import Task

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ROUNDS = 3
"""How often more rows are looked for among the groups that the last ones left."""
NEAREST, COPIES = 32, 10_000_000
"""How many of its nearest a point is thought to need, and the most copies that are made of them in all."""
MEMBERS = 64
"""How many members of a group are asked what it would save without them."""


def without_outliers(search: Search, ground_of: Callable[[Task], Grouping]) -> Search:
    """Return a search that suppresses rows, within the limit, where that loses less by the metric."""

    def led(task: Task, clock: Clock, effort: float) -> Weighed:
        if not task.limit or not isinstance(task.metric, CellMetric) or _compares(task):
            return search(task, clock, effort)
        best = search(task, clock.part(0.5), effort)
        gone = np.zeros(len(task.tally), dtype=np.bool_)
        for _ in range(ROUNDS):
            if clock.over:
                break
            before = best
            for more in _more_gone(_without(task, gone), best.found.recoding, ground_of, clock):
                trial = gone.copy()
                trial[~gone] = more
                found = _tried(search, task, trial, clock, effort)
                if found is None or found.row != best.row or found.loss >= best.loss:
                    continue
                kept = replace(found.found, details={**best.found.details, **found.found.details})
                best, gone = replace(found, found=kept), trial
                break  # what the next ones save depends on the new groups
            if best is before:
                break
        return best if not gone.any() else _whole(best, task, gone)

    return led


def _tried(search: Search, task: Task, gone: Mask, clock: Clock, effort: float) -> Weighed | None:
    """Return what a search finds without some combinations, with their loss; None if it finds nothing."""
    rest = _without(task, gone)
    if not _same_costs(task, rest):
        return None
    try:
        found = search(rest, clock, effort)
    except NoSolutionError:  # the rest cannot keep the promise by itself
        return None
    return replace(found, loss=found.loss + int(task.problem.counts[gone].sum()) * found.row)


def _compares(task: Task) -> bool:
    """Return whether something else than the loss decides: random labels, or another population."""
    return task.ceiling is not None or task.promise.needs_population


def _without(task: Task, gone: Mask) -> Task:
    """Return the task without some combinations, and with so many rows less to suppress."""
    if not gone.any():
        return task
    tally, problem = task.tally.where(~gone), task.problem
    rest = replace(
        problem,
        codes=tally.codes,
        counts=tally.counts,
        labels=None if problem.labels is None else problem.labels[~gone],
        persons=tally.in_combinations,
    )
    limit = task.limit - int(problem.counts[gone].sum())
    return replace(task, tally=tally, problem=rest, limit=limit, metric=type(task.metric)(rest))


def _same_costs(task: Task, rest: Task) -> bool:
    """Return whether a cell costs the same without the rows that are gone."""
    one, other = task.metric, rest.metric
    assert isinstance(one, CellMetric)
    assert isinstance(other, CellMetric)
    pairs = zip(one.weights(), other.weights(), strict=True)
    return one.factors == other.factors and all(np.array_equal(a, b) for a, b in pairs)


def _more_gone(
    task: Task, recoding: object, ground_of: Callable[[Task], Grouping], clock: Clock
) -> Iterator[Mask]:
    """Yield sets of combinations, within the limit, without which the groups of a recoding may save most."""
    if not isinstance(recoding, GroupRecoding):
        return
    ground = ground_of(task)
    if type(ground.objective) is not type(task.metric):
        return
    of = np.zeros(len(ground), dtype=np.int64)
    of[ground.point_of] = recoding.group_of(task.tally)
    groups = np.unique(of[ground.kept], return_inverse=True)[1].reshape(-1)
    rows, room = ground.points.rows[ground.kept], task.limit - ground.lost
    lost = rows * ground.gone_row
    for saved, apart in _savings(ground, groups, clock):
        taken = _dearest(saved - lost, rows, apart, room)
        if taken.any() and not clock.over:
            chosen = np.zeros(len(ground), dtype=np.bool_)
            chosen[ground.kept] = taken
            yield chosen[ground.point_of]


def _savings(ground: Grouping, groups: Ints, clock: Clock) -> Iterator[tuple[Ints, Ints]]:
    """Yield what each kept point saves by an estimate, and of which points only one may go for it."""
    yield _saved(ground, groups, clock), groups
    if not clock.over:
        yield _saved_near(ground, clock), np.arange(len(groups))


def _dearest(gains: Ints, rows: Ints, apart: Ints, room: int) -> Mask:
    """Return the points that gain most for each row, one at most of those that are not apart."""
    taken = np.zeros(len(gains), dtype=np.bool_)
    asked: set[int] = set()
    good = np.flatnonzero(gains > 0)
    for point in good[np.argsort(-gains[good] / rows[good], kind="stable")].tolist():
        if int(apart[point]) in asked or rows[point] > room:
            continue
        asked.add(int(apart[point]))
        taken[point] = True
        room -= int(rows[point])
    return taken


def _saved_near(ground: Grouping, clock: Clock) -> Ints:
    """Return what each kept point and those that it needs for company would save without it.

    The point and its nearest are copied, so that each can be in the company of many.
    """
    rows, many = ground.points.rows[ground.kept], min(ground.k - 1, NEAREST)
    count = len(rows)
    if many < 1 or count * (many + 1) > COPIES:
        return np.zeros(count, dtype=np.int64)
    near = ground.regions().neighbours(many, clock.part(0.25).left).astype(np.int64)
    near = near.reshape(count, -1)
    before = np.cumsum(np.where(near >= 0, rows[near], 0), axis=1) - np.where(near >= 0, rows[near], 0)
    needed = (near >= 0) & (before + rows[:, None] < ground.k)
    whose, place = np.nonzero(needed)
    others = near[whose, place]
    price = _prices(ground, whose, others) // (1 + needed.sum(axis=1))
    spared = np.maximum(price[whose] - price[others], 0) * rows[others]
    company: Ints = np.bincount(whose, weights=spared, minlength=count).astype(np.int64)
    own: Ints = rows * price
    return own + company


def _prices(ground: Grouping, whose: Ints, others: Ints) -> Ints:
    """Return what each kept point costs in a group with others of its own, each a single row.

    `whose` rises. Costs fit for as many rows as there are, so no more are copied at once.
    """
    codes, axes = ground.codes[ground.kept], ground.kernel_axes()
    blocks = np.unique(ground.block_of[ground.kept], return_inverse=True)[1].astype(np.int32)
    room, price = int(ground.points.rows[ground.kept].sum()), np.zeros(len(codes), dtype=np.int64)
    ends = np.cumsum(1 + np.bincount(whose, minlength=len(codes)))
    begin = 0
    while begin < len(codes):
        before = int(ends[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(ends, before + room, side="right")), begin + 1)
        mine = slice(*np.searchsorted(whose, (begin, end)))
        members = np.concatenate([np.arange(begin, end), others[mine]])
        groups = np.concatenate([np.arange(end - begin), whose[mine] - begin])
        ones = np.ones((len(members), 1), dtype=np.int64)
        copies = Regions(axes, np.ascontiguousarray(codes[members]), ones, blocks[members, None], None)
        price[begin:end] = copies.costs(groups[:, None]).reshape(-1)
        begin = end
    return price


def _saved(ground: Grouping, groups: Ints, clock: Clock) -> Ints:
    """Return what the group of each kept point costs more with it than without it.

    One member of every group at a time is put into a group of its own, so that all groups are measured at
    once. If the time runs out, members that were not asked save nothing.
    """
    regions, count = ground.regions(), int(groups.max(initial=-1)) + 1
    whole = regions.costs(groups[:, None]).reshape(-1)
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=count)
    begins = np.cumsum(sizes) - sizes
    saved = np.zeros(len(groups), dtype=np.int64)
    for member in range(min(int(sizes.max(initial=0)), MEMBERS)):
        if clock.over:
            break
        having = np.flatnonzero(sizes > max(member, 1))  # a group of one point has none to save for
        points = order[begins[having] + member]
        apart = groups.copy()
        apart[points] = count + np.arange(len(points))
        costs = regions.costs(apart[:, None]).reshape(-1)
        saved[points] = whole[having] - costs[having]
    return saved


def _whole(best: Weighed, task: Task, gone: Mask) -> Weighed:
    """Return what was found for the rest, with those that are gone in a group that is never released."""
    recoding = best.found.recoding
    assert isinstance(recoding, GroupRecoding)
    told = {**best.found.details, "outliers": int(task.problem.counts[gone].sum())}
    whole = recoding.with_group(NEVER_SEEN, task.tally, gone)
    return replace(best, found=replace(best.found, recoding=whole, details=told))
