"""The combinations of a table of which cells may be blanked, and what those that show the same must have."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.coding import placed
from shoal.data.person_rows import PersonRows
from shoal.kernels import CellChoices, enough_alike
from shoal.search.kernel_persons import as_given

Ints = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Need:
    """Rows that show the same must be those of at least so many: of persons, or of values."""

    least: int
    whose: PersonRows | None
    rows: Ints

    def counted(self, of: Ints) -> Ints:
        """Return how many each group has, given the group of every combination."""
        count = int(of.max(initial=-1)) + 1
        if self.whose is None:
            return np.bincount(of, weights=self.rows, minlength=count).astype(np.int64)
        return self.whose.in_groups(of, count)

    @cached_property
    def own(self) -> Ints:
        """How many each combination has."""
        return self.counted(np.arange(len(self.rows)))

    @cached_property
    def several(self) -> list[frozenset[int]]:
        """For each combination, those that have rows in others, too."""
        found: list[set[int]] = [set() for _ in self.rows]
        if self.whose is not None:
            for c, one in zip(self.whose.cells.tolist(), self.whose.persons.tolist(), strict=True):
                found[c].add(one)
        return [frozenset(one) for one in found]


@dataclass(frozen=True)
class CellTable:
    """Combinations of values, their rows, the weights of columns, and the sets that are known (bits).

    Each row is another person's, unless `whose` tells. `values` are for each sensitive column that l is asked
    of: l, and where each value occurs, as if it were a person with rows there. So l values are counted as k
    persons are.
    """

    codes: npt.NDArray[np.int32]
    rows: Ints
    weights: tuple[int, ...]
    sets: tuple[int, ...]
    free: int
    k: int
    whose: PersonRows | None = None
    values: tuple[tuple[int, PersonRows], ...] = ()

    @classmethod
    def of(
        cls,
        codes: npt.NDArray[np.int32],
        rows: npt.ArrayLike,
        weights: Sequence[int],
        sets: Sequence[Sequence[str]],
        free: int,
        k: int,
        names: Sequence[str],
        whose: PersonRows | None = None,
        values: Sequence[tuple[int, PersonRows]] = (),
    ) -> CellTable:
        """Return a table, given the known sets by names; columns that nobody knows stay as they are."""
        bits = tuple(sum(1 << names.index(name) for name in one) for one in sets)
        counted = np.asarray(rows).round().astype(np.int64)
        known = 0
        for one in bits:
            known |= one
        return cls(codes, counted, tuple(weights), bits, free & known, k, whose, tuple(values))

    def choices(self, many: int, *, minimal: bool, seconds: float) -> CellChoices:
        """Return which columns the combinations that stand out can do without, at most so many for each."""
        rows, weights, sets = self.rows[:, None], list(self.weights), list(self.sets)
        asked = (self.free, self.k, many, minimal, seconds)
        return CellChoices(self.codes, rows, weights, sets, *asked, *self._given)

    @cached_property
    def _given(self) -> tuple[Any, Any]:
        """Persons and values as the kernels take them."""
        persons = None if self.whose is None else as_given(self.whose)
        return persons, [(least, *as_given(of)) for least, of in self.values]

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """What rows must show together: k persons, and l values of each column that l is asked of."""
        return (Need(self.k, self.whose, self.rows), *(Need(*one, self.rows) for one in self.values))

    def enough(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Return which groups meet every need, given the group of every combination."""
        kept = [need.counted(of) >= need.least for need in self.needs]
        return np.asarray(np.logical_and.reduce(kept))

    def joint(self) -> CellTable:
        """Return the same table for somebody who knows all the sets together."""
        known = 0
        for one in self.sets:
            known |= one
        return replace(self, sets=(known,))

    @cached_property
    def bits(self) -> list[int]:
        """The columns that may be blanked."""
        return [a for a in range(len(self.weights)) if self.free >> a & 1]

    def price(self, mask: int) -> int:
        """Return what a row costs if these columns are blanked."""
        return sum(weight for a, weight in enumerate(self.weights) if mask >> a & 1)

    def cost(self, masks: Masks) -> int:
        """Return what blanked columns cost in all."""
        return sum(
            self.price(mask) * rows
            for mask, rows in zip(masks.tolist(), self.rows.tolist(), strict=True)
        )

    def contents(self, known: int, masks: Masks) -> Ints:
        """Return what each combination shows of known columns, as numbers; a blank is a value of its own."""
        of: Ints = placed(self._shown(masks)[:, self._columns(known)])[1]
        return of

    def _columns(self, known: int) -> list[int]:
        return [a for a in range(len(self.weights)) if known >> a & 1]

    def _shown(self, masks: Masks) -> npt.NDArray[np.int32]:
        """Return what each combination shows, as numbers from 1 up; a blank is 0."""
        columns = np.arange(len(self.weights), dtype=np.uint64)
        shown = self.codes + 1
        shown[(masks[:, None] >> columns) & np.uint64(1) > 0] = 0
        return shown

    def keeps(self, masks: Masks, *, wildcard: bool) -> bool:
        """Return whether every row shows what enough show; if `wildcard`, a blank is like any value."""
        shown = np.asfortranarray(self._shown(masks))
        for known in self.sets:
            here = shown[:, self._columns(known)]
            of = placed(here)[1]
            enough = self.enough(of)
            if enough.all():
                continue
            few = np.flatnonzero(~enough[of]).tolist()
            blanks = np.ascontiguousarray(here - 1)
            if not wildcard or not enough_alike(blanks, self.rows[:, None], self.k, few, *self._given):
                return False
        return True

    def masks(self) -> Iterator[tuple[int, int]]:
        """Yield every set of columns that may be blanked and its price, the cheapest first."""
        order = sorted(self.bits, key=lambda a: self.weights[a])
        heap = [(0, 0, -1)]
        while heap:
            price, mask, last = heapq.heappop(heap)
            yield mask, price
            if last + 1 < len(order):
                more, bit = self.weights[order[last + 1]], 1 << order[last + 1]
                heapq.heappush(heap, (price + more, mask | bit, last + 1))
                if last >= 0:
                    old = order[last]
                    heapq.heappush(
                        heap, (price + more - self.weights[old], mask & ~(1 << old) | bit, last + 1)
                    )
