"""Judges cuts by one task: what must be suppressed, whether that is allowed, what it costs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import CutRecoding
from shoal.criteria import Groups, broken
from shoal.criteria.criterion import Mask
from shoal.data.coding import placed
from shoal.errors import NoSolutionError
from shoal.kernels import aggregate
from shoal.metrics import LM
from shoal.metrics.labels import Labels, cut_levels
from shoal.metrics.metric import Metric
from shoal.search.cuts.forest import Forest
from shoal.search.cuts.posing import branches_of
from shoal.search.task import Task

Ints = npt.NDArray[np.int64]

WORD, MOST_WORDS = 64, 8
"""The bits of a word, and how many words the kernels' keys have at most."""


@dataclass(frozen=True)
class JudgedCut:
    """The judgement of a cut: the rows that break the promise, the smallest group, and the loss.

    The cut is `allowed` if the broken rows may be suppressed and others remain. The loss counts them as
    suppressed; it is a whole multiple of the judge's unit.
    """

    allowed: bool
    suppressed: int
    k: int
    loss: int


class CutJudge:
    """Judges cuts, given by the numbers of the nodes of the `forest` that they specialize.

    The loss is by `metric`. By default, for greedy searches, that is DM or CM if the task's metric is
    one of them, and LM otherwise.
    """

    def __init__(self, task: Task, metric: Metric | None = None) -> None:
        self.task = task
        self.forest = Forest(branches_of(task.specification, task.hierarchies, task.tally))
        self.parent = np.array([parent for _, _, parent in self.forest.nodes], dtype=np.int64)
        self.attribute = [a for a, _, _ in self.forest.nodes]
        self.children: list[list[int]] = [[] for _ in self.parent]
        for i, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                self.children[parent].append(i)
        leaves = self.forest.leaves(task.tally.codes).astype(np.int64)
        tally, problem = task.tally, task.problem
        self._columns = task.sensitive
        blocks = [tally.counts[:, None], *(tally.histogram(name) for name in self._columns)]
        if problem.labels is not None:
            blocks.append(problem.labels)
        self._widths = [block.shape[1] for block in blocks]
        counts = np.ascontiguousarray(np.concatenate(blocks, axis=1))
        own = task.metric.name in ("DM", "CM")
        self.metric = metric or (task.metric if own else LM(problem))
        self._cells = self.metric.cells(self._labels())
        self._ground = (frozenset(self.inner), leaves, counts)
        self._settled_of = np.arange(len(leaves))
        self._fields = _fields(self.attribute)

    def _labels(self) -> list[Labels]:
        """Return every attribute's labels by the numbers of their nodes; none if they do not matter."""
        found = []
        both = zip(self.forest.branches, self.metric.ladder_labels, strict=True)
        for a, (branch, labels) in enumerate(both if self.metric.by_cells else ()):
            domain = self.task.tally.domain(branch.name)
            levels = cut_levels(self.task.hierarchies[branch.name], domain)
            value_of = {leaf: value for value, leaf in enumerate(branch.values)}
            places = np.zeros((2, len(self.parent)), dtype=np.int64)
            for i, (of, node, _) in enumerate(self.forest.nodes):
                if of == a:
                    places[:, i] = (
                        levels[node.label],
                        next(value_of[leaf] for leaf in node.leaves if leaf in value_of),
                    )
            found.append(labels.at(*places))
        return found

    @property
    def roots(self) -> list[int]:
        """The roots of the forest."""
        return [i for i, parent in enumerate(self.parent.tolist()) if parent < 0]

    @property
    def inner(self) -> list[int]:
        """The nodes that can be specialized."""
        return [i for i, below in enumerate(self.children) if below]

    def frontier(self, specialized: Collection[int]) -> list[int]:
        """Return the nodes of a cut that can be specialized."""
        return [
            i
            for i in self.inner
            if i not in specialized and (self.parent[i] < 0 or int(self.parent[i]) in specialized)
        ]

    def judge(self, specialized: Collection[int]) -> JudgedCut:
        """Return the judgement of the cut that specializes these nodes."""
        nodes, groups, labels = self.groups(specialized)
        gone = broken(groups, self.task.criteria)
        suppressed = int(groups.rows[gone].sum())
        rows = self.task.rows
        kept = groups.sizes[~gone]
        allowed = suppressed <= self.task.limit and suppressed < rows
        k = int(kept.min()) if len(kept) else 0
        return JudgedCut(allowed, suppressed, k, self._loss(nodes, groups, labels, gone))

    def settle(self, specialized: Collection[int]) -> None:
        """From now on count from a cut's groups: faster, but only for this cut and those above it."""
        nodes, counts, place = self._counted(specialized)
        if place is not None:
            self._settled_of = place[self._settled_of]
        self._ground = (frozenset(specialized), nodes, counts)

    def groups(self, specialized: Collection[int]) -> tuple[Ints, Groups, Ints | None]:
        """Return the groups of a cut: their nodes, their counts, and their class labels."""
        nodes, counts, place = self._counted(specialized)
        parts = np.split(counts, np.cumsum(self._widths)[:-1], axis=1)
        if place is None:
            groups = Groups(parts[0][:, 0], dict(zip(self._columns, parts[1:], strict=False)))
        else:  # persons do not add up as rows do
            groups = self.task.groups(place[self._settled_of], len(nodes))
        return nodes, groups, parts[-1] if self.task.problem.labels is not None else None

    def _counted(self, specialized: Collection[int]) -> tuple[Ints, Ints, Ints | None]:
        """Return the nodes of each group of a cut, and its rows, values and labels.

        If persons are counted, also the group of each combination, or of each group that was settled on.
        """
        settled, leaves, below = self._ground
        assert settled.issuperset(specialized)
        chosen = np.zeros(len(self.parent), dtype=np.bool_)
        chosen[list(specialized)] = True
        shown = np.arange(len(self.parent))
        for i, parent in enumerate(self.parent.tolist()):
            # Parents come first: children have their parent's label, unless it is specialized.
            if parent >= 0 and (not chosen[parent] or shown[parent] != parent):
                shown[i] = shown[parent]
        at = shown[leaves]
        words = max((field.word for field in self._fields), default=0) + 1
        by_persons = self.task.tally.persons is not None
        if by_persons or words > MOST_WORDS:
            groups, place = placed(at)
            sums = [np.bincount(place, weights=column, minlength=len(groups)) for column in below.T]
            return groups, np.stack(sums, axis=1).astype(np.int64), place if by_persons else None
        keys = np.zeros((len(at), words), dtype=np.uint64)
        for a, field in enumerate(self._fields):
            keys[:, field.word] |= (at[:, a] - field.first).astype(np.uint64) << np.uint64(field.shift)
        found, counts = aggregate(keys, below)
        nodes = np.empty((len(found), at.shape[1]), dtype=np.int64)
        for a, field in enumerate(self._fields):
            code = (found[:, field.word] >> np.uint64(field.shift)) & np.uint64(field.mask)
            nodes[:, a] = code.astype(np.int64) + field.first
        return nodes, counts, None

    def _loss(self, nodes: Ints, groups: Groups, labels: Ints | None, gone: Mask) -> int:
        majority = None if labels is None else np.where(gone, 0, labels.max(axis=1, initial=0))
        cells = [costs[nodes[:, a]] for a, costs in enumerate(self._cells)]
        sums = self.metric.sums(np.where(gone, 0, groups.rows), majority, cells)
        return self.metric.loss(sums, int(groups.rows[gone].sum()))

    def recoding(self, specialized: Collection[int]) -> CutRecoding:
        """Return the cut as a recoding."""
        return CutRecoding(self.forest.cut(specialized))

    def refuse(self) -> NoSolutionError:
        """Return the error to raise if not even the most general cut is allowed."""
        return NoSolutionError(
            "not even the most general cut keeps the promise within the suppression allowed; ask for less"
        )


@dataclass(frozen=True)
class _Field:
    """Where an attribute's node lies in a group's key: its number less `first`."""

    first: int
    word: int
    shift: int
    mask: int


def _fields(attributes: list[int]) -> list[_Field]:
    """Return the fields of a key, side by side; none crosses a word."""
    fields: list[_Field] = []
    word = used = 0
    for a in range(max(attributes, default=-1) + 1):
        own = [i for i, of in enumerate(attributes) if of == a]
        bits = max((own[-1] - own[0]).bit_length(), 1)
        if used + bits > WORD:
            word, used = word + 1, 0
        fields.append(_Field(own[0], word, used, (1 << bits) - 1))
        used += bits
    return fields
