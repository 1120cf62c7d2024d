"""The result of comparing two releases, as figures and as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from shoal.assess.composition.linked_persons import LinkedPersons
from shoal.assess.composition.row_order import SharedOrder
from shoal.data.engine import Value
from shoal.numbers import count
from shoal.tabular import AnswerColumn, AnswerTable, Tabular


@dataclass(frozen=True)
class SideView:
    """What the other release says about the rows of this one.

    A row's candidates are the rows of the other release that may be the same person. `unmatched` rows have
    none: their persons are not in the other release. At least `missing_there` rows are of persons that are
    not in it, judging by how often equal rows occur. `linked_once` rows have one candidate and
    `below_k_candidates` fewer than k, the `fewest` being the smallest number above 0. `exposed` rows are of
    persons who, if they are in the other release too, share their pair of groups with fewer than k persons.
    """

    file: str
    rows: int
    groups: int
    unmatched: int
    missing_there: int
    linked_once: int
    below_k_candidates: int
    fewest: int
    exposed: int | None


@dataclass(frozen=True)
class Intersections:
    """The pairs of groups that a person may be in, and the most persons that each can have.

    `below_k` counts the pairs with room for at least one person and fewer than k, `smallest` is the least
    such room.
    """

    pairs: int
    below_k: int
    smallest: int


@dataclass(frozen=True)
class Example:
    """A pair of groups below k: the labels in both releases, and the most persons it can have."""

    one: Mapping[str, Value]
    other: Mapping[str, Value]
    at_most: int


@dataclass(frozen=True)
class Pinned:
    """Pairs of groups that leave a single value of a sensitive column.

    `newly` counts those in which neither group alone reveals it; `one_rows` and `other_rows` are the rows of
    persons who, if they are in both releases, are certainly in such a pair.
    """

    column: str
    pairs: int
    newly: int
    one_rows: int
    other_rows: int


@dataclass(frozen=True, repr=False)
class ReleaseComparison(Tabular):
    """What two releases reveal together; see `compare_releases` for what it does and does not prove.

    `columns` says, for each common column, which release is finer. If there are too many pairs to examine,
    `examined` is False: candidates are then overestimated, and results that need the pairs are None. `order`
    is None if it cannot be measured, or if both have the same rows. All of that counts rows. If a release
    promises something about persons (`of_persons`), and both name them alike, `persons` counts these.

    If both have the `same_rows`, with the same meaning, everybody may have the same row in both: nothing that
    one alone leaves possible can be excluded with the other. Pairs of two different groups may then be small,
    since their labels overlap, but nobody can know of a person to be in such a pair.
    """

    k: int
    examined: bool
    columns: Mapping[str, str]
    one: SideView
    other: SideView
    intersections: Intersections | None
    pinned: tuple[Pinned, ...] | None
    order: SharedOrder | None
    examples: tuple[Example, ...]
    of_persons: bool = False
    persons: LinkedPersons | None = None
    same_rows: bool = False

    @property
    def apart(self) -> bool:
        """Whether nobody can be in both."""
        return all(view.unmatched == view.rows > 0 for view in (self.one, self.other))

    @property
    def harmless(self) -> bool:
        """Whether nothing was found, which does not prove safety."""
        views = (self.one, self.other)
        if self.same_rows:
            return not any(view.exposed for view in views)
        pinned = any(found.newly for found in self.pinned or ())
        below = self.intersections is not None and self.intersections.below_k > 0
        paired = self.order is not None and self.order.paired
        linked = self.persons is not None
        return not (linked or pinned or below or paired or any(view.missing_there for view in views))

    def as_table(self) -> AnswerTable:
        """Return what each release says about the rows of the other, as a table."""
        names = [name for name in asdict(self.one) if name != "file"]
        sides = [
            AnswerColumn(side.file, int, [getattr(side, name) for name in names])
            for side in (self.one, self.other)
        ]
        return AnswerTable(" ".join(self.sentences()), (AnswerColumn("figure", str, names), *sides))

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal diff --json` prints."""
        return asdict(self) | {"columns": dict(self.columns), "sentences": self.sentences()}

    def _linked(self) -> list[str]:
        """Return what pseudonyms add, or why persons are not counted."""
        linked = self.persons
        if linked is None:
            return [
                "A person may have several rows, and the releases do not name persons alike: what follows "
                "counts rows."
            ] * self.of_persons
        said = [
            f"Both releases have pseudonyms under one secret: these put the rows of {linked.persons:,} "
            "persons together, whatever else was generalized."
        ]
        if linked.below_k:
            said.append(
                f"{linked.exposed:,} of these persons are exposed: they are in {linked.below_k:,} of "
                f"{linked.pairs:,} pairs of groups that have fewer than k = {self.k:,} persons, the smallest "
                f"{linked.smallest:,}."
            )
        return [*said, "What follows counts rows, without the pseudonyms."]

    def _nothing_more(self) -> str:
        """Return what follows if both have the same rows, and why small pairs of groups are no finding."""
        said = (
            "Both releases have the same rows, so everybody may have the same row in both, and the two "
            "reveal nothing that one alone does not"
        )
        pairs = self.intersections
        if pairs is None or not pairs.below_k:
            return f"{said}."
        return (
            f"{said}: {pairs.below_k:,} of {pairs.pairs:,} pairs of groups with overlapping labels have room "
            f"for fewer than k = {self.k:,} persons, but nobody is known to be in one group here and in "
            "another there."
        )

    def sentences(self) -> list[str]:
        """Return what a curator should know, the most serious first."""
        names = (("first", self.one), ("second", self.other))
        said = self._linked()
        if self.order is not None and self.order.paired:
            said.append(
                "Both releases list their rows in "
                + ("the same order" if self.order.correlation > 0 else "opposite orders")
                + f" ({count(self.order.deviations)} standard deviations from chance), so that rows pair up "
                "by position, however they were generalized; make one of them again."
            )
        said += [
            f"{view.exposed:,} of {view.rows:,} rows of the {place} release are exposed: their persons, if "
            f"also in the other release, are among fewer than k = {self.k:,} persons in both groups together."
            for place, view in names
            if view.exposed
        ]
        if self.same_rows:
            said.append(self._nothing_more())
        elif self.intersections is not None and self.intersections.below_k:
            said.append(
                f"{self.intersections.below_k:,} of {self.intersections.pairs:,} pairs of groups have "
                f"fewer than k = {self.k:,} persons, the smallest at most {self.intersections.smallest:,}."
            )
        said += [
            f"{found.newly:,} pairs of groups leave a single value of {found.column} that neither release "
            f"reveals alone; {found.one_rows:,} rows of the first and {found.other_rows:,} of the second "
            "are certainly in such a pair, if their persons are in both."
            for found in self.pinned or ()
            if found.newly and not self.same_rows
        ]
        if self.apart:
            said.append(
                "No row of one can be of the same person as a row of the other: they are releases of "
                f"different persons, or {', '.join(self.columns)} mean different things in them."
            )
        else:
            said += [
                f"At least {view.missing_there:,} rows of the {place} release are of persons who are missing "
                f"in the {there}."
                for (place, view), (there, _) in zip(names, reversed(names), strict=True)
                if view.missing_there
            ]
        if not self.examined:
            said.append("There are too many pairs of rows to examine, so intersections are unknown.")
        unknown = [column for column, relation in self.columns.items() if relation == "unknown"]
        if unknown:
            said.append(
                f"What some labels of {', '.join(unknown)} stand for is unknown (no mappings beside the "
                "release), so these may belong to anybody."
            )
        if self.harmless:
            said.append("Nothing was found that the two reveal together; that does not prove safety.")
        return said
