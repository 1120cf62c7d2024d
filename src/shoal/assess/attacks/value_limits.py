"""What a promise asks of the sensitive values of a group, where minimality can reason about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shoal.assess.attacks.scene import Scene
from shoal.describe.promise import ShareLimits


@dataclass(frozen=True)
class ValueLimits:
    """The largest share of each value of a column, None for no limit, and how many values there must be.

    The value at `missing` is none of those that must be there, and with `of_known` shares are those of the
    rows that have another.
    """

    shares: tuple[Fraction | None, ...]
    distinct: int = 0
    missing: int | None = None
    of_known: bool = False

    def broken(self, counts: Sequence[int]) -> bool:
        """Return whether a group with so many rows of each value breaks a limit.

        >>> half = ValueLimits((Fraction(1, 2), None), distinct=2)
        >>> half.broken([1, 1]), half.broken([2, 1]), half.broken([0, 3])
        (False, True, True)
        """
        blank = 0 if self.missing is None else counts[self.missing]
        rows = sum(counts) - (blank if self.of_known else 0)
        if sum(count > 0 for count in counts) - (blank > 0) < self.distinct:
            return True
        return any(
            limit is not None and count * limit.denominator > limit.numerator * rows
            for count, limit in zip(counts, self.shares, strict=True)
        )


def limits_of(scene: Scene) -> dict[int, ValueLimits]:
    """Return what the search asked of the sensitive columns that have limits, by their places.

    The search's own promise counts, not the published one: limits by frequency are published less exactly.
    """
    promise = scene.decision.promise
    distinct = promise.distinct(scene.sensitive)
    found = {}
    for s, (column, domain) in enumerate(zip(scene.sensitive, scene.secret_domains, strict=True)):
        if column in promise.theta or column in distinct:
            given = promise.theta.get(column, ShareLimits())
            found[s] = ValueLimits(
                tuple(given.of(value) for value in domain),
                (promise.l or 0) if column in distinct else 0,
                domain.index(None) if None in domain else None,
                given.known,
            )
    return found


def promised_besides(scene: Scene) -> list[str]:
    """Return what else is promised, by the names that documents use: it is not reasoned about here."""
    promise = scene.decision.promise
    reasoned = ("k", "l", "about", "theta")
    others = [name for name in promise.to_dict() if name not in reasoned]
    unseen = [name for name in promise.columns if name not in scene.sensitive]
    return others + [f"the limits of {name}" for name in unseen]
