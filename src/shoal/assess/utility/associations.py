"""Pairs of columns before and after: correlations, and tables of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from shoal.assess.utility.column_classes import ShownClasses
from shoal.assess.utility.distributions import total_variation
from shoal.assess.utility.two_tables import Floats, Ints, TableColumn, TableRows, TwoTables, added
from shoal.describe.hierarchies import Label
from shoal.running import stopping


@dataclass(frozen=True)
class PairOfColumns:
    """Two columns together, over the classes in which each is shown.

    `distance` is the total variation distance of their joint distribution; `strength_before` and
    `strength_after` are Cramér's V, from 0 (independent) to 1. Where both columns are numbers there is their
    correlation (Pearson's), with labels at the middle of what they may stand for.
    """

    one: str
    other: str
    distance: float
    strength_before: float
    strength_after: float
    correlation_before: float | None = None
    correlation_after: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as documents show it."""
        return asdict(self)


@dataclass(frozen=True)
class TableOfTwo:
    """The share of the rows in each pair of classes, before and after."""

    one: str
    other: str
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as documents show it."""
        return asdict(self)


SHOWN_TABLES = 3
"""How many tables of two columns are shown: those that changed most."""


def associations(
    tables: TwoTables, classes: Sequence[ShownClasses]
) -> tuple[tuple[PairOfColumns, ...], tuple[TableOfTwo, ...]]:
    """Return every pair of columns, and the tables of those that changed most."""
    shares = [
        column.label_shares(one.of, len(one.names))
        for column, one in zip(tables.columns, classes, strict=True)
    ]
    originals = _Columns(tables.before, [len(one.of) for one in classes])
    released = _Columns(tables.after, [len(one) for one in shares])
    pairs, joints = [], []
    for a, b in combinations(range(len(tables.columns)), 2):
        stopping.look()
        values, labels = originals.pair(a, b), released.pair(a, b)
        before = _before(values, classes[a], classes[b])
        after = _after(labels, shares[a], shares[b])
        one, other = tables.columns[a], tables.columns[b]
        known = one.numbers is not None and other.numbers is not None
        pairs.append(
            PairOfColumns(
                one.name,
                other.name,
                total_variation(before.reshape(-1), after.reshape(-1)),
                cramers_v(before),
                cramers_v(after),
                _correlation(values, one.numbers, other.numbers) if known else None,
                _correlation(labels, one.middles, other.middles) if known else None,
            )
        )
        joints.append((a, b, before, after))
    order = sorted(range(len(pairs)), key=lambda i: -pairs[i].distance)[:SHOWN_TABLES]
    shown = tuple(_shown(tables.columns, classes, *joints[i]) for i in order if pairs[i].distance > 0)
    return tuple(pairs), shown


def cramers_v(table: Floats) -> float:
    """Return how strongly rows and columns of a table hang together, from 0 to 1.

    >>> cramers_v(np.array([[5.0, 0], [0, 5]])), cramers_v(np.array([[1.0, 1], [1, 1]]))
    (1.0, 0.0)
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape, default=0) < 2:
        return 0.0
    share = table / table.sum()
    expected = np.outer(share.sum(axis=1), share.sum(axis=0))
    chi = float(((share - expected) ** 2 / expected).sum())
    return sqrt(chi / (min(table.shape) - 1))


@dataclass(frozen=True)
class _PairedCodes:
    """The codes of two columns beside each other, with their weight."""

    first: Ints
    second: Ints
    weights: Floats


class _Columns:
    """The columns of a table, of which pairs are asked for.

    Two columns of few values have few pairs of values, however many rows there are: these are added up once,
    and everything about the pair is worked out from them.
    """

    def __init__(self, rows: TableRows, sizes: Sequence[int]) -> None:
        self._weights, self._sizes = rows.weights, sizes
        # One after the other and in few bytes: each is read for all the others.
        self._codes = [
            np.ascontiguousarray(rows.codes[:, c], dtype=np.min_scalar_type(-size))
            for c, size in enumerate(sizes)
        ]

    def pair(self, a: int, b: int) -> _PairedCodes:
        first, second = (self._codes[c].astype(np.int64) for c in (a, b))
        width = self._sizes[b]
        if self._sizes[a] * width >= len(first):
            return _PairedCodes(first, second, self._weights)
        weights = added(first * width + second, self._weights, self._sizes[a] * width)
        there = np.flatnonzero(weights)
        return _PairedCodes(there // width, there % width, weights[there])


def _before(pair: _PairedCodes, one: ShownClasses, other: ShownClasses) -> Floats:
    height, width = len(one.names), len(other.names)
    keys = one.of[pair.first] * width + other.of[pair.second]
    return added(keys, pair.weights, height * width).reshape(height, width)


def _after(pair: _PairedCodes, one: Floats, other: Floats) -> Floats:
    """Return the joint weights of the classes: every row spread over what its two labels may stand for."""
    height, width = len(one), other.shape[1]
    # First what lies under each label of one column, by the classes of the other, then spread.
    half = np.zeros((height, width))
    columns = other[pair.second] * pair.weights[:, None]
    for k in range(width):
        half[:, k] = added(pair.first, columns[:, k], height)
    joint: Floats = one.T @ half
    return joint


def _correlation(pair: _PairedCodes, one: Floats | None, other: Floats | None) -> float | None:
    assert one is not None
    assert other is not None
    x, y, weights = one[pair.first], other[pair.second], pair.weights
    known = ~np.isnan(x) & ~np.isnan(y)
    if not weights[known].sum():
        return None
    x, y, weights = x[known], y[known], weights[known]
    x, y = x - np.average(x, weights=weights), y - np.average(y, weights=weights)
    both = np.average(x * x, weights=weights) * np.average(y * y, weights=weights)
    return float(np.average(x * y, weights=weights) / sqrt(both)) if both > 1e-24 else None


def _shown(
    columns: Sequence[TableColumn],
    classes: Sequence[ShownClasses],
    a: int,
    b: int,
    before: Floats,
    after: Floats,
) -> TableOfTwo:
    first, second = (one / max(float(one.sum()), 1e-300) for one in (before, after))
    return TableOfTwo(
        columns[a].name,
        columns[b].name,
        classes[a].names,
        classes[b].names,
        tuple(tuple(row) for row in first.tolist()),
        tuple(tuple(row) for row in second.tolist()),
    )
