"""What the best recoding is to promise, and what is cheap: what the controls of the step are set to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from shoal.answers.recoding import Scheme
from shoal.describe.promise import ShareLimits, share
from shoal.describe.quantities import suppression_limit
from shoal.errors import InputError
from shoal.numbers import percent

SCHEMES = {
    Scheme.ALL_REC: "Delete all rows of a group that breaks a limit",
    Scheme.VIO_REC: "Delete only as many rows of it as needed",
    Scheme.ALL_SA: "Blank all sensitive values of it",
    Scheme.VIO_SA: "Blank only as many sensitive values as needed",
    Scheme.NO_SUPP: "Suppress nothing: no group may break a limit",
}
SHORT = {
    Scheme.ALL_REC: "groups that break it left out",
    Scheme.VIO_REC: "as few rows left out as needed",
    Scheme.ALL_SA: "values of groups that break it blanked",
    Scheme.VIO_SA: "as few values blanked as needed",
    Scheme.NO_SUPP: "nothing left out",
}
"""The same in a title."""
MOST = ("0", "0.1%", "0.5%", "1%", "2%", "3%", "5%", "10%", "20%", "")
"""How many rows, or sensitive values, the scheme may suppress: the steps of the slider; "" is any number."""
ROBUST = {
    "": "No: the one that loses least",
    "0.01": "Yes: it may lose 1% of all detail more",
    "0.02": "Yes: it may lose 2% of all detail more",
    "0.05": "Yes: it may lose 5% of all detail more",
    "0.1": "Yes: it may lose 10% of all detail more",
}
"""Whether one is drawn at random among those that are nearly best, by the share of detail it may cost."""
METRICS = {
    "LM": "how much each value could stand for (LM)",
    "DM": "how large the groups become (DM)",
    "CM": "how well the class is still told (CM)",
}
UNIFORM = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20)
"""The l that can be asked for all values alike; theta is 1 / l."""
_HUNDREDTHS = tuple(Fraction(n, 100) for n in range(1, 101))


@dataclass(frozen=True)
class OptimizeWish:
    """Limits on the shares of sensitive values, k (0 where not asked for), scheme and metric.

    `theta` limits all values, and `own` those that it names; `most` limits what the scheme suppresses. With
    `robust`, one is drawn at random that loses at most that share of all detail more than the best.
    """

    sensitive: str | None = None
    theta: Fraction = Fraction(1, 4)
    own: Mapping[str, Fraction] = field(default_factory=dict)
    k: int = 0
    scheme: Scheme = Scheme.ALL_REC
    metric: str = "LM"
    most: str = ""
    robust: str = ""

    @classmethod
    def reopened(
        cls, kept: Any, columns: Sequence[str], metrics: Sequence[str], rows: int
    ) -> OptimizeWish:
        """Return what was kept, as far as it fits the study as it is now."""
        given = kept if isinstance(kept, Mapping) else {}
        column = given.get("sensitive")
        same = column in columns
        first = columns[0] if columns else None
        own = given.get("own", {}) if same else {}
        k = min(int(given.get("k", 0 if columns else 5)), rows)
        return cls(
            column if same else first,
            share(given.get("theta", "1/4")),
            {value: share(limit) for value, limit in own.items()},
            k if columns or k else min(2, rows),
            Scheme.of(given.get("scheme", Scheme.ALL_REC.value)),
            given["metric"] if given.get("metric") in metrics else metrics[0],
            _amount(given.get("most", "")),
            given["robust"] if given.get("robust") in ROBUST else "",
        )

    def kept(self) -> dict[str, Any]:
        """Return the wish as it is kept."""
        own = {value: str(limit) for value, limit in self.own.items()}
        return {**vars(self), "theta": str(self.theta), "own": own, "scheme": self.scheme.value}

    def asked(self) -> dict[str, Any]:
        """Return the wish as `Study.optimize` takes it."""
        asked: dict[str, Any] = {"scheme": self.scheme.value, "metric": self.metric}
        if self.most:
            asked["blank" if self.scheme in (Scheme.ALL_SA, Scheme.VIO_SA) else "suppress"] = self.most
        if self.robust:
            asked["robust"] = self.robust
        if self.k:
            asked["k"] = self.k
        if self.sensitive is not None:
            asked["sensitive"] = [self.sensitive]
            asked["theta"] = str(self.theta)
            if self.own:
                asked["limits"] = {value: str(limit) for value, limit in self.own.items()}
        return asked

    def limits(self) -> ShareLimits:
        """Return the limits of the values."""
        return ShareLimits(self.theta, self.own)

    def limiting(self, value: str, limit: Fraction) -> OptimizeWish:
        """Return the wish with another limit for a value; one that is that of all is none of its own."""
        own = {name: one for name, one in self.own.items() if name != value}
        return replace(self, own=own if limit == self.theta else {**own, value: limit})

    def impossible(self, values: Sequence[str]) -> str:
        """Return why no group can keep the limits; nothing where some group may."""
        if self.sensitive is None or not values:
            return ""
        limits = self.limits()
        total = sum((limits.of(value) or Fraction(0) for value in values), Fraction(0))
        if total >= 1:
            return ""
        return (
            f"The limits of the {len(values)} values add up to {percent(float(total))}, less than a whole "
            "group: no group can keep all of them. Raise some."
        )


def _amount(given: Any) -> str:
    """Return a kept amount of suppression, or any number if it is none."""
    try:
        suppression_limit(str(given), 1 << 62)
    except InputError:
        return ""
    return str(given)


def most_steps(most: str) -> list[str]:
    """Return the amounts that may be suppressed, with the one that is needed.

    >>> most_steps("7%")[5:9]
    ['3%', '5%', '7%', '10%']
    """
    more = () if most in MOST else (most,)
    return sorted((*MOST, *more), key=lambda each: suppression_limit(each or "100%", 1 << 40))


def most_words(most: str) -> str:
    """Return an amount of suppression in words.

    >>> most_words("1%"), most_words(""), most_words("0"), most_words("25")
    ('at most 1%', 'any number', 'none', 'at most 25')
    """
    if not most:
        return "any number"
    return "none" if most == "0" else f"at most {most}"


def limit_steps(*more: Fraction) -> list[Fraction]:
    """Return the shares that a slider stands at: all hundredths, and those that are needed besides.

    >>> len(limit_steps(Fraction(1, 4))), len(limit_steps(Fraction(1, 3), Fraction(2, 3)))
    (100, 102)
    """
    return sorted({*_HUNDREDTHS, *more})


def limit_words(limit: Fraction) -> str:
    """Return a share in words.

    >>> limit_words(Fraction(1, 4)), limit_words(Fraction(1, 3)), limit_words(Fraction(1, 1))
    ('25%', '33.3%', 'no limit')
    """
    return "no limit" if limit == 1 else percent(float(limit))


def uniform_steps(theta: Fraction) -> list[Fraction]:
    """Return the limits for all values, the strictest first, with the one that is needed."""
    return sorted({*(Fraction(1, step) for step in UNIFORM), theta})


def uniform_words(theta: Fraction) -> str:
    """Return a limit for all values in words.

    >>> uniform_words(Fraction(1, 4)), uniform_words(Fraction(3, 10))
    ('25% (l = 4)', '30%')
    """
    l_there = theta.numerator == 1 and theta.denominator > 1
    return limit_words(theta) + (f" (l = {theta.denominator})" if l_there else "")
