"""Which combinations of one, two or three columns make people unique: mu-Argus's view of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells
from shoal.data.person_rows import PersonRows
from shoal.kernels import Codebook, aggregate
from shoal.numbers import percent
from shoal.running import stopping
from shoal.tabular import AnswerColumn, AnswerTable, Tabular

Ints = npt.NDArray[np.int64]

MOST_COLUMNS = 15
"""Of more columns, only those with the most values are examined: 15 columns have 575 combinations."""


@dataclass(frozen=True)
class Combination:
    """Some columns, and how they single people out: who is unique by them, and the smallest class.

    Rows are counted, or persons where these have several: then who is alone in a class is unique.
    """

    columns: tuple[str, ...]
    uniques: int
    share: float
    smallest: int
    classes: int

    def to_dict(self) -> dict[str, Any]:
        """Return the combination as documents show it."""
        return asdict(self) | {"columns": list(self.columns)}


@dataclass(frozen=True, repr=False)
class Combinations(Tabular):
    """The combinations of a table's columns, the worst first; `left_out` columns were not examined."""

    found: tuple[Combination, ...]
    left_out: tuple[str, ...] = ()
    counted: str = "rows"
    """Whether rows are counted, or persons."""

    def __iter__(self) -> Iterator[Combination]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, i: int) -> Combination:
        return self.found[i]

    def worst(self, width: int, most: int = 3) -> tuple[Combination, ...]:
        """Return the worst combinations of `width` columns."""
        return tuple(found for found in self.found if len(found.columns) == width)[:most]

    def as_table(self) -> AnswerTable:
        """Return the combinations as a table."""
        return AnswerTable(
            f"{len(self)} combinations of columns, those that make the most {self.counted} unique first",
            (
                AnswerColumn("columns", str, [", ".join(one.columns) for one in self]),
                AnswerColumn(f"unique {self.counted}", int, [one.uniques for one in self]),
                AnswerColumn("share", float, [one.share for one in self], percent),
                AnswerColumn("smallest class", int, [one.smallest for one in self]),
                AnswerColumn("classes", int, [one.classes for one in self]),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the combinations as documents show them."""
        found = [found.to_dict() for found in self.found]
        return {"found": found, "left_out": list(self.left_out), "counted": self.counted}


def worst_combinations(cells: Cells, most: int = 3, whose: PersonRows | None = None) -> Combinations:
    """Return all combinations of at most `most` columns, those that make the most people unique first.

    Ties go to fewer columns, because an extra column explains nothing more. Each combination is one
    aggregation of the cells, so the work is at most 575 times their number. `whose` tells the persons of
    each cell, if they have several rows.
    """
    order = sorted(range(len(cells.columns)), key=lambda a: (-len(cells.domains[a]), a))
    looked_at = sorted(order[:MOST_COLUMNS])
    rows = int(cells.counts.sum()) if whose is None else whose.total
    found = []
    for width in range(1, min(most, len(looked_at)) + 1):
        for places in combinations(looked_at, width):
            stopping.look()
            if whose is None:
                sizes = _class_sizes(cells, places)
                uniques = int((sizes == 1).sum())
            else:
                sizes, uniques = _persons(cells, places, whose)
            found.append(
                Combination(
                    tuple(cells.columns[a] for a in places),
                    uniques,
                    uniques / rows if rows else 0.0,
                    int(sizes.min(initial=rows)),
                    len(sizes),
                )
            )
    found.sort(key=lambda one: (-one.uniques, len(one.columns), one.smallest))
    left_out = tuple(cells.columns[a] for a in sorted(order[MOST_COLUMNS:]))
    return Combinations(tuple(found), left_out, "rows" if whose is None else "persons")


def _persons(cells: Cells, places: tuple[int, ...], whose: PersonRows) -> tuple[Ints, int]:
    """Return how many persons are in each class by some columns, and how many are alone in one."""
    _, classes = np.unique(cells.codes[:, list(places)], axis=0, return_inverse=True)
    of = classes.reshape(-1)
    sizes = whose.in_groups(of, int(of.max(initial=-1)) + 1)
    alone = sizes[of] == 1
    listed = np.unique(whose.persons[alone[whose.cells]])
    return sizes, int(whose.cell_persons[alone].sum()) + len(listed)


def _class_sizes(cells: Cells, places: tuple[int, ...]) -> Ints:
    """Return the sizes of the classes by some columns, counted in an array if there are few."""
    domains = [len(cells.domains[a]) for a in places]
    if prod(domains) <= max(4 * len(cells.counts), 1 << 16):
        keys = np.zeros(len(cells.counts), dtype=np.int64)
        for a, size in zip(places, domains, strict=True):
            keys = keys * size + cells.codes[:, a]
        sizes = np.bincount(keys, weights=cells.counts).astype(np.int64)
        return sizes[sizes > 0]
    book = Codebook([np.arange(size, dtype=np.int32)[None, :] for size in domains])
    codes = np.ascontiguousarray(cells.codes[:, list(places)])
    return aggregate(book.pack(codes), cells.counts[:, None])[1][:, 0]
