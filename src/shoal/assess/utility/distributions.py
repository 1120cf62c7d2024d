"""Every column before and after: its distribution, how far the two are apart, and what its mean can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.assess.utility.column_classes import ShownClasses, classes_for
from shoal.assess.utility.two_tables import Floats, TableColumn, TwoTables, added
from shoal.describe.hierarchies import Label


@dataclass(frozen=True)
class ClassShare:
    """The share of the rows that one class of a column has, before and after."""

    name: Label
    before: float
    after: float


@dataclass(frozen=True)
class Summary:
    """The numbers of a column in short; None where there are none. A missing value does not count.

    After, a row counts with the middle of what its label may stand for. The true mean of the released rows,
    each counted as here, lies in `interval` for certain, and that of all rows in `of_all`; the latter is not
    known if rows have weights that are not released.
    """

    mean_before: float | None
    mean_after: float | None
    interval: tuple[float, float] | None
    of_all: tuple[float, float] | None
    sd_before: float | None
    sd_after: float | None
    median_before: float | None
    median_after: float | None


@dataclass(frozen=True)
class Distribution:
    """One column before and after.

    `distance` is the total variation distance over the original values, where a label counts evenly for all
    values that it may stand for; `class_distance` that over the shown `classes` alone.
    """

    column: str
    quasi: bool
    labels: int
    values: int
    distance: float
    class_distance: float
    classes: tuple[ClassShare, ...]
    recoded: bool
    missing_before: float
    missing_after: float
    summary: Summary | None

    def to_dict(self) -> dict[str, Any]:
        """Return the column as documents show it."""
        return asdict(self)


def total_variation(one: Floats, other: Floats) -> float:
    """Return half the sum of the differences of two distributions; 1 if one of them is of nothing.

    >>> total_variation(np.array([1.0, 1.0]), np.array([1.0, 0.0]))
    0.5
    """
    if not one.sum() or not other.sum():
        return 0.0 if one.sum() == other.sum() else 1.0
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def distributions(tables: TwoTables) -> tuple[tuple[Distribution, ...], tuple[ShownClasses, ...]]:
    """Return what became of every column, and the classes in which it is shown."""
    found, shown = [], []
    for c, column in enumerate(tables.columns):
        before = tables.before.totals(c, len(column.values))
        labels = tables.after.totals(c, len(column.labels))
        after = column.onto(labels)
        classes = classes_for(column, before)
        size = len(classes.names)
        parts = [added(classes.of, one, size) for one in (before, after)]
        shares = [_shares(part).tolist() for part in parts]
        at = column.values.index(None) if None in column.values else None
        missing = [0.0 if at is None else float(_shares(one)[at]) for one in (before, after)]
        found.append(
            Distribution(
                column.name,
                column.name in tables.quasi,
                int((labels > 0).sum()),
                int((before > 0).sum()),
                total_variation(before, after),
                total_variation(*parts),
                tuple(
                    ClassShare(name, one, other)
                    for name, one, other in zip(classes.names, *shares, strict=True)
                ),
                classes.recoded,
                missing[0],
                missing[1],
                _summary(tables, column, before, labels) if column.numbers is not None else None,
            )
        )
        shown.append(classes)
    return tuple(found), tuple(shown)


def _shares(weights: Floats) -> Floats:
    return weights / max(float(weights.sum()), 1e-300)


def _summary(tables: TwoTables, column: TableColumn, before: Floats, labels: Floats) -> Summary:
    numbers = column.numbers
    assert numbers is not None
    low, high, optional = column.bounds
    here = (labels > 0) & ~np.isnan(low)
    sure, maybe = here & ~optional, here & optional
    interval = mean_interval(labels, low, high, sure, maybe)
    of_all = None
    known = ~np.isnan(numbers) & (before > 0)
    left = float(before.sum() - labels.sum())
    if known.any() and (tables.weight is None or tables.weighed) and left > -1e-9 * before.sum():
        every = np.append(labels, max(left, 0.0))
        lows, highs = (np.append(one, edge) for one, edge in _ends(low, high, numbers[known]))
        holes = bool((before[np.isnan(numbers)] > 0).any())
        gone = left > 1e-9 * before.sum()
        of_all = mean_interval(
            every, lows, highs, np.append(sure, gone and not holes), np.append(maybe, gone and holes)
        )
    first, second = _moments(numbers, before), _moments(column.middles, np.where(here, labels, 0.0))
    return Summary(first[0], second[0], interval, of_all, first[1], second[1], first[2], second[2])


def _ends(low: Floats, high: Floats, known: Floats) -> Sequence[tuple[Floats, float]]:
    return (low, float(known.min())), (high, float(known.max()))


def _moments(numbers: Floats, weights: Floats) -> tuple[float | None, float | None, float | None]:
    """Return mean, standard deviation and median of weighed numbers; None if there are none."""
    known = ~np.isnan(numbers) & (weights > 0)
    if not known.any():
        return None, None, None
    values, heavy = numbers[known], weights[known]
    mean = float(np.average(values, weights=heavy))
    spread = sqrt(float(np.average((values - mean) ** 2, weights=heavy)))
    order = np.argsort(values, kind="stable")
    half = np.searchsorted(np.cumsum(heavy[order]), heavy.sum() / 2)
    return mean, spread, float(values[order][min(half, len(order) - 1)])


def mean_interval(
    weights: Floats, low: Floats, high: Floats, sure: npt.ArrayLike, maybe: npt.ArrayLike
) -> tuple[float, float] | None:
    """Return the interval that the mean lies in, if each number lies between its `low` and `high`.

    Numbers that are `sure` count; those that are `maybe` may be missing, and then do not. The least mean has
    every number at its low end. Leaving out a number above the mean lowers it, one below raises it; so of the
    optional ones exactly those below the mean stay, and taking them in rising order finds it. The largest
    mean is the same with the signs changed. None if no number is sure to be there and none may be.

    >>> mean_interval(np.ones(2), np.array([0.0, 4]), np.array([2.0, 8]), [True, False], [False, True])
    (0.0, 5.0)
    """
    ends = []
    for sign, edge in ((1, low), (-1, high)):
        at = sign * np.asarray(edge, dtype=np.float64)
        must, may = np.asarray(sure, dtype=np.bool_), np.asarray(maybe, dtype=np.bool_)
        total, heavy = float((at[must] * weights[must]).sum()), float(weights[must].sum())
        order = np.flatnonzero(may)
        for i in order[np.argsort(at[order], kind="stable")]:
            if heavy and at[i] >= total / heavy:
                break
            if not heavy:
                # Any single one may be the only number that there is: the lowest gives the least mean.
                total, heavy = float(at[i]), 1.0
                break
            total, heavy = total + float(at[i] * weights[i]), heavy + float(weights[i])
        if not heavy:
            return None
        ends.append(sign * total / heavy)
    return ends[0], ends[1]
