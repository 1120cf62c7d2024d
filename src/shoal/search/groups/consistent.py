"""One level for all rows in some columns, chosen by trying: the other columns stay free in every group.

Analysts miss in local recoding that a value is released as itself in one row and under a label in the next. A
column that is named consistent has the same level in every released row. Which level that is follows from the
loss: with the levels of all consistent columns fixed, the search is the usual one on a smaller lattice,
and the levels after which it loses least are taken. Every combination of levels is tried without effort, and
the best with the effort that was asked for. Too many combinations are tried column by column, from the most
general ones, as long as the loss falls. Levels at which the promise cannot be kept are left out.

What is fixed is a lowest and a highest level, so that whatever holds of these holds here: labels lie between
them in every group. Verification sees one level in the released rows (`tests/search/test_consistent.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from shoal.errors import NoSolutionError
from shoal.running.clock import Clock
from shoal.search.task import Found, Task

MOST = 100
"""The most combinations of levels of which all are tried."""


@dataclass(frozen=True)
class Weighed:
    """What a search found, and its loss by the metric that was asked for, in any one unit.

    In that unit, `row` is what a suppressed row costs, if cells are added up.
    """

    found: Found
    loss: Any
    row: int = 0


Search = Callable[[Task, Clock, float], Weighed]
"""Searches a task within a time and with an effort; it raises `NoSolutionError` if there is nothing."""


def consistently(
    task: Task, names: tuple[str, ...], clock: Clock, effort: float, search: Search
) -> Found:
    """Return the best that a search finds with one level in each of some columns."""
    if not names:
        return search(task, clock, effort).found
    tried = _Tried(task, names, clock, search)
    ranges = [
        range(ladder.lo, ladder.hi + 1) for ladder in task.problem.ladders if ladder.name in tried.names
    ]
    if prod(map(len, ranges)) <= MOST:
        for levels in product(*ranges):
            tried.at(levels)
    else:
        tried.descend(tuple(levels[-1] for levels in ranges), ranges)
    if tried.best is None:
        raise tried.refusal or NoSolutionError("there was no time to try a level; allow more time")
    levels, first = tried.best
    chosen = dict(zip(tried.names, levels, strict=True))
    if effort and not clock.over:
        longer = search(at_levels(task, chosen), clock, effort)
        first = min(first, longer, key=lambda one: one.loss)
    return replace(first.found, details={**first.found.details, "consistent": chosen})


class _Tried:
    """The levels that were tried so far, and the best of them."""

    def __init__(self, task: Task, names: tuple[str, ...], clock: Clock, search: Search) -> None:
        self.names = tuple(name for name in task.problem.names if name in names)
        self.best: tuple[tuple[int, ...], Weighed] | None = None
        self.refusal: NoSolutionError | None = None
        self._task, self._clock, self._search = task, clock.part(0.5), search
        self._total = clock

    def at(self, levels: tuple[int, ...]) -> None:
        """Try some levels, if there is time, or nothing was found yet."""
        if self._clock.over and self.best is not None:
            return
        try:
            task = at_levels(self._task, dict(zip(self.names, levels, strict=True)))
            found = self._search(task, self._clock, 0.0)
        except NoSolutionError as problem:
            self.refusal = problem
            return
        if self.best is None or found.loss < self.best[1].loss:
            self.best = levels, found

    def descend(self, levels: tuple[int, ...], ranges: list[range]) -> None:
        """Try neighbours of the best levels, one column at a time, until none is better."""
        self.at(levels)
        while self.best is not None and not self._clock.over:
            before = self.best[0]
            for near in _near(before, ranges):
                self.at(near)
            if self.best[0] == before:
                return


def _near(levels: tuple[int, ...], ranges: list[range]) -> Iterator[tuple[int, ...]]:
    for a, allowed in enumerate(ranges):
        for level in (levels[a] - 1, levels[a] + 1):
            if level in allowed:
                yield (*levels[:a], level, *levels[a + 1 :])


def at_levels(task: Task, levels: dict[str, int]) -> Task:
    """Return a task in which some columns have one level and no other."""
    ladders = tuple(
        replace(ladder, lo=levels[ladder.name], hi=levels[ladder.name])
        if ladder.name in levels
        else ladder
        for ladder in task.problem.ladders
    )
    problem = replace(task.problem, ladders=ladders)
    return replace(task, problem=problem, metric=type(task.metric)(problem))
