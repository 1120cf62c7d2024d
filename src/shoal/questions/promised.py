"""What is to hold of every released group, and the promise that it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError, did_you_mean, show
from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import (
    Diverse,
    Fractional,
    Gain,
    Names,
    Number,
    Pair,
    Risky,
    Several,
    Share,
    Two,
    Whole,
    WordByColumn,
)
from shoal.questions.option_words import DISTANCES

if TYPE_CHECKING:
    from shoal.describe.promise import Distance, DistanceKind, Promise
    from shoal.describe.specification import Specification
    from shoal.questions.material import Material

ABOUT_VALUES = ("l", "theta", "t", "entropy_l", "recursive_l", "beta", "delta_disclosure")
ABOUT_POPULATION = ("k_map", "delta")
ABOUT_RISK = ("max_risk", "average_risk", "population_uniques")
CRITERIA = ("k", *ABOUT_VALUES, *ABOUT_POPULATION, *ABOUT_RISK)


@question
class Promised(Question):
    """What must hold of every released group."""

    k: int | None = asked("Every group has at least K rows.", Whole(), default=None)
    l: int | None = asked(  # noqa: E741  the literature's name
        "Every group has at least L distinct values of each sensitive column.", Whole(), default=None
    )
    theta: Number | None = asked(
        "No sensitive value has a larger share of a group, 0.25 or 1/4.", Share(), default=None
    )
    t: Number | None = asked("Every group lies within T of the whole table.", Share(), default=None)
    distance: str | Mapping[str, str] | None = asked(
        "How far values are for t.",
        WordByColumn(DISTANCES),
        default=None,
        shown="equal",
    )
    entropy_l: Number | None = asked(
        "Every group is as uncertain as one of L equally frequent values.", Diverse(), default=None
    )
    recursive_l: Pair | None = asked(
        "C,L: the most frequent value is rarer than C times the L-th and all after it.",
        Two("C,L", "shoal.describe.promise:Recursive.of"),
        default=None,
    )
    delta: Pair | None = asked(
        "LOW,HIGH: the chance that a person of the population is in the release.",
        Two("LOW,HIGH", "shoal.describe.promise:Presence.of"),
        default=None,
    )
    k_map: int | None = asked("K rows of the population fall into every group.", Whole(), default=None)
    beta: Number | None = asked(
        "In a group no value is more than 1 + BETA times as frequent as in the whole table.",
        Gain(),
        default=None,
    )
    delta_disclosure: Number | None = asked(
        "In a group every value is e^DELTA times as frequent as in the whole table, or nearer.",
        Gain(),
        default=None,
    )
    max_risk: Number | None = asked(
        "No row is found with a higher risk, such as 0.09.", Risky(), default=None
    )
    average_risk: Number | None = asked(
        "On average rows are found with no higher risk.", Risky(), default=None
    )
    population_uniques: Number | None = asked(
        "No larger share of the rows is unique in the population, by Zayatz's estimate.",
        Share(),
        default=None,
    )
    sampling_fraction: Number | None = asked(
        "The part of the population that was drawn, for risks: 0.01 or 1%.",
        Fractional(),
        default=None,
        shown="the study's, or all",
    )

    def given(self, names: Iterable[str]) -> list[str]:
        """Return which of these criteria are asked for."""
        return [name for name in names if getattr(self, name) is not None]

    def check_sampling(self) -> None:
        """Refuse a sampling fraction that no promise is about."""
        if self.sampling_fraction is not None and not self.given(ABOUT_RISK):
            raise InputError("a sampling fraction is about risks; give max_risk or average_risk too")

    def promise(
        self,
        columns: Sequence[str],
        distances: Mapping[str, Distance],
        population: Any,
        distinct: Sequence[str] = (),
        sampling: Number | None = None,
    ) -> Promise:
        """Return the promise about some sensitive columns, a population's counts, and a sampling fraction."""
        from shoal.describe.promise import Presence, Promise, Recursive, ShareLimits, share
        from shoal.describe.promise.limits import diversity, gain, risk_limit

        def each(given: Any, found: Any) -> dict[str, Any]:
            return {} if given is None else dict.fromkeys(columns, found(given))

        return Promise(
            self.k,
            self.l,
            each(self.theta, lambda given: ShareLimits(share(given), known=True)),
            each(self.t, share),
            {} if self.t is None else distances,
            each(self.entropy_l, diversity),
            each(self.recursive_l, lambda pair: Recursive.of(*pair)),
            self.k_map,
            None if self.delta is None else Presence.of(*self.delta),
            population,
            tuple(distinct),
            None if self.max_risk is None else risk_limit(self.max_risk, "max_risk"),
            None if self.average_risk is None else risk_limit(self.average_risk, "average_risk"),
            None if self.population_uniques is None else share(self.population_uniques),
            None if sampling is None else share(sampling, "sampling_fraction"),
            each(self.beta, gain),
            each(self.delta_disclosure, gain),
        )


@question
class PromisedOfStudy(Promised):
    """What must hold of every released group of a study, whose sensitive columns are known."""

    sensitive: Names = asked(
        "Protect this sensitive column.", Several(), default=(), shown="all of them"
    )

    def check(self) -> None:
        """Refuse to promise nothing, and parts that need others."""
        if not self.given(CRITERIA):
            raise InputError("nothing is to be promised; give k, or another criterion")
        if self.distance is not None and self.t is None:
            raise InputError("a distance is about t; give t too")
        if self.sensitive and not self.given(ABOUT_VALUES):
            raise InputError(
                "a sensitive column is named, but nothing is promised of it; give l, theta or t"
            )
        self.check_sampling()


def promise_of(material: Material, question: PromisedOfStudy) -> Promise:
    """Return the promise of what is asked of a study, or refuse what its table cannot keep."""
    named = tuple(question.sensitive)
    columns: tuple[str, ...] = ()
    if question.given(ABOUT_VALUES):
        without = "no column has the role sensitive, so only k can be promised"
        columns = sensitive_columns(material.specification, named, without)
    population = material.the_population() if question.given(ABOUT_POPULATION) else None
    if population is not None and question.delta is not None and population.tally.spread:
        raise InputError(
            "delta-presence cannot tell persons of the population apart who have rows in several groups; "
            "give each of them one row, or ask for k-map"
        )
    return question.promise(
        columns,
        {} if question.t is None else _distances(material, columns, question.distance),
        None if population is None else population.named,
        columns if question.l is not None and named else (),
        _sampling(material, question.sampling_fraction) if question.given(ABOUT_RISK) else None,
    )


def _sampling(material: Material, asked: Number | None) -> Fraction | None:
    """Return the stated part of the population that was drawn, or refuse one that is too small.

    It is not counted: the certificate publishes it, and a count would reveal how many rows were
    suppressed.
    """
    from shoal.describe.units import Units, weight_of

    units = material.specification.units
    least = units.sampling_fraction or Fraction(0)
    fraction = Units.said(sampling_fraction=asked).sampling_fraction or units.sampling_fraction
    if units.population_size is not None:
        least = Fraction(material.counts().people, units.population_size)
    if units.sample_weight is not None:
        weights = material.engine.cells([units.sample_weight]).domains[0]
        least = 1 / min(weight_of(text, units.sample_weight) for text in weights)
    least = min(least, Fraction(1))
    if least and (fraction is None or fraction < least):
        raise material.specification.refuse(
            "a promise of risk is published with the sampling fraction that it is about; say a "
            f"sampling_fraction of at least {_rounded_up(least)}, the largest part that a "
            "row may be of those it stands for, or 1 for the risk within the table"
        )
    return fraction


def _rounded_up(share: Fraction) -> Decimal:
    with localcontext(prec=2, rounding=ROUND_CEILING):
        return Decimal(share.numerator) / Decimal(share.denominator)


def sensitive_columns(
    specification: Specification, named: Sequence[str], without: str
) -> tuple[str, ...]:
    """Return the sensitive columns that are named, or all; refuse others, and those that are quasi too.

    `without` is the message if there are none.
    """
    from shoal.describe.specification import Role

    sensitive = specification.having(Role.SENSITIVE)
    for column in named:
        if column not in sensitive:
            raise specification.refuse(
                f"{show(column)} is no sensitive column; {did_you_mean(column, sensitive)}"
            )
    if not sensitive:
        raise specification.refuse(f"{without}; name one")
    refuse_doubled(specification, named or sensitive)
    return tuple(named) or sensitive


def refuse_doubled(specification: Specification, columns: Iterable[str]) -> None:
    """Refuse sensitive columns that are quasi too."""
    from shoal.describe.specification import Role

    for column in columns:
        if Role.QUASI in specification.attributes[column].roles:
            raise specification.refuse(
                f"{show(column)} is quasi and sensitive: a released group has one value of it, so nothing "
                "can be promised of its values; give it one role, or name other sensitive columns",
                column,
            )


def _distances(
    material: Material, columns: Sequence[str], given: str | Mapping[str, str] | None
) -> dict[str, Distance]:
    """Return the distances of the columns whose values are not all equally far apart."""
    from shoal.describe.promise import DistanceKind

    if isinstance(given, Mapping):
        for column in given:
            if column not in columns:
                raise InputError(
                    f"a distance of {show(column)}, of which no t is promised; "
                    f"{did_you_mean(column, columns)}"
                )
    found = {}
    for column in columns:
        word = given.get(column) if isinstance(given, Mapping) else given
        kind = DistanceKind.EQUAL if word is None else DistanceKind.of(word)
        if kind is not DistanceKind.EQUAL:
            found[column] = _distance(material, column, kind)
    return found


def _distance(material: Material, column: str, kind: DistanceKind) -> Distance:
    """Return the distance between a column's values, or refuse values that have no place in it."""
    from shoal.describe.hierarchies.builders import said_form
    from shoal.describe.hierarchies.date_forms import by_date
    from shoal.describe.promise import Distance, DistanceKind

    specification = material.specification
    attribute = specification.attributes[column]
    values = [value for value in material.engine.cells([column]).domains[0] if value is not None]
    if kind is DistanceKind.HIERARCHICAL and attribute.hierarchy is None:
        raise specification.refuse(
            f"the hierarchical distance needs a hierarchy of {show(column)}; give it one, or choose equal",
            column,
        )
    try:
        if kind is DistanceKind.ORDERED:
            # Dates are stated in their order: fewer of them, in a release, may not tell their form.
            form = said_form(attribute.hierarchy, column)
            found = Distance(kind, attribute.order or by_date(values, form) or ())
            found.ordered(values)
        else:
            found = Distance(kind, rows=tuple(material.hierarchy(column).rows()))
            for value in values:
                found.path(value)
    except InputError as problem:
        raise specification.refuse(f"{show(column)}: {problem.what}", column) from None
    return found
