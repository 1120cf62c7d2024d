"""The risk of households: who finds one member has found all, and knows them all.

A household is found if at least one of its members is: with independent risks r of the members, that is
1 - product(1 - r), as sdcMicro has it. Who looks for a person may also know how many people live with them,
and who these are; every such fact makes more persons unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.tally.living_together import Households
from shoal.data.tally.tally import Tally
from shoal.tabular import AnswerColumn, AnswerTable, Tabular

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

KNOWN = ("their own values", "the size of their household too", "the values of all its members too")
"""What an attacker knows of a person, one fact after the other."""


@dataclass(frozen=True)
class FoundHouseholds:
    """How many are found: `members` by themselves, `persons` with their households, and `households`.

    These are expected numbers; `highest` is the risk of the household most at risk.
    """

    members: float
    persons: float
    households: float
    highest: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return vars(self).copy()


@dataclass(frozen=True, repr=False)
class HouseholdRisk(Tabular):
    """The risk of households beside that of their members.

    `prosecutor` is for one who knows that the person is in the table, `sample` for one who knows the
    population only, if the table is a sample of it. `uniques` are the persons who are unique by what an
    attacker knows, see `KNOWN`.
    """

    households: int
    rows: int
    largest: int
    prosecutor: FoundHouseholds
    sample: FoundHouseholds | None
    uniques: tuple[int, int, int]

    def as_table(self) -> AnswerTable:
        """Return how many persons are unique by what an attacker knows of them."""
        return AnswerTable(
            f"{self.rows:,} persons in {self.households:,} households",
            (
                AnswerColumn("an attacker knows", str, KNOWN),
                AnswerColumn("unique persons", int, self.uniques),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "households": self.households,
            "largest": self.largest,
            "prosecutor": self.prosecutor.to_dict(),
            "sample": None if self.sample is None else self.sample.to_dict(),
            "unique_persons": dict(zip(("values", "size", "members"), self.uniques, strict=True)),
        }


def household_risk(tally: Tally, column: str, sampled: Floats | None = None) -> HouseholdRisk:
    """Return the risk of the households that a column of the tally tells.

    `sampled` has the risk of each combination for one who does not know who is in the sample. Where persons
    have several rows, they are the members, each as likely to be found as the easiest of their rows.
    """
    found = Households.of_tally(tally, column)
    persons = tally.people_in(np.arange(len(tally)), len(tally))
    return HouseholdRisk(
        households=len(found.sizes),
        rows=tally.people,
        largest=int(found.sizes.max(initial=0)),
        prosecutor=_found(found, 1 / persons),
        sample=None if sampled is None else _found(found, sampled),
        uniques=known_uniques(found),
    )


def household_risks(found: Households, risks: Floats) -> Floats:
    """Return the risk of each household, from the risk of each combination."""
    with np.errstate(divide="ignore"):
        missed = np.log1p(-np.minimum(risks, 1.0))
    # The most likely to be found is the least likely to be missed.
    together = np.bincount(found.of, -found.counts * found.highest(-missed), len(found.sizes))
    return np.asarray(-np.expm1(together), dtype=np.float64)


def known_uniques(found: Households) -> tuple[int, int, int]:
    """Return how many persons are unique by what an attacker knows, see `KNOWN`."""
    nothing, sizes, members = np.zeros_like(found.of), found.sizes[found.of], found.alike()[found.of]
    return (
        _unique_persons(found, nothing),
        _unique_persons(found, sizes),
        _unique_persons(found, members),
    )


def _found(found: Households, risks: Floats) -> FoundHouseholds:
    together = household_risks(found, risks)
    return FoundHouseholds(
        members=fsum((found.highest(risks) * found.counts).tolist()),
        persons=fsum((together * found.sizes).tolist()),
        households=fsum(together.tolist()),
        highest=float(together.max(initial=0.0)),
    )


def _unique_persons(found: Households, known: Ints) -> int:
    """Return how many persons nobody else equals in their own values and in what is known beside.

    Who has several combinations is unique if one of them, with what is known, is nobody else's.
    """
    lots, combinations = found.values
    pairs = np.stack([combinations, known[lots]], axis=1)
    _, group = np.unique(pairs, axis=0, return_inverse=True)
    group, counts = group.reshape(-1), found.counts[lots]
    if found.who is None:
        return int((np.bincount(group, counts) == 1).sum())
    who = found.who[lots]
    listed, size = who >= 0, int(group.max(initial=-1)) + 1
    # Somebody with rows in several households is one person.
    once = np.unique(np.stack([group[listed], who[listed]], axis=1), axis=0)[:, 0]
    totals = np.bincount(group[~listed], counts[~listed], size) + np.bincount(once, minlength=size)
    alone = totals[group] == 1
    return int(alone[~listed].sum()) + len(np.unique(who[listed & alone]))
