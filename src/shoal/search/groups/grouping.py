"""The setting of group-wise recoding: which points there are, what labels cost, what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import Group, GroupRecoding
from shoal.criteria import Groups, KAnonymity, MaxRisk, broken
from shoal.data.tally import Ladder
from shoal.describe.promise import Promise
from shoal.errors import NoSolutionError
from shoal.kernels import Regions
from shoal.metrics import LM
from shoal.metrics.metric import FITS
from shoal.search.groups.axes import GroupAxis, make_axis
from shoal.search.groups.person_judge import PersonJudge
from shoal.search.kernel_persons import given_persons
from shoal.search.task import Found, Task

Ints = npt.NDArray[np.int64]
Judge = Callable[[npt.NDArray[np.int32], Ints, Ints], npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Grouping:
    """The points of a task and the axes of their labels.

    Points are the combinations on the lowest allowed levels: combinations that these levels merge are one
    point. Blocks are their classes on the highest levels: no group extends beyond its block. `point_of` and
    `block_of` give the point of each combination of the tally and the block of each point.
    """

    task: Task
    axes: tuple[GroupAxis, ...]
    point_of: Ints
    codes: npt.NDArray[np.int32]
    block_of: Ints
    promised: Promise
    """What the groups must keep; the task's promise implies it, and can be judged group by group."""

    @classmethod
    def of(cls, task: Task, labels: str) -> Grouping:
        """Return the grouping of a task; `labels` are those of the hierarchy, or sets and intervals.

        It raises `NoSolutionError` if the blocks that break the promise have more rows than may be
        suppressed.
        """
        promised, task = task.promise, replace(task, promise=task.promise.of_single_groups())
        problem = task.problem
        axes = []
        for a, ladder in enumerate(problem.ladders):
            hierarchy = task.hierarchies[ladder.name]
            domain = task.tally.domains[a]
            if None in domain:
                hierarchy = hierarchy.with_missing()
            axes.append(make_axis(ladder, hierarchy, domain, labels))
        lowest = np.stack(
            [axis.value_of[problem.codes[:, a]] for a, axis in enumerate(axes)], axis=1
        ).astype(np.int32)
        if any(problem.bottom):
            codes, point_of = np.unique(lowest, axis=0, return_inverse=True)
        else:
            codes, point_of = lowest, np.arange(len(lowest))
        highest = np.stack(
            [_top(ladder)[problem.codes[:, a]] for a, ladder in enumerate(problem.ladders)]
        )
        block_of = np.zeros(len(codes), dtype=np.int64)
        block_of[point_of.reshape(-1)] = np.unique(highest, axis=1, return_inverse=True)[1].reshape(-1)
        points = point_of.reshape(-1)
        return cls(task, tuple(axes), points, np.ascontiguousarray(codes), block_of, promised).checked()

    def checked(self) -> Grouping:
        """Return the grouping, or refuse one that has to suppress too much."""
        task = self.task
        if self.lost > task.limit:
            raise NoSolutionError(
                f"not even the most general labels keep the promise: {self.lost:,} of {task.rows:,} "
                f"rows would have to be suppressed, and {task.limit:,} may be; ask for less"
            )
        return self

    def at(self, k: int) -> Grouping:
        """Return the grouping in which every group has at least k rows, or persons if counted."""
        promised = replace(self.promised, k=k)
        task = replace(self.task, promise=promised.of_single_groups())
        return replace(self, task=task, promised=promised).checked()

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def points(self) -> Groups:
        """Each point as a group of its own."""
        return self.task.groups(self.point_of, len(self))

    @cached_property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Which points are in blocks that keep the promise; the others are suppressed."""
        blocks = self.groups(self.block_of)
        gone: npt.NDArray[np.bool_] = broken(blocks, self.task.criteria)[self.block_of]
        return ~gone

    @property
    def lost(self) -> int:
        """How many rows are in blocks that break the promise."""
        return int(self.points.rows[~self.kept].sum())

    def groups(self, of: Ints) -> Groups:
        """Return groups of points as groups of rows."""
        return self.task.groups(of[self.point_of], int(of.max(initial=-1)) + 1)

    @property
    def k(self) -> int:
        """The fewest rows of a group, or persons if they are counted."""
        return max((c.k for c in self.task.criteria if isinstance(c, KAnonymity)), default=1)

    @cached_property
    def factors(self) -> list[int]:
        """What one more leaf costs a row, by attribute, as LM counts it and in its unit.

        Exact if the sums fit into 62 bits, else rounded to a coarser unit.
        """
        lm = LM(self.task.problem)
        coarser = min(Fraction(FITS, max(lm.largest, 1)), Fraction(1))
        # An attribute with one leaf can have no more.
        return [
            int(factor * coarser) if ladder.leaves > 1 else 0
            for factor, ladder in zip(lm.factors, self.task.problem.ladders, strict=True)
        ]

    def regions(self) -> Regions:
        """Return the kept points for the kernels, in their order."""
        kept = self.kept
        blocks = np.unique(self.block_of[kept], return_inverse=True)[1].reshape(-1)
        places = np.where(kept, np.cumsum(kept) - 1, -1)
        return Regions(
            [
                (int(axis.kind), factor, axis.order[None, :].astype(np.int32), axis.table)
                for axis, factor in zip(self.axes, self.factors, strict=True)
            ],
            np.ascontiguousarray(self.codes[kept]),
            np.ascontiguousarray(self.points.rows[kept][:, None]),
            np.ascontiguousarray(blocks[:, None].astype(np.int32)),
            given_persons(self.task.tally, places[self.point_of], int(kept.sum())),
        )

    def reached(self, of_kept: Ints) -> int:
        """Return the k that groups of the kept points keep: the fewest persons, or rows, in one."""
        of = np.full(len(self), int(of_kept.max(initial=-1)) + 1, dtype=np.int64)
        of[self.kept] = of_kept
        sizes = self.task.tally.people_in(of[self.point_of], int(of.max(initial=-1)) + 1)[
            : int(of_kept.max(initial=-1)) + 1
        ]
        return int(sizes[sizes > 0].min(initial=self.task.tally.people))

    def judge(self) -> Judge | None:
        """Return the check of whether ranges of kept points may be groups; None if only k matters.

        A limit on the highest risk counts as a k (`criteria_of`).
        """
        criteria = [c for c in self.task.criteria if not isinstance(c, (KAnonymity, MaxRisk))]
        if not criteria:
            return None
        if self.task.tally.persons is not None:
            return PersonJudge.of(self.task, criteria, self.point_of, self.kept)
        points = self.points.where(self.kept)
        names = list(points.histograms)
        table = np.concatenate([points.sizes[:, None], *points.histograms.values()], axis=1)
        widths = [points.histograms[name].shape[1] for name in names]
        local = all(criterion.local for criterion in criteria)
        total = table.sum(axis=0)

        def judge(members: npt.NDArray[np.int32], begins: Ints, ends: Ints) -> npt.NDArray[np.bool_]:
            sums = np.zeros((len(members) + 1, table.shape[1]), dtype=np.int64)
            np.cumsum(table[members[:, 0]], axis=0, out=sums[1:])
            asked = sums[ends[:, 0]] - sums[begins[:, 0]]
            if not local:
                # One more group holds the rest of the table (negative if ranges overlap), so that the groups
                # are compared with all of it.
                asked = np.concatenate([asked, (total - asked.sum(axis=0))[None, :]])
            parts = np.split(asked[:, 1:], np.cumsum(widths)[:-1], axis=1)
            groups = Groups(asked[:, 0], dict(zip(names, parts, strict=True)))
            kept = np.ones(len(groups), dtype=np.bool_)
            for criterion in criteria:
                kept &= criterion.kept(groups)
            return np.ascontiguousarray(kept[: len(begins)])

        return judge

    def found(self, of_kept: Ints, details: Mapping[str, Any]) -> Found:
        """Return the answer for groups of the kept points; `of_kept` gives the group of each."""
        return Found(self.recoding(of_kept.reshape(-1)), self.promised, details=details)

    def recoding(self, of_kept: Ints) -> GroupRecoding:
        """Return the recoding for groups of the kept points; a suppressed block is one group."""
        kept = self.kept
        of = np.zeros(len(self), dtype=np.int64)
        of[kept] = of_kept
        of[~kept] = int(of_kept.max(initial=-1)) + 1 + self.block_of[~kept]
        of = np.unique(of, return_inverse=True)[1].reshape(-1)
        count = int(of.max(initial=-1)) + 1
        named = [axis.labels(self.codes[:, a], of, count) for a, axis in enumerate(self.axes)]
        names, tally = self.task.problem.names, self.task.tally
        members: list[list[tuple[str | None, ...]]] = [[] for _ in range(count)]
        for group, combination in zip(of[self.point_of].tolist(), tally.combinations(), strict=True):
            members[group].append(combination)
        return GroupRecoding(
            names,
            tuple(
                Group({name: one[0][g] for name, one in zip(names, named, strict=True)}, tuple(inside))
                for g, inside in enumerate(members)
            ),
            {name: one[1] for name, one in zip(names, named, strict=True) if one[1]},
        )


def _top(ladder: Ladder) -> Ints:
    """Return the codes of the highest allowed level; all equal if that is the root."""
    top: Ints = ladder.codes[ladder.hi].astype(np.int64)
    return top
