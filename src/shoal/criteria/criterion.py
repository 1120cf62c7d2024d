"""What a privacy criterion is: a condition that every released group must meet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Groups:
    """Groups of rows with the same released quasi values: their sizes, and their sensitive values.

    `histograms[column]` has one row per group and one column per value, in the order of the column's domain.
    `population` counts the rows of the population that fall into each group, if a criterion needs them.
    """

    sizes: Ints
    histograms: Mapping[str, Ints] = field(default_factory=dict)
    population: Ints | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    def where(self, mask: Mask) -> Groups:
        """Return some of the groups."""
        return Groups(
            self.sizes[mask],
            {column: histogram[mask] for column, histogram in self.histograms.items()},
            None if self.population is None else self.population[mask],
        )


class Criterion(ABC):
    """A privacy criterion over groups of rows. Three facts say what a search may rely on.

    `monotone`: if every group of a table keeps it, so does every group after groups are merged. Then, if no
    row is suppressed, a generalization of an allowed node is allowed.

    `monotone_with_suppression`: a group keeps it if a part of the group does. Then the rows in groups that
    break it only become fewer when a node is generalized, and with a limit of rows that may be suppressed a
    generalization of an allowed node is allowed too. It implies `monotone`.

    `local`: a group is judged by itself, whatever the other groups are.
    """

    name: ClassVar[str]
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool]
    local: ClassVar[bool] = True

    @abstractmethod
    def kept(self, groups: Groups) -> Mask:
        """Return which groups keep it, if exactly these groups are released."""


def at_most(counts: Ints, share: Fraction, totals: Ints) -> Mask:
    """Return where counts <= share * totals, computed exactly in integers."""
    return times(counts, share.denominator) <= times(totals, share.numerator)


def times(counts: Ints, factor: int) -> npt.NDArray[np.int64]:
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
