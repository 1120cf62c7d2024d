"""Which rows of a tally live together, and which persons, where these have several rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Value
from shoal.data.person_rows import PersonRows
from shoal.data.tally.tally import Tally

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Households:
    """Members who are alike and live together: the household `of` each lot, and the `sizes` of households.

    A lot has `counts` members, all with one of the tally's `combinations`. Whose household is missing is a
    household of their own; `cells` says from which of the given cells each lot of rows comes.

    Where persons have several rows, members are persons. Some have several combinations: together these
    have a number too, from `first` on, and `several` lists them. Somebody with rows in several households
    is a member of each, by the rows there; `who` tells such lots of one person by the person's number, which
    is below 0 for the others.
    """

    of: Ints
    sizes: Ints
    combinations: Ints
    counts: Ints
    cells: Ints
    first: int = 0
    several: tuple[tuple[int, ...], ...] = ()
    who: Ints | None = None

    @classmethod
    def of_tally(cls, tally: Tally, column: str) -> Households:
        """Return the households that a column of the tally tells."""
        codes, domain = tally.in_cells(column), tally.domain(column)
        if tally.persons is not None:
            return cls.of_persons(codes, domain, tally.cell_combinations, len(tally), tally.persons)
        return cls.told(codes, domain, tally.cell_combinations, tally.cell_counts)

    @staticmethod
    def overlap(tally: Tally, column: str) -> bool:
        """Whether some person has rows in several of the households that a column tells."""
        homes = tally.in_cells(column).astype(np.int64)
        whose = tally.persons and tally.persons.regrouped(homes, len(tally.domain(column)))
        return whose is not None and whose.spread > 0

    @classmethod
    def of_persons(
        cls,
        homes: npt.NDArray[np.int32] | Ints,
        domain: Sequence[Value],
        combinations: Ints,
        size: int,
        persons: PersonRows,
    ) -> Households:
        """Return the households of persons who have rows in cells; there are `size` combinations.

        Households with a home are numbered in the order of their homes, and come before the others.
        """
        keys, key_of = np.unique(homes.astype(np.int64) * size + combinations, return_inverse=True)
        whose = persons.regrouped(key_of.reshape(-1), len(keys))
        home_of, combination_of = np.divmod(keys, max(size, 1))
        missing = len(domain) - 1 if domain and domain[-1] is None else -1
        lots: list[tuple[int, int, int, int]] = []  # home, combination, members, who
        homeless = len(domain)
        for key in np.flatnonzero(whose.cell_persons).tolist():
            home, count = int(home_of[key]), int(whose.cell_persons[key])
            alone = home == missing
            for _ in range(count if alone else 1):
                lots.append(
                    (homeless if alone else home, int(combination_of[key]), 1 if alone else count, -1)
                )
                homeless += alone
        numbers: dict[tuple[int, ...], int] = {}
        inside: dict[tuple[int, int], list[int]] = {}
        for key, person in zip(whose.cells.tolist(), whose.persons.tolist(), strict=True):
            inside.setdefault((person, int(home_of[key])), []).append(int(combination_of[key]))
        for (person, home), values in inside.items():
            look = values[0]
            if len(values) > 1:
                look = size + numbers.setdefault(tuple(sorted(values)), len(numbers))
            lots.append((homeless if home == missing else home, look, 1, person))
            homeless += home == missing
        table = np.array(lots, dtype=np.int64).reshape(-1, 4)
        _, of = np.unique(table[:, 0], return_inverse=True)
        of, counts = of.reshape(-1), np.ascontiguousarray(table[:, 2])
        sizes = np.bincount(of, counts).astype(np.int64)
        nowhere = np.zeros(0, dtype=np.int64)
        return cls(of, sizes, table[:, 1], counts, nowhere, size, tuple(numbers), table[:, 3])

    def highest(self, of_combinations: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return a figure of each lot's members, the highest of their combinations."""
        more = [max(of_combinations[list(inside)].tolist()) for inside in self.several]
        found: npt.NDArray[np.float64] = np.concatenate([of_combinations, more])[self.combinations]
        return found

    @property
    def values(self) -> tuple[Ints, Ints]:
        """Each lot with each combination that its members have: the lot, and the combination."""
        if not self.several:
            return np.arange(len(self.of)), self.combinations
        told = [
            (combination,) if combination < self.first else self.several[combination - self.first]
            for combination in self.combinations.tolist()
        ]
        widths = np.array([len(one) for one in told], dtype=np.int64)
        return np.repeat(np.arange(len(told)), widths), np.array([v for one in told for v in one])

    @classmethod
    def told(
        cls,
        homes: npt.NDArray[np.int32],
        domain: Sequence[Value],
        combinations: Ints,
        counts: Ints,
    ) -> Households:
        """Return the households of cells whose homes are places in a domain."""
        codes, cells = homes.astype(np.int64), np.arange(len(homes))
        if domain and domain[-1] is None:
            missing = codes == len(domain) - 1
            alone = np.repeat(cells[missing], counts[missing])
            codes = np.concatenate([codes[~missing], len(domain) + np.arange(len(alone))])
            counts = np.concatenate([counts[~missing], np.ones(len(alone), np.int64)])
            cells = np.concatenate([cells[~missing], alone])
        _, of = np.unique(codes, return_inverse=True)
        sizes = np.bincount(of, counts).astype(np.int64)
        return cls(of, sizes, combinations[cells], counts, cells)

    def alike(self) -> Ints:
        """Return a number for each household, the same for those whose members have the same values."""
        order = np.lexsort((self.combinations, self.of))
        members = np.stack([self.combinations[order], self.counts[order]], axis=1)
        # Cells of one household and combination may differ in other columns, such as the weight.
        of = self.of[order]
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = (of[1:] != of[:-1]) | (members[1:, 0] != members[:-1, 0])
        members[first, 1] = np.add.reduceat(members[:, 1], np.flatnonzero(first)) if len(order) else 0
        members, of = np.ascontiguousarray(members[first]), of[first]
        ends = np.cumsum(np.bincount(of, minlength=len(self.sizes))).tolist()
        numbers: dict[bytes, int] = {}
        begin, found = 0, np.empty(len(self.sizes), dtype=np.int64)
        for household, end in enumerate(ends):
            found[household] = numbers.setdefault(members[begin:end].tobytes(), len(numbers))
            begin = end
        return found
