"""Makes more and smaller groups of those that were found, for metrics that count how large groups are.

By DM a row costs the rows of its group, by ClassSize only their number counts: both fall when rows that their
groups can spare form a group of their own. A group of k + s rows can spare points of s rows in all. Points
are visited in turn; the nearest of each that can be spared join it until they are k rows, and stay if the sum
of squares falls. Groups never have fewer than k rows; what the labels cost may rise, and is not looked at.

Groups that come to show the same labels are one class in the release. So the caller measures the classes, and
keeps the groups that it had if these cost no more.

Complexity: the points times their neighbours.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.metrics.class_size import ClassSize
from shoal.metrics.dm import DM
from shoal.running.clock import Clock
from shoal.search.groups.group_loss import group_loss
from shoal.search.groups.regroup import Regrouper

Ints = npt.NDArray[np.int64]

LOOKS = 1024
"""After how many points the clock is asked."""


def by_size(regrouper: Regrouper, groups: Ints, clock: Clock) -> Ints:
    """Return groups that cost no more by the metric that was asked for, if that counts the sizes of groups.

    They are the same for other metrics, if more than k is promised, and if persons have several rows.
    """
    ground = regrouper.ground
    counts = isinstance(ground.task.metric, (DM, ClassSize))
    if not counts or regrouper.judge is not None or ground.task.tally.persons is not None:
        return groups
    rows = ground.points.rows[ground.kept]
    blocks = ground.block_of[ground.kept]
    more = more_groups(groups.reshape(-1), rows, blocks, regrouper.neighbours, ground.k, clock)
    # The cost by LM is of no account to these metrics.
    if group_loss(ground, more, 0) < group_loss(ground, groups, 0):
        return more.reshape(-1, 1)
    return groups


def more_groups(
    groups: Ints, rows: Ints, blocks: Ints, near: npt.NDArray[np.int32], k: int, clock: Clock
) -> Ints:
    """Return groups of points, with those that could be spared in groups of their own, numbered from 0."""
    of, size = groups.tolist(), np.bincount(groups, weights=rows).astype(np.int64).tolist()
    weight, block = rows.tolist(), blocks.tolist()
    spare = (np.array(size)[groups] - rows >= k).tolist()
    for seed in range(len(of)):
        if seed % LOOKS == 0 and clock.over:
            break
        if not spare[seed] or size[of[seed]] - weight[seed] < k:
            continue
        left: dict[int, int] = {}  # rows of the groups that would give some
        members, total, less = [], 0, 0
        for point in (seed, *near[seed].tolist()):
            if point < 0 or block[point] != block[seed]:
                continue
            own, count = of[point], weight[point]
            now = left.get(own, size[own])
            if now - count < k:
                continue
            left[own] = now - count
            members.append(point)
            total += count
            less += now * now - (now - count) * (now - count)
            if total >= k:
                break
        if total < k or total * total >= less:
            continue
        for own, now in left.items():
            size[own] = now
        for point in members:
            of[point] = len(size)
        size.append(total)
    return np.unique(np.array(of, dtype=np.int64), return_inverse=True)[1].reshape(-1).astype(np.int64)
