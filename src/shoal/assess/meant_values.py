"""Which original values released labels stand for, without a table of all labels by all values.

A table of many rows has thousands of amounts, and a release by groups thousands of intervals of them: as a
table of yes and no that takes more room than all rows. Along a good order of the values, though, an interval
is one run, and so is nearly every label of a hierarchy. Runs take room for the labels, and who needs single
values gets them in blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding, Stretch
from shoal.answers.recoding import Decision
from shoal.data.engine import Value
from shoal.describe.hierarchies import Hierarchy, Label

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

BLOCK = 1 << 20
"""So many values are listed at once, more only if a single run has more."""


@dataclass(frozen=True)
class MeantBlock:
    """Some runs, one after the other, with their values listed: run i of them begins at `starts[i]`."""

    runs: slice
    values: Ints
    starts: Ints


@dataclass(frozen=True, eq=False)
class MeantValues:
    """The values that each of so many `labels` stands for, as runs along an `order` of all values.

    Run i belongs to the label `of[i]` and holds the values `order[begins[i] : ends[i]]`, at least one. Labels
    rise from run to run, and no value is in two runs of the same label.
    """

    labels: int
    order: Ints
    of: Ints
    begins: Ints
    ends: Ints

    @cached_property
    def lengths(self) -> Ints:
        """How many values each run has."""
        return self.ends - self.begins

    @cached_property
    def sizes(self) -> Ints:
        """How many values each label stands for."""
        return np.diff(np.concatenate([[0], np.cumsum(self.lengths)])[self.firsts])

    @cached_property
    def firsts(self) -> Ints:
        """The first run of every label, and one more: label i has `firsts[i]` to `firsts[i + 1]`."""
        return np.searchsorted(self.of, np.arange(self.labels + 1)).astype(np.int64)

    def values(self, label: int) -> Ints:
        """Return the values of one label, rising."""
        runs = range(self.firsts[label], self.firsts[label + 1])
        parts = [self.order[self.begins[run] : self.ends[run]] for run in runs]
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)

    def holding(self, value: int) -> Mask:
        """Return which labels stand for a value."""
        at = self._places[value]
        inside: Mask = (self.begins <= at) & (at < self.ends)
        if len(self.of) == self.labels == len(np.unique(self.of)):
            return inside
        found = np.zeros(self.labels, dtype=np.bool_)
        found[self.of[inside]] = True
        return found

    @cached_property
    def _places(self) -> Ints:
        """The place of each value in the order."""
        places = np.empty(len(self.order), dtype=np.int64)
        places[self.order] = np.arange(len(self.order))
        return places

    def blocks(self, most: int = BLOCK) -> Iterator[MeantBlock]:
        """Yield all runs with their values, so many at once."""
        ends = np.cumsum(self.lengths)
        run = 0
        while run < len(ends):
            listed = int(ends[run - 1]) if run else 0
            last = max(int(np.searchsorted(ends, listed + most, side="right")), run + 1)
            lengths = self.lengths[run:last]
            starts = ends[run:last] - lengths - listed
            along = np.arange(int(lengths.sum())) + np.repeat(self.begins[run:last] - starts, lengths)
            yield MeantBlock(slice(run, last), self.order[along], starts)
            run = last

    def least(self, numbers: Floats) -> Floats:
        """Return the least of the values' numbers for every label; infinity for a label of no value."""
        found = np.full(self.labels, np.inf)
        # Of two stretches of 2^i values that cover a run together the least is that of the run.
        level, span = numbers[self.order], 1
        while len(level):
            here = np.flatnonzero((self.lengths >= span) & (self.lengths < 2 * span))
            least = np.minimum(level[self.begins[here]], level[self.ends[here] - span])
            np.minimum.at(found, self.of[here], least)
            level, span = np.minimum(level[:-span], level[span:]), 2 * span
        return found

    def mask(self) -> Mask:
        """Return which label stands for which value, all in one table."""
        found = np.zeros((self.labels, len(self.order)), dtype=np.bool_)
        for block in self.blocks():
            found[np.repeat(self.of[block.runs], self.lengths[block.runs]), block.values] = True
        return found

    def with_all(self) -> MeantValues:
        """Return the same with every label that stands for no value standing for all."""
        none = np.flatnonzero(self.sizes == 0)
        if not len(none) or not len(self.order):
            return self
        of = np.concatenate([self.of, none])
        sorted_by = np.argsort(of, kind="stable")
        begins = np.concatenate([self.begins, np.zeros(len(none), dtype=np.int64)])[sorted_by]
        ends = np.concatenate([self.ends, np.full(len(none), len(self.order))])[sorted_by]
        return MeantValues(self.labels, self.order, of[sorted_by], begins, ends)

    @classmethod
    def listed(cls, order: Ints, runs_of_labels: Iterable[Iterable[tuple[int, int]]]) -> MeantValues:
        """Return the runs that are listed for one label after the other; empty ones count for nothing."""
        runs: list[tuple[int, int, int]] = []
        labels = 0
        for label, own in enumerate(runs_of_labels):
            runs += [(label, begin, end) for begin, end in own if end > begin]
            labels = label + 1
        of, begins, ends = np.array(runs, dtype=np.int64).reshape(-1, 3).T
        return cls(labels, order, of, begins, ends)


def runs_of(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return different places as runs, rising.

    >>> runs_of([7, 2, 3, 1])
    [(1, 4), (7, 8)]
    """
    runs: list[tuple[int, int]] = []
    for place in sorted(places):
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def meant_values(
    decision: Decision, hierarchy: Hierarchy, name: str, texts: Sequence[Label], domain: Sequence[Value]
) -> MeantValues:
    """Return which labels stand for which values of the domain.

    A label that the hierarchy has on several levels stands for all that it may mean there, and a label
    that nobody can explain for every value: whoever knows less rules out less.
    """
    if None in domain:
        hierarchy = hierarchy.with_missing()
    meanings: Mapping[Label, Sequence[Label]] = {}
    if isinstance(decision.recoding, GroupRecoding):
        meanings = decision.recoding.meanings.get(name, {})
    rows = list(hierarchy.rows())
    lines = (one.line for one in meanings.values() if isinstance(one, Stretch))
    line = next(lines, None) or tuple(row[0] for row in rows)
    code = {value: i for i, value in enumerate(domain)}
    known = dict.fromkeys(value for value in line if value in code)
    order = np.array([code[value] for value in {**known, **dict.fromkeys(domain)}], dtype=np.int64)
    place = {domain[value]: at for at, value in enumerate(order.tolist())}
    below: dict[Label, set[int]] = {}
    for row in rows:
        if row[0] in place:
            for label in set(row):
                below.setdefault(label, set()).add(place[row[0]])
    along = _Along(line, place)

    def runs(label: Label) -> list[tuple[int, int]]:
        if label in meanings:
            return along.runs(meanings[label])
        return runs_of(below[label]) if label in below else [(0, len(domain))]

    return MeantValues.listed(order, (runs(label) for label in texts))


class _Along:
    """Finds the runs of what labels mean; those of stretches of one line without listing their values.

    The values of the line that are in the table come first in the order, as the line has them.
    """

    def __init__(self, line: tuple[Label, ...], place: Mapping[Value, int]) -> None:
        self._line, self._place = line, place
        there = [value in place for value in line]
        self._before = np.concatenate([[0], np.cumsum(there)]).astype(np.int64).tolist()

    def runs(self, meant: Sequence[Label]) -> list[tuple[int, int]]:
        place = self._place
        if not isinstance(meant, Stretch) or meant.line is not self._line:
            return runs_of({place[value] for value in meant if value in place})
        begin, end = self._before[meant.begin], self._before[meant.end]
        found = [(begin, end)]
        at = place.get(meant.other) if meant.missing else None
        if at is not None and not begin <= at < end:
            found.append((at, at + 1))
        return found
