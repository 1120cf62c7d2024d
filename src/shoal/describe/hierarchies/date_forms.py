"""Dates as people write them: which form the values of a column have, and the day that each one is.

Where all values may be read day first or month first, and the two readings differ, nobody can tell which is
meant: that is asked, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
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
_TIME = r"(?:[T ]\d{1,2}:.*)?"
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
