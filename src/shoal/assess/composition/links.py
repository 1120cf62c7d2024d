"""Which labels of one release may belong to the same person as which labels of another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.assess.composition.mappings import Pairs
from shoal.data.engine import Value
from shoal.describe.promise.distance import FORMULAS

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ReleasedLabels:
    """One release's labels of a column.

    `pairs` are originals and their labels; None if the labels are unknown, or `exact`, that is, the originals
    themselves. A missing label of a column that may be `blanked` can stand for any value.
    """

    domain: tuple[Value, ...]
    exact: bool
    pairs: Pairs | None
    blanked: bool

    def codes_of(self) -> tuple[dict[Value, list[int]], Flags]:
        """Return the labels each original may have, and which labels may stand for anything."""
        wild = np.zeros(len(self.domain), dtype=np.bool_)
        place: dict[Value, list[int]] = {}
        for code, label in enumerate(self.domain):
            place.setdefault(plain(label), []).append(code)
            wild[code] = self.blanked and label is None
        if self.exact:
            return place, wild
        if self.pairs is None:
            return {}, np.ones(len(self.domain), dtype=np.bool_)
        found: dict[Value, list[int]] = {}
        known: set[int] = set()
        for original, released in self.pairs:
            codes = place.get(plain(released), [])
            found.setdefault(original, []).extend(codes)
            known.update(codes)
        for code in range(len(self.domain)):
            wild[code] |= code not in known
        return found, wild


@dataclass(frozen=True)
class Link:
    """Which labels of a common column of both releases may belong to the same person.

    A pair of labels may belong to one person if one of them is wild, or if the pair is in `pairs` (coded one
    * labels of the other + other; sorted). `one_parts` and `other_parts` number the connected parts: labels
    of different parts never belong together, and those of a `complete` part always may.
    """

    column: str
    relation: str
    one_wild: Flags
    other_wild: Flags
    pairs: Ints
    one_parts: Ints
    other_parts: Ints
    complete: Flags

    def allows(self, one: Ints, other: Ints) -> Flags:
        """Return which pairs of labels may belong to one person."""
        found: Flags = self.one_wild[one] | self.other_wild[other]
        if len(self.pairs):
            keys = one * len(self.other_wild) + other
            places = np.minimum(np.searchsorted(self.pairs, keys), len(self.pairs) - 1)
            found |= self.pairs[places] == keys
        return found

    def flipped(self) -> Link:
        """Return the link seen from the other release."""
        one, other = np.divmod(self.pairs, len(self.other_wild))
        return Link(
            self.column,
            self.relation,
            self.other_wild,
            self.one_wild,
            np.sort(other * len(self.one_wild) + one),
            self.other_parts,
            self.one_parts,
            self.complete,
        )


def plain(label: Value) -> Value:
    """Return a label without the apostrophe that makes it safe for spreadsheets.

    >>> plain("'=1+1"), plain("'tis")
    ('=1+1', "'tis")
    """
    if label is not None and label[:1] == "'" and label[1:2] in FORMULAS:
        return label[1:]
    return label


def link_columns(column: str, one: ReleasedLabels, other: ReleasedLabels) -> Link:
    """Return which labels of a column of two releases may belong together."""
    one_of, one_wild = one.codes_of()
    other_of, other_wild = other.codes_of()
    width = len(other.domain)
    found = {
        a * width + b
        for original, codes in one_of.items()
        for a in codes
        for b in other_of.get(original, ())
    }
    pairs = np.array(sorted(found), dtype=np.int64)
    relation = _relation(one, other, pairs, one_wild, other_wild)
    one_parts, other_parts = _parts(pairs, one_wild, other_wild)
    size = int(max(one_parts.max(initial=-1), other_parts.max(initial=-1))) + 1
    ones, others = (np.bincount(parts, minlength=size) for parts in (one_parts, other_parts))
    there = np.bincount(one_parts[pairs // max(width, 1)], minlength=size)
    # A wild label fits all, so a part is also complete if one release has only wild labels in it.
    tame_ones = np.bincount(one_parts[~one_wild], minlength=size)
    tame_others = np.bincount(other_parts[~other_wild], minlength=size)
    complete = (there == ones * others) | (tame_ones == 0) | (tame_others == 0)
    return Link(column, relation, one_wild, other_wild, pairs, one_parts, other_parts, complete)


def _parts(pairs: Ints, one_wild: Flags, other_wild: Flags) -> tuple[Ints, Ints]:
    """Return the connected parts of two sets of labels: the smallest number spreads along the pairs."""
    one, other = len(one_wild), len(other_wild)
    left, right = np.divmod(pairs, max(other, 1))
    right = right + one
    ones, others = np.arange(one), np.arange(other) + one
    for wild, there in ((np.flatnonzero(one_wild), others), (np.flatnonzero(other_wild) + one, ones)):
        if len(wild) and len(there):
            # They fit all labels of the other release: link the first with every label, the others with one.
            left = np.concatenate([left, np.repeat(wild[:1], len(there)), wild])
            right = np.concatenate([right, there, np.repeat(there[:1], len(wild))])
    parts = np.arange(one + other, dtype=np.int64)
    while True:
        before = parts.copy()
        np.minimum.at(parts, left, parts[right])
        np.minimum.at(parts, right, parts[left])
        if (parts == before).all():
            break
    numbers = np.unique(parts, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers[:one], numbers[one:]


def _relation(
    one: ReleasedLabels, other: ReleasedLabels, pairs: Ints, one_wild: Flags, other_wild: Flags
) -> str:
    """Return in a word or two which release is finer."""
    if one.exact and other.exact:
        return "untouched"
    if _unknown(one, one_wild) or _unknown(other, other_wild):
        return "unknown"
    left, right = np.divmod(pairs, max(len(other.domain), 1))
    one_finer = bool((np.bincount(left, minlength=1) <= 1).all())
    other_finer = bool((np.bincount(right, minlength=1) <= 1).all())
    if one_finer and other_finer:
        return "the same"
    if one_finer or other_finer:
        return "finer in the first" if one_finer else "finer in the second"
    return "crossing"


def _unknown(labels: ReleasedLabels, wild: Flags) -> bool:
    missing = np.array([labels.blanked and label is None for label in labels.domain], dtype=np.bool_)
    return bool((wild & ~missing).any()) if len(wild) else False
