"""Scales of axes: where a value is between two ends, and which round numbers are shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.numbers import count, figure, percent

LINEAR_TO = 0.001
"""Shares of suppressed rows up to this one are drawn linearly, larger ones by logarithm."""
LINEAR_PART = 0.8 / 0.9
"""The length of that linear part, in decades."""
MOST_TICKS = 20


@dataclass(frozen=True)
class Scale:
    """An axis: its label, its two ends, the numbers shown, and how they are written."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    show: Callable[[float], str]
    kind: str = "linear"

    def at(self, value: float) -> float:
        """Return where a value is, from 0 to 1; in the middle if both ends are the same."""
        low, high = self._unrolled(self.low), self._unrolled(self.high)
        if high <= low:
            return 0.5
        return min(max((self._unrolled(value) - low) / (high - low), 0.0), 1.0)

    def _unrolled(self, value: float) -> float:
        if self.kind == "log":
            return math.log10(max(value, 1e-12))
        if self.kind == "symlog" and value > LINEAR_TO:
            return LINEAR_PART + math.log10(value / LINEAR_TO)
        return LINEAR_PART * value / LINEAR_TO if self.kind == "symlog" else value


def k_scale(ks: Sequence[float], label: str = "k: rows in the smallest group") -> Scale:
    """Return the logarithmic scale of k, since the risk is 1 / k."""
    low, high = max(min(ks, default=1), 1), max(max(ks, default=1), 1)
    powers = [10**i for i in range(len(str(int(high)))) if low <= 10**i <= high]
    if len(powers) < 3:
        around = range(len(str(int(high))))
        powers = [f * 10**i for i in around for f in (1, 2, 5) if low <= f * 10**i <= high]
    if len(powers) < 2:
        powers = sorted({int(low), int(high)})
    return Scale(label, low, high, tuple(powers), count, "log")


def share_scale(shares: Sequence[float], label: str) -> Scale:
    """Return the scale of shares, in percent from 0."""
    most = max(shares, default=0.0) or 1.0
    found = ticks(0.0, most)
    return Scale(label, 0.0, found[-1], tuple(found), percent)


def suppressed_scale(shares: Sequence[float], label: str) -> Scale:
    """Return the scale of suppressed rows; the first few matter most, so they get most of the room."""
    most = max(shares, default=0.0)
    if most <= 10 * LINEAR_TO:
        return share_scale(shares, label)
    powers = [tick for tick in (LINEAR_TO, 0.01, 0.1, 1.0) if tick <= most]
    return Scale(label, 0.0, most, (0.0, *powers), percent, "symlog")


def number_scale(values: Sequence[float], label: str) -> Scale:
    """Return the linear scale of whole numbers or distances."""
    places = sorted(set(values)) or [0.0, 1.0]
    if len(places) <= MOST_TICKS and all(place == int(place) for place in places):
        return Scale(label, places[0], places[-1], tuple(places), count)
    found = ticks(min(0.0, places[0]), places[-1])
    return Scale(label, found[0], found[-1], tuple(found), figure)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers from at most `low` to at least `high`.

    >>> ticks(0, 23)
    [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]
    """
    # Numbers that differ only by rounding have no steps between them.
    size = max(1.0, abs(low), abs(high))
    if high - low < 1e-9 * size:
        high = low + max(1.0, 1e-6 * size)
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * unit for unit in (1, 2, 5, 10) if power * unit >= raw * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]
