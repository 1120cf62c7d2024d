"""Which figures became worse since the last committed run, by how much, and what that was measured beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.figures.pages import rendered
from benchmarks.figures.query import Figure, Measured, plain
from benchmarks.figures.store import BUSY, CALIBRATION, Document

WORSE = 0.2
"""A figure that is worse by such a part is named."""


@dataclass(frozen=True)
class Regression:
    """A figure that became worse: `times` as much, times in seconds of the calibration loop."""

    name: str
    before: Any
    now: Any
    times: float
    busy: tuple[float | None, float | None]

    def __str__(self) -> str:
        """One line for people."""
        busy = " and ".join("?" if one is None else f"{one:.1f}" for one in self.busy)
        return (
            f"{self.name}: {plain(self.before)} before, {plain(self.now)} now, {self.times:.2f} times by "
            f"the calibration loop; others kept {busy} cores busy"
        )


def regressions(before: Document, now: Document) -> list[Regression]:
    """Return the figures that became worse, of benchmarks that have run since: their date differs."""
    found = []
    for name, first, second in _pairs(before, now):
        one, other = before[first.benchmark], now[first.benchmark]
        times = _times(first, second, one, other)
        if times is not None and times >= 1 + WORSE - 1e-9:
            busy = one[BUSY], other[BUSY]
            found.append(Regression(name, first.value, second.value, times, busy))
    return sorted(found, key=lambda one: -one.times)


def _pairs(before: Document, now: Document) -> Iterator[tuple[str, Figure, Figure]]:
    """The same figure in both runs."""
    again = {name for name in now if name in before and now[name]["date"] != before[name]["date"]}
    old, new = _shown(before), _shown(now)
    for name, figure in new.items():
        if figure.benchmark in again and name in old:
            yield name, old[name], figure


def _shown(document: Document) -> dict[str, Figure]:
    """The figures of a run: those that templates look at, and what each benchmark took."""
    measured = Measured(document)
    rendered(measured)
    for name in document:
        measured.cpu(name)
    return measured.looked_at


def _times(first: Figure, second: Figure, before: dict[str, Any], now: dict[str, Any]) -> float | None:
    """How many times worse a figure is now; None, where neither more nor less of it is worse."""
    kind, old, new = second.kind, first.value, second.value
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (old, new))
    if not kind.better or not numbers or old < 0 or new < 0:
        return None
    if kind.time and None in (*before[CALIBRATION], *now[CALIBRATION]):
        return None
    if kind.time:
        old, new = (one / (sum(run[CALIBRATION]) / 2) for one, run in ((old, before), (new, now)))
    worse, better = (new, old) if kind.better < 0 else (old, new)
    if better == 0:
        return None if worse == 0 else float("inf")
    return worse / better
