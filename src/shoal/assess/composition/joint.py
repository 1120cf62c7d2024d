"""What follows for pairs of groups of two releases: how many persons, and which values remain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.assess.composition.findings import Intersections, Pinned
from shoal.assess.composition.links import Link
from shoal.assess.composition.pairs import Entries, Ints, Runs, walk

LOWEST, HIGHEST = -1, 1 << 60
"""The span of a missing value, which may be any value."""

Span = tuple[Ints, Ints]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Secret:
    """A sensitive column: for every entry, the lowest and the highest number of the values it may have.

    None for a release that does not show the column unchanged.
    """

    column: str
    one: Span | None
    other: Span | None

    def span(self, runs: Runs) -> Span:
        """Return the span of every pair: the values that both releases leave possible."""
        low = np.full(len(runs.one), LOWEST, dtype=np.int64)
        high = np.full(len(runs.one), HIGHEST, dtype=np.int64)
        for given, entries in ((self.one, runs.one), (self.other, runs.other)):
            if given is not None:
                low = np.maximum(low, given[0][entries])
                high = np.minimum(high, given[1][entries])
        return low, high


@dataclass(frozen=True)
class Joint:
    """What follows from the pairs; `keys` are the pairs of groups, sorted (one * width + other)."""

    k: int
    width: int
    keys: Ints
    rooms: Ints
    one_candidates: Ints
    other_candidates: Ints
    one_exposed: int
    other_exposed: int
    pinned: tuple[Pinned, ...]

    @property
    def intersections(self) -> Intersections:
        """The pairs of groups and how many of them are below k."""
        smallest = int(self.rooms.min()) if len(self.rooms) else 0
        return Intersections(len(self.keys), int((self.rooms < self.k).sum()), smallest)

    def smallest(self, most: int) -> list[tuple[int, int, int]]:
        """Return the groups and the room of the smallest pairs below k."""
        order = np.argsort(self.rooms, kind="stable")[:most]
        return [
            (int(self.keys[i]) // self.width, int(self.keys[i]) % self.width, int(self.rooms[i]))
            for i in order
            if self.rooms[i] < self.k
        ]


def examine(
    one: Entries, other: Entries, links: Sequence[Link], secrets: Sequence[Secret], k: int
) -> Joint:
    """Return what follows from the pairs of entries for the pairs of groups."""
    width = max(len(other.group_sizes), 1)
    back = [link.flipped() for link in links]
    keys, rooms, one_candidates, spans = _rooms(one, other, links, secrets)
    flipped_keys, flipped_rooms, other_candidates, _ = _rooms(other, one, back, ())
    there, here = np.divmod(flipped_keys, max(len(one.group_sizes), 1))
    order = np.argsort(here * width + there)
    rooms = np.minimum(rooms, flipped_rooms[order])
    marks, found = [rooms < k], []
    for secret, (low, high) in zip(secrets, spans, strict=True):
        single = low == high
        alone = _alone(secret.one, one)[keys // width] | _alone(secret.other, other)[keys % width]
        marks.append(single & ~alone)
        found.append((secret.column, int(single.sum()), int((single & ~alone).sum())))
    one_rows = _certain(one, other, links, keys, np.array(marks))
    flipped = (keys % width) * max(len(one.group_sizes), 1) + keys // width
    order = np.argsort(flipped)
    other_rows = _certain(other, one, back, flipped[order], np.array(marks)[:, order])
    pinned = tuple(
        Pinned(*figures, one_rows[1 + i], other_rows[1 + i]) for i, figures in enumerate(found)
    )
    return Joint(
        k, width, keys, rooms, one_candidates, other_candidates, one_rows[0], other_rows[0], pinned
    )


def _rooms(
    one: Entries, other: Entries, links: Sequence[Link], secrets: Sequence[Secret]
) -> tuple[Ints, Ints, Ints, list[Span]]:
    """Return the pairs of groups, their room seen from one side, its candidates, and the secrets' spans."""
    width = max(len(other.group_sizes), 1)
    candidates = np.zeros(len(one.counts), dtype=np.int64)
    kept: list[list[Ints]] = []
    for runs in walk(one, other, links):
        entry = runs.one[runs.starts]
        agreeing = np.add.reduceat(other.counts[runs.other], runs.starts)
        np.add.at(candidates, entry, agreeing)
        keys = one.groups[entry] * width + other.groups[runs.other[runs.starts]]
        columns = [keys, np.minimum(one.counts[entry], agreeing)]
        for secret in secrets:
            low, high = secret.span(runs)
            columns += [np.minimum.reduceat(low, runs.starts), np.maximum.reduceat(high, runs.starts)]
        kept.append(_merge(columns))
    none = np.zeros(0, dtype=np.int64)
    parts = [np.concatenate(column) for column in zip(*kept, strict=True)] if kept else []
    merged = _merge(parts) if parts else [none] * (2 + 2 * len(secrets))
    spans = list(zip(merged[2::2], merged[3::2], strict=True))
    return merged[0], merged[1], candidates, spans


def _merge(columns: list[Ints]) -> list[Ints]:
    """Return one row per key, with rooms added up and spans widened."""
    keys, rooms, *spans = columns
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    merged = [keys[starts], np.add.reduceat(rooms[order], starts)]
    for i, span in enumerate(spans):
        reduce = np.minimum if i % 2 == 0 else np.maximum
        merged.append(reduce.reduceat(span[order], starts))
    return merged


def _alone(span: Span | None, entries: Entries) -> Flags:
    """Return which groups reveal a secret without the other release."""
    size = len(entries.group_sizes)
    if span is None or not size:
        return np.zeros(size, dtype=np.bool_)
    starts = np.searchsorted(entries.groups, np.arange(size))
    low = np.minimum.reduceat(span[0], starts)
    high = np.maximum.reduceat(span[1], starts)
    alone: Flags = low == high
    return alone


def _certain(one: Entries, other: Entries, links: Sequence[Link], keys: Ints, marks: Flags) -> list[int]:
    """Return, for each row of marks, how many rows of one release are only in marked pairs of groups."""
    width = max(len(other.group_sizes), 1)
    some = np.zeros(len(one.counts), dtype=np.bool_)
    only = np.ones((len(marks), len(one.counts)), dtype=np.bool_)
    for runs in walk(one, other, links):
        entry = runs.one[runs.starts]
        some[entry] = True
        pair = one.groups[entry] * width + other.groups[runs.other[runs.starts]]
        place = np.searchsorted(keys, pair)
        for mark, clean in zip(marks, only, strict=True):
            clean[entry[~mark[place]]] = False
    return [int(one.counts[some & clean].sum()) for clean in only]
