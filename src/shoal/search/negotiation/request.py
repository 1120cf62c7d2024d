"""What a curator asks for: privacy, heights and suppression, checked against the lattice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import index as whole
from typing import Any

from shoal.describe.quantities import parse_levels, suppression_limit
from shoal.describe.specification import Role, Specification
from shoal.errors import InputError, did_you_mean, show

Node = tuple[int, ...]


@dataclass(frozen=True)
class LatticeShape:
    """What requests are about: the attributes with their lowest and highest levels, and the table.

    `sensitive` are the columns whose distinct values l counts; `doubled` those that are quasi too.
    """

    names: tuple[str, ...]
    bottom: Node
    top: Node
    rows: int
    sensitive: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        count = 1
        for lo, hi in zip(self.bottom, self.top, strict=True):
            count *= hi - lo + 1
        return count

    def named(self, node: Node) -> dict[str, int]:
        """Return a node as documents show it."""
        return dict(zip(self.names, node, strict=True))

    def node(self, levels: Mapping[str, int]) -> Node:
        """Return the node of a level for every attribute, or refuse it."""
        missing = [name for name in self.names if name not in levels]
        if missing:
            raise InputError(
                f"no level is given for {show(missing[0])}; a node has one for each attribute"
            )
        return self.within(levels)

    def within(self, levels: Mapping[str, int]) -> Node:
        """Return the node of the levels that are given, with the highest for the other attributes."""
        found = list(self.top)
        for name, level in levels.items():
            if name not in self.names:
                raise InputError(
                    f"{show(str(name))} is no quasi attribute; {did_you_mean(str(name), self.names)}"
                )
            a = self.names.index(name)
            found[a] = _number(level, f"the height of {show(name)}", 0)
            if not self.bottom[a] <= found[a] <= self.top[a]:
                raise InputError(
                    f"{show(name)} has no level {found[a]}; this study has its levels {self.bottom[a]} "
                    f"to {self.top[a]}"
                )
        return tuple(found)


def sensitive_columns(specification: Specification) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sensitive columns that are not quasi, and those that are."""
    quasi = specification.having(Role.QUASI)
    columns = specification.having(Role.SENSITIVE)
    single = tuple(name for name in columns if name not in quasi)
    return single, tuple(name for name in columns if name in quasi)


@dataclass(frozen=True)
class Request:
    """The constraints: k and l (None where not asked for), the top acceptable node, the most suppressed."""

    k: int | None
    l: int | None
    top: Node
    limit: int

    @classmethod
    def of(
        cls,
        shape: LatticeShape,
        k: Any = None,
        l: Any = None,
        heights: Mapping[str, int] | None = None,
        max_suppressed: str | float = 0,
    ) -> Request:
        """Return the request of a curator's numbers, or refuse it."""
        if k is None and l is None:
            raise InputError("nothing is asked for; give k, l or both")
        k, l = check_privacy(shape, k, l)
        return cls(k, l, *check_limits(shape, heights, max_suppressed))


def check_privacy(shape: LatticeShape, k: Any, l: Any) -> tuple[int | None, int | None]:
    """Return k and l as whole numbers from 1 on, or refuse them."""
    if k is not None:
        k = _number(k, "k", 1)
    if l is not None:
        l = _number(l, "l", 1)
        if shape.doubled:
            raise InputError(
                f"{show(shape.doubled[0])} is quasi and sensitive, so a released class has one value of it "
                "and l says nothing; give it one role"
            )
        if not shape.sensitive:
            raise InputError(
                "l counts the values of sensitive columns; give a column the role sensitive"
            )
    return k, l


def check_limits(
    shape: LatticeShape, heights: Mapping[str, int] | None, max_suppressed: str | float
) -> tuple[Node, int]:
    """Return the top acceptable node and the most rows to suppress, or refuse them."""
    return shape.within(heights or {}), suppression_limit(max_suppressed, shape.rows)


def parse_heights(text: str, known: Iterable[str] = ()) -> dict[str, int]:
    """Return the heights of a text such as `age=1,workclass=2`."""
    return parse_levels(text, known, "height")


def _number(given: Any, what: str, least: int) -> int:
    try:
        if isinstance(given, bool):  # which would be 0 or 1
            raise TypeError
        number = whole(given)
    except TypeError:
        raise InputError(f"{what} is {show(str(given))}; use a whole number") from None
    if number < least:
        raise InputError(f"{what} is {number}; use {least} or more")
    return number
