"""The calendar as arrays: a day is its number, counted from the first possible birth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.demo.patients import OLDEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST_ADMISSION = np.datetime64("2024-01-01")
LAST_ADMISSION = np.datetime64("2025-12-31")
DAYS_IN_A_YEAR = 365.2425

# One year more than the oldest age needs, so that rounding stays inside.
_FIRST_DAY = np.datetime64(f"{2024 - OLDEST - 2}-01-01")

# From Monday to Sunday: planned stays begin early in the week.
_WEEKDAYS = np.array([1.25, 1.18, 1.10, 1.08, 0.98, 0.72, 0.69])
_WINTER_EXCESS = 0.14


class Calendar(NamedTuple):
    """What each day number stands for."""

    iso: NDArray[np.str_]
    year: NDArray[np.int64]
    month_and_day: NDArray[np.int64]
    first_admission: int


def calendar() -> Calendar:
    """Every day from the earliest birth to the last admission."""
    days = np.arange(_FIRST_DAY, LAST_ADMISSION + 1)
    months = days.astype("datetime64[M]")
    day_of_month = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
    month_number = months.astype(np.int64)
    return Calendar(
        iso=days.astype(np.str_),
        year=month_number // 12 + 1970,
        month_and_day=(month_number % 12 + 1) * 100 + day_of_month,
        first_admission=int((FIRST_ADMISSION - _FIRST_DAY).astype(np.int64)),
    )


def age_in_years(
    days: Calendar, birth: NDArray[np.int64], admission: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The age in whole years: someone born on 29 February has a birthday on 1 March in other years."""
    years = days.year[admission] - days.year[birth]
    birthday_to_come = days.month_and_day[admission] < days.month_and_day[birth]
    return years - birthday_to_come


def admission_weights() -> NDArray[np.float64]:
    """How busy each admission day is: a winter peak, and quiet weekends."""
    days = np.arange(FIRST_ADMISSION, LAST_ADMISSION + 1)
    since_1970 = days.astype(np.int64)
    weekday = (since_1970 + 3) % 7  # 1 January 1970 was a Thursday
    in_year = (days - days.astype("datetime64[Y]").astype("datetime64[D]")).astype(np.int64)
    season = 1.0 + _WINTER_EXCESS * np.cos(2.0 * np.pi * (in_year - 20) / DAYS_IN_A_YEAR)
    weights: NDArray[np.float64] = _WEEKDAYS[weekday] * season
    return weights
