"""Finds columns of dates in the forms that people write, and those whose form nobody can tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from shoal.data.engine import Engine, Profile
from shoal.describe.hierarchies.date_forms import forms_of

MOST = 50_000
"""Columns with more values are not searched for dates."""
LONGEST = 40


def with_local_dates(
    profiles: Iterable[Profile], engine: Engine
) -> tuple[tuple[Profile, ...], tuple[str, ...]]:
    """Return the profiles with dates of any form as dates, and what must be asked about others.

    `first` and `last` of a column of dates are then days, as in 2024-01-31.
    """
    found, notices = [], []
    for profile in profiles:
        ends = [value for value in (profile.first, profile.last) if value is not None]
        plain = not (profile.date or profile.decimal or profile.nested)
        if (
            plain
            and 0 < profile.distinct <= MOST
            and (profile.longest or 0) <= LONGEST
            and forms_of(ends)
        ):
            values = profile.values or engine.first_values(profile.column, MOST)
            forms = forms_of(values)
            if len(forms) == 1:
                days = sorted(str(day) for value in values if (day := forms[0].day(value)))
                found.append(replace(profile, date=True, first=days[0], last=days[-1]))
                continue
            if forms:
                one, other = (form.text for form in forms[:2])
                notices.append(
                    f"{profile.column}: its dates may be {one} or {other}; say which, as in `hierarchy: "
                    f"{{dates: {{units: [month, year], format: {one}}}}}`"
                )
        found.append(profile)
    return tuple(found), tuple(notices)
