"""The promise: everything that must hold in every released group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from shoal.describe.hierarchies import Label
from shoal.describe.promise.distance import Distance
from shoal.describe.promise.known import Known
from shoal.describe.promise.limits import Presence, Recursive, ShareLimits, diversity, gain, share


@dataclass(frozen=True)
class PopulationCounts:
    """The population that a promise is about: its file, and its rows by the labels of released groups.

    The population is public knowledge by assumption, so the counts may be public too. They are counted when a
    release is made; before that `groups` is empty. `rows` counts the whole population, including those in no
    released group. Labels are in the order of the quasi columns.
    """

    file: str
    sha256: str | None = None
    rows: int = 0
    groups: Mapping[tuple[Label, ...], int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as documents show them."""
        document: dict[str, Any] = {"file": self.file, "sha256": self.sha256, "rows": self.rows}
        if self.groups is not None:
            document["groups"] = [[list(labels), rows] for labels, rows in self.groups.items()]
        return document

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> PopulationCounts:
        """Return the counts of a document."""
        groups = given.get("groups")
        return cls(
            str(given["file"]),
            given.get("sha256"),
            int(given["rows"]),
            None if groups is None else {tuple(labels): int(rows) for labels, rows in groups},
        )


@dataclass(frozen=True)
class Promise:
    """Every released group has at least k rows, l distinct values, no share above theta, and lies within t.

    `l` counts the distinct values of each sensitive column, or of those that `about` names; `theta` limits
    the shares, by sensitive column; `t` limits, by sensitive column, how far the values of a group may be
    from those of the whole released table (t-closeness), by equal distances or by those of `distances`.
    `entropy` and `recursive` are the other two l-diversities, by sensitive column. `k_map` and `delta`
    compare a group with the rows of the `population` that fall into it. A part that is not promised is None
    or absent. `beta` and `disclosure` limit, by sensitive column, how far the share of a value in a group may
    be from its share of the released table (beta-likeness, delta-disclosure privacy).

    `max_risk` and `average_risk` limit the risk that a row is found, and `population_uniques` the estimated
    share of rows that are unique in the population. If the table is a sample, they are about a `sampling`
    fraction that is not below the true one; otherwise about the table itself.

    The missing value counts as a row but not as a value: it is none of the l values, its share has no limit,
    and for entropy and recursive diversity it may be the group's most frequent value, the worst case. For t
    it is a value of its own, at distance 1 or more from every other.
    """

    k: int | None = None
    l: int | None = None  # noqa: E741  the literature's name
    theta: Mapping[str, ShareLimits] = field(default_factory=dict)
    t: Mapping[str, Fraction] = field(default_factory=dict)
    distances: Mapping[str, Distance] = field(default_factory=dict)
    entropy: Mapping[str, Fraction] = field(default_factory=dict)
    recursive: Mapping[str, Recursive] = field(default_factory=dict)
    k_map: int | None = None
    delta: Presence | None = None
    population: PopulationCounts | None = None
    about: tuple[str, ...] = ()
    max_risk: Fraction | None = None
    average_risk: Fraction | None = None
    population_uniques: Fraction | None = None
    sampling: Fraction | None = None
    beta: Mapping[str, Fraction] = field(default_factory=dict)
    disclosure: Mapping[str, Fraction] = field(default_factory=dict)
    known: Known | None = None
    """What is promised of sets of columns instead of all quasi columns, or by a weaker reading of blanks."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns that are named."""
        parts = (self.theta, self.t, self.entropy, self.recursive, self.beta, self.disclosure)
        known = () if self.known is None else self.known.about
        return tuple(dict.fromkeys([*(name for part in parts for name in part), *self.about, *known]))

    @property
    def needs_population(self) -> bool:
        """Whether checking the promise needs a population."""
        return self.k_map is not None or self.delta is not None

    @property
    def says_something(self) -> bool:
        """Whether it promises anything that released groups could break."""
        parts = (self.k, self.l, self.k_map, self.delta, self.known)
        about = (self.theta, self.t, self.entropy, self.recursive, self.beta, self.disclosure)
        return any(part is not None for part in parts) or any(about) or self.limits_risk

    @property
    def limits_risk(self) -> bool:
        """Whether it limits the risk that a row is found."""
        risks = (self.max_risk, self.average_risk, self.population_uniques)
        return any(risk is not None for risk in risks)

    def of_single_groups(self) -> Promise:
        """Return a promise that single groups can be judged by, whatever the others, and that implies this.

        If no row's risk is above the average that is allowed, the average is not. If no row is unique, none
        is unique in the population.
        """
        limits = [one for one in (self.max_risk, self.average_risk) if one is not None]
        k = self.k if self.population_uniques is None else max(self.k or 1, 2)
        highest = min(limits) if limits else None
        return replace(self, k=k, max_risk=highest, average_risk=None, population_uniques=None)

    def distinct(self, sensitive: Iterable[str]) -> tuple[str, ...]:
        """Return the columns that l is about, given all sensitive ones."""
        if self.l is None:
            return ()
        return self.about or tuple(sensitive)

    def distance(self, column: str) -> Distance:
        """Return how far apart the values of a column are."""
        return self.distances.get(column, Distance())

    def to_dict(self) -> dict[str, Any]:
        """Return the promise as documents show it; only what is promised is named."""
        document = {
            "k": self.k,
            "l": self.l,
            "about": list(self.about),
            "theta": {name: limits.to_dict() for name, limits in self.theta.items()},
            "t": {name: str(limit) for name, limit in self.t.items()},
            "distances": {name: given.to_dict() for name, given in self.distances.items()},
            "entropy_l": {name: str(least) for name, least in self.entropy.items()},
            "recursive_l": {name: given.to_dict() for name, given in self.recursive.items()},
            "k_map": self.k_map,
            "delta": self.delta and self.delta.to_dict(),
            "population": self.population and self.population.to_dict(),
            "beta": {name: str(limit) for name, limit in self.beta.items()},
            "delta_disclosure": {name: str(limit) for name, limit in self.disclosure.items()},
            "known": self.known and self.known.to_dict(),
            **{
                name: None if risk is None else str(risk)
                for name, risk in (
                    ("max_risk", self.max_risk),
                    ("average_risk", self.average_risk),
                    ("population_uniques", self.population_uniques),
                    ("sampling_fraction", self.sampling),
                )
            },
        }
        return {name: part for name, part in document.items() if part not in (None, [], {})}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Promise:
        """Return the promise of a document.

        >>> Promise.from_dict({"k": 5, "theta": {"job": {"uniform": "1/2"}}}).theta["job"].of("cook")
        Fraction(1, 2)
        """
        delta, population, known = (given.get(name) for name in ("delta", "population", "known"))

        def limit(name: str) -> Fraction | None:
            return None if given.get(name) is None else share(given[name], name)

        return cls(
            given.get("k"),
            given.get("l"),
            {name: ShareLimits.from_dict(limits) for name, limits in given.get("theta", {}).items()},
            {name: share(limit, "t") for name, limit in given.get("t", {}).items()},
            {name: Distance.from_dict(one) for name, one in given.get("distances", {}).items()},
            {name: diversity(least) for name, least in given.get("entropy_l", {}).items()},
            {name: Recursive.from_dict(one) for name, one in given.get("recursive_l", {}).items()},
            given.get("k_map"),
            None if delta is None else Presence.from_dict(delta),
            None if population is None else PopulationCounts.from_dict(population),
            tuple(given.get("about", ())),
            limit("max_risk"),
            limit("average_risk"),
            limit("population_uniques"),
            limit("sampling_fraction"),
            {name: gain(most, "beta") for name, most in given.get("beta", {}).items()},
            {name: gain(most) for name, most in given.get("delta_disclosure", {}).items()},
            None if known is None else Known.from_dict(known),
        )
