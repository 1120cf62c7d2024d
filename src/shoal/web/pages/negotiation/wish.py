"""What the sliders of the negotiation ask for, and the steps that they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from shoal.answers.negotiation import Offer
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.quantities import suppression_limit
from shoal.errors import InputError, show
from shoal.numbers import many, percent
from shoal.present.charts.svg import shorten
from shoal.questions.option_words import PREFERENCES
from shoal.search.negotiation.request import LatticeShape

OFF = 0
_KS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
_SHARES = (0, 1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500)
"""Of the rows, in thousandths."""
MOST_L = 30


@dataclass(frozen=True)
class NegotiationWish:
    """A request: k and l (0 where not asked for), the highest level of every attribute, rows to suppress.

    Of what is allowed, the answer is the way of the least loss by the `metric`, or of the least height.
    """

    k: int
    l: int  # noqa: E741  the literature's name
    heights: Mapping[str, int]
    suppressed: int
    prefer: str = "loss"
    metric: str = "LM"

    @classmethod
    def first(cls, shape: LatticeShape) -> NegotiationWish:
        """Return what is asked for at first: k of 5, all heights, one row in a hundred."""
        return cls(min(5, shape.rows), OFF, shape.named(shape.top), shape.rows // 100)

    @classmethod
    def reopened(cls, kept: Any, shape: LatticeShape) -> NegotiationWish:
        """Return the request that was kept, as far as it fits the study as it is now."""
        wish = cls.first(shape)
        if not isinstance(kept, Mapping):
            return wish
        heights = {**kept.get("heights", {})}  # those that somebody chose: others stay at the top
        fitting = {
            name: min(max(int(heights.get(name, hi)), lo), hi)
            for name, lo, hi in zip(shape.names, shape.bottom, shape.top, strict=True)
        }
        return cls(
            min(int(kept.get("k", wish.k)), shape.rows),
            int(kept.get("l", OFF)) if shape.sensitive else OFF,
            fitting,
            min(int(kept.get("suppressed", wish.suppressed)), shape.rows - 1),
            kept["prefer"] if kept.get("prefer") in PREFERENCES else wish.prefer,
        ).sound(shape)

    def sound(self, shape: LatticeShape) -> NegotiationWish:
        """Return the request with a k where nothing is asked for that could be answered."""
        return replace(self, k=min(2, shape.rows)) if not self.asks else self

    def kept(self, shape: LatticeShape) -> dict[str, Any]:
        """Return the request as it is kept.

        Only levels below the top are kept: nobody chose the others, so they move along with a hierarchy.
        """
        tops = shape.named(shape.top)
        return {
            "k": self.k,
            "l": self.l,
            "heights": {name: level for name, level in self.heights.items() if level < tops[name]},
            "suppressed": self.suppressed,
            "prefer": self.prefer,
        }

    def asked(self) -> dict[str, Any]:
        """Return the request as `Negotiator.ask` takes it."""
        return {
            "k": self.k or None,
            "l": self.l or None,
            "heights": dict(self.heights),
            "max_suppressed": self.suppressed,
            "prefer": self.prefer,
            "metric": self.metric,
        }

    @property
    def asks(self) -> bool:
        """Whether anything is asked for."""
        return bool(self.k or self.l)

    def taking(self, kind: str, offer: Offer) -> NegotiationWish:
        """Return the request that a suggestion answers exactly: one constraint moves."""
        if kind == "suppression":
            return replace(self, suppressed=offer.suppressed)
        if kind == "height":
            return replace(self, heights=dict(offer.node))
        return replace(self, k=offer.k or OFF, l=offer.l or OFF)


def k_steps(rows: int, *more: int, off: bool = False) -> list[int]:
    """Return the steps of k, with those that are needed besides.

    >>> k_steps(8, 7), k_steps(4, off=True)
    ([2, 3, 4, 5, 6, 7, 8], [0, 2, 3, 4])
    """
    return _steps((*_KS, *((OFF,) if off else ())), more, 1 if rows < 2 else OFF, rows)


def l_steps(values: int, *more: int) -> list[int]:
    """Return the steps of l, up to the number of sensitive values."""
    return _steps((OFF, *range(2, min(values, MOST_L) + 1)), more, OFF, max(values, *more, OFF))


def suppression_steps(rows: int, *more: int) -> list[int]:
    """Return the numbers of rows that may be suppressed.

    >>> suppression_steps(1000, 7)
    [0, 1, 2, 5, 7, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500]
    """
    return _steps((rows * share // 1000 for share in _SHARES), more, 0, max(rows - 1, 0))


def _steps(usual: Iterable[int], more: Iterable[int], least: int, most: int) -> list[int]:
    return sorted({*(step for step in usual if least <= step <= most), *more} or {least})


def level_words(hierarchy: Hierarchy, lo: int, hi: int) -> list[str]:
    """Return the levels of an attribute, each with a value that it could release.

    >>> level_words(Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")]), 0, 1)
    ['level 0: a', 'level 1: x']
    """
    row = hierarchy.rows()[0]
    return [f"level {level}: {shorten(row[level], 22)}" for level in range(lo, hi + 1)]


def k_words(k: int) -> str:
    """Return a step of k in words."""
    return f"{k:,}" if k else "not asked for"


def typed_number(text: str, least: int, most: int, *, off: bool) -> int:
    """Return the k or l that was typed, or refuse it; nothing typed stands for not asked for.

    >>> typed_number("11", 2, 100, off=True), typed_number("", 2, 100, off=True)
    (11, 0)
    """
    words = text.replace(",", "").replace(" ", "").replace("_", "")
    if not words and off:
        return OFF
    if not words.isdecimal() or not least <= int(words) <= most:
        raise InputError(f"{show(text)} is no number from {least:,} to {most:,}; type one")
    return int(words)


def typed_rows(text: str, rows: int) -> int:
    """Return the number of rows that was typed, as a number or as a share of all.

    >>> typed_rows("1.5%", 1000), typed_rows("12", 1000), typed_rows("", 1000)
    (15, 12, 0)
    """
    return min(suppression_limit(text.replace(" ", "") or "0", rows), max(rows - 1, 0))


def suppression_words(suppressed: int, rows: int) -> str:
    """Return a step of the suppression in words.

    >>> suppression_words(12, 1000), suppression_words(0, 10)
    ('12 rows (1.2%)', 'none')
    """
    if not suppressed:
        return "none"
    return f"{many(suppressed, 'row')} ({percent(suppressed / rows)})"
