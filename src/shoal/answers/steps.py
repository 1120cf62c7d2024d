"""Steps along a frontier: what a little more suppression buys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from shoal.numbers import many, percent

NOTABLE = 0.05
"""A step that cuts the loss by a smaller share is not mentioned."""
TOLD = 3
"""At most this many steps of each kind are mentioned."""


class Costly(Protocol):
    """What has suppressed rows and a loss."""

    @property
    def suppressed(self) -> int:
        """The suppressed rows."""

    @property
    def loss(self) -> float:
        """The loss over all rows."""


@dataclass(frozen=True)
class Step:
    """From one point of a frontier to the next: how many more rows go, and the share of the loss cut.

    `start` is the place of the first point, from 0; `share` is those rows as a share of all.
    """

    start: int
    rows: int
    share: float
    cut: float
    per_row: float

    @property
    def words(self) -> str:
        """Return the step in short."""
        return f"+{many(self.rows, 'row')}: -{percent(self.cut)}"

    @property
    def sentence(self) -> str:
        """Return the step in words."""
        more = many(self.rows, "more suppressed row")
        return (
            f"{more} ({percent(self.share)} of all) {'cuts' if self.rows == 1 else 'cut'} the loss by "
            f"{percent(self.cut)}: from point {self.start + 1} "
            f"to {self.start + 2}."
        )


def steps(points: Sequence[Costly], rows: int) -> list[Step]:
    """Return the steps between neighbouring points, suppressed rows rising, in a table of `rows` rows.

    >>> from types import SimpleNamespace as P
    >>> points = [P(suppressed=0, loss=100.0), P(suppressed=7, loss=87.0)]
    >>> steps(points, 10_000)[0].sentence
    '7 more suppressed rows (<0.1% of all) cut the loss by 13%: from point 1 to 2.'
    """
    found = []
    for i, (less, more) in enumerate(pairwise(points)):
        added, saved = more.suppressed - less.suppressed, less.loss - more.loss
        found.append(Step(i, added, added / rows, saved / less.loss, saved / added))
    return found


def notable(found: Sequence[Step]) -> list[Step]:
    """Return the steps worth mentioning, in order: those that cut the loss most, in all and per row."""
    much = [step for step in found if step.cut >= NOTABLE]
    most = sorted(much, key=lambda step: -step.cut)[:TOLD]
    most += sorted(much, key=lambda step: -step.per_row)[:TOLD]
    return [step for step in much if step in most]
