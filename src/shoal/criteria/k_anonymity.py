"""k-anonymity (Samarati and Sweeney 1998) and k-map (Sweeney 2001): no group has fewer than k rows.

k-anonymity counts the rows of the table, k-map those of the population.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.criteria.criterion import Criterion, Groups, Mask
from shoal.criteria.population import counted


@dataclass(frozen=True)
class KAnonymity(Criterion):
    """Every group has at least k rows.

    Monotone, with and without suppression: a group with a part of k rows has k rows.
    """

    name = "k"
    monotone_with_suppression = True
    k: int

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have k rows."""
        return groups.sizes >= self.k


@dataclass(frozen=True)
class KMap(Criterion):
    """At least k rows of the population fall into every group.

    Monotone, with and without suppression: rows that fall into a part of a group fall into the group.
    """

    name = "k-map"
    monotone_with_suppression = True
    k: int

    def kept(self, groups: Groups) -> Mask:
        """Return which groups have k rows of the population."""
        return counted(groups) >= self.k
