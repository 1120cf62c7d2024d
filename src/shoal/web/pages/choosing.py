"""Solutions on their way: pinned for the comparison, or chosen for the release, with how they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.web.pages.frame import Frame
from shoal.web.workspace import Workspace


@dataclass(frozen=True)
class Candidate:
    """A solution that can be released; `asked` is the question that it answers, for the script."""

    key: str
    title: str
    solution: Mapping[str, Any]
    asked: Mapping[str, Any]


CHOSEN = "chosen"
"""The key of the candidate that another step has sent here."""


def keep_pin(work: Workspace, made: Candidate) -> None:
    """Pin a solution, and remember how it was found."""
    pin = work.pin(made.solution, made.title)
    there = {each.key for each in work.state.pins}
    asked = {key: given for key, given in work.wishes.get("asked", {}).items() if key in there}
    work.remember(asked={**asked, pin.key: dict(made.asked)})


async def pin(frame: Frame, work: Workspace, made: Candidate) -> None:
    """Pin a solution, and say so."""
    if await frame.decide(keep_pin, work, made):
        frame.say("Pinned. Compare shows it beside the others.")


async def send_to_release(frame: Frame, work: Workspace, made: Candidate) -> None:
    """Go on to the release with a solution."""
    chosen = {
        "key": made.key,
        "title": made.title,
        "solution": dict(made.solution),
        "asked": dict(made.asked),
    }
    await frame.attempt(work.remember, chosen=chosen)
    frame.go("release")


def candidates(work: Workspace) -> list[Candidate]:
    """Return what can be released: what was sent here last, then what is pinned."""
    asked = work.wishes.get("asked", {})
    found = [
        Candidate(pin.key, pin.title, pin.solution, asked.get(pin.key, {})) for pin in work.state.pins
    ]
    chosen = work.wishes.get("chosen")
    if isinstance(chosen, Mapping) and chosen["key"] not in [each.key for each in found]:
        found.insert(0, Candidate(CHOSEN, chosen["title"], chosen["solution"], chosen["asked"]))
    return found


def first_choice(work: Workspace) -> str | None:
    """Return the key of the candidate that is chosen before anybody chooses; None where there is none."""
    there = [each.key for each in candidates(work)]
    chosen = work.wishes.get("chosen")
    if isinstance(chosen, Mapping) and chosen["key"] in there:
        return str(chosen["key"])
    return there[0] if there else None
