"""What somebody may know of a row: sets of columns, which must not tell it from others, nor its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.describe.hierarchies import Label
from shoal.errors import InputError

OWN, WILDCARD = "value", "wildcard"
READINGS = (OWN, WILDCARD)


@dataclass(frozen=True)
class Known:
    """Of every set of columns in `combinations`, every row shows what at least k rows show.

    This is less than k-anonymity if no set has all quasi columns. By the reading `value` a blanked or
    missing cell is a value of its own. By the weaker `wildcard` it is like any other: two rows are alike if
    they agree wherever neither is blank. A cell is blank if it is missing, or has the label that `blank`
    gives its column. If `l` is given, the rows that are alike have at least l values of each of the sensitive
    columns `about`; a missing one is no value.
    """

    k: int
    combinations: tuple[tuple[str, ...], ...]
    missing: str = OWN
    blank: Mapping[str, Label] = field(default_factory=dict)
    l: int | None = None  # noqa: E741  the literature's name
    about: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all sets."""
        return tuple(dict.fromkeys(name for one in self.combinations for name in one))

    def to_dict(self) -> dict[str, Any]:
        """Return it as documents show it."""
        document: dict[str, Any] = {
            "k": self.k,
            "combinations": [list(one) for one in self.combinations],
            "missing": self.missing,
        }
        if self.blank:
            document["blank"] = dict(self.blank)
        return document | ({} if self.l is None else {"l": self.l, "about": list(self.about)})

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Known:
        """Return it from a document; l of no column would be a promise that nothing can break."""
        if ("l" in given) != bool(given.get("about")):
            raise InputError("promise.known has l or the columns it is about, and not both; name both")
        return cls(
            int(given["k"]),
            tuple(tuple(one) for one in given["combinations"]),
            given.get("missing", OWN),
            dict(given.get("blank", {})),
            given.get("l"),
            tuple(given.get("about", ())),
        )
