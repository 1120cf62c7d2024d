"""What an attack works on: the release as everybody sees it, and the originals to judge success by.

An attacker sees the released rows, and knows what every label stands for: hierarchies are public, and an
interval or a set names its values. Success is judged by what the curator has: the original rows, and
which released group each of them is in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import BucketRecoding, Decision, GroupRecoding
from shoal.data.engine import Value
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.promise import Promise

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

SUPPRESSED = -1
FINER_IS_CHEAPER = frozenset({"LM", "NCP", "DM"})
"""Metrics by which a recoding costs less if some label of a group falls apart and no more is suppressed."""


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

    @property
    def rows(self) -> int:
        """How many persons there are, released or not."""
        return int(self.counts.sum())

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
    says which labels (rows) stand for which original values (columns). `spreads[s][p, v]` counts the
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
    covers: tuple[Mask, ...]
    seen: Seen
    crowd: Originals
    spreads: tuple[Ints, ...]
    secret_trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    coarse: frozenset[str] = frozenset()
    """Columns that may be coarser than need be: the study gives them a lowest level, or no weight."""
    of_persons: bool = False
    """Whether the study names persons, who may have several rows; attacks count rows."""

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

    def fitting(self, column: int) -> Mask:
        """Return which groups (rows) may hold which original values (columns) of a quasi column."""
        return np.asarray(self.covers[column][self.labels[:, column]], dtype=np.bool_)

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
            fits &= self.fits[column][:, value]
        return fits

    @cached_property
    def fits(self) -> tuple[Mask, ...]:
        """For each quasi column, which groups may hold which values, laid out for lookup by value."""
        return tuple(np.asfortranarray(self.fitting(a)) for a in range(len(self.quasi)))
