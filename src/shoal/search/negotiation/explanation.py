"""What a session shows about single nodes: curves, neighbours, and why a request fails there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.criteria import Groups
from shoal.running import stopping
from shoal.tabular import Shown

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SuppressionCurve:
    """The suppressed rows of one node for every k.

    `k` are the sizes of its classes, rising, and `suppressed[i]` the rows suppressed for k[i]; the curve
    steps up after each, so k[i] is the largest k at that price.
    """

    node: dict[str, int]
    rows: int
    k: Ints
    suppressed: Ints

    def at(self, k: int) -> int:
        """Return the suppressed rows for any k."""
        place = int(np.searchsorted(self.k, k, side="left"))
        return int(self.suppressed[place]) if place < len(self.k) else self.rows


def curve_of(node: dict[str, int], rows: int, entries: Ints, l: int) -> SuppressionCurve:
    """Return the curve of a histogram, including the rows that l suppresses whatever k is."""
    sizes, distinct, _, counted = entries.T
    few = distinct < l
    k = np.unique(sizes)
    # Rows in classes below a size, among those that l leaves.
    left = np.where(few, 0, counted)
    below = np.concatenate([[0], np.cumsum(left)])[np.searchsorted(sizes, k, side="left")]
    return SuppressionCurve(node, rows, k, below + int(counted[few].sum()))


@dataclass(frozen=True)
class Neighbour:
    """A neighbour: one attribute moved by one level.

    `smallest` is the size of its smallest class and `fewest` the fewest distinct values in one of its classes
    (None without sensitive columns): the k and l that it gives without suppression. `suppressed` are its
    suppressed rows for the k and l asked for, `change` how many more than before the step.
    """

    attribute: str
    level: int
    node: dict[str, int]
    height: int
    smallest: int
    fewest: int | None
    suppressed: int
    change: int

    def to_dict(self) -> dict[str, Any]:
        """Return the step as documents show it."""
        return asdict(self)


@dataclass(frozen=True)
class BlockedClass:
    """A class that is too small or not diverse enough: its labels, rows and distinct values."""

    labels: dict[str, str | None]
    rows: int
    distinct: int | None


@dataclass(frozen=True)
class BlockedValue:
    """A label and how many of its rows are suppressed."""

    attribute: str
    label: str | None
    suppressed: int
    rows: int


@dataclass(frozen=True)
class Explanation(Shown):
    """Why a request fails, or how near it is to failing, at the top acceptable node.

    `blocked` classes are suppressed there, and `classes` are the largest of them; `values` are the labels
    with the most suppressed rows; `steps` say what one level more or less of each attribute would change.
    """

    holds: bool
    node: dict[str, int]
    suppressed: int
    limit: int
    blocked: int
    classes: tuple[BlockedClass, ...]
    values: tuple[BlockedValue, ...]
    steps: tuple[Neighbour, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a document."""
        return asdict(self)


def blocked(
    groups: Groups,
    labels: Sequence[Sequence[str | None]],
    attributes: Sequence[str],
    distinct: Mapping[str, Ints],
    k: int,
    l: int,
    most: int,
) -> tuple[int, tuple[BlockedClass, ...], tuple[BlockedValue, ...]]:
    """Return how many classes are suppressed, the largest of them, and the labels with the most rows there.

    `groups` are the classes, and `distinct` has for each sensitive column the number of values in each.
    """
    sizes = groups.rows
    fewest = np.min(list(distinct.values()), axis=0) if distinct else None
    gone = groups.sizes < k
    if fewest is not None:
        gone |= fewest < l
    places = np.flatnonzero(gone)
    largest = places[np.argsort(-sizes[places], kind="stable")][:most]
    shown = tuple(
        BlockedClass(
            dict(zip(attributes, labels[c], strict=True)),
            int(sizes[c]),
            None if fewest is None else int(fewest[c]),
        )
        for c in largest.tolist()
    )
    values = []
    for a, name in enumerate(attributes):
        stopping.look()
        rows: dict[str | None, list[int]] = {}
        for c, size in enumerate(sizes.tolist()):
            tally = rows.setdefault(labels[c][a], [0, 0])
            tally[0] += size if gone[c] else 0
            tally[1] += size
        # An attribute at its root distinguishes nothing.
        if len(rows) > 1:
            values += [BlockedValue(name, label, *pair) for label, pair in rows.items() if pair[0]]
    values.sort(key=lambda value: (-value.suppressed, value.rows))
    return len(places), shown, tuple(values[:most])
