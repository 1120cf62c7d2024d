"""What a study says: the table, the role of each column, and the hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.describe.hierarchies import Hierarchy
from shoal.describe.places import followed
from shoal.describe.quantities import parse_levels, shift_days, weight
from shoal.describe.table_reading import AS_IT_IS, Reading
from shoal.describe.units import EACH_ROW, Units
from shoal.errors import InputError, did_you_mean, show

HierarchyLike = str | Path | Mapping[str, Any] | Hierarchy
"""A file, a description (intervals, mask, dates, a nested tree), or a hierarchy made before."""


class Role(StrEnum):
    """What a column is to a study."""

    IDENTIFYING = "identifying"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    CLASS = "class"
    INSENSITIVE = "insensitive"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, word: str) -> Role:
        """Return the role of a name, or refuse it."""
        try:
            return cls(word)
        except ValueError:
            hint = did_you_mean(word, [role.value for role in cls])
            raise InputError(f"unknown role {show(word)}; {hint}") from None


def only_role(column: str, roles: Iterable[str]) -> str:
    """Return why a column that is held back has no other role."""
    role = next(role.value for role in Role if role in HELD_BACK and role in roles)
    return f"the column {show(column)} is {role}, so it has no other role"


HELD_BACK = frozenset({Role.IDENTIFYING, Role.UNDECIDED})
"""The roles of columns that are not released; a column with one of them has no other."""


@dataclass(frozen=True)
class Attribute:
    """One column's roles and, if it has one, its hierarchy; `line` is where the study file says so.

    `weight` is how much a loss in the column counts in metrics that add up cells. `order` lists a sensitive
    column's values in order, if that is not numeric order. With a `shift` the column's dates are released
    moved by up to so many days, each person's by the same number. A hierarchy of an earlier release brings
    its `description` along, for values that it lacks.
    """

    roles: frozenset[Role]
    hierarchy: HierarchyLike | None = None
    min_level: int = 0
    max_level: int | None = None
    line: int | None = None
    weight: Fraction = Fraction(1)
    order: tuple[str, ...] = ()
    shift: int | None = None
    description: Mapping[str, Any] | None = None

    @property
    def described(self) -> Mapping[str, Any] | None:
        """What the hierarchy is described as; None for one that is listed."""
        return self.hierarchy if isinstance(self.hierarchy, Mapping) else self.description

    @property
    def released(self) -> bool:
        """Whether the column is in a release."""
        return not self.roles & HELD_BACK


@dataclass(frozen=True)
class Specification:
    """A whole study. `table` is a path, a place or a frame; `file` is the study file, if there is one.

    The `population` is a table of everybody who might be in the table. A file that says where a table is
    stands for that table. `units` say whom the rows stand for, and `reading` which values are missing.
    """

    table: Any
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    file: Path | None = None
    population: Any = None
    units: Units = EACH_ROW
    reading: Reading = AS_IT_IS

    def __post_init__(self) -> None:
        for name in ("table", "population"):
            object.__setattr__(self, name, followed(getattr(self, name)))

    @classmethod
    def said(
        cls,
        table: Any,
        roles: Mapping[Role, str | Iterable[str] | Mapping[str, Any]],
        levels: Mapping[str, tuple[int, int]] | None,
        weights: Mapping[str, float | str | Fraction] | None,
        population: Any,
        units: Units,
        shifts: Mapping[str, Any] | None = None,
        reading: Reading = AS_IT_IS,
    ) -> Specification:
        """Return a study from columns by role, as Python gives them: names, with or without hierarchies."""
        given: dict[str, set[Role]] = {}
        trees: dict[str, Any] = {}
        orders: dict[str, tuple[str, ...]] = {}
        for role, names in roles.items():
            for name, tree in names.items() if isinstance(names, Mapping) else ():
                if role is Role.SENSITIVE and isinstance(tree, (list, tuple)):
                    orders[name] = tuple(tree)
                elif tree is not None:
                    trees.setdefault(name, tree)
            for name in [names] if isinstance(names, str) else names:
                given.setdefault(name, set()).add(role)
        quasi = [name for name, found in given.items() if Role.QUASI in found]
        for what, named in (("levels", levels), ("weights", weights)):
            for name in named or ():
                if name not in quasi:
                    raise InputError(
                        f"{what} are given for {show(name)}, which is not a quasi attribute; "
                        f"{did_you_mean(name, quasi)}"
                    )
        for name in shifts or ():
            if name not in given:
                raise InputError(
                    f"a shift is given for {show(name)}, which has no role; {did_you_mean(name, given)}"
                )
        attributes = {}
        for name, found in given.items():
            low, high = (levels or {}).get(name, (0, None))
            own = weight((weights or {}).get(name, 1))
            attributes[name] = Attribute(
                frozenset(found),
                trees.get(name),
                low,
                high,
                weight=own,
                order=orders.get(name, ()),
                shift=shift_days((shifts or {}).get(name)),
            )
        specification = cls(table, attributes, population=population, units=units, reading=reading)
        specification.check()
        return specification

    def having(self, role: Role) -> tuple[str, ...]:
        """Return the columns that have a role, in their order."""
        return tuple(name for name, given in self.attributes.items() if role in given.roles)

    @property
    def shifts(self) -> dict[str, int]:
        """The columns whose dates are shifted, and by how many days at most."""
        return {name: one.shift for name, one in self.attributes.items() if one.shift is not None}

    @property
    def weights(self) -> dict[str, Fraction]:
        """The weights of the quasi attributes."""
        return {name: self.attributes[name].weight for name in self.having(Role.QUASI)}

    @property
    def lowest(self) -> dict[str, int]:
        """The lowest levels of quasi attributes, where they are above 0."""
        levels = {name: self.attributes[name].min_level for name in self.having(Role.QUASI)}
        return {name: level for name, level in levels.items() if level}

    def raised(self, min_levels: Mapping[str, int] | str | None) -> Specification:
        """Return the study with the lowest levels of some quasi attributes raised, such as "age=1,zip=2"."""
        attributes = dict(self.attributes)
        quasi = self.having(Role.QUASI)
        given = parse_levels(min_levels, quasi) if isinstance(min_levels, str) else min_levels or {}
        for name, level in given.items():
            if name not in quasi:
                raise InputError(
                    f"a lowest level is given for {show(name)}, which is not a quasi attribute; "
                    f"{did_you_mean(name, quasi)}"
                )
            if level < attributes[name].min_level:
                raise self.refuse(
                    f"the lowest level of {show(name)} is {attributes[name].min_level}; it can only be "
                    f"raised, not lowered to {level}",
                    name,
                )
            attributes[name] = replace(attributes[name], min_level=level)
        return replace(self, attributes=attributes)

    def about(self, persons: str | Iterable[str] | None) -> Specification:
        """Return the study with other columns that tell who a row is about, if any are given."""
        if persons is None:
            return self
        units = replace(self.units, persons=Units.said(persons).persons)
        study = replace(self, units=units)
        study.check()
        return study

    def refuse(self, what: str, attribute: str | None = None) -> InputError:
        """Return the error that points at the study file, and at an attribute's line in it."""
        line = self.attributes[attribute].line if attribute in self.attributes else None  # type: ignore[index]
        return InputError(what, file=self.file, line=line)

    def check(self) -> None:
        """Refuse what is wrong whatever the table contains."""
        for problem in self.problems():
            raise problem

    def problems(self) -> Iterator[InputError]:
        """Yield all that is wrong whatever the table contains."""
        if not self.having(Role.QUASI):
            yield self.refuse(
                "no column has the role quasi; name the columns by which a person could be identified"
            )
        if len(self.having(Role.CLASS)) > 1:
            second = self.having(Role.CLASS)[1]
            yield self.refuse(f"{show(second)} is a second class column; only one is allowed", second)
        if not any(self.weights.values()):
            yield self.refuse("every quasi column weighs 0; give one a weight above 0")
        for name in self.units.persons:
            if name in self.attributes and self.attributes[name].roles != {Role.IDENTIFYING}:
                yield self.refuse(
                    f"the column {show(name)} says who a row is about, so it is never released; make it "
                    "identifying, or do not list it",
                    name,
                )
        for name, given in self.attributes.items():
            if given.weight != 1 and Role.QUASI not in given.roles:
                yield self.refuse(f"the column {show(name)} has a weight, but is not quasi", name)
            if not given.roles:
                yield self.refuse(f"the column {show(name)} has no role", name)
            if not given.released and len(given.roles) > 1:
                yield self.refuse(only_role(name, given.roles), name)
            if given.order and Role.SENSITIVE not in given.roles:
                yield self.refuse(
                    f"the column {show(name)} has an order, which is for sensitive columns; remove it",
                    name,
                )
            if given.shift is not None and not given.roles <= {Role.SENSITIVE, Role.INSENSITIVE}:
                yield self.refuse(
                    f"the column {show(name)} has a shift, which is for sensitive and insensitive dates; "
                    "remove it, or give the column another role",
                    name,
                )
            if len(set(given.order)) < len(given.order):
                yield self.refuse(f"the order of {show(name)} lists a value twice; keep one", name)
            if Role.QUASI in given.roles and given.hierarchy is None:
                yield self.refuse(
                    f"the quasi column {show(name)} has no hierarchy; give it a file or a "
                    "description, such as {intervals: {widths: [5, 10]}}",
                    name,
                )
