"""Group-wise recoding: every combination of values goes to the labels of its group, kept column by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
import numpy.typing as npt

from shoal.data.coding import placed
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.errors import InputError

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Meanings = Mapping[str, Mapping[Label, Sequence[Label]]]
"""By attribute, the values behind each label that is not in the hierarchy: an interval, a set."""


@dataclass(frozen=True, eq=False)
class Stretch(Sequence[Label]):
    """The values of an interval: those of an ordered `line` from `begin` up to `end`, without listing them.

    A table has thousands of different amounts or dates, and thousands of intervals of them: listed, they
    would take more room than the table. A value outside of the order, such as the missing one, comes last if
    it belongs to the label.

    >>> list(Stretch(("17", "18", "25", "40"), 1, 3, missing=True))
    ['18', '25', None]
    """

    line: tuple[Label, ...]
    begin: int
    end: int
    missing: bool = False
    """Whether `other` belongs to it."""
    other: Label = None

    def __len__(self) -> int:
        return self.end - self.begin + self.missing

    @overload
    def __getitem__(self, place: int) -> Label: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Label]: ...
    def __getitem__(self, place: int | slice) -> Label | Sequence[Label]:
        if isinstance(place, slice):
            return tuple(self)[place]
        at = range(len(self))[place]
        return self.line[self.begin + at] if self.begin + at < self.end else self.other

    def __iter__(self) -> Iterator[Label]:
        yield from self.line[self.begin : self.end]
        if self.missing:
            yield self.other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True)
class Group:
    """Combinations of values that are released under the same labels."""

    labels: Mapping[str, Label]
    combinations: tuple[tuple[Label, ...], ...]


@dataclass(frozen=True, eq=False)
class GroupColumns:
    """Combinations and groups as columns of codes.

    Combination i has the value `codes[i, a]` of `domains[a]` in attribute a, and is in group `of[i]`; group g
    is released as `labels[g, a]` of `texts[a]`, where no text occurs twice.
    """

    domains: tuple[tuple[Label, ...], ...]
    codes: Codes
    of: Ints
    texts: tuple[tuple[Label, ...], ...]
    labels: Codes

    @classmethod
    def listed(cls, attributes: Sequence[str], groups: Iterable[Group]) -> GroupColumns:
        """Return listed groups as columns."""
        values: list[dict[Label, int]] = [{} for _ in attributes]
        texts: list[dict[Label, int]] = [{} for _ in attributes]
        codes: list[list[int]] = []
        labels: list[list[int]] = []
        of: list[int] = []
        for g, group in enumerate(groups):
            labels.append(
                [
                    one.setdefault(group.labels[name], len(one))
                    for one, name in zip(texts, attributes, strict=True)
                ]
            )
            for combination in group.combinations:
                pairs = zip(values, combination, strict=True)
                codes.append([one.setdefault(value, len(one)) for one, value in pairs])
                of.append(g)
        width = len(attributes)
        return cls(
            tuple(tuple(one) for one in values),
            np.array(codes, dtype=np.int32).reshape(len(codes), width),
            np.array(of, dtype=np.int64),
            tuple(tuple(one) for one in texts),
            np.array(labels, dtype=np.int32).reshape(len(labels), width),
        )


@dataclass(frozen=True, eq=False, init=False)
class GroupRecoding:
    """Group-wise recoding: each combination of `attributes` goes to the labels of its group.

    `meanings` gives, by attribute, the values behind each label that is not in the hierarchy. It is made from
    listed groups or from columns; large ones are never listed at once.
    """

    attributes: tuple[str, ...]
    columns: GroupColumns
    meanings: Meanings = field(default_factory=dict)

    def __init__(
        self,
        attributes: Sequence[str],
        groups: Iterable[Group] | GroupColumns,
        meanings: Meanings | None = None,
    ) -> None:
        listed = groups if isinstance(groups, GroupColumns) else GroupColumns.listed(attributes, groups)
        object.__setattr__(self, "attributes", tuple(attributes))
        object.__setattr__(self, "columns", listed)
        object.__setattr__(self, "meanings", meanings or {})

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that are recoded."""
        return self.attributes

    def __len__(self) -> int:
        """Return how many groups there are."""
        return len(self.columns.labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupRecoding) and (
            self.attributes == other.attributes
            and self.groups == other.groups
            and {name: dict(of) for name, of in self.meanings.items() if of}
            == {name: dict(of) for name, of in other.meanings.items() if of}
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def groups(self) -> tuple[Group, ...]:
        """All groups, listed."""
        return tuple(self.each())

    def each(self) -> Iterator[Group]:
        """Yield one group after the other, each with its combinations in their order."""
        columns = self.columns
        order = np.argsort(columns.of, kind="stable")
        ends = np.searchsorted(columns.of[order], np.arange(len(self)), side="right").tolist()
        begin = 0
        for g, end in enumerate(ends):
            shown = zip(self.attributes, columns.texts, columns.labels[g].tolist(), strict=True)
            inside = tuple(
                tuple(domain[code] for domain, code in zip(columns.domains, row, strict=True))
                for row in columns.codes[order[begin:end]].tolist()
            )
            yield Group({name: text[code] for name, text, code in shown}, inside)
            begin = end

    @property
    def cells(self) -> int:
        """How many values and labels a document would list."""
        meant = sum(len(values) for labels in self.meanings.values() for values in labels.values())
        return int(self.columns.codes.size + self.columns.labels.size + meant)

    def group_of(self, tally: Tally) -> Ints:
        """Return the group of every combination of a tally; -1 where it is in none."""
        if set(self.attributes) != set(tally.attributes):
            raise InputError("the solution's groups are of other attributes than the study's")
        columns = self.columns
        codes = np.empty((len(tally), len(self.attributes)), dtype=np.int32)
        for a, (name, domain) in enumerate(zip(self.attributes, columns.domains, strict=True)):
            place = {value: code for code, value in enumerate(domain)}
            there = np.array([place.get(value, -1) for value in tally.domain(name)], dtype=np.int32)
            codes[:, a] = there[tally.codes[:, tally.attributes.index(name)]]
        if np.array_equal(codes, columns.codes):
            return columns.of
        found, at = placed(np.concatenate([columns.codes, codes]))
        group = np.full(len(found), -1, dtype=np.int64)
        group[at[: len(columns.of)]] = columns.of
        found_in: Ints = group[at[len(columns.of) :]]
        return found_in

    def shown_in(self, attributes: Sequence[str]) -> tuple[Ints, tuple[tuple[Label, ...], ...]]:
        """Return the class of every group, and the labels of each class in the order of some attributes.

        Groups that are released alike are one class to anyone who sees the release. Classes are numbered as
        they first occur.
        """
        order = [self.attributes.index(name) for name in attributes]
        labels = self.columns.labels[:, order]
        found, at = placed(labels)
        first = np.full(len(found), len(labels), dtype=np.int64)
        np.minimum.at(first, at, np.arange(len(labels)))
        number = np.empty(len(found), dtype=np.int64)
        number[np.argsort(first)] = np.arange(len(found))
        columns = labels[np.sort(first)].T.tolist()
        texts = [self.columns.texts[a] for a in order]
        shown = (map(text.__getitem__, codes) for text, codes in zip(texts, columns, strict=True))
        return number[at], tuple(zip(*shown, strict=True))

    def with_group(self, label: Label, tally: Tally, inside: npt.NDArray[np.bool_]) -> GroupRecoding:
        """Return the recoding with one more group: some of a tally's combinations, under a label of all
        attributes.
        """
        old, domains, texts, codes, last = self.columns, [], [], [], []
        for a, name in enumerate(self.attributes):
            domain = tuple(dict.fromkeys([*old.domains[a], *tally.domain(name)]))
            place = {value: code for code, value in enumerate(domain)}
            there = np.array([place[value] for value in tally.domain(name)], dtype=np.int32)
            codes.append(there[tally.codes[inside, tally.attributes.index(name)]])
            domains.append(domain)
            texts.append(tuple(dict.fromkeys([*old.texts[a], label])))
            last.append(texts[-1].index(label))
        columns = GroupColumns(
            tuple(domains),
            np.concatenate([old.codes, np.stack(codes, axis=1)]),
            np.concatenate([old.of, np.full(int(inside.sum()), len(self), dtype=np.int64)]),
            tuple(texts),
            np.concatenate([old.labels, np.array([last], dtype=np.int32)]),
        )
        return GroupRecoding(self.attributes, columns, self.meanings)
