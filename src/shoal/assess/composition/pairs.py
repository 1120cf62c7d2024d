"""Goes through the pairs of rows of two releases that may be the same person, in memory-sized batches.

Equal rows are one entry with a count. Entries are put into blocks: two entries of different blocks differ in
some column as no person can, so only pairs within a block are examined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.assess.composition.links import Link
from shoal.kernels import Codebook

Ints = npt.NDArray[np.int64]

CHUNK = 1 << 21
"""Pairs that are in memory at once."""


@dataclass(frozen=True)
class Entries:
    """One release's distinct rows: codes of the linked columns, rows, group and block of each."""

    codes: npt.NDArray[np.int32]
    counts: Ints
    groups: Ints
    blocks: Ints
    group_sizes: Ints

    @property
    def rows(self) -> int:
        """How many rows the release has."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class Runs:
    """Pairs of entries, divided into runs with the same entry of one release and the same group of the other.

    `one[i]` and `other[i]` are the entries of pair i; the runs begin at `starts`.
    """

    one: Ints
    other: Ints
    starts: Ints


def number_blocks(
    one: npt.NDArray[np.int32], other: npt.NDArray[np.int32], links: Sequence[Link]
) -> tuple[Ints, Ints]:
    """Return the block of every entry of both releases."""
    if not links:
        return np.zeros(len(one), dtype=np.int64), np.zeros(len(other), dtype=np.int64)
    parts = np.empty((len(one) + len(other), len(links)), dtype=np.int32)
    for i, link in enumerate(links):
        parts[: len(one), i] = link.one_parts[one[:, i]]
        parts[len(one) :, i] = link.other_parts[other[:, i]]
    book = Codebook([np.arange(len(link.complete), dtype=np.int32)[None, :] for link in links])
    keys = book.pack(parts)
    if keys.shape[1] == 1:
        numbers = np.unique(keys[:, 0], return_inverse=True)[1]
    else:
        numbers = np.unique(keys, axis=0, return_inverse=True)[1]
    numbers = numbers.reshape(-1).astype(np.int64)
    return numbers[: len(one)], numbers[len(one) :]


def block_rows(one: Entries, other: Entries) -> tuple[Ints, Ints]:
    """Return how many rows of each release are in each block."""
    size = int(max(one.blocks.max(initial=-1), other.blocks.max(initial=-1))) + 1
    rows = (
        np.bincount(side.blocks, weights=side.counts, minlength=size).astype(np.int64)
        for side in (one, other)
    )
    return next(rows), next(rows)


def count_pairs(one: Entries, other: Entries) -> int:
    """Return how many pairs of entries there are to examine."""
    partners = np.bincount(other.blocks, minlength=int(one.blocks.max(initial=-1)) + 1)
    return int(partners[one.blocks].sum())


def walk(one: Entries, other: Entries, links: Sequence[Link]) -> Iterator[Runs]:
    """Yield all pairs of entries that may be the same person; those of one entry come together."""
    order = np.lexsort((other.groups, other.blocks))
    size = int(max(one.blocks.max(initial=-1), other.blocks.max(initial=-1))) + 1
    lengths = np.bincount(other.blocks, minlength=size)
    begins = np.cumsum(lengths) - lengths
    partners = lengths[one.blocks]
    # A column is checked only in blocks where its part is not complete.
    checks = [(i, link, ~link.complete[link.one_parts[one.codes[:, i]]]) for i, link in enumerate(links)]
    ends = np.cumsum(partners)
    at = 0
    while at < len(partners):
        done = int(ends[at - 1]) if at else 0
        to = max(int(np.searchsorted(ends, done + CHUNK, side="right")), at + 1)
        here = np.arange(at, to)
        at = to
        repeated = partners[here]
        left = np.repeat(here, repeated)
        if not len(left):
            continue
        offsets = np.arange(len(left)) - np.repeat(np.cumsum(repeated) - repeated, repeated)
        right = order[begins[one.blocks[left]] + offsets]
        for i, link, needed in checks:
            if needed[here].any():
                good = ~needed[left]
                ask = np.flatnonzero(~good)
                good[ask] = link.allows(
                    one.codes[left[ask], i].astype(np.int64), other.codes[right[ask], i].astype(np.int64)
                )
                left, right = left[good], right[good]
        if len(left):
            fresh = np.ones(len(left), dtype=np.bool_)
            groups = other.groups[right]
            fresh[1:] = (left[1:] != left[:-1]) | (groups[1:] != groups[:-1])
            yield Runs(left, right, np.flatnonzero(fresh))
