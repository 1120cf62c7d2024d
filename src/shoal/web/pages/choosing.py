"""Solutions, with how they were found: pinned for the comparison, or chosen for the release."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial

from nicegui import ui

from shoal.web.pages import parts
from shoal.web.pages.frame import Frame
from shoal.web.workspace.candidates import Candidate
from shoal.web.workspace.workspace import Workspace


def keep_pin(work: Workspace, made: Candidate) -> tuple[str, bool]:
    """Pin a solution, and remember how it was found; return its letter, and whether it had one before."""
    before = {each.key for each in work.bench.state.pins}
    pin = work.pins.add(made.solution, made.title, made.made_for)
    if pin.key in before:
        return pin.letter, True
    there = {each.key for each in work.bench.state.pins}
    asked = {key: given for key, given in work.wishes.get("asked", {}).items() if key in there}
    work.wishes.keep(asked={**asked, pin.key: dict(made.asked)})
    return pin.letter, False


async def pin(frame: Frame, work: Workspace, made: Candidate) -> None:
    """Pin a solution, and say so."""
    kept = await frame.attempt(keep_pin, work, made)
    if kept is None:
        return
    frame.changed()
    letter, before = kept
    if before:
        frame.say(f"This is pinned already, as {letter}.")
    else:
        frame.say(f"Pinned as {letter}. Compare shows it beside the others.")


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
