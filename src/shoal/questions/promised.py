"""What is to hold of every released group, and the promise that it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError, did_you_mean, show
from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import Diverse, Names, Number, Pair, Several, Share, Two, Whole, WordByColumn

if TYPE_CHECKING:
    from shoal.describe.promise import Distance, DistanceKind, Promise
    from shoal.describe.specification import Specification
    from shoal.questions.material import Material

DISTANCES = ("equal", "ordered", "hierarchical")
ABOUT_VALUES = ("l", "theta", "t", "entropy_l", "recursive_l")
ABOUT_POPULATION = ("k_map", "delta")
CRITERIA = ("k", *ABOUT_VALUES, *ABOUT_POPULATION)


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
        "How far values are for t: equal, ordered or hierarchical.",
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

    def given(self, names: Iterable[str]) -> list[str]:
        """Return those of some criteria that are asked for."""
        return [name for name in names if getattr(self, name) is not None]

    def promise(
        self,
        columns: Sequence[str],
        distances: Mapping[str, Distance],
        population: Any,
        distinct: Sequence[str] = (),
    ) -> Promise:
        """Return the promise about some sensitive columns, and about a population's counts."""
        from shoal.describe.promise import Presence, Promise, Recursive, ShareLimits, share
        from shoal.describe.promise.limits import diversity

        def each(given: Any, found: Any) -> dict[str, Any]:
            return {} if given is None else dict.fromkeys(columns, found(given))

        return Promise(
            self.k,
            self.l,
            each(self.theta, lambda given: ShareLimits(share(given))),
            each(self.t, share),
            {} if self.t is None else distances,
            each(self.entropy_l, diversity),
            each(self.recursive_l, lambda pair: Recursive.of(*pair)),
            self.k_map,
            None if self.delta is None else Presence.of(*self.delta),
            population,
            tuple(distinct),
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


def promise_of(material: Material, question: PromisedOfStudy) -> Promise:
    """Return the promise of what is asked of a study, or refuse what its table cannot keep."""
    named = tuple(question.sensitive)
    columns: tuple[str, ...] = ()
    if question.given(ABOUT_VALUES):
        without = "no column has the role sensitive, so only k can be promised"
        columns = sensitive_columns(material.specification, named, without)
    about_population = question.given(ABOUT_POPULATION)
    return question.promise(
        columns,
        {} if question.t is None else _distances(material, columns, question.distance),
        material.the_population().named if about_population else None,
        columns if question.l is not None and named else (),
    )


def sensitive_columns(
    specification: Specification, named: Sequence[str], without: str
) -> tuple[str, ...]:
    """Return the sensitive columns that are named, or all; refuse others, and those that are quasi too.

    `without` says what is amiss where there are none.
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
    """Return the distances of the columns that do not have equal ones."""
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
            found = Distance(kind, attribute.order)
            found.ordered(values)
        else:
            found = Distance(kind, rows=tuple(material.hierarchy(column).rows()))
            for value in values:
                found.path(value)
    except InputError as problem:
        raise specification.refuse(f"{show(column)}: {problem.what}", column) from None
    return found
