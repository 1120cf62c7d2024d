"""Dates as people write them: which form the values of a column have, and the day that each one is.

Where all values may be read day first or month first, and the two readings differ, nobody can tell which is
meant: that is asked, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property

from shoal.errors import InputError, show

FORMS = (
    "yyyy-mm-dd",
    "dd.mm.yyyy",
    "dd/mm/yyyy",
    "mm/dd/yyyy",
    "dd-mm-yyyy",
    "mm-dd-yyyy",
    "yyyy/mm/dd",
    "yyyy.mm.dd",
    "dd month yyyy",
    "dd. month yyyy",
    "dd-month-yyyy",
    "month dd, yyyy",
    "month dd yyyy",
)
"""The forms that are found out; `format` may say any other one."""
_TOKENS = {
    "dd": r"(?P<day>\d{1,2})",
    "mm": r"(?P<month>\d{1,2})",
    "yyyy": r"(?P<year>\d{4})",
    "month": r"(?P<name>[^\W\d_]+)[.]?",
}
_TIME = r"(?:[T ](?P<time>\d{1,2}:.*))?"
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d+))?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?:z|utc|(?P<sign>[+-])(?P<east>\d\d):?(?P<more>\d\d)?))?",
    re.IGNORECASE,
)
_NAMES = (
    "january jan januar janvier janv jänner",
    "february feb februar février févr fév",
    "march mar märz mär mrz mars",
    "april apr avril avr",
    "may mai",
    "june jun juni juin",
    "july jul juli juillet juil",
    "august aug août",
    "september sep sept septembre",
    "october oct oktober okt octobre",
    "november nov novembre",
    "december dec dezember dez décembre déc",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
"""Names of months in English, German and French."""


@dataclass(frozen=True)
class DateForm:
    """A form of dates, such as dd.mm.yyyy or dd month yyyy; a time of day may follow."""

    text: str

    @classmethod
    def said(cls, text: str, source: str) -> DateForm:
        """Return the form that a study says, or refuse it.

        >>> DateForm.said("dd.mm.yyyy", "birth").day("24.12.1999")
        datetime.date(1999, 12, 24)
        """
        tokens = re.findall("[a-z]+", text)
        if sorted(tokens) not in (["dd", "mm", "yyyy"], ["dd", "month", "yyyy"]):
            raise InputError(
                f"the format {show(text)} is no form of dates; write dd, mm (or month) and yyyy once each, "
                "as in dd.mm.yyyy",
                file=source,
            )
        return cls(text)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split("([a-z]+)", self.text)
        return re.compile("".join(_TOKENS.get(part) or re.escape(part) for part in parts) + _TIME)

    def day(self, value: str) -> date | None:
        """Return the day that a value is; None if it is no date of this form."""
        found = self._pattern.fullmatch(value.strip())
        if found is None:
            return None
        parts = found.groupdict()
        if self.text == "yyyy-mm-dd" and not re.match(r"\d{4}-\d\d-\d\d", value.strip()):
            return None
        month = int(parts["month"]) if "month" in parts else _MONTHS.get(parts["name"].lower())
        try:
            return date(int(parts["year"]), month or 0, int(parts["day"]))
        except ValueError:
            return None

    def moment(self, value: str) -> datetime | None:
        """Return when a value is, by its day and its time of day; None if it does not tell.

        >>> str(DateForm("dd.mm.yyyy").moment("24.12.1999 6:30 pm"))
        '1999-12-24 18:30:00'
        """
        day, found = self.day(value), self._pattern.fullmatch(value.strip())
        if day is None or found is None:
            return None
        start = datetime(day.year, day.month, day.day)
        if found["time"] is None:
            return start
        clock = _CLOCK.fullmatch(found["time"].strip())
        if clock is None:
            return None
        hour = int(clock["hour"])
        if clock["half"]:
            hour = hour % 12 + 12 * (clock["half"].lower() == "p") if 1 <= hour <= 12 else 24
        part = int(f"{clock['part'] or '':0<6}"[:6])
        east = timedelta(hours=int(clock["east"] or 0), minutes=int(clock["more"] or 0))
        try:
            at = start.replace(
                hour=hour,
                minute=int(clock["minute"]),
                second=int(clock["second"] or 0),
                microsecond=part,
            )
            return at + east if clock["sign"] == "-" else at - east
        except (ValueError, OverflowError):
            return None


def forms_of(values: Iterable[str]) -> tuple[DateForm, ...]:
    """Return the forms that all values have; several only where they say different days.

    >>> [form.text for form in forms_of(["03/04/2024", "05/12/2023"])]
    ['dd/mm/yyyy', 'mm/dd/yyyy']
    >>> [form.text for form in forms_of(["03/04/2024", "31/12/2023"])]
    ['dd/mm/yyyy']
    """
    listed = list(values)
    found: list[DateForm] = []
    seen: list[list[date | None]] = []
    for form in map(DateForm, FORMS):
        days: list[date | None] = []
        for value in listed:
            day = form.day(value)
            if day is None:
                break
            days.append(day)
        else:
            if listed and days not in seen:
                found.append(form)
                seen.append(days)
    return tuple(found)


def by_date(values: Sequence[str], form: DateForm | None = None) -> tuple[str, ...] | None:
    """Return values in the order of their dates; None if nobody can tell it.

    The form is the one that is said, or the only one that all values have.

    >>> by_date(["31.01.2024", "01.02.2024", "15.12.2023"])
    ('15.12.2023', '31.01.2024', '01.02.2024')
    >>> by_date(["03/04/2024", "05/12/2023"]) is None
    True
    """
    if form is None:
        found = forms_of(values)
        if len(found) != 1:
            return None
        form = found[0]
    moments: dict[str, datetime] = {}
    for value in values:
        moment = form.moment(value)
        if moment is None:
            return None
        moments[value] = moment
    return tuple(sorted(values, key=lambda value: (moments[value], value)))


def days_of(values: Sequence[str], form: DateForm | None, source: str) -> list[date]:
    """Return the days of values in a form, the one that is said or the only one that all of them have."""
    if form is None:
        found = forms_of(values)
        if len(found) > 1:
            example = next(value for value in values if found[0].day(value) != found[1].day(value))
            raise InputError(
                f"dates such as {show(example)} may be read in two ways; say which, as in {{dates: {{units: "
                f"[month, year], format: {found[0].text}}}}} or {found[1].text}",
                file=source,
            )
        form = found[0] if found else _nearest(values)
    days = []
    for value in values:
        day = form.day(value)
        if day is None:
            raise InputError(
                f"the value {show(value)} is not a date of the form {shown(form)}; correct it, say its "
                "`format`, or list the hierarchy in a file",
                file=source,
            )
        days.append(day)
    return days


def shown(form: DateForm) -> str:
    """Return a form as messages write it."""
    return form.text.upper() if form.text == "yyyy-mm-dd" else form.text


def _nearest(values: Sequence[str]) -> DateForm:
    """Return the form that most of some values have, for the message about another value."""
    some = values[:1000]
    return max(map(DateForm, FORMS), key=lambda form: sum(form.day(value) is not None for value in some))
