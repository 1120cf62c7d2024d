"""The input of a lattice search: the levels of every attribute, and the tally."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from shoal.data.coding import placed
from shoal.data.person_rows import PersonRows
from shoal.data.tally.of_persons import OfPersons
from shoal.numbers import many

Node = tuple[int, ...]
"""The level of every quasi attribute."""


def places_of(nodes: Iterable[Node]) -> dict[Node, list[int]]:
    """Return where each node stands, so that what is asked about it is counted once.

    >>> places_of([(0, 1), (2, 2), (0, 1)])
    {(0, 1): [0, 2], (2, 2): [1]}
    """
    found: dict[Node, list[int]] = {}
    for i, node in enumerate(nodes):
        found.setdefault(node, []).append(i)
    return found


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
class Problem(OfPersons):
    """The ladders, and for each distinct combination of values its codes and its number of rows.

    `labels`, if there is a class column, has one row per combination and one column per class. `value_rows`
    counts the rows of each attribute's values, if the combinations are coarser, and `value_labels` those of
    each value and class. `persons` tells whose rows are in each combination; without it every row is a
    person.
    """

    ladders: tuple[Ladder, ...]
    codes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64] | None = None
    value_rows: tuple[npt.NDArray[np.int64], ...] | None = None
    persons: PersonRows | None = None
    value_labels: tuple[npt.NDArray[np.int64], ...] | None = None

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

    @property
    def in_combinations(self) -> PersonRows | None:
        """Whose rows are in each combination, if some person has several."""
        return self.persons

    def lost_below(self, points: Sequence[tuple[Node, int]]) -> list[int | None]:
        """Return, for each node and k, of how many persons no row is left if the classes of fewer go."""
        lost: list[int | None] = [None] * len(points)
        if self.persons is None:
            return lost
        columns = np.ascontiguousarray(self.codes.T)
        for node, here in places_of(node for node, _ in points).items():
            # A column in which all have one label tells none apart.
            told = [(a, ladder.codes[level]) for a, (ladder, level) in self._levels(node)]
            at = [codes[columns[a]] for a, codes in told if codes.any()]
            found, place = placed(np.array(at, dtype=np.int32).reshape(-1, len(self.codes)).T)
            persons = self.people_in(place, len(found))[place]
            for i in here:
                lost[i] = self.lost(persons < points[i][1])
        return lost

    @property
    def pairs(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
        """The persons as kernels take them: those of one combination, and pairs of combination and person."""
        if self.persons is None:
            return None
        pairs = np.stack([self.persons.cells, self.persons.persons], axis=1)
        return self.persons.cell_persons[:, None], np.ascontiguousarray(pairs)

    def on(self, node: Node) -> Problem:
        """Return the problem with one combination for each class of a node, so that persons are fewer too."""
        at = [ladder.codes[level][self.codes[:, a]] for a, (ladder, level) in self._levels(node)]
        return self._grouped(np.stack(at, axis=1))

    def part(self, columns: Sequence[int]) -> Problem:
        """Return the problem over some of the columns, in this order."""
        whole = self._grouped(np.ascontiguousarray(self.codes[:, columns]))
        return replace(
            whole,
            ladders=tuple(self.ladders[a] for a in columns),
            codes=np.ascontiguousarray(whole.codes[:, columns]),
            value_rows=tuple(self.marginals[a] for a in columns),
            value_labels=self.labels_of_values and tuple(self.labels_of_values[a] for a in columns),
        )

    def _grouped(self, by: npt.NDArray[np.int32]) -> Problem:
        """Return the problem with one combination for those that agree in what they are grouped by."""
        found, place = placed(by)
        first = np.zeros(len(found), dtype=np.int64)
        first[place[::-1]] = np.arange(len(place))[::-1]
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[first]),
            counts=_added(place, self.counts[:, None], len(found))[:, 0],
            labels=None if self.labels is None else _added(place, self.labels, len(found)),
            value_rows=self.marginals,
            value_labels=self.labels_of_values,
            persons=self.persons and self.persons.regrouped(place, len(found)),
        )

    def _levels(self, node: Node) -> Iterator[tuple[int, tuple[Ladder, int]]]:
        return enumerate(zip(self.ladders, node, strict=True))

    @property
    def crowd(self) -> str:
        """How many there are to hide among, in words: persons, or rows where each is one."""
        return many(self.people, "row" if self.persons is None else "person")

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

    @cached_property
    def labels_of_values(self) -> tuple[npt.NDArray[np.int64], ...] | None:
        """For each attribute, how many rows have each value and each class; None without a class column."""
        if self.value_labels is not None or self.labels is None:
            return self.value_labels
        return tuple(
            _added(self.codes[:, a].astype(np.int64), self.labels, ladder.codes.shape[1])
            for a, ladder in enumerate(self.ladders)
        )


def _added(
    place: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], size: int
) -> npt.NDArray[np.int64]:
    total = np.zeros((size, counts.shape[1]), dtype=np.int64)
    np.add.at(total, place, counts)
    return total
