"""The made-up zip codes: 25 regions, each a two-digit prefix, from one city to hamlets."""

from __future__ import annotations

import math

# The first region is the capital; the order is the order of size. Some begin with a zero,
# so that a reader which takes zip codes for numbers is soon found out.
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
            # 37 and 100 have no common factor: no two places of a region get the same code.
            ending = (37 * place + 13 * region + 1) % 100
            size = 1.0 / ((region + 1) ** 0.9 * (place + 1) ** 1.1)
            codes[f"{prefix}{district}{ending:02d}"] = size
    return codes
