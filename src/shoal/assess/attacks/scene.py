"""What an attack works on: the release as everybody sees it, and the originals to judge success by.

An attacker sees the released rows, and knows what every label stands for: hierarchies are public, and an
interval or a set names its values. Success is judged by what the curator has: the original rows, and
which released group each of them is in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.recoding import BucketRecoding, Decision
from shoal.assess.attacks.crowd_persons import CrowdPersons
from shoal.assess.meant_values import MeantValues
from shoal.data.engine import Value
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.promise import Promise

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

SUPPRESSED = -1
MOST_CELLS = 4_000_000
"""So many groups times values of a column are looked up in a table; with more, each value is looked for."""


@dataclass(frozen=True)
class Seen:
    """The released rows, as distinct ones with their counts.

    `groups[i]` is the group of row i, `others[i]` its values of the columns that are released unchanged,
    `pools[i]` where its sensitive value is drawn from: its group, or its bucket in Anatomy.
    """

    groups: Ints
    others: Ints
    pools: Ints
    counts: Ints


@dataclass(frozen=True)
class Originals:
    """The original rows, as distinct ones with their counts: what the curator knows.

    `values[i]` are the quasi values of row i, `others[i]` what is released unchanged of it, `secrets[i]`
    its sensitive values, `groups[i]` the released group that it belongs to, or `SUPPRESSED`.
    """

    values: Ints
    others: Ints
    secrets: Ints
    groups: Ints
    counts: Ints
    persons: CrowdPersons | None = None
    """Whose rows they are, if persons have several; else every row is a person."""

    @property
    def rows(self) -> int:
        """How many rows there are, released or not."""
        return int(self.counts.sum())

    @property
    def total(self) -> int:
        """How many persons there are, released or not."""
        return self.rows if self.persons is None else self.persons.total

    def owners(self, which: Mask) -> int:
        """Return how many persons have a row among some of these."""
        if self.persons is None:
            return int(self.counts[which].sum())
        return self.persons.among(which)

    def drawn(self, draw: np.random.Generator, most: int) -> list[Ints]:
        """Return at most `most` persons, or all of them: for each the places of the rows."""
        if self.persons is None:
            return [np.array([place]) for place in self.draw(draw, most).tolist()]
        return [self.persons.entries(person) for person in self.persons.draw(draw, most).tolist()]

    def draw(self, draw: np.random.Generator, most: int) -> Ints:
        """Return the places of at most `most` rows, drawn without replacement, or of all rows."""
        if self.rows <= most:
            return np.repeat(np.arange(len(self.counts)), self.counts)
        rows = draw.choice(self.rows, size=most, replace=False)
        return np.searchsorted(np.cumsum(self.counts), np.sort(rows), side="right").astype(np.int64)


@dataclass(frozen=True)
class Scene:
    """A release under attack.

    `labels[g, a]` is the label of group g in quasi column a, as a place in `label_texts[a]`; `covers[a]`
    says which labels stand for which original values. `spreads[s][p, v]` counts the
    rows of pool p with value v of sensitive column s. `decision` is what the curator carried out.
    """

    quasi: tuple[str, ...]
    others: tuple[str, ...]
    sensitive: tuple[str, ...]
    promise: Promise
    decision: Decision
    hierarchies: Mapping[str, Hierarchy]
    domains: tuple[tuple[Value, ...], ...]
    other_domains: tuple[tuple[Value, ...], ...]
    secret_domains: tuple[tuple[Value, ...], ...]
    label_texts: tuple[tuple[Label, ...], ...]
    labels: Ints
    sizes: Ints
    covers: tuple[MeantValues, ...]
    seen: Seen
    crowd: Originals
    spreads: tuple[Ints, ...]
    secret_trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    coarse: frozenset[str] = frozenset()
    """Columns that may be coarser than need be: they have a lowest level, no weight, or one level in all
    groups."""
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    """What columns weigh in the loss, where it is not 1."""

    @property
    def of_persons(self) -> bool:
        """Whether some persons have several rows."""
        return self.crowd.persons is not None

    @property
    def who(self) -> str:
        """What an attack that looks at rows one by one counts: persons, if each has one."""
        return "row" if self.of_persons else "person"

    @property
    def whom(self) -> str:
        """What an attack that knows whose rows are whose counts: persons, and rows where each has one."""
        return "person" if self.of_persons else "row"

    @cached_property
    def owners(self) -> Ints:
        """How many persons have a row in each released group."""
        if self.crowd.persons is None:
            return self.sizes
        groups = np.where(self.crowd.groups < 0, len(self.sizes), self.crowd.groups)
        return self.crowd.persons.rows.in_groups(groups, len(self.sizes) + 1)[:-1]

    def fit_anyone(self, groups: Mask) -> int:
        """Return how many persons have a released row in some of these groups."""
        if self.crowd.persons is None:
            return int(self.sizes[groups].sum())
        inside = np.append(groups, False)[self.crowd.groups]
        return self.crowd.persons.among(inside)

    @property
    def rows(self) -> int:
        """How many rows are released."""
        return int(self.sizes.sum())

    @property
    def buckets(self) -> bool:
        """Whether it is a release by Anatomy."""
        return isinstance(self.decision.recoding, BucketRecoding)

    @property
    def grouped(self) -> bool:
        """Whether values may be recoded differently in different groups."""
        return isinstance(self.decision.recoding, GroupRecoding)

    def tree(self, column: int) -> Hierarchy:
        """Return the hierarchy of a quasi column, with the missing value if the column has it."""
        hierarchy = self.hierarchies[self.quasi[column]]
        return hierarchy.with_missing() if None in self.domains[column] else hierarchy

    def fitting(self, column: int) -> Mask:
        """Return which groups (rows) may hold which original values (columns) of a quasi column."""
        return np.asarray(self.covers[column].mask()[self.labels[:, column]], dtype=np.bool_)

    @cached_property
    def combinations(self) -> tuple[Ints, Ints]:
        """The distinct combinations of quasi values in the crowd, and which one each row has."""
        found, places = np.unique(self.crowd.values, axis=0, return_inverse=True)
        return found, places.reshape(-1)

    @cached_property
    def members(self) -> Ints:
        """How many original rows belong to each group, released or not."""
        inside = self.crowd.groups != SUPPRESSED
        counts, groups = self.crowd.counts[inside], self.crowd.groups[inside]
        return np.bincount(groups, weights=counts, minlength=len(self.sizes)).astype(np.int64)

    def candidates(self, values: Ints, columns: Sequence[int]) -> Mask:
        """Return the groups that fit what is known: some values of these quasi columns."""
        fits = np.ones(len(self.sizes), dtype=np.bool_)
        for value, column in zip(values.tolist(), columns, strict=True):
            fits &= self.fits(column, value)
        return fits

    def fits(self, column: int, value: int) -> Mask:
        """Return which groups may hold a value of a quasi column."""
        table = self._tables[column]
        if table is not None:
            return np.asarray(table[:, value], dtype=np.bool_)
        return np.asarray(self.covers[column].holding(value)[self.labels[:, column]], dtype=np.bool_)

    @cached_property
    def _tables(self) -> tuple[Mask | None, ...]:
        """For each quasi column, which groups may hold which values, laid out for lookup by value; None where
        that would take much room.
        """
        sizes = [len(self.sizes) * len(domain) for domain in self.domains]
        return tuple(
            np.asfortranarray(self.fitting(a)) if size <= MOST_CELLS else None
            for a, size in enumerate(sizes)
        )
