"""k-anonymity (Samarati and Sweeney 1998): nobody is in a group of fewer than k."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.criteria.criterion import Criterion, Groups, Mask


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
