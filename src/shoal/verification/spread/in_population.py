"""How released groups relate to a population: its fewest rows in a group, and the chance to be released."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.data.engine import Cells
from shoal.describe.promise import Promise
from shoal.describe.promise.distance import plain
from shoal.errors import InputError, show
from shoal.verification.spread.whose import Ints


@dataclass(frozen=True)
class Crowds:
    """Over all groups: the fewest rows of the population, and the extreme probabilities of being released.

    The probability is a group's rows / the population's rows in it; None if the population has no such rows,
    which is impossible if it contains the released table.
    """

    smallest: int
    lowest: Fraction | None
    highest: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as certificates show them."""
        return {
            "smallest": self.smallest,
            "lowest": None if self.lowest is None else str(self.lowest),
            "highest": None if self.highest is None else str(self.highest),
        }


def measure_crowds(groups: Cells, sizes: Ints, promise: Promise) -> tuple[Crowds, list[str]]:
    """Return how groups of these sizes relate to the promise's population, and which promises they break."""
    population = promise.population
    if population is None or population.groups is None:
        raise InputError("k-map and delta-presence need the population's rows in every group")
    failures: list[str] = []
    crowds: list[tuple[int, int, str]] = []
    known = [{labels[a] for labels in population.groups} for a in range(len(groups.columns))]
    for codes, rows in zip(groups.codes.tolist(), sizes.tolist(), strict=True):
        shown = tuple(groups.domains[a][code] for a, code in enumerate(codes))
        labels = tuple(plain(label, known[a]) for a, label in enumerate(shown))
        named = "(" + ", ".join(show(label) for label in shown) + ")"
        crowds.append((population.groups.get(labels, 0), rows, named))
    if not crowds:
        return Crowds(0, None, None), []
    smallest, _, where = min(crowds)
    if promise.k_map is not None and smallest < promise.k_map:
        failures.append(
            f"k-map: {smallest:,} rows of the population fall into the group {where}, "
            f"fewer than {promise.k_map:,}"
        )
    empty = [named for crowd, _, named in crowds if not crowd]
    if empty:
        if promise.delta is not None:
            failures.append(f"delta: no row of the population falls into the group {empty[0]}")
        return Crowds(smallest, None, None), failures
    chances = [(Fraction(rows, crowd), named) for crowd, rows, named in crowds]
    lowest, highest = min(chances), max(chances)
    if promise.delta is not None:
        low, high = promise.delta.low, promise.delta.high
        failures += [
            f"delta: a person of the group {named} is in the release with a probability of {found}, {said}"
            for breaks, (found, named), said in (
                (lowest[0] < low, lowest, f"less than {low}"),
                (highest[0] > high, highest, f"more than {high}"),
            )
            if breaks
        ]
        if low and sum(crowd for crowd, _, _ in crowds) < population.rows:
            failures.append(
                "delta: some rows of the population fall into no group, so they are certainly not released"
            )
    return Crowds(smallest, lowest[0], highest[0]), failures
