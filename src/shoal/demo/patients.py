"""Who the patients are: ages, sexes and zip codes, and the age bands that diagnoses and jobs depend on."""

from __future__ import annotations

import math
from collections.abc import Mapping

OLDEST = 104

# The first age of each band. Every step of a `Steps` table must be one of these.
BANDS: tuple[int, ...] = (0, 1, 3, 6, 10, 15, 18, 23, 30, 40, 50, 60, 65, 70, 80, 90)

# A step curve: "from this age up, this value"; 0 before the first step.
Steps = Mapping[int, float]

# Patients by age, in straight lines between these points. Women have a second peak at the
# age of childbirth; men are fewer beyond 80.
FEMALE_PATIENTS: dict[int, float] = {
    0: 9.0, 1: 3.5, 5: 1.3, 12: 1.2, 17: 2.2, 25: 5.0, 31: 6.2, 40: 3.6,
    50: 3.4, 60: 4.6, 70: 6.4, 79: 7.8, 86: 6.0, 93: 2.0, 100: 0.15, 104: 0.01,
}  # fmt: skip
MALE_PATIENTS: dict[int, float] = {
    0: 10.0, 1: 4.3, 5: 1.7, 12: 1.4, 17: 2.3, 25: 2.4, 31: 2.3, 40: 2.9,
    50: 4.3, 60: 6.6, 70: 8.2, 79: 8.3, 86: 4.8, 93: 1.1, 100: 0.06, 104: 0.003,
}  # fmt: skip


def by_band(steps: Steps) -> list[float]:
    """The value of a step curve in each band.

    >>> by_band({15: 2.0, 50: 0.0})[4:7]
    [0.0, 2.0, 2.0]
    """
    unknown = set(steps) - set(BANDS)
    if unknown:
        raise ValueError(f"A step must begin where a band does; {sorted(unknown)} do not.")
    values = []
    value = 0.0
    for start in BANDS:
        value = steps.get(start, value)
        values.append(value)
    return values


SEXES: tuple[str, ...] = ("female", "male", "other")

# The last share is of those whose sex is missing.
SHARES: tuple[float, ...] = (0.523, 0.470, 0.004, 0.003)


def sex_hierarchy() -> list[tuple[str, ...]]:
    """One row per sex: itself, the root.

    >>> sex_hierarchy()[0]
    ('female', '*')
    """
    return [(sex, "*") for sex in SEXES]


# The first region is the capital; regions are ordered by size. Some begin with a zero, to expose readers that
# take zip codes for numbers.
REGIONS: tuple[str, ...] = (
    "10", "04", "81", "52", "07", "33", "68", "20", "95", "46", "01", "77", "59",
    "25", "88", "03", "61", "14", "39", "72", "09", "98", "43", "56", "84",
)  # fmt: skip

# Codes of one district share their third digit, so masking a digit joins neighbours.
_CODES_PER_DISTRICT = 6


def _codes_in(region: int) -> int:
    """The number of codes in a region: 36 in the capital, 6 in the smallest."""
    return round(36 / math.pow(region + 1, 0.55))


def zip_codes() -> dict[str, float]:
    """Every zip code with the size of its population (relative, very uneven).

    >>> codes = zip_codes()
    >>> all(len(code) == 5 for code in codes), any(code[0] == "0" for code in codes)
    (True, True)
    """
    codes: dict[str, float] = {}
    for region, prefix in enumerate(REGIONS):
        for place in range(_codes_in(region)):
            district = place // _CODES_PER_DISTRICT
            # 37 and 100 have no common factor, so all places of a region get different codes.
            ending = (37 * place + 13 * region + 1) % 100
            size = 1.0 / ((region + 1) ** 0.9 * (place + 1) ** 1.1)
            codes[f"{prefix}{district}{ending:02d}"] = size
    return codes
