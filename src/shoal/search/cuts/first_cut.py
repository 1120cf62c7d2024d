"""Finds an allowed cut if the most general one is not: finer groups may keep what it breaks.

If merging groups never makes more rows break the promise, there is no such cut, and nothing is searched.
Under k and share limits of rows the search for the best cut finds one. For other criteria, and shares of
persons, cuts are tried from the most general one down, those that suppress the fewest rows first.

Proof for these. Every cut is reached from the most general one by specializing one value at a time, and each
is tried once. A cut is not specialized further only if the rows that break criteria which are monotone with
suppression exceed the limit; the same then holds for every cut below it. Exponential at worst.
"""

from __future__ import annotations

from heapq import heappop, heappush

from shoal.criteria import KAnonymity, ShareLimit, broken
from shoal.errors import NoSolutionError
from shoal.running.clock import Clock
from shoal.search.cuts.cut_judge import CutJudge
from shoal.search.cuts.posing import allowed_cut, hidden_by_missing


def first_cut(judge: CutJudge, clock: Clock, algorithm: str) -> set[int]:
    """Return what an allowed cut specializes if the most general one is not allowed, or refuse."""
    task = judge.task
    if task.monotone:
        raise judge.refuse()
    known = all(isinstance(criterion, (KAnonymity, ShareLimit)) for criterion in task.criteria)
    if known and task.tally.persons is None and hidden_by_missing(task) is None:
        return set(judge.forest.specialized(allowed_cut(task, algorithm, clock).labels))
    return _walk(judge, clock)


def _walk(judge: CutJudge, clock: Clock) -> set[int]:
    task = judge.task
    steady = [criterion for criterion in task.criteria if criterion.monotone_with_suppression]
    waiting: list[tuple[int, int, frozenset[int]]] = [(task.rows, 0, frozenset())]
    met = {frozenset[int]()}
    while waiting and not clock.over:
        suppressed, _, here = heappop(waiting)
        clock.show(0.0, f"{len(met):,} cuts tried, {suppressed:,} rows in broken groups")
        for candidate in judge.frontier(here):
            finer = here | {candidate}
            if finer in met:
                continue
            met.add(finer)
            found = judge.judge(finer)
            if found.allowed:
                return set(finer)
            groups = judge.groups(finer)[1]
            if int(groups.rows[broken(groups, steady)].sum()) <= task.limit:
                heappush(waiting, (found.suppressed, len(met), finer))
    if waiting:
        raise NoSolutionError("the time ran out before an allowed cut was found; allow more time")
    raise NoSolutionError("no cut keeps the promise within the suppression allowed; ask for less")
