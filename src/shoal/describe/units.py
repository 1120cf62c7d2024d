"""Whom the rows stand for: persons with several rows, households, and the population that was sampled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.describe.quantities import number
from shoal.errors import InputError, show

MOST_PEOPLE = 10**12
"""The most people that a population may have."""


@dataclass(frozen=True)
class Units:
    """Columns that tell who a row is about, and how the table was drawn from its population.

    Rows that agree in the columns `persons` are about one person, and those that agree in `households` about
    one household. A `sample_weight` is how many people of the population a row stands for; where all stand
    for the same number, the `population_size` or the `sampling_fraction` says so instead.
    """

    persons: tuple[str, ...] = ()
    households: str | None = None
    sample_weight: str | None = None
    population_size: int | None = None
    sampling_fraction: Fraction | None = None

    @classmethod
    def said(
        cls,
        persons: str | Iterable[str] | None = None,
        households: str | None = None,
        sample_weight: str | None = None,
        population_size: Any = None,
        sampling_fraction: Any = None,
    ) -> Units:
        """Return what a study says, or refuse numbers that cannot be.

        >>> Units.said("patient", sampling_fraction="1%").sampling_fraction
        Fraction(1, 100)
        """
        columns = (persons,) if isinstance(persons, str) else tuple(dict.fromkeys(persons or ()))
        size = None if population_size is None else _size(population_size)
        fraction = None if sampling_fraction is None else _fraction(sampling_fraction)
        found = cls(columns, households or None, sample_weight or None, size, fraction)
        given = [name for name in _DRAWN if getattr(found, name) is not None]
        if len(given) > 1:
            raise InputError(f"{given[0]} and {given[1]} both say how the table was drawn; keep one")
        return found

    @property
    def drawn(self) -> str | None:
        """Which entry says how the table was drawn, if one does."""
        return next((name for name in _DRAWN if getattr(self, name) is not None), None)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is named, each once."""
        named = (*self.persons, self.households, self.sample_weight)
        return tuple(dict.fromkeys(name for name in named if name is not None))


EACH_ROW = Units()
"""Each row is about a person of its own."""

_DRAWN = ("sample_weight", "population_size", "sampling_fraction")


def weight_of(text: str | None, column: str) -> Fraction:
    """Return the weight that a row has in a column, or refuse it."""
    if text is None:
        raise InputError(f"a weight in {show(column)} is missing; give every row one")
    refusal = f"the weight {show(text)} in {show(column)} is not a number above 0; mend it"
    weight = number(text, refusal)
    if weight <= 0:
        raise InputError(refusal)
    return weight


def _size(given: Any) -> int:
    refusal = f"a population size is a whole number such as 450000, not {show(str(given))}"
    size = number(given, refusal)
    if size.denominator != 1 or not 1 <= size <= MOST_PEOPLE:
        raise InputError(refusal)
    return int(size)


def _fraction(given: Any) -> Fraction:
    refusal = f"a sampling fraction is above 0 and at most 1, such as 0.01 or 1%, not {show(str(given))}"
    percent = isinstance(given, str) and given.strip().endswith("%")
    share = number(given.strip().removesuffix("%") if percent else given, refusal)
    share = share / 100 if percent else share
    if not 0 < share <= 1:
        raise InputError(refusal)
    return share
