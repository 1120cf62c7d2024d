"""What a check has found: what was counted on the released rows, and every promise that does not hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.engine import Cells
from shoal.describe.promise import Promise
from shoal.documents import Signed
from shoal.tabular import AnswerColumn, AnswerTable, Tabular
from shoal.verification.bucket_check import Buckets
from shoal.verification.known_columns import KnownRows
from shoal.verification.spread.found_rows import FoundRows
from shoal.verification.spread.in_population import Crowds
from shoal.verification.spread.measure import Spread


@dataclass(frozen=True)
class PersonMeasurement:
    """What was counted on released rows in persons: how many there are, the fewest in a group, and values."""

    count: int
    k: int
    sensitive: Mapping[str, Spread]
    population: Crowds | None = None
    risk: FoundRows | None = None
    buckets: Buckets | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as certificates show it."""
        spreads = {column: spread.to_dict() for column, spread in self.sensitive.items()}
        more = {"buckets": self.buckets, "population": self.population, "risk": self.risk}
        return {
            "count": self.count,
            "k": self.k,
            "sensitive": spreads,
            **{name: found.to_dict() for name, found in more.items() if found is not None},
        }


@dataclass(frozen=True)
class Measurement:
    """What was counted on released rows.

    `groups` have equal quasi values, and `k` is the size of the smallest. If the release is in `buckets`
    (Anatomy), sensitive values are measured in these instead. Here rows are counted; if the promise is about
    persons and the rows tell whose they are, `persons` has the figures that count persons.
    """

    rows: int
    groups: int
    k: int
    sensitive: Mapping[str, Spread]
    buckets: Buckets | None = None
    population: Crowds | None = None
    risk: FoundRows | None = None
    persons: PersonMeasurement | None = None
    known: KnownRows | None = None

    @property
    def smallest(self) -> int:
        """The size of the smallest group, in what the promise counts: persons, or else rows."""
        return self.k if self.persons is None else self.persons.k

    @classmethod
    def of(cls, groups: Cells, sensitive: Mapping[str, Spread], **others: Any) -> Measurement:
        """Return what was counted on these groups."""
        sizes = groups.counts
        smallest = int(sizes.min()) if len(sizes) else 0
        return cls(int(sizes.sum()), len(sizes), smallest, sensitive, **others)

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as certificates show it."""
        more = {
            "buckets": self.buckets,
            "population": self.population,
            "risk": self.risk,
            "persons": self.persons,
            "known": self.known,
        }
        return {
            "rows": self.rows,
            "groups": self.groups,
            "k": self.k,
            "sensitive": {column: spread.to_dict() for column, spread in self.sensitive.items()},
            **{name: found.to_dict() for name, found in more.items() if found is not None},
        }


@dataclass(frozen=True, repr=False)
class Verdict(Tabular):
    """What was measured, and every promise that does not hold, one sentence each.

    The `promise` is about groups of equal values in the `quasi` columns, or about the buckets of Anatomy.
    """

    measured: Measurement
    failures: tuple[str, ...]
    promise: Promise
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    signed: Signed | None = None
    """The certificate's signature, if there is one."""
    persons: Sequence[str] | None = ()
    """The columns that tell persons apart; none if a row is a person, None if only the publisher has them."""
    alike: int | None = None
    """The fewest rows like a row if a missing value is like any other, if asked; nothing promises it."""

    @property
    def holds(self) -> bool:
        """Whether every promise holds."""
        return not self.failures

    def as_table(self) -> AnswerTable:
        """Return what was measured of each sensitive column as a table; the line above it is the verdict."""
        measured, columns = self.measured, self.measured.sensitive
        said = "every promise holds" if self.holds else "; ".join(self.failures)
        return AnswerTable(
            f"{_counted(measured)} in {measured.groups:,} groups, k = {measured.smallest:,}: {said}",
            (
                AnswerColumn("sensitive", str, list(columns)),
                AnswerColumn("l", int, [one.l for one in columns.values()]),
                AnswerColumn("largest share", float, [float(one.share) for one in columns.values()]),
                AnswerColumn("entropy l", float, [float(one.entropy) for one in columns.values()]),
                AnswerColumn("t", float, [float(one.t) for one in columns.values()]),
            ),
        )


def _counted(measured: Measurement) -> str:
    rows = f"{measured.rows:,} rows"
    return rows if measured.persons is None else f"{rows} of {measured.persons.count:,} persons"
