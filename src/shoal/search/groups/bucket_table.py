"""The buckets that persons are dealt to: who is in each, and how those who fit nowhere find a place.

A bucket is good if both conditions of `dealt_persons` hold, which also says why merging keeps them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Kind = tuple[int, ...]
"""The values that a person has, as places in their column's domain, in order."""
_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True)
class PersonDeal:
    """The buckets, from 0, of the persons with each set of values, and how many buckets there are."""

    places: Mapping[Kind, Ints]
    groups: int


class BucketTable:
    """The buckets dealt so far: how many persons and values each has, and who is in it."""

    def __init__(self, l: int) -> None:  # noqa: E741
        self.l = l
        self.sizes: Ints = np.zeros(0, dtype=np.int64)
        self.pairs: Ints = np.zeros(0, dtype=np.int64)
        self.places: dict[Kind, list[Ints]] = {}
        self.having: dict[int, list[Ints]] = {}
        """The buckets of the persons who have a value, one after the other."""

    def open(self, count: int) -> int:
        """Add empty buckets, and return the number of the first."""
        first = len(self.sizes)
        self.sizes = np.concatenate([self.sizes, np.zeros(count, dtype=np.int64)])
        self.pairs = np.concatenate([self.pairs, np.zeros(count, dtype=np.int64)])
        return first

    def put_all(self, made: Sequence[Sequence[Kind]]) -> None:
        """Open a bucket for each of these lists of persons."""
        first, places = self.open(len(made)), defaultdict[Kind, list[int]](list)
        for place, inside in enumerate(made, start=first):
            for kind in inside:
                places[kind].append(place)
        for kind, where in places.items():
            self.put(kind, np.array(where, dtype=np.int64))

    def put(self, kind: Kind, places: Ints) -> None:
        """Put one person with this set into each of these buckets, which may repeat."""
        self.places.setdefault(kind, []).append(places)
        np.add.at(self.sizes, places, 1)
        np.add.at(self.pairs, places, len(kind))
        for value in kind:
            self.having.setdefault(value, []).append(places)

    def with_value(self, value: int) -> Ints:
        """Return how many persons of each bucket have a value."""
        where = self.having.get(value, [])
        joined = np.concatenate(where) if where else np.zeros(0, dtype=np.int64)
        self.having[value] = [joined]
        return np.bincount(joined, minlength=len(self.sizes))

    def place(self, homeless: Sequence[Kind]) -> None:
        """Let everybody join a bucket that stays good, and merge buckets for those who cannot."""
        waiting: dict[Kind, int] = {}
        for kind in homeless:
            waiting[kind] = waiting.get(kind, 0) + 1
        moved = True
        while waiting and moved:
            moved = False
            for kind in list(waiting):
                fits = len(kind) * self.l <= self.pairs + len(kind)
                for value in kind:
                    fits &= (self.with_value(value) + 1) * self.l <= self.sizes + 1
                places = np.flatnonzero(fits)[: waiting[kind]]
                if len(places):
                    moved = True
                    self.put(kind, places)
                    waiting[kind] -= len(places)
                    if not waiting[kind]:
                        del waiting[kind]
        self._merge([kind for kind, n in waiting.items() for _ in range(n)])

    def _merge(self, waiting: Sequence[Kind]) -> None:
        """Give each of these persons a bucket, and merge others into it until it is good.

        Those with the most room for what is too much there come first. Nobody of a good bucket has too many
        values in a larger one.
        """
        if not waiting:
            return
        begin = self.open(len(waiting))
        for place, kind in enumerate(waiting, start=begin):
            self.put(kind, np.full(1, place))
        inside: list[Counter[int]] = [Counter() for _ in self.sizes]
        for value, parts in self.having.items():
            for place in np.concatenate(parts).tolist():
                inside[place][value] += 1
        into, apart = np.arange(len(self.sizes)), np.arange(len(self.sizes)) < begin
        longest = [0] * begin + [len(kind) for kind in waiting]
        room: dict[int, Ints] = {}
        for home in range(begin, len(into)):
            if into[home] != home:
                continue
            apart[home] = False
            while True:
                worst, most = max(inside[home].items(), key=lambda item: (item[1], -item[0]))
                if most * self.l > self.sizes[home]:
                    if worst not in room:
                        room[worst] = self.sizes - self.l * np.array([one[worst] for one in inside])
                    free = room[worst]
                elif longest[home] * self.l > self.pairs[home]:
                    free = self.pairs
                else:
                    break
                if not apart.any():  # only others who wait are left, and the whole table is good
                    apart = into == np.arange(len(into))
                    apart[home] = False
                chosen = int(np.argmax(np.where(apart, free, _NEVER)))
                apart[chosen] = False
                into[into == chosen] = home
                for found in (self.sizes, self.pairs, *room.values()):
                    found[home] += found[chosen]
                inside[home].update(inside[chosen])
                longest[home] = max(longest[home], longest[chosen])
            apart[home] = True
        _, numbered = np.unique(into, return_inverse=True)
        for kind, parts in self.places.items():
            self.places[kind] = [numbered.reshape(-1)[np.concatenate(parts)]]
        self.sizes = np.bincount(numbered.reshape(-1))

    def dealt(self, kinds: Mapping[Kind, int]) -> PersonDeal:
        """Return the buckets of all persons."""
        places = {kind: np.concatenate(self.places[kind]) for kind in kinds if kinds[kind]}
        return PersonDeal(places, len(self.sizes))
