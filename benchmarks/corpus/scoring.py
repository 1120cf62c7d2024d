"""How well proposals fit what a curator would say: role by role, and study by study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.corpus.made_table import ROLES, Made
from benchmarks.corpus.register_tables import REGISTERS
from benchmarks.corpus.survey_tables import SURVEYS
from shoal.data.opening import opened
from shoal.proposal import Proposal, propose

CORPUS = (*SURVEYS, *REGISTERS)
RELEASED = frozenset({"sensitive", "class", "insensitive"})
"""The roles whose values are released as they are."""


@dataclass(frozen=True)
class Scored:
    """One table, what is proposed for it, and the columns that a curator would change."""

    made: Made
    proposal: Proposal

    @property
    def wrong(self) -> dict[str, str]:
        """The columns whose role a curator would not take, with that role."""
        return {
            one.name: one.role.value
            for one in self.proposal.columns
            if one.role.value not in self.made.taken(one.name)
        }

    @property
    def leaked(self) -> list[str]:
        """The identifying columns that a release would hold exactly."""
        return [
            one.name
            for one in self.proposal.columns
            if self.made.taken(one.name)[0] == "identifying" and one.role.value in RELEASED
        ]

    @property
    def units_wrong(self) -> list[str]:
        """Which of persons, households and weights are not as they are in truth."""
        found = {
            "persons": self.proposal.persons,
            "households": self.proposal.households,
            "weight": self.proposal.sample_weight,
        }
        return [
            kind
            for kind, column in found.items()
            if (None if column is None else column.name) != getattr(self.made, kind)
        ]


def scored(corpus: Iterable[Made] = CORPUS) -> list[Scored]:
    """Return every table with what is proposed for it."""
    found = []
    for made in corpus:
        with opened(made.table()) as engine:
            found.append(Scored(made, propose(engine)))
    return found


def of_roles(found: Iterable[Scored]) -> dict[str, tuple[float, float, int]]:
    """Return precision, recall and the number of columns of every role.

    A column with a role that a curator would take counts as that role's; otherwise as its best one's.
    """
    pairs = []
    for one in found:
        for column in one.proposal.columns:
            taken, role = one.made.taken(column.name), column.role.value
            pairs.append((role if role in taken else taken[0], role))
    figures = {}
    for role in ROLES.values():
        right = sum(true == role == got for true, got in pairs)
        said, there = sum(got == role for _, got in pairs), sum(true == role for true, _ in pairs)
        figures[role] = (right / max(said, 1), right / max(there, 1), there)
    return figures
