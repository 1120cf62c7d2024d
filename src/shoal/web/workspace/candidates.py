"""The solutions that can be released: the one that was chosen, and the pinned ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shoal.web.workspace.workspace import Workspace


@dataclass(frozen=True)
class Candidate:
    """A solution that can be released.

    `asked` is the question it answers, for the script, and `made_for` the `State.recoding_key` of the
    study that was asked.
    """

    key: str
    title: str
    solution: Mapping[str, Any]
    asked: Mapping[str, Any]
    made_for: str


CHOSEN = "chosen"
"""The key of the candidate that another step sent here."""


def candidates(work: Workspace) -> list[Candidate]:
    """Return what can be released: the solution sent here last, unless it is pinned, then the pinned ones.

    Solutions for other roles or hierarchies would release something else now, so they are not offered.
    """
    asked = work.wishes.get("asked", {})
    found = [
        Candidate(pin.key, pin.title, pin.solution, asked.get(pin.key, {}), pin.made_for)
        for pin in work.bench.state.pins
    ]
    chosen = _chosen(work)
    if chosen is not None and not any(_same(chosen, pinned) for pinned in found):
        found.insert(0, replace(chosen, key=CHOSEN))
    return [each for each in found if each.made_for == work.bench.state.recoding_key]


def first_choice(work: Workspace) -> str | None:
    """Return the key of the candidate that is preselected; None if there is none."""
    there, chosen = candidates(work), _chosen(work)
    if chosen is not None:
        for each in there:
            if each.key == CHOSEN or _same(chosen, each):
                return each.key
    return there[0].key if there else None


def _chosen(work: Workspace) -> Candidate | None:
    """Return the solution sent to the release last."""
    kept = work.wishes.get("chosen")
    return Candidate(**kept) if isinstance(kept, Mapping) else None


def _same(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates are one solution: the same pin, or sent here and pinned."""
    if one.key == other.key != CHOSEN:
        return True
    return (one.made_for, dict(one.solution)) == (other.made_for, dict(other.solution))
