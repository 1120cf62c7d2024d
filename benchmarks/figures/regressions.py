"""Which figures became worse since the last committed run, by how much, and what that was measured beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.figures.pages import rendered
from benchmarks.figures.pictures import drawings
from benchmarks.figures.query import Figure, Measured, plain
from benchmarks.figures.store import BUSY, CALIBRATION, Document

WORSE = 0.2
"""A figure that is worse by such a part is named."""
LEAST = 1 + WORSE - 1e-9


@dataclass(frozen=True)
class Regression:
    """A figure that became worse: `times` as much, times in seconds of the calibration loop."""

    name: str
    before: Any
    now: Any
    times: float
    busy: tuple[float | None, float | None]
    between: tuple[float, float] | None = None
    """For times: how many times at least and at most, if what was measured met the loop's fastest moment in
    one run and its slowest in the other."""

    def __str__(self) -> str:
        """One line for people."""
        busy = " and ".join("?" if one is None else f"{one:.1f}" for one in self.busy)
        figures = f"{plain(self.before)} before, {plain(self.now)} now"
        told = f"{self.times:.2f} times"
        if self.between is not None:
            low, high = self.between
            told += " by the calibration loop"
            if low < LEAST:
                told += f", which moved so much that it may be {low:.2f} to {high:.2f} times"
        return f"{self.name}: {figures}, {told}; others kept {busy} cores busy"


def regressions(before: Document, now: Document) -> list[Regression]:
    """Return the figures that became worse, of benchmarks that have run since: their date differs."""
    found = []
    for name, first, second in _pairs(before, now):
        one, other = before[first.benchmark], now[first.benchmark]
        times = _times(first, second)
        between = None
        if times is not None and second.kind.time:
            loops = _loop(one), _loop(other)
            if None in loops:
                continue
            (fast, middle, slow), (now_fast, now_middle, now_slow) = loops
            between = times * fast / now_slow, times * slow / now_fast
            times *= middle / now_middle
        if times is not None and times >= LEAST:
            busy = one[BUSY], other[BUSY]
            found.append(Regression(name, first.value, second.value, times, busy, between))
    return sorted(found, key=lambda one: -one.times)


def unsteady(before: Document, now: Document) -> dict[str, str]:
    """Return the benchmarks that have run since beside a loop that moved, and by how much in each run."""
    found = {}
    for name in _again(before, now):
        loops = _loop(before[name]), _loop(now[name])
        moved = [loop[-1] / loop[0] if loop else 1.0 for loop in loops]
        if max(moved) >= LEAST:
            found[name] = f"{moved[0]:.2f} times before, {moved[1]:.2f} now"
    return found


def _loop(run: dict[str, Any]) -> tuple[float, float, float] | None:
    """The least, the middle and the most seconds of the loop beside a benchmark.

    Times are told in the middle: the least would be the less the more often the loop ran.
    """
    known = [one for one in run[CALIBRATION] if one is not None]
    return (min(known), median(known), max(known)) if known else None


def _again(before: Document, now: Document) -> list[str]:
    """The benchmarks of both runs that have run since."""
    return [name for name in now if name in before and now[name]["date"] != before[name]["date"]]


def _pairs(before: Document, now: Document) -> Iterator[tuple[str, Figure, Figure]]:
    """The same figure in both runs."""
    again = set(_again(before, now))
    old, new = _shown(before), _shown(now)
    for name, figure in new.items():
        if figure.benchmark in again and name in old:
            yield name, old[name], figure


def _shown(document: Document) -> dict[str, Figure]:
    """The figures of a run: those that templates and pictures look at, and what each benchmark took."""
    measured = Measured(document)
    rendered(measured)
    drawings(measured)
    for name in document:
        measured.cpu(name)
    return measured.looked_at


def _times(first: Figure, second: Figure) -> float | None:
    """How many times worse a figure is now; None, where neither more nor less of it is worse.

    A proof that is gone is worse than any number can say.
    """
    better, old, new = second.kind.better, first.value, second.value
    if not better or not all(isinstance(one, (int, float)) and one >= 0 for one in (old, new)):
        return None
    worse, good = (new, old) if better < 0 else (old, new)
    if good == 0:
        return None if worse == 0 else float("inf")
    return worse / good
