"""The earth mover's flows between a group's values and the table's, for each distance of t-closeness.

All three distances are tree distances: on a star, on a path, on a hierarchy. On a tree the earth mover's
distance is a sum over its edges: the edge's length times the difference of the shares on its far side. At
least that difference must cross the edge, and moving exactly that much everywhere is enough.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.criteria.criterion import Ints
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Distance, DistanceKind
from shoal.errors import InputError, show


@dataclass(frozen=True)
class Flows:
    """The rows on the far side of each edge, one row per group; an edge has length `lengths` / `unit`."""

    beyond: Ints
    lengths: Ints
    unit: int


@dataclass(frozen=True)
class Edges:
    """Beyond which edges each value is: `of` has one row per level of the tree, one column per value."""

    of: npt.NDArray[np.int32]
    lengths: tuple[int, ...]
    unit: int


def edges_between(distance: Distance, domain: Sequence[Label]) -> Edges | None:
    """Return the edges between all values of a domain, as the kernels take them.

    None for values in an order, whose distances depend on which of them are released, and for values that
    have no place in the tree.

    >>> edges_between(Distance(), ["flu", "gout"]).of.tolist()
    [[0, 1]]
    """
    values = np.arange(len(domain), dtype=np.int32)
    if distance.kind is DistanceKind.EQUAL:
        return Edges(values[None], (1,) * len(domain), 2)
    known = {row[0] for row in distance.rows}
    if distance.kind is DistanceKind.ORDERED or any(
        value is not None and value not in known for value in domain
    ):
        return None
    paths = [distance.path(value) for value in domain]
    # Two labels are the same only if all labels above them are the same too.
    codes: dict[tuple[int, tuple[Label, ...]], int] = {}
    of = [
        [codes.setdefault((level, path[level:]), len(codes)) for path in paths]
        for level in range(distance.height)
    ]
    if not of:
        return None
    return Edges(np.array(of, dtype=np.int32), (1,) * len(codes), 2 * distance.height)


def flows(distance: Distance, histogram: Ints, domain: Sequence[Label]) -> Flows:
    """Return the edges that rows must cross, and how many rows of each group are beyond them.

    >>> found = flows(Distance(DistanceKind.ORDERED), np.array([[1, 4, 2]]), ["1", "2", "3"])
    >>> found.beyond.tolist(), found.lengths.tolist(), found.unit
    ([[1, 5]], [1, 1], 2)
    """
    if distance.kind is DistanceKind.ORDERED:
        return _path(distance, histogram, domain)
    if distance.kind is DistanceKind.HIERARCHICAL:
        return _tree(distance, histogram, domain)
    return Flows(histogram, np.ones(histogram.shape[1], dtype=np.int64), 2)


def _path(distance: Distance, histogram: Ints, domain: Sequence[Label]) -> Flows:
    """Values on a line, 1 / (m - 1) apart, with the missing value 1 after the last."""
    places = {domain[v]: v for v in np.flatnonzero(histogram.sum(axis=0)).tolist()}
    order = distance.ordered([value for value in places if value is not None])
    _all_known(places, order)
    counts = np.zeros((len(histogram), len(order)), dtype=histogram.dtype)
    for i, value in enumerate(order):
        if value in places:
            counts[:, i] = histogram[:, places[value]]
    # The last edge leads from the last value to the missing one.
    beyond = np.cumsum(counts, axis=1)
    steps = max(len(order) - 1, 1)
    lengths = np.ones(len(order), dtype=np.int64)
    if None in places and len(order):
        lengths[-1] = steps
    else:
        beyond, lengths = beyond[:, :-1], lengths[:-1]
    return Flows(beyond, lengths, steps)


def _all_known(values: Iterable[Label], known: Collection[Label]) -> None:
    """Refuse a value that has no place; values here have no leading apostrophe as in spreadsheets."""
    for value in values:
        if value is not None and value not in known:
            raise InputError(f"the value {show(value)} has no place among the others; add it")


def _tree(distance: Distance, histogram: Ints, domain: Sequence[Label]) -> Flows:
    """Values below labels: every edge up is 1 / (2 * height) long."""
    present = np.flatnonzero(histogram.sum(axis=0)).tolist()
    _all_known([domain[v] for v in present], [row[0] for row in distance.rows])
    paths = [distance.path(domain[v]) for v in present]
    blocks = []
    for level in range(distance.height):
        codes: dict[tuple[Label, ...], int] = {}
        # Two labels are the same only if all labels above them are the same too.
        of = [codes.setdefault(path[level:], len(codes)) for path in paths]
        block = np.zeros((len(histogram), len(codes)), dtype=histogram.dtype)
        for v, code in zip(present, of, strict=True):
            block[:, code] += histogram[:, v]
        blocks.append(block)
    if not blocks:
        return Flows(histogram[:, :0], np.zeros(0, dtype=np.int64), 1)
    beyond = np.concatenate(blocks, axis=1)
    return Flows(beyond, np.ones(beyond.shape[1], dtype=np.int64), 2 * distance.height)
