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

Labels. `sets`: numbers as intervals, other values as sets, both exactly what the group spans. `hierarchy`:
nodes of the hierarchies, which are then split into all their children at once.

The search minimizes LM, whatever metric was asked for. Criteria that compare with the whole table
(t-closeness) are judged against all of it. Cost: O(n log n) sweeps of the attributes for n combinations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.running.clock import Clock
from shoal.search.algorithm_options import choice, effort_of
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.regroup import Regrouper
from shoal.search.task import Algorithm, Found, Task

Ints = npt.NDArray[np.int64]

AHEAD = ((1, 0), (3, 100), (3, 500), (4, 5_000), (8, 50_000), (16, 1 << 30))
"""By effort: how many splits are followed to the end, and in groups of at most how many combinations."""


def mondrian(
    task: Task,
    clock: Clock,
    regions: str = "strict",
    split: str = "best",
    labels: str = "sets",
    effort: float | str | None = None,
) -> Found:
    """Return the groups that are left when nothing can be split."""
    strict = choice("regions", regions, ("strict", "relaxed")) == "strict"
    median = choice("split", split, ("best", "median")) == "median"
    ground = Grouping.of(task, choice("labels", labels, ("sets", "hierarchy")))
    work = effort_of(effort, clock)
    regrouper = Regrouper(ground, task.seed, clock)
    if strict or median:
        groups = _split(regrouper, strict, median, 0 if median else work, clock)
        details: dict[str, Any] = {}
    else:
        start = regrouper.gathered() if regrouper.judge is None else blocks(ground)
        found = regrouper.improved(regrouper.split(start), work, clock)
        groups, details = found.groups, {"steps": found.steps}
    return ground.found(groups, details)


def _split(regrouper: Regrouper, strict: bool, median: bool, effort: float, clock: Clock) -> Ints:
    """Return one round's groups; with unlimited effort, the best of rounds that look ever farther."""
    ground = regrouper.ground
    start = blocks(ground)
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


MONDRIAN = Algorithm(
    "mondrian",
    "Mondrian (LeFevre, DeWitt and Ramakrishnan 2006)",
    "groups",
    mondrian,
    (
        "every group keeps the promise",
        "strict regions never overlap: some attribute tells any two groups apart",
        "no row is suppressed unless the study's highest levels force it",
    ),
    options={
        "regions": "strict (the default: no two groups overlap) or relaxed (they may, for less loss)",
        "split": "best (the default: where the loss falls most) or median (of the widest attribute)",
        "labels": "sets (the default: tight intervals and sets) or hierarchy (labels of the hierarchies)",
        "effort": "how long to search for less loss: 0 or more, by default 1; all: until the time limit",
    },
)
