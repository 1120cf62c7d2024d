"""Figures out of the JSON, as templates ask for them: every one that is looked at is remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median
from typing import Any

from benchmarks.figures.kinds import Kind, kind_of
from benchmarks.figures.store import BUSY, CALIBRATION, Document


class MissingFigureError(Exception):
    """A page asks for a figure that was never measured.

    No LookupError: Jinja takes these for its own, and looks for an attribute instead.
    """


@dataclass(frozen=True)
class Figure:
    """A measured number, and where it comes from."""

    value: Any
    name: str
    benchmark: str
    kind: Kind

    def __str__(self) -> str:
        """The number with its unit, rounded to what a reader can use."""
        if self.value is None:
            return "none"
        if isinstance(self.value, str):
            return self.value
        return f"{plain(self.value)}{self.kind.unit}"


def plain(value: float) -> str:
    """Two digits of a number below 100 and all before the point of others; whole numbers whole."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or abs(value) >= 99.5:
        return f"{value:,.0f}"
    if value == 0:
        return "0"
    if abs(value) >= 9.95:
        return f"{value:.0f}"
    digits = 1
    while abs(value) * 10**digits < 9.95 and digits < 6:
        digits += 1
    return f"{value:.{digits}f}"


class Measured:
    """The entries of a document, asked by templates; `looked_at` are the figures that they took."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.looked_at: dict[str, Figure] = {}

    def of(self, benchmark: str, given: Mapping[str, Any] | None = None, /, **more: Any) -> Rows:
        """Return the rows of a benchmark whose cells are as asked; there must be one at least."""
        entry = self.entry(benchmark)
        wanted = {**(given or {}), **more}
        rows = [dict(zip(entry["columns"], row, strict=True)) for row in entry["rows"]]
        kept = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
        if not kept:
            raise MissingFigureError(f"{benchmark} has no row with {wanted}")
        return Rows(self, benchmark, wanted, kept)

    def entry(self, benchmark: str) -> dict[str, Any]:
        """Return all that is kept of a benchmark."""
        if benchmark not in self.document:
            raise MissingFigureError(f"{benchmark} was never measured")
        return self.document[benchmark]

    def has(self, benchmark: str) -> bool:
        """Return whether a benchmark was ever measured."""
        return benchmark in self.document

    def cpu(self, benchmark: str) -> Figure:
        """Return the processor seconds of a whole benchmark."""
        name = "processor seconds of the whole benchmark"
        value = self.entry(benchmark)["cpu s"]
        return self.remember(Figure(value, name, benchmark, kind_of("cpu s")))

    def note(self, benchmark: str, part: str) -> str:
        """Return the note of a benchmark that has these words."""
        found = [note for note in self.entry(benchmark)["notes"] if part in note]
        if not found:
            raise MissingFigureError(f"{benchmark} has no note with {part}")
        return str(found[0])

    def day(self, benchmark: str) -> str:
        """Return the day on which a benchmark ran."""
        return datetime.fromisoformat(self.entry(benchmark)["date"]).date().isoformat()

    def when(self, *benchmarks: str) -> str:
        """Return when benchmarks (or all) ran, and how busy other programs kept the machine."""
        entries = [self.entry(name) for name in benchmarks or self.document]
        days = sorted({datetime.fromisoformat(one["date"]).date().isoformat() for one in entries})
        busy = [one[BUSY] for one in entries if one[BUSY] is not None] or [0.0]
        low, high = f"{min(busy):.1f}", f"{max(busy):.1f}"
        told = high if low == high else f"{low} to {high}"
        return f"measured on {' and '.join(days)}; other programs kept {told} cores busy meanwhile"

    def loop(self) -> tuple[float, float]:
        """Return the least and the most seconds of the calibration loop beside any benchmark."""
        every = [
            one for entry in self.document.values() for one in entry[CALIBRATION] if one is not None
        ]
        if not every:
            raise MissingFigureError("nothing was calibrated")
        return min(every), max(every)

    def remember(self, figure: Figure) -> Figure:
        """Keep a figure that a template took."""
        self.looked_at[f"{figure.benchmark}: {figure.name}"] = figure
        return figure


class Rows:
    """Rows of a benchmark: `rows["best s"]` is the figure of the only one, others tell of all of them."""

    def __init__(
        self, measured: Measured, benchmark: str, wanted: dict[str, Any], rows: list[dict[str, Any]]
    ) -> None:
        self._measured, self._benchmark, self._wanted, self._rows = measured, benchmark, wanted, rows

    def __getitem__(self, column: str) -> Figure:
        """Return the figure of the only row."""
        if len(self._rows) > 1:
            raise MissingFigureError(f"{self._benchmark} has several rows with {self._wanted}")
        return self._figure(column, column, self._values(column)[0])

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self._rows[0])

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Rows]:
        """Go through the rows, each told apart by its texts."""
        for row in self._rows:
            told = {name: cell for name, cell in row.items() if isinstance(cell, str)}
            yield Rows(self._measured, self._benchmark, told, [row])

    def best(self, column: str) -> Rows:
        """Return the row with the smallest figure of a column."""
        row = min(self._rows, key=lambda row: row[column])
        return Rows(self._measured, self._benchmark, {**self._wanted, "least": column}, [row])

    def by(self, column: str) -> list[Rows]:
        """Return the rows, the smallest figure of a column first."""
        return sorted(self, key=lambda row: row[column].value)

    def last(self) -> Rows:
        """Return the last row."""
        return list(self)[-1]

    def least(self, column: str) -> Figure:
        """Return the smallest figure of a column."""
        return self._told("least", column, min)

    def most(self, column: str) -> Figure:
        """Return the largest figure of a column."""
        return self._told("most", column, max)

    def middle(self, column: str) -> Figure:
        """Return the median of a column."""
        return self._told("middle", column, median)

    def total(self, column: str) -> Figure:
        """Return the sum of a column."""
        return self._told("total", column, sum)

    def within(self, column: str, most: float) -> int:
        """Return how many figures of a column are at most so large."""
        found = sum(value is not None and value <= most for value in self._values(column))
        self._named(f"{column} within {most:g}", Figure(found, "", self._benchmark, Kind(better=1)))
        return found

    def _told(self, word: str, column: str, of: Callable[[list[Any]], Any]) -> Figure:
        known = [value for value in self._values(column) if value is not None]
        return self._figure(column, f"{word} {column}", of(known))

    def _values(self, column: str) -> list[Any]:
        if column not in self._rows[0]:
            raise MissingFigureError(f"{self._benchmark} has no column {column}")
        return [row[column] for row in self._rows]

    def _figure(self, column: str, named: str, value: Any) -> Figure:
        return self._named(named, Figure(value, "", self._benchmark, kind_of(column)))

    def _named(self, named: str, figure: Figure) -> Figure:
        where = ", ".join(f"{name} {cell}" for name, cell in self._wanted.items())
        name = f"{named} ({where})" if where else named
        return self._measured.remember(replace(figure, name=name))
