"""The tally: distinct combinations of quasi-identifier values, and how many rows share each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.budget import check_memory, tally_budget
from shoal.data.coding import check_counts, fingerprint
from shoal.data.engine import Cells, Engine, Value
from shoal.data.person_rows import PersonRows, Weights
from shoal.data.tally.of_persons import OfPersons
from shoal.errors import InputError, show
from shoal.tabular import AnswerColumn, AnswerTable, Tabular


@dataclass(frozen=True)
class Coarse:
    """How an attribute is counted if the engine merged its values below a level.

    Value v of the domain is counted as value `shown[v]`, the first of those that share its label on
    `level`; `rows[v]` are its own rows.
    """

    level: int
    shown: npt.NDArray[np.int32]
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class Tally(OfPersons, Tabular):
    """Combinations of the quasi attributes, each with its cells: the distribution of other columns.

    `codes[i, a]` is the value of attribute a in combination i, as a place in `domains[a]`; `counts[i]`
    its rows. Cell j lies in combination `cell_combinations[j]`, has the values `cell_codes[j]` of the
    columns `others`, as places in `other_domains`, and `cell_counts[j]` rows.

    A tally may be `coarse` in some attributes: their domains have all values, but their codes only one value
    per label. Whatever needs their single values is refused. `budget` is how many bytes the tally and what is
    computed from it may take. `persons` tells whose rows the cells hold; without it every row is a person.
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
    coarse: Mapping[str, Coarse] = field(default_factory=dict)
    budget: int | None = None
    persons: PersonRows | None = None

    def __post_init__(self) -> None:
        check_counts(self.counts)
        check_counts(self.cell_counts)

    @cached_property
    def in_combinations(self) -> PersonRows | None:
        """Whose rows are in each combination, without regard to other columns."""
        return self.persons and self.persons.regrouped(self.cell_combinations, len(self))

    @property
    def spread(self) -> bool:
        """Whether some person has rows in several combinations."""
        return self.in_combinations is not None and self.in_combinations.spread > 0

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
        self._check_fine(column)
        width = len(self.domain(column))
        height = len(self) if count is None else count
        self.check_memory(16 * height * width, f"counting the values of {show(column)} in each group")
        of = np.arange(len(self)) if groups is None else groups
        if column in self.others:
            of = of[self.cell_combinations]
            codes, rows = self.cell_codes[:, self.others.index(column)], self.cell_counts
        else:
            codes, rows = self.codes[:, self.attributes.index(column)], self.counts
        # Weights are added as doubles, which is exact up to 2^53 rows.
        flat = np.bincount(of * width + codes, weights=rows, minlength=height * width)
        return flat.astype(np.int64).reshape(height, width)

    def weights(self, column: str, groups: npt.NDArray[np.int64], count: int) -> Weights:
        """Return how much each value of a column weighs in each group, where a person weighs one in a group.

        A person with several rows in a group is spread evenly over them; elsewhere's rows do not matter.
        """
        if self.persons is None:
            return Weights(self.histogram(column, groups, count), np.ones(count, dtype=np.int64))
        width = len(self.domain(column))
        self.check_memory(16 * count * width, f"weighing the values of {show(column)} in each group")
        of, values = groups[self.cell_combinations], self.in_cells(column)
        return self.persons.weights(of, count, values, width)

    def in_cells(self, column: str) -> npt.NDArray[np.int32]:
        """Return the value of a column in each cell, as places in its domain."""
        self._check_fine(column)
        if column in self.others:
            return self.cell_codes[:, self.others.index(column)]
        codes: npt.NDArray[np.int32] = self.codes[:, self.attributes.index(column)][
            self.cell_combinations
        ]
        return codes

    def combinations(self) -> list[tuple[Value, ...]]:
        """Return every combination as its values."""
        self.check_fine("listing the combinations of values")
        self.check_memory(len(self) * (64 + 16 * len(self.attributes)), "listing all combinations")
        columns = [
            np.array(domain, dtype=object)[self.codes[:, a]].tolist()
            for a, domain in enumerate(self.domains)
        ]
        return list(zip(*columns, strict=True))

    def as_table(self) -> AnswerTable:
        """Return every combination with its rows as a table."""
        values = list(zip(*self.combinations(), strict=True)) or [()] * len(self.attributes)
        shown = [AnswerColumn(name, str, one) for name, one in zip(self.attributes, values, strict=True)]
        return AnswerTable(str(self), (*shown, AnswerColumn("rows", int, self.counts.tolist())))

    def __str__(self) -> str:
        return f"{len(self):,} combinations of {', '.join(self.attributes)} in {self.rows:,} rows"

    def __repr__(self) -> str:
        return f"<Tally: {self}>"

    def where(self, mask: npt.NDArray[np.bool_]) -> Tally:
        """Return the tally of some of the combinations."""
        self.check_fine("taking some of the combinations")
        place = np.cumsum(mask) - 1
        cells = mask[self.cell_combinations]
        counts = self.counts[mask]
        persons = None
        if self.persons is not None:
            of = np.where(cells, np.cumsum(cells) - 1, -1)
            persons = several_rows(self.persons.regrouped(of, int(cells.sum())), int(counts.sum()))
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[mask]),
            counts=counts,
            cell_combinations=place[self.cell_combinations[cells]],
            cell_codes=np.ascontiguousarray(self.cell_codes[cells]),
            cell_counts=self.cell_counts[cells],
            persons=persons,
        )

    def totals(self, column: str) -> npt.NDArray[np.int64]:
        """Return how many rows have each value of a column."""
        if column in self.coarse:
            return self.coarse[column].rows
        everything = self.histogram(column, np.zeros(len(self), dtype=np.int64), 1)
        return everything.reshape(-1)

    def frequencies(self, column: str) -> dict[str, int]:
        """Return how many rows have each value of a column, except the missing value."""
        pairs = zip(self.domain(column), self.totals(column).tolist(), strict=True)
        return {value: rows for value, rows in pairs if value is not None}

    def check_fine(self, what: str) -> None:
        """Refuse `what` if some attribute's single values were merged."""
        if self.coarse:
            levels = ", ".join(f"{name} from level {one.level} on" for name, one in self.coarse.items())
            raise InputError(
                f"{what} needs single values, and the tally counts {levels}; allow it more memory"
            )

    def _check_fine(self, column: str) -> None:
        if column in self.coarse:
            self.check_fine(f"counting the values of {show(column)}")

    def check_memory(self, needed: int, what: str) -> None:
        """Refuse work that would exceed the tally's budget."""
        if self.budget is not None:
            check_memory(needed, self.budget, what)

    def fingerprint(self) -> str:
        """Return a digest that is the same for the same rows in every engine."""
        codes = np.hstack([self.codes[self.cell_combinations], self.cell_codes])
        domains = (*self.domains, *self.other_domains)
        columns = (*self.attributes, *self.others)
        return fingerprint(Cells(columns, domains, codes, self.cell_counts, self.persons))


def take_tally(
    engine: Engine, attributes: Sequence[str], others: Sequence[str] = (), persons: Sequence[str] = ()
) -> Tally:
    """Return the tally of a table over its quasi attributes and some other columns, and of its persons."""
    others = tuple(column for column in others if column not in attributes)
    return tally_of(engine.cells([*attributes, *others], None, persons), len(attributes))


def several_rows(persons: PersonRows | None, rows: int) -> PersonRows | None:
    """Return the persons of a table, or None if each of them has one row: then rows are counted."""
    return persons if persons is not None and persons.total < rows else None


def tally_of(cells: Cells, width: int, coarse: Mapping[str, Coarse] | None = None) -> Tally:
    """Return cells as a tally; the first `width` columns are its attributes."""
    codes = cells.codes[:, :width]
    # Cells are sorted by code, so those of one combination are adjacent.
    first = np.zeros(len(codes), dtype=np.bool_)
    first[:1] = True
    for a in range(width):
        first[1:] |= codes[1:, a] != codes[:-1, a]
    starts = np.flatnonzero(first)
    counts = np.add.reduceat(cells.counts, starts) if len(starts) else cells.counts[:0]
    return Tally(
        cells.columns[:width],
        cells.domains[:width],
        np.ascontiguousarray(codes if len(starts) == len(codes) else codes[starts]),
        counts,
        cells.columns[width:],
        cells.domains[width:],
        np.cumsum(first) - 1,
        np.ascontiguousarray(cells.codes[:, width:]),
        cells.counts,
        coarse or {},
        tally_budget(),
        several_rows(cells.persons, int(cells.counts.sum())),
    )
