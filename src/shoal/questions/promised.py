"""From what a curator asks for to a promise, or a refusal of what contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypedDict

from shoal.describe.promise import (
    Distance,
    DistanceKind,
    Presence,
    Promise,
    Recursive,
    ShareLimits,
    share,
)
from shoal.describe.promise.limits import diversity
from shoal.describe.specification import Role, Specification
from shoal.errors import InputError, did_you_mean, show
from shoal.questions.material import Material

Number = float | str | Fraction
Pair = str | Sequence[Number]
"""Two numbers: a text with a comma, or a pair."""


class Asked(TypedDict, total=False):
    """What is to hold of every released group.

    It has at least `k` rows, `l` distinct values of each sensitive column, no value with a share above
    `theta`, and lies within `t` of the table, by the `distance` equal, ordered or hierarchical. `entropy_l`
    is that of entropy l-diversity, `recursive_l` the pair of recursive (c, l)-diversity. All that is about
    the sensitive columns, or about those that are named as `sensitive`. `k_map` rows of the population fall
    into it; `delta` is the pair of delta-presence.
    """

    k: int | None
    l: int | None  # noqa: E741  the literature's name
    theta: Number | None
    t: Number | None
    distance: str | Mapping[str, str] | None
    entropy_l: Number | None
    recursive_l: Pair | None
    delta: Pair | None
    k_map: int | None
    sensitive: str | Iterable[str]


def promise_of(
    material: Material,
    *,
    k: int | None = None,
    l: int | None = None,  # noqa: E741  the literature's name
    theta: Number | None = None,
    t: Number | None = None,
    distance: str | Mapping[str, str] | None = None,
    entropy_l: Number | None = None,
    recursive_l: Pair | None = None,
    delta: Pair | None = None,
    k_map: int | None = None,
    sensitive: str | Iterable[str] = (),
) -> Promise:
    """Return the promise of what is asked for, or refuse what contradicts itself or asks for nothing.

    What is about sensitive values is about all sensitive columns of the study, or about those named.
    `distance` is that of t for all of them, or by column.
    """
    for name, number in (("k", k), ("l", l), ("k-map", k_map)):
        whole = isinstance(number, int) and not isinstance(number, bool)
        if number is not None and not (whole and number >= 1):
            raise InputError(f"{name} is {number}; use a whole number, 1 or more")
    about = any(given is not None for given in (l, theta, t, entropy_l, recursive_l))
    named = (sensitive,) if isinstance(sensitive, str) else tuple(dict.fromkeys(sensitive))
    if not about and k is None and k_map is None and delta is None:
        raise InputError("nothing is to be promised; give k, or another criterion")
    if distance is not None and t is None:
        raise InputError("a distance is about t; give t too")
    if named and not about:
        raise InputError(
            "a sensitive column is named, but nothing is promised of it; give l, theta or t"
        )
    columns = _columns(material, named) if about else ()
    population = None
    if k_map is not None or delta is not None:
        population = material.the_population().named
    return Promise(
        k,
        l,
        {} if theta is None else {column: ShareLimits(share(theta)) for column in columns},
        {} if t is None else {column: share(t, "t") for column in columns},
        {} if t is None else _distances(material, columns, distance),
        {} if entropy_l is None else dict.fromkeys(columns, diversity(entropy_l)),
        {} if recursive_l is None else dict.fromkeys(columns, Recursive.of(*_pair(recursive_l, "C,L"))),
        k_map,
        None if delta is None else Presence.of(*_pair(delta, "LOW,HIGH")),
        population,
        columns if l is not None and named else (),
    )


def _columns(material: Material, named: Sequence[str]) -> tuple[str, ...]:
    """Return the sensitive columns that are meant, or refuse those of which nothing can be promised."""
    specification = material.specification
    sensitive = specification.having(Role.SENSITIVE)
    if not sensitive:
        raise specification.refuse(
            "no column has the role sensitive, so only k can be promised; name one"
        )
    for column in named:
        if column not in sensitive:
            raise specification.refuse(
                f"{show(column)} is no sensitive column; {did_you_mean(column, sensitive)}"
            )
    refuse_doubled(specification, named or sensitive)
    return tuple(named) or sensitive


def refuse_doubled(specification: Specification, columns: Iterable[str]) -> None:
    """Refuse sensitive columns that are quasi too."""
    for column in columns:
        if Role.QUASI in specification.attributes[column].roles:
            raise specification.refuse(
                f"{show(column)} is quasi and sensitive: a released group has one value of it, so nothing "
                "can be promised of its values; give it one role, or name other sensitive columns",
                column,
            )


def _pair(given: Pair, form: str) -> tuple[Number, Number]:
    parts = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, Sequence) or len(parts) != 2:
        raise InputError(f"{show(str(given))} is not of the form {form}")
    return parts[0], parts[1]


def _distances(
    material: Material, columns: Sequence[str], given: str | Mapping[str, str] | None
) -> dict[str, Distance]:
    """Return the distances of the columns that do not have equal ones."""
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
