"""The step Release: write and verify it, acknowledge its warnings, and download everything at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import background_tasks, ui

from shoal.errors import BrokenByAttackError
from shoal.numbers import percent
from shoal.questions.releases import FRESH, STABLE
from shoal.web.pages import parts
from shoal.web.pages.choosing import ways_to_solutions
from shoal.web.pages.frame import Frame
from shoal.web.pages.release_made import MadePanel
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import Job, JobHandle
from shoal.web.workspace.candidates import Candidate, candidates, first_choice
from shoal.web.workspace.releasing import ENDINGS
from shoal.web.workspace.workspace import Workspace

KIND = "release"
PSEUDONYMS = {
    "": "none: nobody can tell whose rows are whose",
    FRESH: "fresh: other names in every release",
    STABLE: "stable: the same names in all releases of this study",
}
"""Whether random names tell which rows are about one person."""


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "Release",
        "Shoal writes the anonymized table, checks it from its own rows, and packs it with its documents.",
    )
    page = _Releasing(work, frame)
    page.build()
    page.resume()


class _Releasing:
    """What to release and how; below it, the release itself once it is made."""

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work, self.frame = work, frame
        self.candidates: dict[str, Candidate] = {each.key: each for each in candidates(work)}
        self.broken_by: str | None = None
        """The attack that the last try was refused for."""

    def build(self) -> None:
        """Put everything on the page."""
        with parts.panel("What to release") as panel:
            self.running = Running(self.frame, self.work, panel)
            self._tell_stale()
            if not self.candidates:
                parts.text("There is no solution yet: negotiate one, or let Shoal find the best.")
                ways_to_solutions(self.frame)
            else:
                self._form()
        self.made = MadePanel(self.work, self.frame)
        self.made.show()

    def _tell_stale(self) -> None:
        """Say which pinned solutions would release something else now."""
        stale = sum(
            pin.made_for != self.work.bench.state.recoding_key for pin in self.work.bench.state.pins
        )
        if stale:
            number = "One pinned solution was" if stale == 1 else f"{stale} pinned solutions were"
            parts.note(f"{number} found for other roles or hierarchies and cannot be released now.")

    def _form(self) -> None:
        titles = {key: each.title for key, each in self.candidates.items()}
        self.choice = ui.radio(titles, value=first_choice(self.work))
        parts.named(self.choice, "The solution to release")
        with parts.actions():
            self.ending = ui.select(ENDINGS, value="csv", label="File format")
            self.ending.props("outlined dense options-dense").classes("format")
            self.safe = ui.checkbox("Safe to open in a spreadsheet")
            self.safe.tooltip(
                "Puts an apostrophe before values that a spreadsheet would take for a formula"
            )
            self.names = ui.select(PSEUDONYMS, value="", label="Pseudonyms of persons")
            self.names.props("outlined dense options-dense").classes("format")
            self.names.set_visibility(bool(self.work.bench.state.persons))
            self.crowd = ui.number("Households alike, at least", min=1, precision=0)
            self.crowd.props("outlined dense clearable").classes("format")
            self.crowd.tooltip(
                "Households that fewer look like, by the values of all their members, are suppressed whole"
            )
            self.crowd.set_visibility("households" in self.work.bench.state.units)
        self.accept = ui.checkbox()
        self.accept.set_visibility(False)
        self.choice.on_value_change(lambda: self._offer(None))
        with parts.actions():
            self.start = parts.button("Make the release", self.make, icon="verified", kind="main")
            self.told = ui.html("", sanitize=False, tag="span").props("role=status")

    def resume(self) -> None:
        """Wait for a release that is already being written."""
        if self.candidates and (going := self.running.going(KIND)):
            self.start.set_enabled(False)
            background_tasks.create(self._follow(going), name="a release that is written")

    async def _follow(self, job: Job) -> None:
        self._ended(await self.running.follow(job, self._watch))

    async def make(self) -> None:
        """Write and verify the release."""
        made = self.candidates.get(self.choice.value)
        if made is None:
            return
        self.start.set_enabled(False)
        self.made.hide()
        work, study = self.work, self.work.bench.state.study_key
        ending, safe, names = self.ending.value, self.safe.value, self.names.value or None
        crowd = None if self.crowd.value is None else int(self.crowd.value)
        accepted = (self.broken_by,) if self.broken_by is not None and self.accept.value else ()
        self.broken_by = None

        def write(tell: JobHandle) -> Mapping[str, Any]:
            try:
                document = work.releases.make(
                    made.solution,
                    ending=ending,
                    spreadsheet_safe=safe,
                    pseudonyms=names,
                    household_k=crowd,
                    accept_attack=accepted,
                    asked=made.asked,
                    made_for=made.made_for,
                    progress=tell.writing,
                )
            except BrokenByAttackError as problem:
                self.broken_by = problem.attack
                raise
            work.wishes.keep(released={"title": made.title, "study": study})
            return document

        self._ended(await self.running.finish(KIND, write, self._watch))
        self._offer(self.broken_by)

    def _offer(self, attack: str | None) -> None:
        """Let a release be made although an attack breaks a promise, once that was said; not before."""
        self.broken_by = attack
        if attack is None:
            self.accept.set_value(False)
        self.accept.set_text(
            f"Release although the attack {attack} proves a promise broken; the record says so"
        )
        self.accept.set_visibility(attack is not None)

    def _watch(self, job: Job) -> None:
        if self.running.waiting:
            self.told.set_content(self.running.waiting)
            return
        share = job.progress.get("share")
        self.told.set_content("Writing …" if share is None else f"Writing, {percent(share, 0)} …")

    def _ended(self, result: Mapping[str, Any] | None) -> None:
        self.start.set_enabled(True)
        self.told.set_content("" if result is None else "Written and verified.")
        self.made.show()
