"""Re-identification risk from class sizes: prosecutor, journalist and marketer (El Emam)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Cells, Value
from shoal.errors import InputError
from shoal.kernels import Codebook, aggregate
from shoal.tabular import AnswerColumn, AnswerTable, Tabular

Ints = npt.NDArray[np.int64]

SIZES = (2, 3, 5, 10, 20)
"""The thresholds, as class sizes: a row's risk is above 1 / size if its class is smaller."""
BINS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the bins of the class sizes begin; the last has no end."""

ASSUMPTIONS = {
    "prosecutor": "Knows that a person is in the table, and the person's quasi values: picks one of the "
    "rows that fit.",
    "journalist": "Knows the population, but not who is in the table: picks one of the persons who fit a "
    "row. Without a population this is the prosecutor.",
    "marketer": "Links every row to a person who fits, and counts how many links are right; single persons "
    "do not matter.",
    "sample": "The journalist where only a sample is known: how many persons fit a row is estimated from "
    "how many rows do, by the negative binomial distribution (Benedetti and Franconi).",
}
"""What each attacker is taken to know and to do, as documents say it."""


@dataclass(frozen=True)
class Above:
    """The rows whose risk is above 1 / size, which are those in classes of fewer rows than `size`."""

    size: int
    rows: int
    share: float

    @property
    def threshold(self) -> float:
        """The threshold as the literature writes it: 0.33 is one third."""
        return round(1 / self.size, 2)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "threshold": self.threshold,
            "smaller_than": self.size,
            "rows": self.rows,
            "share": self.share,
        }


@dataclass(frozen=True)
class Attack:
    """One attacker's chances: for the row most at risk, on average, and the rows above each threshold."""

    highest: float
    average: float
    above: tuple[Above, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "highest": self.highest,
            "average": self.average,
            "above": [above.to_dict() for above in self.above],
        }


@dataclass(frozen=True)
class SizeBin:
    """How many classes have between `lowest` and `highest` rows, and how many rows these have."""

    lowest: int
    highest: int | None
    classes: int
    rows: int

    @property
    def label(self) -> str:
        """The bin as tables show it.

        >>> SizeBin(3, 4, 0, 0).label, SizeBin(1000, None, 0, 0).label
        ('3-4', '1,000+')
        """
        if self.highest is None:
            return f"{self.lowest:,}+"
        return f"{self.lowest:,}" if self.lowest == self.highest else f"{self.lowest:,}-{self.highest:,}"

    def to_dict(self) -> dict[str, Any]:
        """Return the bin as documents show it."""
        return asdict(self)


@dataclass(frozen=True, repr=False)
class Risk(Tabular):
    """The re-identification risk of a table.

    The prosecutor knows that a person is in the table; the journalist knows only that the person is in the
    population; the marketer links as many rows as possible and counts the hits. `population` is how many
    persons of the population share their values with a row; if it is None, no population was given, and the
    journalist's risk is the prosecutor's. `outside` counts the rows in classes that have fewer persons in
    the population than rows in the table: for these the table's size is used.
    """

    rows: int
    classes: int
    uniques: int
    k: int
    prosecutor: Attack
    journalist: Attack
    marketer: float
    sizes: tuple[SizeBin, ...]
    population: int | None = None
    outside: int = 0

    def as_table(self) -> AnswerTable:
        """Return the attackers as a table: the highest and the average chance to find a person."""
        return AnswerTable(
            f"{self.rows:,} rows in {self.classes:,} classes, {self.uniques:,} unique; k = {self.k:,}",
            (
                AnswerColumn("attacker", str, ["prosecutor", "journalist", "marketer"]),
                AnswerColumn("highest", float, [self.prosecutor.highest, self.journalist.highest, None]),
                AnswerColumn(
                    "average", float, [self.prosecutor.average, self.journalist.average, self.marketer]
                ),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal risk --json` prints."""
        return {
            "rows": self.rows,
            "classes": self.classes,
            "uniques": self.uniques,
            "k": self.k,
            "prosecutor": self.prosecutor.to_dict(),
            "journalist": self.journalist.to_dict()
            | {"population": self.population, "rows_outside_population": self.outside},
            "marketer": self.marketer,
            "class_sizes": [size.to_dict() for size in self.sizes],
        }


def measure_risk(
    counts: npt.ArrayLike,
    population: npt.ArrayLike | None = None,
    alike: npt.ArrayLike | None = None,
) -> Risk:
    """Return the risk of a table whose classes have these sizes.

    `population` has, for each class, how many persons of the population fall into it. With f rows and F
    persons in a class: a row's prosecutor risk is 1 / f and its journalist risk 1 / F; the marketer finds
    sum(f / F) / rows. The journalist's average is El Emam's: the larger of the marketer's, who starts
    from the rows, and classes / sum(F), the chance of one who starts from the persons. Where rows are like
    those of other classes too, `alike` has for each class all rows like it, which then are its f.

    >>> risk = measure_risk([1, 3, 6])
    >>> risk.k, risk.uniques, risk.prosecutor.highest, risk.marketer
    (1, 1, 1.0, 0.3)
    """
    sizes = _whole(counts)
    if (sizes < 1).any():
        raise InputError("a class has at least one row; give sizes of 1 or more")
    near = sizes if alike is None else _whole(alike)
    persons, outside = near, 0
    if population is not None:
        given = _whole(population)
        if given.shape != sizes.shape:
            raise InputError(f"{len(given):,} population sizes for {len(sizes):,} classes")
        outside = int(sizes[given < near].sum())
        # Persons in the table exist, even if the population's table lacks them.
        persons = np.maximum(given, near)
    rows = int(sizes.sum())
    marketer = fsum((sizes / persons).tolist()) / rows if rows else 0.0
    by_persons = len(sizes) / int(persons.sum()) if rows else 0.0
    found = len(sizes) if alike is None else fsum((sizes / near).tolist())
    prosecutor = _attack(sizes, near, found / rows if rows else 0.0)
    journalist = prosecutor
    if population is not None:
        journalist = _attack(sizes, persons, max(marketer, by_persons))
    return Risk(
        rows=rows,
        classes=len(sizes),
        uniques=int((near == 1).sum()),
        k=int(near.min(initial=rows)),
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=marketer if population is not None else prosecutor.average,
        sizes=_bins(near, sizes),
        population=None if population is None else int(persons.sum()),
        outside=outside,
    )


def _whole(given: npt.ArrayLike) -> Ints:
    return np.asarray(given, dtype=np.int64).reshape(-1)


def _attack(sizes: Ints, persons: Ints, average: float) -> Attack:
    rows = int(sizes.sum())
    above = []
    for size in SIZES:
        found = int(sizes[persons < size].sum())
        above.append(Above(size, found, found / rows if rows else 0.0))
    return Attack(1 / int(persons.min()) if rows else 0.0, average, tuple(above))


def _bins(near: Ints, sizes: Ints) -> tuple[SizeBin, ...]:
    places = np.searchsorted(BINS, near, side="right") - 1
    classes = np.bincount(places, minlength=len(BINS)).tolist()
    rows = [int(sizes[places == i].sum()) for i in range(len(BINS))]
    ends = [*(start - 1 for start in BINS[1:]), None]
    return tuple(SizeBin(*bin_) for bin_ in zip(BINS, ends, classes, rows, strict=True))


def population_sizes(
    cells: Cells, population: Cells, maps: Mapping[str, Mapping[Value, Value]] | None = None
) -> npt.NDArray[np.int64]:
    """Return, for each class of the table, how many of the population fall into it.

    Both are over the same columns. `maps` gives, for columns that are recoded in the table, the label of each
    original value; a value without a label falls into no class.
    """
    if cells.columns != population.columns:
        raise InputError("the population and the table are counted by different columns")
    codes = np.empty(population.codes.shape, dtype=np.int32)
    for a, column in enumerate(cells.columns):
        place = {value: code for code, value in enumerate(cells.domains[a])}
        labels = (maps or {}).get(column)
        shown = population.domains[a]
        if labels is not None:
            # Ignoring a person whose value has no label can only raise the risk.
            here = [place.get(labels[value], -1) if value in labels else -1 for value in shown]
        else:
            here = [place.get(value, -1) for value in shown]
        codes[:, a] = np.array([*here, -1], dtype=np.int32)[population.codes[:, a]]
    known = (codes >= 0).all(axis=1)
    # The table's classes are distinct and come first, so the sums are in their order.
    book = Codebook([np.arange(len(domain), dtype=np.int32)[None, :] for domain in cells.domains])
    keys = book.pack(np.ascontiguousarray(np.concatenate([cells.codes, codes[known]])))
    counts = np.concatenate([np.zeros(len(cells.counts), dtype=np.int64), population.counts[known]])
    return aggregate(keys, counts[:, None])[1][: len(cells.counts), 0]
