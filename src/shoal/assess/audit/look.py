"""What the checks look at, and the warnings they give."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells, Profile, Value
from shoal.data.opening import opened
from shoal.data.tally import take_tally
from shoal.describe.promise import Promise
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import show
from shoal.tabular import Shown

Ints = npt.NDArray[np.int64]

LEVELS = ("serious", "warning", "note")


@dataclass(frozen=True)
class AuditWarning(Shown):
    """One thing that a curator should know: a stable code, a level, and a plain sentence."""

    code: str
    level: str
    sentence: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the warning as documents show it."""
        return asdict(self)


@dataclass(frozen=True)
class Evidence:
    """What is known about a release.

    `table` is the released file, a frame, or an open engine. `others` are the released columns that are
    neither quasi nor sensitive, `untouched` the quasi columns that show every value as it was, `optimal`
    whether the solution is proven the best, and `drawn_from` from how many good solutions it was drawn at
    random.
    """

    table: Any
    promise: Promise
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    suppressed_rows: int = 0
    untouched: frozenset[str] = frozenset()
    optimal: bool = False
    drawn_from: int = 1


@dataclass(frozen=True)
class SensitiveSpread:
    """How a sensitive column is distributed over the groups, one entry per group and value in it.

    `groups[i]` is the entry's group, `codes[i]` its value as a place in `domain`, `counts[i]` its rows.
    `sizes` are the rows of each group and `totals` those of each value in the whole release.
    """

    column: str
    domain: tuple[Value, ...]
    groups: Ints
    codes: Ints
    counts: Ints
    sizes: Ints
    totals: Ints

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which entries have a value; a missing value is no secret."""
        return np.array([value is not None for value in self.domain], dtype=np.bool_)[self.codes]


class Released:
    """The released rows, opened and queried by set-oriented statements, never row by row."""

    def __init__(self, facts: Evidence) -> None:
        self.facts = facts
        self._rest = ExitStack()
        self._engine = self._rest.enter_context(opened(facts.table, AS_WRITTEN))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rest.close()

    @cached_property
    def groups(self) -> Cells:
        """The released groups and their sizes."""
        return self._engine.cells(self.facts.quasi)

    @property
    def rows(self) -> int:
        """How many rows are released."""
        return int(self.groups.counts.sum())

    @property
    def k(self) -> int:
        """The promised k, or the size of the smallest group if none is promised."""
        return self.facts.promise.k or int(self.groups.counts.min())

    @cached_property
    def spreads(self) -> tuple[SensitiveSpread, ...]:
        """The distribution of each sensitive column, except quasi ones, which the attacker knows anyway."""
        return tuple(
            self._spread(column) for column in self.facts.sensitive if column not in self.facts.quasi
        )

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        """What each released column contains."""
        return {profile.column: profile for profile in self._engine.profile(0)}

    def few_alike(self, *columns: str) -> tuple[int, int]:
        """Return how many rows are unique, and below k, to anyone who also knows these columns."""
        if not columns:
            sizes = self.groups.counts
            return int((sizes == 1).sum()), int(sizes[sizes < self.k].sum())
        return self._engine.few_alike([*self.facts.quasi, *columns], self.k)

    def name(self, group: int) -> str:
        """Return a group as sentences show it."""
        return "(" + ", ".join(show(value) for value in self.labels(group).values()) + ")"

    def labels(self, group: int) -> dict[str, Value]:
        """Return a group as details show it."""
        codes = self.groups.codes[group].tolist()
        return {
            column: domain[code]
            for column, domain, code in zip(self.groups.columns, self.groups.domains, codes, strict=True)
        }

    def _spread(self, column: str) -> SensitiveSpread:
        # Both are sorted by the quasi columns' codes, so the groups have the same numbers.
        tally = take_tally(self._engine, self.facts.quasi, [column])
        codes = tally.cell_codes[:, 0].astype(np.int64)
        totals = np.bincount(codes, weights=tally.cell_counts)
        return SensitiveSpread(
            column,
            tally.domain(column),
            tally.cell_combinations,
            codes,
            tally.cell_counts,
            self.groups.counts,
            totals.astype(np.int64),
        )
