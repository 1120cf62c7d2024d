"""k-anonymity (Samarati and Sweeney 1998) and k-map (Sweeney 2001): no group has fewer than k persons.

k-anonymity counts the persons of the table, k-map those of the population.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.criteria.criterion import Criterion, Groups, Mask
from shoal.criteria.population import counted


@dataclass(frozen=True)
class KAnonymity(Criterion):
    """Every group has at least k persons, whose rows are its rows; by default every row is a person.

    Monotone, with and without suppression: a group's persons are the union of its parts' persons, so a group
    with a part of k persons has k persons.
    """

    name = "k"
    monotone_with_suppression = True
    k: int

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have k persons."""
        return groups.sizes >= self.k


@dataclass(frozen=True)
class KMap(Criterion):
    """At least k persons of the population fall into every group.

    Monotone, with and without suppression: whoever falls into a part of a group falls into the group.
    """

    name = "k-map"
    monotone_with_suppression = True
    k: int

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have k persons of the population."""
        return counted(groups) >= self.k
