"""Mondrian (LeFevre, DeWitt and Ramakrishnan 2006): splits the table into smaller and smaller groups.

The whole table is one group at first. A group is split as long as both parts keep the promise, and is
released as the tightest interval or set that holds its values. Combinations of values stay whole: rows with
the same values are released alike.

Two choices of a split. `median` is the paper's: the widest attribute, at its median. `best` (the default)
tries all attributes and all cuts and takes the one after which the loss (LM) is lowest; sets are also cut
along falling frequency. With `effort` it follows several of the best splits to the end before it chooses.

Regions. `strict`: rows with the same value of the attribute that is split stay together, so no two groups
overlap: in some attribute their labels have no value in common. `relaxed`: they may go to either side,
and combinations may then move between neighbouring groups, where that lowers the loss (annealing; see
`regroup`). Groups may overlap then; every one still keeps the promise.

Labels. `sets`: numbers as intervals, other values as sets, both exactly what the group spans, in whole labels
of the lowest level that the study allows, and within one of the highest. `hierarchy`: nodes of the
hierarchies, which are then split into all their children at once; a bound comes with these (`lower_bound`).

The search minimizes LM; with labels of the hierarchies, the metric that was asked for if it adds up cells;
see `group_loss` for CM, and for relaxed regions `more_groups` for DM and ClassSize. Columns that are named
consistent have one level in all groups. Criteria that compare with the whole table (t-closeness) are judged
against all of it. Cost: O(n log n) sweeps of the attributes for n combinations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random, SystemRandom
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.criteria import broken
from shoal.running.clock import Clock
from shoal.search.algorithm_options import choice, effort_of, names_of
from shoal.search.groups.consistent import Weighed, consistently
from shoal.search.groups.dear_rows import without_outliers
from shoal.search.groups.group_loss import group_loss, led_by_class
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.in_parts import regrouper_of
from shoal.search.groups.lower_bound import bounded
from shoal.search.groups.more_groups import by_size
from shoal.search.groups.own_crowd import check_presence
from shoal.search.groups.regroup import Regrouper
from shoal.search.task import Algorithm, Found, Task

Ints = npt.NDArray[np.int64]

AHEAD = ((1, 0), (3, 100), (3, 500), (4, 5_000), (8, 50_000), (16, 1 << 30))
"""By effort: how many splits are followed to the end, and in groups of at most how many combinations."""


KEPT = "every group keeps the promise"
APART = "strict regions never overlap: some attribute tells any two groups apart"
LABELS = "every label is one of the hierarchies, between the study's lowest and highest levels"
SUPPRESSED = "a row is suppressed only where the study's highest levels force it, or less is lost in all"

TRIES = 20
"""How many random first cuts are tried, until one keeps the promise."""


def mondrian(
    task: Task,
    clock: Clock,
    regions: str = "strict",
    split: str = "best",
    labels: str = "sets",
    effort: float | str | None = None,
    consistent: str | Sequence[str] | None = None,
) -> Found:
    """Return the groups that are left when nothing can be split."""
    strict = choice("regions", regions, ("strict", "relaxed")) == "strict"
    median = choice("split", split, ("best", "median")) == "median"
    kind = choice("labels", labels, ("sets", "hierarchy"))
    names = names_of(consistent, task.problem.names, "consistent")
    check_presence(task, overlap=not strict)

    def search(task: Task, clock: Clock, effort: float) -> Weighed:
        return _searched(Grouping.of(task, kind, names), clock, strict, median, effort)

    spared = without_outliers(search, lambda part: Grouping.of(part, kind, names))
    given = effort_of(effort, clock)
    found = consistently(task, names, clock, given, led_by_class(spared))
    found = replace(found, guarantees=_guaranteed(strict, kind))
    return found if kind == "sets" else bounded(task, found, given, clock)


def _guaranteed(strict: bool, labels: str) -> tuple[str, ...]:
    """Return what holds of groups with such regions and labels."""
    return (
        KEPT,
        *([APART] if strict else []),
        *([LABELS] if labels == "hierarchy" else []),
        SUPPRESSED,
    )


def _searched(ground: Grouping, clock: Clock, strict: bool, median: bool, effort: float) -> Weighed:
    """Return the groups of one grouping, and what they lose."""
    regrouper = regrouper_of(ground, ground.task.seed, clock)
    first = blocks(ground) if not ground.task.by_chance else halves(ground, SystemRandom())
    if strict or median:
        groups = _split(regrouper, first, strict, median, 0 if median else effort, clock)
        details: dict[str, Any] = {}
    else:
        start = regrouper.gathered() if regrouper.judge is None else first
        found = regrouper.improved(regrouper.split(start), effort, clock)
        groups, details = by_size(regrouper, found.groups, clock), {"steps": found.steps}
    loss = group_loss(ground, groups, regrouper.cost(groups))
    return Weighed(ground.found(groups, details), loss, ground.gone_row)


def _split(
    regrouper: Regrouper, start: Ints, strict: bool, median: bool, effort: float, clock: Clock
) -> Ints:
    """Return one round's groups; with unlimited effort, the best of rounds that look ever farther."""
    plain = median or regrouper.judge is not None
    endless = math.isinf(effort) and not plain
    last = 0 if plain else round(min(effort, len(AHEAD) - 1))
    best: tuple[int, Ints] | None = None
    for ahead in AHEAD if endless else AHEAD[last : last + 1]:
        if best is None or not clock.over:
            groups = regrouper.split(
                start, strict=strict, median=median, ahead=ahead, seconds=clock.left
            )
            cost = regrouper.cost(groups)
            if best is None or cost < best[0]:
                best = cost, groups
    assert best is not None
    return best[1]


def blocks(ground: Grouping) -> Ints:
    """Return the blocks of the kept points, numbered from 0: where splitting begins."""
    return (
        np.unique(ground.block_of[ground.kept], return_inverse=True)[1].reshape(-1, 1).astype(np.int64)
    )


def halves(ground: Grouping, draw: Random) -> Ints:
    """Return the blocks, each cut in two at a random place of a random attribute where both parts keep
    the promise; then nobody can tell which splits the search would have chosen."""
    start = blocks(ground).reshape(-1)
    for _ in range(TRIES):
        a = draw.randrange(len(ground.axes))
        places = ground.axes[a].order[ground.codes[ground.kept, a]]
        cut = np.sort(places)[int(draw.uniform(0.2, 0.8) * len(places))] if len(places) else 0
        of = np.unique(2 * start + (places >= cut), return_inverse=True)[1].reshape(-1)
        whole = np.full(len(ground), int(of.max(initial=-1)) + 1, dtype=np.int64)
        whole[ground.kept] = of
        parts = broken(ground.groups(whole), ground.task.criteria)[: int(of.max(initial=-1)) + 1]
        if int(of.max(initial=0)) > int(start.max(initial=0)) and not parts.any():
            return of.reshape(-1, 1).astype(np.int64)
    return start.reshape(-1, 1)


MONDRIAN = Algorithm(
    "mondrian",
    "Mondrian (LeFevre, DeWitt and Ramakrishnan 2006)",
    "groups",
    mondrian,
    _guaranteed(strict=True, labels="sets"),
    options={
        "regions": "strict (the default: no two groups overlap) or relaxed (they may, for less loss)",
        "split": "best (the default: where the loss falls most) or median (of the widest attribute)",
        "labels": "sets (the default: tight intervals and sets) or hierarchy (labels of the hierarchies)",
        "effort": "how long to search for less loss: 0 or more, by default 1; all: until the time limit",
        "consistent": "attributes that have one level in all rows, chosen for little loss (empty: none)",
    },
)
