"""Incognito: every allowed node of the lattice, found attribute set by attribute set.

Reference: K. LeFevre, D. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD
2005; with l-diversity, A. Machanavajjhala and others, "l-diversity: privacy beyond k-anonymity", ICDE 2006;
with t-closeness, N. Li, T. Li and S. Venkatasubramanian, "t-closeness", ICDE 2007. For larger and larger sets
of attributes it finds the nodes over these attributes that keep the promise; only nodes that keep it on all
smaller sets are judged.

Guarantee: the satisfying nodes are all allowed nodes, and the minimal ones are those with no other below; the
answer is the cheapest of all by the task's metric. The promise is kept.

Proof. Omitting an attribute merges classes, as generalizing it does. Let a node be *barred* as in
`Judge`: it is not allowed and merging less cannot make it so. Then if a node over some attributes is
barred, so is every node over more attributes that agrees with it (the subset property), and every node below
it (generalization). If the promise is monotone, barred is the same as not allowed, so the nodes left after
the last set are the allowed ones. This holds with suppression for k, distinct l and other criteria that are
monotone with suppression; for criteria that are monotone only without it (entropy, t, ...) it holds if no row
may be suppressed. If the promise is not monotone, only its monotone part bars nodes, and every node left is
judged separately.

Complexity: at worst all nodes of the lattices of all sets of attributes, with a map of each in memory.

More nodes than a map can have are searched as `flash` does: the answer is the best so far, proven only if
that search ends, and not all allowed nodes are found.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from shoal.criteria import Criterion
from shoal.data.tally import Problem
from shoal.metrics.precision import Precision
from shoal.running.clock import Clock
from shoal.search.lattice.allowed import (
    Map,
    cheapest,
    judge_each,
    minimal,
    nodes_in,
    rank,
    shape_of,
    too_many,
)
from shoal.search.lattice.flash import cheapest_without_map
from shoal.search.task import Algorithm, Found, Task

Subset = tuple[int, ...]


def incognito(task: Task, clock: Clock) -> Found:
    """Return the cheapest allowed node, and all allowed nodes in the details."""
    problem = task.problem
    judge = task.judge()
    if too_many(problem):
        found, done = cheapest_without_map(judge, clock)
        known = {"nodes": problem.nodes, "judged": judge.judged, "proven": done}
        return Found(task.at(found.node), task.promise, done, details=known, to_end=False)
    shape = shape_of(problem)
    judge.judge(problem.top)  # the best there is until the last set of attributes
    levels = _Subsets(task, clock, shape, judge.criteria if judge.monotone else judge.certain)
    allowed, settled = levels.run(judge.lost)
    if not judge.monotone:
        allowed, each = judge_each(judge, allowed, clock)
        settled = settled and each
    best, proven = cheapest(judge, allowed, settled, clock)
    details: dict[str, Any] = {
        "nodes": problem.nodes,
        "judged": levels.judge.judged + judge.judged,
        "proven": proven,
    }
    if settled:
        lowest = nodes_in(problem, minimal(allowed))
        details["satisfying"] = int(allowed.sum())
        details["minimal"] = [dict(zip(problem.names, node, strict=True)) for node in lowest]
    chosen = min(best, key=rank)
    return Found(task.at(chosen.node), task.promise, proven, details=details)


class _Subsets:
    """Finds, for sets of attributes of rising size, the nodes that are not barred."""

    def __init__(
        self, task: Task, clock: Clock, shape: tuple[int, ...], criteria: tuple[Criterion, ...]
    ) -> None:
        wide = _widened(task.problem)
        self.judge = task.judge(Precision(wide), criteria)
        self.bottom, self.roots = wide.bottom, wide.top
        self.clock, self.shape = clock, shape

    def run(self, lost: float | None) -> tuple[Map, bool]:
        """Return the map of the nodes over all attributes, and whether there was enough time."""
        count = len(self.shape)
        passed: dict[Subset, Map] = {(): np.ones((), dtype=np.bool_)}
        done, sets = 0, 2**count - 1
        for size in range(1, count + 1):
            smaller, passed = passed, {}
            for subset in combinations(range(count), size):
                candidates = np.ones([self.shape[a] for a in subset], dtype=np.bool_)
                for i in range(size):
                    candidates &= np.expand_dims(smaller[subset[:i] + subset[i + 1 :]], i)
                found = np.zeros_like(candidates)
                if not self.settle(subset, candidates, found):
                    return found if size == count else np.zeros(self.shape, dtype=np.bool_), False
                passed[subset] = found
                done += 1
                self.clock.show(done / sets, f"{done:,} of {sets:,} sets of attributes", lost)
        return passed[tuple(range(count))], True

    def settle(self, subset: Subset, candidates: Map, found: Map) -> bool:
        """Mark the candidates that are not barred, from the lowest up; return False if the time ran out.

        Nodes above one that is not barred are not barred either.
        """
        places = np.argwhere(candidates)
        for place in places[np.argsort(places.sum(axis=1), kind="stable")].tolist():
            if found[tuple(place)]:
                continue
            if self.clock.over:
                return False
            node = list(self.roots)
            for a, at in zip(subset, place, strict=True):
                node[a] = self.bottom[a] + at
            if not self.judge.judge(tuple(node)).barred:
                found[tuple(slice(at, None) for at in place)] = True
        return True


def _widened(problem: Problem) -> Problem:
    """Return the problem with ladders up to their roots; an attribute at its root counts as omitted."""
    ladders = tuple(replace(ladder, hi=ladder.height) for ladder in problem.ladders)
    return replace(problem, ladders=ladders, labels=None)


INCOGNITO = Algorithm(
    "incognito",
    "Incognito (LeFevre, DeWitt and Ramakrishnan 2005)",
    "node",
    incognito,
    ("the promise is kept",),
    at_end=("all allowed nodes are found, and no allowed node costs less",),
)
