"""Solutions, with how they were found: pinned for the comparison, or chosen for the release."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from nicegui import ui

from shoal.web.pages import parts
from shoal.web.pages.frame import Frame
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


def keep_pin(work: Workspace, made: Candidate) -> None:
    """Pin a solution, and remember how it was found."""
    pin = work.pins.add(made.solution, made.title, made.made_for)
    there = {each.key for each in work.bench.state.pins}
    asked = {key: given for key, given in work.wishes.get("asked", {}).items() if key in there}
    work.wishes.keep(asked={**asked, pin.key: dict(made.asked)})


async def pin(frame: Frame, work: Workspace, made: Candidate) -> None:
    """Pin a solution, and say so."""
    if await frame.decide(keep_pin, work, made):
        frame.say("Pinned. Compare shows it beside the others.")


async def send_to_release(frame: Frame, work: Workspace, made: Candidate) -> None:
    """Go on to the release with a solution."""

    def choose() -> bool:
        work.bench.check_made_for(made.made_for)
        work.wishes.keep(chosen=asdict(made))
        return True

    if await frame.attempt(choose):
        frame.go("release")


def choices(frame: Frame, work: Workspace, made: Callable[[], Candidate | None]) -> ui.element:
    """Buttons that release or pin whatever `made` returns when they are clicked."""

    async def do(what: Callable[[Frame, Workspace, Candidate], Awaitable[None]]) -> None:
        if found := made():
            await what(frame, work, found)

    with parts.actions() as buttons:
        parts.button("Release this", partial(do, send_to_release), icon="verified", kind="main")
        parts.button("Pin to compare", partial(do, pin), icon="push_pin")
    return buttons


def ways_to_solutions(frame: Frame) -> None:
    """Link to the steps that find solutions."""
    with parts.actions():
        ui.link("Negotiate", frame.address("negotiate")).classes("button-link")
        ui.link("Optimize", frame.address("optimize")).classes("button-link")


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
