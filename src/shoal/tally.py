"""The tally: distinct combinations of quasi-identifier values, and how many rows share each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.engines.base import Cells, Engine, Value
from shoal.engines.fingerprint import fingerprint


@dataclass(frozen=True)
class Tally:
    """Combinations of the quasi attributes, and below each its cells: how other columns are spread.

    `codes[i, a]` is the value of attribute a in combination i, as a place in `domains[a]`; `counts[i]`
    its rows. Cell j lies in combination `cell_combinations[j]`, has the values `cell_codes[j]` of the
    columns `others`, as places in `other_domains`, and `cell_counts[j]` rows.
    """

    attributes: tuple[str, ...]
    domains: tuple[tuple[Value, ...], ...]
    codes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    others: tuple[str, ...]
    other_domains: tuple[tuple[Value, ...], ...]
    cell_combinations: npt.NDArray[np.int64]
    cell_codes: npt.NDArray[np.int32]
    cell_counts: npt.NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        return len(self.counts)

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a column of the tally."""
        if column in self.others:
            return self.other_domains[self.others.index(column)]
        return self.domains[self.attributes.index(column)]

    def histogram(
        self, column: str, groups: npt.NDArray[np.int64] | None = None, count: int | None = None
    ) -> npt.NDArray[np.int64]:
        """Return how many rows of each combination, or of each group of combinations, have each value.

        `groups` gives the group of every combination, and `count` how many groups there are.
        """
        of = np.arange(len(self)) if groups is None else groups
        if column in self.others:
            of = of[self.cell_combinations]
            codes, rows = self.cell_codes[:, self.others.index(column)], self.cell_counts
        else:
            codes, rows = self.codes[:, self.attributes.index(column)], self.counts
        width = len(self.domain(column))
        height = len(self) if count is None else count
        # Weights are added as doubles: exact up to 2^53 rows.
        flat = np.bincount(of * width + codes, weights=rows, minlength=height * width)
        return flat.astype(np.int64).reshape(height, width)

    def in_cells(self, column: str) -> npt.NDArray[np.int32]:
        """Return the value of a column in each cell, as places in its domain."""
        if column in self.others:
            return self.cell_codes[:, self.others.index(column)]
        codes: npt.NDArray[np.int32] = self.codes[:, self.attributes.index(column)][
            self.cell_combinations
        ]
        return codes

    def combinations(self) -> list[tuple[Value, ...]]:
        """Return every combination as its values."""
        columns = [
            np.array(domain, dtype=object)[self.codes[:, a]].tolist()
            for a, domain in enumerate(self.domains)
        ]
        return list(zip(*columns, strict=True))

    def where(self, mask: npt.NDArray[np.bool_]) -> Tally:
        """Return the tally of some of the combinations."""
        place = np.cumsum(mask) - 1
        cells = mask[self.cell_combinations]
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[mask]),
            counts=self.counts[mask],
            cell_combinations=place[self.cell_combinations[cells]],
            cell_codes=np.ascontiguousarray(self.cell_codes[cells]),
            cell_counts=self.cell_counts[cells],
        )

    def totals(self, column: str) -> npt.NDArray[np.int64]:
        """Return how many rows have each value of a column."""
        everything = self.histogram(column, np.zeros(len(self), dtype=np.int64), 1)
        return everything.reshape(-1)

    def fingerprint(self) -> str:
        """Return a digest that is the same for the same rows, wherever they lie."""
        codes = np.hstack([self.codes[self.cell_combinations], self.cell_codes])
        domains = (*self.domains, *self.other_domains)
        return fingerprint(Cells((*self.attributes, *self.others), domains, codes, self.cell_counts))


def take_tally(engine: Engine, attributes: Sequence[str], others: Sequence[str] = ()) -> Tally:
    """Return the tally of a table over its quasi attributes and some other columns."""
    others = tuple(column for column in others if column not in attributes)
    cells = engine.cells([*attributes, *others])
    width = len(attributes)
    codes = cells.codes[:, :width]
    # The cells come in the order of their codes, so those of one combination stand together.
    first = np.ones(len(codes), dtype=np.bool_)
    if len(codes):
        first[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    counts = np.add.reduceat(cells.counts, starts) if len(starts) else cells.counts[:0]
    return Tally(
        tuple(attributes),
        cells.domains[:width],
        np.ascontiguousarray(codes[starts]),
        counts,
        others,
        cells.domains[width:],
        np.cumsum(first) - 1,
        np.ascontiguousarray(cells.codes[:, width:]),
        cells.counts,
    )
