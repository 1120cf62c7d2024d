"""One cut at random among those that cost little more than the best one."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from shoal.describe.hierarchies import Label
from shoal.kernels import CutWalk
from shoal.running.clock import Clock
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.near_walk import wander


@dataclass(frozen=True)
class NearCut:
    """A cut that was drawn, what it costs and suppresses, and from how many it was drawn at least."""

    cut: Mapping[str, tuple[Label, ...]]
    cost: float
    deleted: int
    blanked: int
    met: int


def all_detail(problem: CutProblem) -> Fraction:
    """Return what is lost if all detail of the quasi values of every row is."""
    metric = problem.metric
    return Fraction(metric.blank_cost() or metric.record_cost()) * problem.tally.rows


def near_cut(
    problem: CutProblem,
    best: Mapping[str, Collection[Label]],
    more: Fraction,
    draw: random.Random,
    clock: Clock,
) -> NearCut:
    """Return an allowed cut that costs at most `more` than the best one, and loses at most as much more.

    A cost may charge more for what is suppressed than the loss of the same name does (`metrics.on_cuts`).

    Toggling a label of the taxonomies splits it into its children, or puts these together again. A move
    toggles one label, or two one after the other; toggling them in the opposite order leads back.
    """
    forest = problem.forest(merged=True)
    parent = [above for _, _, above in forest.nodes]
    children: list[list[int]] = [[] for _ in parent]
    for i, above in enumerate(parent):
        if above >= 0:
            children[above].append(i)
    inner = [i for i, below in enumerate(children) if below]
    walk = CutWalk(problem.question(forest))

    def toggled(specialized: frozenset[int], label: int) -> frozenset[int] | None:
        if label in specialized:
            return None if specialized.intersection(children[label]) else specialized - {label}
        return specialized | {label} if parent[label] < 0 or parent[label] in specialized else None

    def moved(specialized: frozenset[int], number: int) -> frozenset[int] | None:
        first, second = divmod(number, 2 * len(inner))
        there = toggled(specialized, inner[first])
        # As many moves toggle one label as toggle two.
        return there if there is None or second >= len(inner) else toggled(there, inner[second])

    surcharge = Fraction(problem.metric.record_cost()) - all_detail(problem) / max(problem.tally.rows, 1)

    def loss(cost: int, deleted: int, blanked: int) -> Fraction:
        paid = deleted * surcharge + blanked * Fraction(problem.metric.blank_cost())
        return Fraction(cost, problem.unit) - paid

    start = frozenset(forest.specialized(best))
    _, least, _, *gone = walk.measure(sorted(start))
    most = least + floor(more * problem.unit)
    most_lost = loss(least, *gone) + more

    def near(specialized: frozenset[int]) -> bool:
        forbidden, cost, _, deleted, blanked = walk.measure(sorted(specialized))
        over = problem.most_lost is not None and deleted + blanked > problem.most_lost
        if forbidden or over or cost > most or deleted == problem.tally.rows:
            return False
        return loss(cost, deleted, blanked) <= most_lost

    lost = problem.share(Fraction(least, problem.unit))
    found = wander(start, 2 * len(inner) ** 2, moved, near, draw, clock, lost=lost)
    _, cost, _, deleted, blanked = walk.measure(sorted(found.state))
    return NearCut(forest.cut(found.state), cost / problem.unit, deleted, blanked, found.met)
