"""Judges groups of points where persons have several rows.

What a person weighs in a group depends on all their rows in it, so nothing adds up from point to point:
every group that is asked about is counted from its cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.criteria import Criterion, Groups
from shoal.criteria.criterion import weighed_together
from shoal.data.person_rows import PersonRows
from shoal.errors import show
from shoal.search.task import Task

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lists:
    """Lists of numbers, one list for each of some things, stored end to end."""

    numbers: Ints
    starts: Ints

    @classmethod
    def by(cls, owner: Ints, count: int) -> Lists:
        """Return the places of each of `count` owners; owners below 0 are ignored."""
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(count + 1))
        return cls(order, starts)

    def of(self, things: Ints) -> tuple[Ints, Ints]:
        """Return the numbers of some things, and for each number the place of its thing among those."""
        widths = self.starts[things + 1] - self.starts[things]
        whose = np.repeat(np.arange(len(things)), widths)
        within = np.arange(len(whose)) - np.repeat(np.cumsum(widths) - widths, widths)
        return self.numbers[self.starts[things][whose] + within], whose


@dataclass(frozen=True)
class PersonJudge:
    """Says whether ranges of kept points may be groups, counting each person once in each of them."""

    task: Task
    criteria: Sequence[Criterion]
    persons: PersonRows
    combinations: Lists
    """Of every kept point."""
    cells: Lists
    """Of every combination."""
    entries: Lists
    """The places of every cell in the list of persons."""
    whole: Mapping[str, Any]
    """What each sensitive value weighs in all kept points as one group."""
    crowd: Ints | None = None
    """The population's persons of each combination, if the promise is about them."""

    @classmethod
    def of(
        cls,
        task: Task,
        criteria: Sequence[Criterion],
        point_of: Ints,
        kept: npt.NDArray[np.bool_],
        crowd: Ints | None = None,
    ) -> PersonJudge:
        """Return the judge of a task's points.

        Criteria that compare a group with all released rows compare it with all kept points: whatever the
        groups are, these are released. A person weighs one there, however many points have their rows.
        """
        tally = task.tally
        assert tally.persons is not None
        place = np.where(kept, np.cumsum(kept) - 1, -1)[point_of]
        stays, whole = place[tally.cell_combinations] >= 0, {}
        for name in task.sensitive:
            width = len(tally.domain(name))
            values = np.where(stays, tally.in_cells(name), -1)
            whole[name] = weighed_together(tally.persons.regrouped(values, width), width)
        return cls(
            task,
            criteria,
            tally.persons,
            Lists.by(place, int(kept.sum())),
            Lists.by(tally.cell_combinations, len(tally)),
            Lists.by(tally.persons.cells, len(tally.cell_counts)),
            whole,
            crowd,
        )

    def __call__(
        self, members: npt.NDArray[np.int32], begins: Ints, ends: Ints
    ) -> npt.NDArray[np.bool_]:
        """Return which ranges of members keep all criteria."""
        widths = (ends - begins)[:, 0]
        group = np.repeat(np.arange(len(widths)), widths)
        within = np.arange(len(group)) - np.repeat(np.cumsum(widths) - widths, widths)
        points = members[begins[:, 0][group] + within, 0].astype(np.int64)
        groups = self._groups(points, group, len(widths))
        kept = np.ones(len(groups), dtype=np.bool_)
        for criterion in self.criteria:
            kept &= criterion.kept(groups)
        return np.ascontiguousarray(kept)

    def _groups(self, points: Ints, group: Ints, count: int) -> Groups:
        """Return groups of points; a point may be in several."""
        tally = self.task.tally
        combinations, at = self.combinations.of(points)
        cells, combination = self.cells.of(combinations)
        entries, cell = self.entries.of(cells)
        of_combination = group[at]
        of_cell = of_combination[combination]
        persons, rows, of_entry = (
            self.persons.persons[entries],
            self.persons.rows[entries],
            of_cell[cell],
        )
        alone = self.persons.cell_persons[cells]
        # Persons of several cells count once in each group that has rows of theirs.
        pairs = np.sort(of_entry * self.persons.spread + persons)
        distinct = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]
        several = np.bincount(distinct // max(self.persons.spread, 1), minlength=count)
        sizes = np.bincount(of_cell, weights=alone, minlength=count).astype(np.int64) + several
        whose, weights = {}, {}
        for name in self.task.sensitive:
            width = len(tally.domain(name))
            tally.check_memory(32 * count * width, f"weighing the values of {show(name)} in each group")
            values = tally.in_cells(name)[cells]
            whose[name] = (of_cell * width + values, count * width, alone, cell, persons, rows)
            listed = PersonRows(alone, cell, persons, rows)
            weights[name] = listed.weights(of_cell, count, values, width).counts
        population = None
        if self.crowd is not None:
            inside = self.crowd[combinations]
            population = np.bincount(of_combination, weights=inside, minlength=count).astype(np.int64)
        return Groups(
            sizes,
            weights,
            population,
            np.bincount(of_combination, weights=tally.counts[combinations], minlength=count).astype(
                np.int64
            ),
            _Listed(whose),
            self.whole,
        )


class _Listed(Mapping[str, PersonRows]):
    """Whose rows are in each group and value of a column, listed when a criterion asks for them."""

    def __init__(self, parts: Mapping[str, tuple[Any, ...]]) -> None:
        self._parts = parts
        self._found: dict[str, PersonRows] = {}

    def __getitem__(self, column: str) -> PersonRows:
        if column not in self._found:
            places, size, alone, cell, persons, rows = self._parts[column]
            counts = np.bincount(places, weights=alone, minlength=size).astype(np.int64)
            self._found[column] = PersonRows.listed(counts, places[cell], persons, rows)
        return self._found[column]

    def __contains__(self, column: object) -> bool:
        return column in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)
