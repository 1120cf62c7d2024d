"""How SPSS, Stata and SAS store dates and times: as numbers, told apart by the format they are shown in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

from shoal.data.files.codebook import Kind

_DAY = 86_400_000
"""Milliseconds."""
_SPSS = {
    Kind.DATE: "DATE ADATE EDATE JDATE SDATE",
    Kind.MOMENT: "DATETIME YMDHMS",
    Kind.TIME: "TIME DTIME",
}
_SAS = {
    Kind.DATE: (
        "DATE WEEKDATE WEEKDATX MMDDYY DDMMYY YYMMDD E8601DA B8601DA IS8601DA DDMMYYB DDMMYYC DDMMYYD "
        "DDMMYYN DDMMYYP DDMMYYS MMDDYYB MMDDYYC MMDDYYD MMDDYYN MMDDYYP MMDDYYS YYMMDDB YYMMDDC YYMMDDD "
        "YYMMDDN YYMMDDP YYMMDDS"
    ),
    Kind.MOMENT: "DATETIME DATEAMPM MDYAMPM E8601DT B8601DT IS8601DT B8601DN DTDATE",
    Kind.TIME: "TIME TIMEAMPM HHMM TOD E8601TM B8601TM IS8601TM",
}
_CLOCK = re.compile(r"[Hh]{2}[:.]?(MM([:.]?SS(\.s+)?)?)?( ?[aA]\.?[mM]\.?)?")


@dataclass(frozen=True)
class DayCount:
    """The day that numbers count from, and the milliseconds of their unit, for days and for moments."""

    origin: date
    day_unit: int
    moment_unit: int
    formats: dict[str, Kind] | None = None
    """What each format shows, by name; None for Stata, whose formats are patterns."""

    def kind_of(self, shape: str | None) -> Kind:
        """Return what the numbers of a column are, given the format it is shown in."""
        if shape is None:
            return Kind.NUMBER
        if self.formats is not None:
            return self.formats.get(re.sub(r"\d+(\.\d*)?$|\.$", "", shape.upper()), Kind.NUMBER)
        pattern = shape.replace("-", "")
        if pattern.startswith(("%td", "%d")):
            return Kind.DATE
        if pattern.startswith(("%tc", "%tC")):
            return Kind.TIME if _CLOCK.fullmatch(pattern[3:]) else Kind.MOMENT
        return Kind.NUMBER

    def unit(self, kind: Kind) -> int:
        """Return how many milliseconds a column's number 1 stands for."""
        return self.day_unit if kind is Kind.DATE else self.moment_unit

    def start(self, kind: Kind) -> int:
        """Return the milliseconds from 1970 to a column's number 0."""
        if kind is Kind.TIME:
            return 0
        first = datetime(self.origin.year, self.origin.month, self.origin.day, tzinfo=UTC)
        return int(first.timestamp()) * 1000

    def fitting(self, kind: Kind, lowest: float, highest: float, days: bool) -> Kind:
        """Return what a column with numbers in this range can be read as; numbers if nothing else fits.

        Times beyond a day are durations, dates beyond the year 9999 are not dates, and a date with a
        time of day is a moment. `days` says that all numbers are whole days.
        """
        if kind in (Kind.NUMBER, Kind.TEXT):
            return kind
        first, last = (at * self.unit(kind) + self.start(kind) for at in (lowest, highest))
        if kind is Kind.TIME:
            return kind if first >= 0 and last < _DAY else Kind.NUMBER
        if first < _milliseconds(1) or last >= _milliseconds(9999):
            return Kind.NUMBER
        return Kind.MOMENT if kind is Kind.DATE and not days else kind


def _milliseconds(year: int) -> int:
    return (date(year, 1, 1) - date(1970, 1, 1)).days * _DAY


def _named(formats: dict[Kind, str]) -> dict[str, Kind]:
    return {name: kind for kind, names in formats.items() for name in names.split()}


SPSS = DayCount(date(1582, 10, 14), 1000, 1000, _named(_SPSS))
STATA = DayCount(date(1960, 1, 1), _DAY, 1)
SAS = DayCount(date(1960, 1, 1), _DAY, 1000, _named(_SAS))
