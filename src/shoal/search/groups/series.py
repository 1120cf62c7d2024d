"""Group-wise recodings for a series of k, computed together.

Local recoding goes from small k to large: the groups of one k that have too few rows for the next are merged
with near ones, cheapest first, then split and improved. Or it starts with the classes of a full-domain node
that is known to keep k, if these cost less. Mondrian's splits depend on k from the first one on, and
groups that were split for another k cost up to four times as much, so it starts afresh at every k.

Groups that keep a larger k keep a smaller one too, so each k has the cheapest of all that keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node
from shoal.errors import NoSolutionError
from shoal.running.clock import Clock
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.in_parts import regrouper_of
from shoal.search.groups.local_recoding import classes_of_node
from shoal.search.groups.mondrian import AHEAD, blocks
from shoal.search.groups.regroup import Regrouper
from shoal.search.task import Task

Ints = npt.NDArray[np.int64]

EFFORT = 0.5
"""How long local recoding searches for less loss at one k: half as long as for one k alone."""
ANNEALED = 30
"""Up to this k groups are annealed; larger ones have too many members to gain by single moves."""


@dataclass(frozen=True)
class GroupsAt:
    """Groups of the kept points of a grouping, the k that they keep, and what they and suppressed rows cost.

    The cost is by the grouping's objective, in the unit of its factors.
    """

    ground: Grouping
    groups: Ints
    cost: int
    k: int

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(np.unique(self.groups))


def local_series(
    task: Task,
    ks: Sequence[int],
    clock: Clock,
    nodes: Mapping[int, Node] | None = None,
    tell: Callable[[float], None] | None = None,
) -> list[GroupsAt]:
    """Return local recodings for rising k, as many as there is time for.

    `nodes` are full-domain nodes that keep a k without suppression. `tell` gets the share that is done.
    """
    found: list[GroupsAt] = []
    regrouper: Regrouper | None = None
    groups: Ints | None = None
    for i, ground in enumerate(_grounds(task, ks, clock, "hierarchy")):
        if tell is not None:
            tell(i / len(ks))
        before = regrouper
        regrouper = regrouper_of(ground, task.seed, clock) if before is None else before.on(ground)
        regrouper.clock = clock.part(1 if before is None else 2 / (len(ks) - i + 1))
        if before is not None and groups is not None:
            groups = _numbered(groups[ground.kept[before.ground.kept]])
        starts = [regrouper.gathered(groups)]
        if nodes and ks[i] in nodes:
            starts.append(classes_of_node(ground, nodes[ks[i]]))
        groups = regrouper.split(min(starts, key=regrouper.cost))
        if ks[i] <= ANNEALED:
            groups = regrouper.improved(groups, EFFORT, clock.part(1 / (len(ks) - i))).groups
        found.append(_at(regrouper, groups))
    return _cheapest(found, ks)


def mondrian_series(task: Task, ks: Sequence[int], clock: Clock) -> list[GroupsAt]:
    """Return Mondrian's groups for each k, as many as there is time for."""
    found: list[GroupsAt] = []
    regrouper: Regrouper | None = None
    for i, ground in enumerate(_grounds(task, ks, clock, "sets")):
        regrouper = regrouper_of(ground, task.seed, clock) if regrouper is None else regrouper.on(ground)
        seconds = clock.part(1 / (len(ks) - i)).left
        groups = regrouper.split(blocks(ground), strict=True, ahead=AHEAD[1], seconds=seconds)
        found.append(_at(regrouper, groups))
    return _cheapest(found, ks)


def _grounds(task: Task, ks: Sequence[int], clock: Clock, labels: str) -> Iterator[Grouping]:
    """Yield the points for each k, until none is possible or the time is over."""
    ground = None
    for k in ks:
        if clock.over:
            return
        try:
            ground = Grouping.of(task, labels).at(k) if ground is None else ground.at(k)
        except NoSolutionError:
            return  # larger k suppress no less
        yield ground


def _at(regrouper: Regrouper, groups: Ints) -> GroupsAt:
    ground = regrouper.ground
    k = ground.reached(groups.reshape(-1))
    return GroupsAt(ground, groups, regrouper.cost(groups) + ground.lost * ground.gone_row, k)


def _cheapest(found: list[GroupsAt], ks: Sequence[int]) -> list[GroupsAt]:
    """Return, for each k that was reached, the cheapest of all that keep it."""
    reached = ks[: len(found)]
    return [min((one for one in found if one.k >= k), key=lambda one: one.cost) for k in reached]


def _numbered(groups: Ints) -> Ints:
    return np.unique(groups, return_inverse=True)[1].reshape(-1, 1).astype(np.int64)
