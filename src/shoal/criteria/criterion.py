"""What a privacy criterion is: a condition that every released group must meet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from shoal.data.person_rows import PersonRows, Weights
from shoal.data.tally import Tally
from shoal.errors import show

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Groups:
    """Groups of rows with the same released quasi values: their persons, and their sensitive values.

    `sizes` counts the distinct persons of each group. That is also its number of rows where every row is
    a person; otherwise `counted_rows` has that. `histograms[column]` says what each value weighs in each
    group, in the order of the column's domain. A person weighs one in a group, spread evenly over their
    rows in it; a group's weights are whole numbers of a unit of its own, which add up to
    `totals(column)`. `population` counts the persons of the population in each group, if a criterion
    needs them.

    If persons have several rows, `whose[column]` says whose they are: its cell g * width + v is value v
    in group g. Then `whole[column]` is what each value weighs in all released rows, if more groups than
    these are released.
    """

    sizes: Ints
    histograms: Mapping[str, Any] = field(default_factory=dict)
    population: Ints | None = None
    counted_rows: Ints | None = None
    whose: Mapping[str, PersonRows] = field(default_factory=dict)
    whole: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tally: Tally,
        of: Ints,
        count: int,
        columns: Iterable[str] = (),
        population: Ints | None = None,
    ) -> Groups:
        """Return groups of a tally's combinations, given the group of each and how many there are."""
        rows = np.bincount(of, weights=tally.counts, minlength=count).astype(np.int64)
        if tally.persons is None:
            return cls(rows, {name: tally.histogram(name, of, count) for name in columns}, population)
        whose, weights = {}, {}
        for name in columns:
            width = len(tally.domain(name))
            tally.check_memory(32 * count * width, f"weighing the values of {show(name)} in each group")
            places = of[tally.cell_combinations] * width + tally.in_cells(name)
            whose[name] = tally.persons.regrouped(places, count * width)
            weights[name] = weighed(whose[name], count).counts
        return cls(tally.people_in(of, count), weights, population, rows, whose)

    @property
    def rows(self) -> Ints:
        """The rows of each group."""
        return self.sizes if self.counted_rows is None else self.counted_rows

    def totals(self, column: str) -> Any:
        """Return what all values of a column weigh together in each group, in the group's unit."""
        return self.histograms[column].sum(axis=1) if column in self.whose else self.sizes

    def together(self, column: str) -> Any:
        """Return what each value weighs in all released rows as one group, where persons are weighed."""
        if column in self.whole:
            return self.whole[column]
        return weighed_together(self.whose[column], self.histograms[column].shape[1])

    def __len__(self) -> int:
        return len(self.sizes)

    def where(self, mask: Mask) -> Groups:
        """Return some of the groups."""
        place = np.where(mask, np.cumsum(mask) - 1, -1)
        count = int(mask.sum())
        whose = {}
        for column, persons in self.whose.items():
            width = self.histograms[column].shape[1]
            places = np.where(mask, place * width, -width)[:, None] + np.arange(width)
            whose[column] = persons.regrouped(places.reshape(-1), count * width)
        return Groups(
            self.sizes[mask],
            {column: histogram[mask] for column, histogram in self.histograms.items()},
            None if self.population is None else self.population[mask],
            None if self.counted_rows is None else self.counted_rows[mask],
            whose,
        )


def weighed(whose: PersonRows, count: int) -> Weights:
    """Return what values weigh in groups, given whose rows are in each group and value."""
    width = len(whose.cell_persons) // max(count, 1)
    groups, values = np.divmod(np.arange(len(whose.cell_persons)), max(width, 1))
    return whose.weights(groups, count, values, width)


def weighed_together(whose: PersonRows, width: int) -> Any:
    """Return what values weigh in all groups together."""
    values = np.arange(len(whose.cell_persons)) % max(width, 1)
    return whose.weights(np.zeros_like(values), 1, values, width).counts[0]


class Criterion(ABC):
    """A privacy criterion over groups of rows. Three facts say what a search may rely on.

    `monotone`: if every group of a table keeps it, so does every group after groups are merged. Then, if no
    row is suppressed, every generalization of an allowed node is allowed.

    `monotone_with_suppression`: a group keeps it if a part of the group does. Then generalizing a
    node never adds to the rows in groups that break it, so with a limit on suppressed rows every
    generalization of an allowed node is allowed too. It implies `monotone`.

    `local`: a group is judged by itself, whatever the other groups are.
    """

    name: ClassVar[str]
    monotone_with_suppression: ClassVar[bool]
    local: ClassVar[bool] = True

    @property
    def monotone(self) -> bool:
        """Whether merging groups that keep it keeps it."""
        return True

    @abstractmethod
    def kept(self, groups: Groups) -> Mask:
        """Return which groups keep it, if exactly these groups are released."""

    def least_gone(self, groups: Groups, limit: int) -> Ints:
        """Return how many rows of each group are suppressed at least, if it is released in finer groups.

        At most `limit` rows are suppressed in all. A group that breaks a local criterion which is monotone
        with suppression is suppressed whole: no part of it keeps the criterion.
        """
        if self.local and self.monotone_with_suppression:
            return np.where(self.kept(groups), 0, groups.rows)
        return np.zeros(len(groups), dtype=np.int64)


@dataclass(frozen=True)
class Weighing(Criterion):
    """A criterion about shares of persons; `spread` says whether one person may be in several groups.

    What such a person weighs does not add up when groups are merged: in a group of p, who has a, and q, who
    has b, and in one of r, who has a, and the same q, the value a has a share of 1/2; merged it has 2/3. So
    what holds for averages of groups does not hold then, and the criterion is not monotone.
    """

    spread: bool = field(default=False, kw_only=True)

    @property
    def monotone(self) -> bool:
        """Whether merging groups that keep it keeps it: yes if nobody is in several of them."""
        return not self.spread


def at_most(counts: Any, share: Fraction, totals: Any) -> Mask:
    """Return where counts <= share * totals, computed exactly in integers."""
    within = times(counts, share.denominator) <= times(totals, share.numerator)
    return np.asarray(within, dtype=np.bool_)


def times(counts: Any, factor: int) -> Any:
    """Return counts times a factor, as Python integers if 64 bits are too few."""
    if int(np.abs(counts).max(initial=0)) * abs(factor) < 1 << 63:
        return counts * factor
    return counts.astype(object) * factor


def monotone(criteria: Sequence[Criterion], limit: int) -> bool:
    """Return whether merging never breaks the criteria nor, with a limit, makes more rows break them."""
    if limit == 0:
        return all(criterion.monotone for criterion in criteria)
    return all(criterion.monotone_with_suppression for criterion in criteria)


def broken(groups: Groups, criteria: Sequence[Criterion]) -> Mask:
    """Return which groups must be suppressed so that the others keep every criterion.

    If a criterion compares a group with all released rows, suppressing some changes what the others are
    compared with: groups are suppressed until all others keep it. With local criteria no other choice
    suppresses fewer.
    """
    gone = np.zeros(len(groups), dtype=np.bool_)
    while True:
        stay = np.flatnonzero(~gone)
        if not len(stay):
            return gone
        rest = groups if len(stay) == len(groups) else groups.where(~gone)
        kept = np.ones(len(stay), dtype=np.bool_)
        for criterion in criteria:
            kept &= criterion.kept(rest)
        if kept.all():
            return gone
        gone[stay[~kept]] = True
        if all(criterion.local for criterion in criteria):
            return gone
