"""The distance of a group's values from the table's (t-closeness), by the formulas of its paper.

`apart` has, value by value, how much more of it a group has than the table, the missing value last: as float
shares, or as integers of any size that are multiples of the shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.data.engine import Value
from shoal.describe.promise import Distance, DistanceKind
from shoal.describe.promise.distance import plain
from shoal.verification.spread.sensitive_column import Block, Floats, SensitiveColumn, largest


@dataclass(frozen=True)
class GroundDistance:
    """How `apart` adds up to a distance, times `unit`, for the values of one column."""

    distance: Distance
    places: tuple[int, ...]
    """Ordered: the value at each place, -1 if it does not occur."""
    levels: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    """Hierarchical: for each level from 1 up its nodes, for each node its children, for each child its
    values' places.
    """
    unit: int

    @classmethod
    def of(cls, distance: Distance, values: Sequence[str]) -> GroundDistance:
        """Return the ground distance between some values."""
        if distance.kind is DistanceKind.ORDERED:
            # Follow the certificate: earlier ones state values that no row has.
            present = distance.ordered(values)
            order = distance.order or present
            known = {plain(value, order): v for v, value in enumerate(values)}
            return cls(distance, tuple(known.get(o, -1) for o in order), (), max(len(order) - 1, 1))
        if distance.kind is DistanceKind.HIERARCHICAL:
            return cls(distance, (), _levels(distance, values), max(distance.height, 1))
        return cls(distance, (), (), 2)

    def moved(self, apart: Any) -> Any:
        """Return the distance of each row of `apart`, times `unit`."""
        if self.distance.kind is DistanceKind.ORDERED:
            missing = apart[:, -1]
            nothing = missing * 0
            line = [nothing if v < 0 else apart[:, v] for v in self.places]
            total, carried = nothing, nothing
            for step in line[:-1]:
                carried = carried + step
                total = total + np.abs(carried)
            return total + self.unit * np.abs(missing)
        if self.distance.kind is DistanceKind.HIERARCHICAL:
            total = apart[:, -1] * 0
            for height, nodes in enumerate(self.levels, 1):
                for children in nodes:
                    extra = np.stack([apart[:, list(child)].sum(axis=1) for child in children], axis=1)
                    much, little = np.maximum(extra, 0).sum(axis=1), np.maximum(-extra, 0).sum(axis=1)
                    total = total + height * np.minimum(much, little)
            return total
        return np.abs(apart).sum(axis=1)


def _levels(
    distance: Distance, values: Sequence[str]
) -> tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]:
    # The missing value is last, at -1.
    paths = [*enumerate(distance.path(value) for value in values), (-1, distance.path(None))]
    levels = []
    for height in range(1, distance.height + 1):
        nodes: dict[tuple[Value, ...], dict[tuple[Value, ...], list[int]]] = {}
        for v, path in paths:
            nodes.setdefault(path[height:], {}).setdefault(path[height - 1 :], []).append(v)
        levels.append(tuple(tuple(tuple(child) for child in node.values()) for node in nodes.values()))
    return tuple(levels)


def farthest(column: SensitiveColumn, distance: Distance) -> tuple[Fraction, int]:
    """Return the largest distance of a group from the table, exactly, and the first group that has it."""
    ground = GroundDistance.of(distance, column.values)
    rows = column.all_rows
    totals = [*column.totals.tolist(), *([0] if not column.values else []), column.all_missing]
    whole = np.array([total / rows for total in totals])

    def rough(block: Block) -> Floats:
        shares = block.shares(np.column_stack([block.counts, block.missing]))
        return np.asarray(ground.moved(shares - whole) / ground.unit, dtype=np.float64)

    def exact(counts: tuple[int, ...], missing: int) -> Fraction:
        size = sum(counts) + missing
        apart = [n * rows - total * size for n, total in zip((*counts, missing), totals, strict=True)]
        moved = ground.moved(np.array([apart], dtype=object))
        return Fraction(int(moved[0]), ground.unit * size * rows)

    return largest(column, rough, exact)
