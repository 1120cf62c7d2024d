"""The input of a lattice search: the levels of every attribute, and the tally."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

Node = tuple[int, ...]
"""The level of every quasi attribute."""


@dataclass(frozen=True)
class Ladder:
    """One attribute's levels, for the values that occur in the data.

    `codes[level, value]` is the code of the value's label on that level, on level 0 the value itself;
    `covered[level, value]` is the number of the hierarchy's leaves below that label. The search moves from
    level `lo` to level `hi`. Metrics that add up the costs of cells multiply them by `weight`.
    """

    name: str
    codes: npt.NDArray[np.int32]
    covered: npt.NDArray[np.int64]
    leaves: int
    lo: int
    hi: int
    weight: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        # The tally's codes are used directly, so they must be the codes of level 0.
        if not (self.codes[0] == np.arange(self.codes.shape[1])).all():
            raise ValueError(f"the codes of {self.name} on level 0 are not its values")

    @property
    def height(self) -> int:
        """The level of the root, even if the search may not go there."""
        return len(self.codes) - 1


@dataclass(frozen=True)
class Problem:
    """The ladders, and for each distinct combination of values its codes and its number of rows.

    `labels`, if there is a class column, has one row per combination and one column per class. `value_rows`
    counts the rows of each attribute's values, if the combinations are coarser.
    """

    ladders: tuple[Ladder, ...]
    codes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64] | None = None
    value_rows: tuple[npt.NDArray[np.int64], ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi attributes."""
        return tuple(ladder.name for ladder in self.ladders)

    @property
    def bottom(self) -> Node:
        """The most specific node the search may visit."""
        return tuple(ladder.lo for ladder in self.ladders)

    @property
    def top(self) -> Node:
        """The most general node the search may visit."""
        return tuple(ladder.hi for ladder in self.ladders)

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        return prod(ladder.hi - ladder.lo + 1 for ladder in self.ladders)

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    @cached_property
    def marginals(self) -> tuple[npt.NDArray[np.int64], ...]:
        """For each attribute, how many rows have each value."""
        if self.value_rows is not None:
            return self.value_rows
        return tuple(
            np.bincount(self.codes[:, a], weights=self.counts, minlength=ladder.codes.shape[1]).astype(
                np.int64
            )
            for a, ladder in enumerate(self.ladders)
        )
