"""How many persons are unique in a population of which the table is a sample: three estimates, and a choice.

Only the sizes of the classes are used: s_i classes of i rows, n rows in u classes, of a population of N
persons; pi = n / N. Every estimate is the number of population uniques, as a share of the population.

References: L. Zayatz, "Estimation of the percent of unique population elements on a microdata file using the
sample", Bureau of the Census 1991; N. Hoshino, "Applying Pitman's sampling formula to microdata disclosure
risk assessment", Journal of Official Statistics 17, 2001; G. Chen and S. Keller-McNulty, "Estimation of
identification disclosure risk in microdata", Journal of Official Statistics 14, 1998 (slide negative
binomial); P. Haas and L. Stokes, "Estimating the number of classes in a finite population", JASA 93, 1998;
F. Dankar and others, "Estimating the re-identification risk of clinical data sets", BMC Medical Informatics
and Decision Making 12:66, 2012 (the rule).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from math import exp, inf, lgamma, log
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

SMALL_SAMPLE = 0.1
"""Up to this fraction Dankar's rule takes Pitman's estimate."""


@dataclass(frozen=True)
class Uniqueness:
    """The estimated share of the population that is unique, by each estimator; None where it has no answer.

    `rule` is Dankar's choice among them, and `chosen` its name.
    """

    zayatz: float
    pitman: float | None
    snb: float | None
    rule: float
    chosen: str

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates as documents show them."""
        return {
            "zayatz": self.zayatz,
            "pitman": self.pitman,
            "snb": self.snb,
            "dankar": {"share": self.rule, "by": self.chosen},
        }


def population_uniqueness(sizes: npt.ArrayLike, population: float) -> Uniqueness:
    """Return the share of the population that is unique, estimated from the sizes of the sample's classes.

    Pitman's and the slide negative binomial estimate need scipy, and are None without it.

    >>> population_uniqueness([2, 3], 50).rule
    0.0
    """
    classes, counts = np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)
    rows = int((classes * counts).sum())
    people = max(float(population), float(rows))
    singles = int(counts[classes == 1].sum())
    if not singles:
        return Uniqueness(0.0, 0.0, 0.0, 0.0, "zayatz")
    if people <= rows:  # The sample is the population.
        share = singles / rows
        return Uniqueness(share, share, share, share, "zayatz")
    fraction = rows / people
    zayatz = singles * _zayatz(classes, counts, people) / rows
    pitman = snb = None
    if find_spec("scipy") is not None:
        pitman = _share(_pitman(classes, counts, people), people)
        snb = _share(_snb(classes, counts, fraction), people)
    rule, chosen = zayatz, "zayatz"
    if fraction <= SMALL_SAMPLE:
        if pitman is not None:
            rule, chosen = pitman, "pitman"
    elif snb is not None and snb <= zayatz:
        rule, chosen = snb, "snb"
    return Uniqueness(zayatz, pitman, snb, rule, chosen)


def _share(uniques: float | None, people: float) -> float | None:
    """Return a number of uniques as a share of the population; None if it is no such number."""
    return uniques / people if uniques is not None and 0 < uniques <= people else None


def _zayatz(classes: Ints, counts: Ints, people: float) -> float:
    """Return the chance that a unique row of the sample is unique in the population, by Bayes' rule.

    Sizes of the population's classes are taken to be as frequent as in the sample; a class of i persons shows
    one row with the chance of the hypergeometric distribution.
    """
    rows = float((classes * counts).sum())

    def shows_one(size: int) -> float:
        if people - size < rows - 1:
            return 0.0
        return size * exp(_choices(people - size, rows - 1) - _choices(people, rows))

    chances = {i: shows_one(i) for i in classes.tolist()}
    total = sum(m * chances[i] for i, m in zip(classes.tolist(), counts.tolist(), strict=True))
    return float(counts[0] * chances[1] / total)


def _choices(n: float, k: float) -> float:
    """Return the logarithm of n over k."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _pitman(classes: Ints, counts: Ints, people: float) -> float | None:
    """Return the uniques of Pitman's model at its most likely theta and alpha.

    For each alpha the likelihood's slope in theta changes its sign once between -alpha and infinity; of
    these pairs the most likely is taken. None if all rows are unique: then theta has no finite value.
    """
    from scipy.optimize import brentq, minimize_scalar
    from scipy.special import digamma, gammaln

    rows, groups = int((classes * counts).sum()), int(counts.sum())
    if groups in (1, rows):
        return None

    def slope(theta: float, alpha: float) -> float:
        above = digamma(theta / alpha + groups) - digamma(theta / alpha + 1)
        return float(above / alpha - digamma(theta + rows) + digamma(theta + 1))

    def theta_at(alpha: float) -> float:
        low, high = -alpha * (1 - 1e-12), 1.0
        while slope(high, alpha) > 0:
            high *= 4
            if high > 1e15:
                return inf
        return low if slope(low, alpha) < 0 else float(brentq(slope, low, high, args=(alpha,)))

    def unlikely(alpha: float) -> float:
        theta = theta_at(alpha)
        if theta == inf:
            return inf
        found = (groups - 1) * log(alpha) + gammaln(theta / alpha + groups) - gammaln(theta / alpha + 1)
        found -= gammaln(theta + rows) - gammaln(theta + 1)
        return -float(found + (counts * (gammaln(classes - alpha) - gammaln(1 - alpha))).sum())

    best = minimize_scalar(unlikely, bounds=(1e-6, 1 - 1e-9), method="bounded", options={"xatol": 1e-9})
    alpha = float(best.x)
    theta = theta_at(alpha)
    if not np.isfinite(best.fun) or theta == inf:
        return None
    return exp(float(gammaln(theta + 1) - gammaln(theta + alpha)) + alpha * log(people))


def _snb(classes: Ints, counts: Ints, fraction: float) -> float | None:
    """Return the uniques of the slide negative binomial model, or None if it does not fit.

    A class of the population has one person and a negative binomial number of others. The parameters are
    those that expect as many classes of one row and of two as the sample has, among as many classes as
    Shlosser's estimate (Haas and Stokes) says.
    """
    from scipy.optimize import least_squares

    ones, twos = int(counts[classes == 1].sum()), int(counts[classes == 2].sum())
    if not twos:
        return None
    all_classes, missed = _shlosser(classes, counts, fraction), 1 - fraction

    def expected(given: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        alpha, beta = np.exp(given[0]), 1 / (1 + np.exp(-given[1]))
        other = missed * (1 - beta)
        none = (beta / (1 - other)) ** alpha
        one = fraction * none * (1 + alpha * other / (1 - other))
        two = fraction**2 / 2 * none * alpha * (1 - beta) / (1 - other) ** 2
        two *= 2 - (1 - alpha) * other
        return np.asarray([all_classes * one / ones - 1, all_classes * two / twos - 1])

    for start in ((0.0, 0.0), (-2.0, -2.0), (-2.0, -5.0), (1.0, -2.0), (-4.0, -8.0)):
        found = least_squares(expected, start, bounds=([-20, -30], [20, 30]), xtol=1e-14, ftol=1e-14)
        if float(np.abs(found.fun).max()) < 1e-8:
            alpha, beta = np.exp(found.x[0]), 1 / (1 + np.exp(-found.x[1]))
            return float(all_classes * beta**alpha)
    return None


def _shlosser(classes: Ints, counts: Ints, fraction: float) -> float:
    """Return about how many classes the population has."""
    i, s, q = classes.astype(np.float64), counts.astype(np.float64), fraction
    away = (1 - q) ** i
    one = (i * q**2 * (1 - q**2) ** (i - 1) * s).sum()
    several = (((1 - q**2) ** i - away) * s).sum()
    part = (away * s).sum() / (i * q * (1 - q) ** (i - 1) * s).sum()
    return float(s.sum() + s[classes == 1].sum() * one / several * part**2)
