"""The setting of group-wise recoding: which points there are, what labels cost, what is allowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import SystemRandom
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupColumns, GroupRecoding
from shoal.criteria import Criterion, Groups, KAnonymity, MaxRisk, broken
from shoal.data.coding import placed
from shoal.data.tally import Ladder
from shoal.describe.promise import Promise
from shoal.errors import NoSolutionError
from shoal.kernels import Regions
from shoal.metrics import LM
from shoal.metrics.by_cell import CellMetric
from shoal.metrics.metric import FITS
from shoal.search.groups.axes import GroupAxis, LabelKind, make_axis
from shoal.search.groups.group_judge import Judge, judge_of
from shoal.search.groups.own_crowd import own_crowd
from shoal.search.groups.person_judge import PersonJudge
from shoal.search.kernel_persons import given_persons
from shoal.search.task import Found, Task

Ints = npt.NDArray[np.int64]


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
    crowd: Ints | None = None
    """The population's persons of each combination of the tally, if the promise is about them."""

    @classmethod
    def of(cls, task: Task, labels: str, consistent: Collection[str] = ()) -> Grouping:
        """Return the grouping of a task; `labels` are those of the hierarchy, or sets and intervals.

        Those of `consistent` columns are of the hierarchy in any case.

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
            shown = "hierarchy" if ladder.name in consistent else labels
            axes.append(make_axis(ladder, hierarchy, domain, shown))
        lowest = np.stack(
            [axis.value_of[problem.codes[:, a]] for a, axis in enumerate(axes)], axis=1
        ).astype(np.int32)
        if any(problem.bottom):
            codes, point_of = np.unique(lowest, axis=0, return_inverse=True)
        else:
            codes, point_of = lowest, np.arange(len(lowest))
        points = point_of.reshape(-1)
        block_of = np.zeros(len(codes), dtype=np.int64)
        # Where all values share the highest label, as they do under a root, it tells no blocks apart.
        tops = {a: _top(ladder) for a, ladder in enumerate(problem.ladders)}
        highest = [top[problem.codes[:, a]] for a, top in tops.items() if np.ptp(top) > 0]
        if highest:
            block_of[points] = placed(np.stack(highest, axis=1))[1]
        whole = (task, tuple(axes), points, np.ascontiguousarray(codes), block_of, promised)
        return cls(*whole, own_crowd(task)).checked()

    def checked(self) -> Grouping:
        """Return the grouping, or refuse one that has to suppress too much."""
        task = self.task
        if self.lost > task.limit:
            raise NoSolutionError(
                f"not even the most general labels keep the promise: {self.lost:,} of {task.rows:,} "
                f"rows would have to be suppressed, and {task.limit:,} may be; ask for less"
                + (
                    ""
                    if self.crowd is None
                    else " (by groups, those of the population count whose values occur in the table)"
                )
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
        return self.of_combinations(self.point_of, len(self))

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
        return self.of_combinations(of[self.point_of], int(of.max(initial=-1)) + 1)

    def of_combinations(self, of: Ints, count: int) -> Groups:
        """Return groups of combinations as groups of rows, and with the population of each if it counts."""
        groups = self.task.groups(of, count)
        if self.crowd is None:
            return groups
        population = np.bincount(of, weights=self.crowd, minlength=count).astype(np.int64)
        return replace(groups, population=population)

    @property
    def k(self) -> int:
        """The fewest rows of a group, or persons if they are counted."""
        return least_size(self.task.criteria)

    @cached_property
    def objective(self) -> CellMetric:
        """What the search minimizes: the metric that was asked for if it adds up cells that it knows, or LM.

        What an interval or a set costs is known by LM alone.
        """
        metric, trees = self.task.metric, all(axis.kind is LabelKind.TREE for axis in self.axes)
        return metric if trees and isinstance(metric, CellMetric) else LM(self.task.problem)

    @property
    def _coarser(self) -> Fraction:
        """How much smaller the costs are made, 1 or less: the kernels add up a little more than the labels
        cost, and refuse sums of 62 bits.
        """
        most = self.objective.largest + self.objective.refund
        return min(Fraction(FITS // 4, max(most, 1)), Fraction(1))

    @property
    def exact(self) -> bool:
        """Whether the kernels' costs are those of the objective, and not rounded."""
        return self._coarser == 1

    def loss_of(self, cost: int) -> Fraction:
        """Return the loss by the objective that the kernels' cost of all kept points stands for.

        Where the kernels' unit is coarser, each cell was rounded down: it is that of the most it can be.
        """
        problem = self.task.problem
        cells = problem.rows * sum(ladder.leaves for ladder in problem.ladders)
        rounded = 0 if self.exact else cells
        return (cost + rounded) / self._coarser - self.objective.refund

    def share_of(self, cost: int) -> float:
        """Return the share of all detail that is lost by the objective, given what the kept points cost."""
        return self.objective.share(int(self.loss_of(cost + self.lost * self.gone_row)))

    @cached_property
    def factors(self) -> list[int]:
        """What one more leaf costs a row by LM, by attribute and in its unit; by another metric, 1.

        Exact if the sums fit into 60 bits, else rounded to a coarser unit.
        """
        if not isinstance(self.objective, LM):
            return [1] * len(self.axes)
        # An attribute with one leaf can have no more.
        return [
            int(factor * self._coarser) if ladder.leaves > 1 else 0
            for factor, ladder in zip(self.objective.factors, self.task.problem.ladders, strict=True)
        ]

    @property
    def gone_row(self) -> int:
        """What a suppressed row costs, in the unit of the search."""
        metric = self.objective
        whole = zip(metric.factors, self.task.problem.ladders, strict=True)
        return sum(
            int(factor * self._coarser) * metric.suppressed(ladder.leaves, ladder.height)
            if isinstance(metric, LM)
            else int(factor * metric.suppressed(ladder.leaves, ladder.height) * self._coarser)
            for factor, ladder in whole
        )

    def _table(self, a: int) -> Ints:
        """Return how the kernels know the values of an axis; a label's leaves are its cost and one more."""
        axis, ladder, metric = self.axes[a], self.task.problem.ladders[a], self.objective
        if isinstance(metric, LM):
            return axis.table
        one = np.zeros(axis.table.shape[1], dtype=np.int64)
        one[axis.value_of] = np.arange(len(axis.value_of))
        scale = metric.factors[a] * self._coarser
        cells = metric.weights()[a][ladder.lo : ladder.hi + 1][:, one].astype(object)
        prices = (cells * scale.numerator // scale.denominator).astype(np.int64) + 1
        return np.ascontiguousarray(np.concatenate([axis.table[: len(prices)], prices]))

    def kernel_axes(self) -> list[tuple[int, int, npt.NDArray[np.int32], Ints]]:
        """Return the axes as the kernels take them."""
        return [
            (int(axis.kind), factor, axis.order[None, :].astype(np.int32), self._table(a))
            for a, (axis, factor) in enumerate(zip(self.axes, self.factors, strict=True))
        ]

    def regions(self) -> Regions:
        """Return the kept points for the kernels, in their order."""
        kept = self.kept
        blocks = np.unique(self.block_of[kept], return_inverse=True)[1].reshape(-1)
        places = np.where(kept, np.cumsum(kept) - 1, -1)
        return Regions(
            self.kernel_axes(),
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
            return PersonJudge.of(self.task, criteria, self.point_of, self.kept, self.crowd)
        return judge_of(self.points.where(self.kept), criteria)

    def found(self, of_kept: Ints, details: Mapping[str, Any]) -> Found:
        """Return the answer for groups of the kept points; `of_kept` gives the group of each."""
        if self.task.ceiling is not None:
            from shoal.search.groups.wider_labels import widened  # which is about groupings

            wide = widened(self, of_kept.reshape(-1), self.task.ceiling, SystemRandom())
            return Found(wide.recoding, self.promised, details={**details, **wide.details})
        return Found(self.recoding(of_kept.reshape(-1)), self.promised, details=details)

    def recoding(
        self, of_kept: Ints, beyond: Sequence[tuple[Ints, Ints]] | None = None
    ) -> GroupRecoding:
        """Return the recoding for groups of the kept points; a suppressed block is one group.

        `beyond` gives, for each axis, values that labels cover besides those of their groups, and the
        groups of these.
        """
        kept = self.kept
        of = np.zeros(len(self), dtype=np.int64)
        of[kept] = of_kept
        of[~kept] = int(of_kept.max(initial=-1)) + 1 + self.block_of[~kept]
        of = np.unique(of, return_inverse=True)[1].reshape(-1)
        count = int(of.max(initial=-1)) + 1
        more = beyond or [(np.zeros(0, dtype=np.int64),) * 2 for _ in self.axes]
        named = [
            axis.labels(np.concatenate([self.codes[:, a], values]), np.concatenate([of, groups]), count)
            for a, (axis, (values, groups)) in enumerate(zip(self.axes, more, strict=True))
        ]
        names, tally = self.task.problem.names, self.task.tally
        tally.check_fine("recoding single combinations")
        columns = GroupColumns(
            tally.domains,
            tally.codes,
            of[self.point_of],
            tuple(one.texts for one in named),
            np.stack([one.codes for one in named], axis=1),
        )
        meanings = {name: one.meanings for name, one in zip(names, named, strict=True) if one.meanings}
        return GroupRecoding(names, columns, meanings)


def least_size(criteria: Sequence[Criterion]) -> int:
    """Return how many rows, or persons if they are counted, every group has by some criteria."""
    return max((c.k for c in criteria if isinstance(c, KAnonymity)), default=1)


def _top(ladder: Ladder) -> Ints:
    """Return the codes of the highest allowed level; all equal if that is the root."""
    top: Ints = ladder.codes[ladder.hi].astype(np.int64)
    return top
