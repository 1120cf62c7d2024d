"""The risk of a sample's row, by Benedetti and Franconi (1998): the chance that a match is right.

A row's class has f rows of the sample and F persons of the population, of whom the sample shows only f. Given
f, the unknown F is taken to have a negative binomial distribution: f successes at a chance p = f / F' each,
where F' is the estimate of F (the sum of the sampling weights). The row's risk is the mean of 1 / F. With
a = (1 - p) / p its series sums up to

    r(f, F') = integral from 0 to 1 of w^(f - 1) / (1 + a w) dw.

Facts, used by the criteria:

1. r never rises with F' at the same f: a rises with it.
2. r never rises with f at the same F'. The generating function of F at t is (1 + u F' / f)^-f with
   u = 1 / t - 1 >= 0, r is its integral over t of 1 / t, and f log(1 + c / f) rises with f.
3. f r(f, f / p) never rises with f at the same p: with w^f = v it is the integral of 1 / (1 + a v^(1 / f)).
4. r is at most 1 / f, which it is at F' = f (a = 0).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FEW = 40
"""From this many rows on, `TERMS` terms of the series are exact to double precision whatever p is."""
TERMS = 60


def individual_risk(rows: npt.ArrayLike, persons: npt.ArrayLike) -> Floats:
    """Return the risk of a row whose class has this many `rows` and about this many `persons`.

    If there are fewer persons than rows, the rows count as the persons.

    >>> individual_risk([1, 2, 10], [1, 110, 10]).round(6).tolist()
    [1.0, 0.017144, 0.1]
    """
    f = np.asarray(rows, dtype=np.float64)
    p = f / np.maximum(np.asarray(persons, dtype=np.float64), f)
    q = 1 - p
    # Where p and f are small, the recursion a r(f + 1) = 1 / f - r(f), at the same a, loses no digits.
    climbing = (f < FEW) & (p < 0.5)
    return np.where(climbing, _climbed(f, p, q, climbing), _series(f, p, np.where(climbing, 0.0, q)))


def _series(f: Floats, p: Floats, q: Floats) -> Floats:
    """Return p / f * (1 + q / (f + 1) * (1 + 2 q / (f + 2) * (1 + ...))): all terms are positive."""
    total = np.ones_like(f)
    for j in range(TERMS, 0, -1):
        total = 1 + total * j * q / (f + j)
    return np.asarray(p / f * total, dtype=np.float64)


def _climbed(f: Floats, p: Floats, q: Floats, where: npt.NDArray[np.bool_]) -> Floats:
    """Return r by its closed form at f = 1 and the recursion; only the places `where` matter."""
    a = np.where(where, q / p, 1.0)
    found = np.log1p(a) / a
    for size in range(1, int(f[where].max(initial=1))):
        found = np.where(f > size, (1 / size - found) / a, found)
    return np.asarray(found, dtype=np.float64)
