"""The sexes and their shares among the patients."""

from __future__ import annotations

SEXES: tuple[str, ...] = ("female", "male", "other")

# The last share is of those whose sex is missing.
SHARES: tuple[float, ...] = (0.523, 0.470, 0.004, 0.003)


def sex_hierarchy() -> list[tuple[str, ...]]:
    """One row per sex: itself, the root.

    >>> sex_hierarchy()[0]
    ('female', '*')
    """
    return [(sex, "*") for sex in SEXES]
