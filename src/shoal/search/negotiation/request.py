"""What a curator asks for: privacy, heights and suppression, checked against the lattice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.describe import Role, Specification
from shoal.describe.quantities import parse_levels, suppression_limit
from shoal.errors import InputError, did_you_mean, show
from shoal.questions.kinds import Whole
from shoal.questions.searches import NegotiateQuestion

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
            raise InputError(f"no level is given for {show(missing[0])}; give one for each attribute")
        return self.within(levels)

    def within(self, levels: Mapping[str, int]) -> Node:
        """Return the node of the given levels, with the highest level for other attributes."""
        found = list(self.top)
        for name, level in levels.items():
            if name not in self.names:
                raise InputError(
                    f"{show(str(name))} is not a quasi attribute; {did_you_mean(str(name), self.names)}"
                )
            a = self.names.index(name)
            found[a] = Whole(0).check(f"the height of {show(name)}", level)
            if not self.bottom[a] <= found[a] <= self.top[a]:
                raise InputError(
                    f"{show(name)} has no level {found[a]}; its levels in this study are {self.bottom[a]} "
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
    """The constraints: k and l (None if not asked for), the top acceptable node, the suppression limit."""

    k: int | None
    l: int | None
    top: Node
    limit: int

    @classmethod
    def of(cls, shape: LatticeShape, question: NegotiateQuestion) -> Request:
        """Return the request of a curator's numbers on a lattice, or refuse it."""
        if question.k is None and question.l is None:
            raise InputError("nothing is asked for; give k, l or both")
        k, l = check_privacy(shape, question.k, question.l)
        return cls(k, l, *limits_of(shape, question))


def limits_of(shape: LatticeShape, question: NegotiateQuestion) -> tuple[Node, int]:
    """Return the top acceptable node and the most rows to suppress, or refuse them."""
    heights = question.heights or {}
    if isinstance(heights, str):
        heights = parse_levels(heights, shape.names, "height")
    return shape.within(heights), suppression_limit(question.max_suppressed, shape.rows)


def check_privacy(shape: LatticeShape, k: Any, l: Any) -> tuple[int | None, int | None]:
    """Return k and l as whole numbers from 1 up, or refuse them."""
    least = Whole()
    if k is not None:
        k = least.check("k", k)
    if l is not None:
        l = least.check("l", l)
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
