"""The shell around every step: header, navigation, notices, and the services that steps use."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from nicegui import context, ui

from shoal.errors import ShoalError, UnansweredError
from shoal.present.charts.svg import style
from shoal.present.colours import sheet
from shoal.web.pages import parts
from shoal.web.pages.journey import STEPS, JourneyStep
from shoal.web.pages.meanings import explain
from shoal.web.pages.page_scripts import COOKIE, LOCK, SEEN
from shoal.web.pages.saving import offer_files
from shoal.web.server.sentences import sentence
from shoal.web.server.sessions import WebSession
from shoal.web.server.waiting import answered
from shoal.web.workspace.state import State
from shoal.web.workspace.workspace import Workspace

log = logging.getLogger("shoal.web")

_HERE = Path(__file__).parent
LOOK = sheet("body", "body.body--dark") + (_HERE / "look.css").read_text(encoding="utf-8")
LOOK += style() + (_HERE / "answers.css").read_text(encoding="utf-8")
MARK = (
    '<svg viewBox="0 0 32 20" width="32" height="20" aria-hidden="true"><path fill="currentColor" '
    'd="M1 3c3 2 5 3 6 5 3-4 8-6 13-6s9 3 11 8c-2 5-6 8-11 8s-10-2-13-6c-1 2-3 4-6 5 1-3 2-5 2-7s-1-5-2-7z"/>'
    '<circle cx="24" cy="8" r="2" class="eye"/></svg>'
)
_WRONG = (
    "Something went wrong on the server, and not through your fault; its log says what. Reload the page."
)
# Quasar's own types and colours come with rules that no other style can override.
_REFUSED: dict[str, Any] = {"classes": "refused", "textColor": "", "attrs": {"role": "alert"}}
_REFUSED |= {"icon": "error", "timeout": 0, "close_button": "Close", "multi_line": True}
LOOK_AGAIN = 1.0
"""Seconds after which a page notices what was decided in another window."""
Found = TypeVar("Found")


class Frame:
    """One browser page: the study it shows, and the step that is open."""

    def __init__(self, session: WebSession, given_study: Path | None, look: str) -> None:
        self.session = session
        self.given_study = given_study
        """The study file that the server was started with; the table step offers it."""
        self.work: Workspace | None = None
        self.step: JourneyStep = STEPS[0]
        self._look = look
        self._seen: State | None = None
        self._asking = 0

    def build(self) -> None:
        """Put the shell on the page; the address decides which step it shows."""
        self._client = context.client
        # NiceGUI's wrapper around everything calls itself the main part, too.
        around = self._client.content.parent_slot
        if around is not None:
            around.parent.tag = "div"
        ui.add_css(LOOK)
        ui.on_exception(self._broken)
        self._dark = ui.dark_mode({"dark": True, "light": False}.get(self._look))
        with ui.element("header").classes("shell-head"), ui.element("div").classes("head-row"):
            self._build_head()
        with ui.element("div").classes("shell"):
            with ui.element("nav").props('aria-label="Steps"').classes("steps"):
                self._build_nav()
            with ui.element("main").classes("content") as main:
                shown: dict[str, Callable[..., Any]] = {"/": partial(self._show, STEPS[0])}
                shown |= {f"/{step.key}": partial(self._show, step) for step in STEPS}
                self._content = ui.sub_pages(shown, show_404=False)
            self._live = ui.html("", tag="div").props("role=status aria-live=polite").classes("unseen")
        ui.skip_link("Skip to the content", target=main)
        ui.on("shoal-seen", self._look_again)
        ui.add_body_html(f"<script>{SEEN}{LOCK}</script>")
        ui.timer(LOOK_AGAIN, self._look_again)

    async def _show(self, step: JourneyStep, study: str = "") -> None:
        moved = self.step is not step
        self.step = step
        studies = self.session.studies
        # The study that the address names, or else the one opened last.
        self.work = studies.get(study) if study else next(reversed(studies.values()), None)
        self._give_population()
        self.changed()
        if study and self.work is None:
            parts.hint("The table at this address is not open here; open it again, or choose another.")
        self._client.run_javascript(
            f"document.title = {step.title!r} + ' · Shoal'; document.querySelector('[aria-current=step]')"
            "?.scrollIntoView({inline: 'center', block: 'nearest'})"
        )
        with ui.element("div").classes(f"step step-{step.key}") as place:
            try:
                if self.work is None and step.key != "table":
                    self._first_a_table(step)
                else:
                    await step.builder()(self.work, self)  # type: ignore[arg-type]
                    if self.work is not None and step.key != "table":
                        self.next_step()
                if (meaning := explain(step.key)) is not None:
                    meaning.move(place, 1)  # below the heading
            except ShoalError as problem:
                place.clear()
                with place:
                    parts.heading(step.title)
                    with ui.element("div").classes("trouble").props("role=alert"):
                        parts.text(upper_first(sentence(problem)))
        if moved:
            self._client.run_javascript(
                "document.getElementById('step-title')?.focus({preventScroll: true})"
            )

    def _give_population(self) -> None:
        """Let the study know the table that was chosen as its population, while that is open here."""
        if self.work is not None:
            other = self.session.studies.get(str(self.work.wishes.get("population", "")))
            self.work.bench.population = None if other is None else other.bench.table()

    def _first_a_table(self, step: JourneyStep) -> None:
        parts.heading(step.title, "No table is open yet.")
        with parts.panel():
            parts.text("Open a table first; then this step shows it.")
            ui.link("Go to the first step", self.address("table")).classes("button-link")

    def ask_for_quasi(self, what: str) -> None:
        """Say that there is nothing to do without a quasi-identifier, and link to the roles."""
        with parts.panel():
            parts.text(f"No column has the role quasi-identifier, so there is nothing to {what}.")
            ui.link("Give columns their roles", self.address("roles")).classes("button-link")

    def next_step(self) -> None:
        """The link to the next step, at the end of each step; the first step places it itself."""
        following = STEPS[STEPS.index(self.step) + 1 :]
        if following:
            with ui.link(target=self.address(following[0].key)).classes("next-step"):
                parts.label(f"Next: {following[0].title}")
                ui.icon("arrow_forward").props("aria-hidden=true")

    def address(self, step: str, work: Workspace | None = None) -> str:
        """Return the address of a step, of the study that is shown unless another is given."""
        shown = work or self.work
        return f"/{step}" + (f"?{urlencode({'study': shown.key})}" if shown else "")

    def go(self, step: str, work: Workspace | None = None) -> None:
        """Open a step of the study that is shown, or of another."""
        with self._content:
            ui.navigate.to(self.address(step, work))

    def refresh(self) -> None:
        """Build the open step again."""
        with self._content:
            self._content.refresh()

    def changed(self) -> None:
        """Update the header and the navigation; call it after each change that undo can reverse."""
        work = self.work
        self._seen = None if work is None else work.bench.state
        self._title.set_content(escape(work.bench.state.title) if work else "")
        self._undoing.set_enabled(work is not None and work.bench.history.can_undo)
        self._redoing.set_enabled(work is not None and work.bench.history.can_redo)
        self._saving.set_enabled(work is not None)
        for step, link in self._links.items():
            link.props["href"] = self.address(step)
            link.props(
                **({"add": "aria-current=step"} if step == self.step.key else {"remove": "aria-current"})
            )

    def _build_head(self) -> None:
        with parts.named(ui.link(target="/").classes("brand"), "Shoal: the table"):
            ui.html(MARK + "<span>Shoal</span>", sanitize=False, tag="span")
        self._title = ui.html("", sanitize=False, tag="span").classes("table-title")
        with ui.element("span").classes("stays"):
            ui.icon("lock").props("aria-hidden=true")
            there = "machine" if self.session.account is None else "server"
            parts.label(f"Stays on this {there}")
        with ui.element("div").classes("tools").props("role=toolbar aria-label=Tools"):
            self._undoing = self._tool("undo", "Undo", partial(self._turn, "undo", "Undone"))
            self._redoing = self._tool("redo", "Redo", partial(self._turn, "redo", "Redone"))
            self._saving = self._tool("save_alt", "Save", self._save)
            self._tool("contrast", "Light or dark", self._other_look)

    def _tool(self, icon: str, name: str, action: Callable[[], Any]) -> ui.button:
        found = ui.button(icon=icon, on_click=action).props("flat round dense")
        found.tooltip(name)
        return parts.named(found, name)

    def _build_nav(self) -> None:
        self._links: dict[str, ui.link] = {}
        with ui.element("ol"):
            for number, step in enumerate(STEPS, 1):
                with ui.element("li"), ui.link(target=f"/{step.key}").classes("step-link") as link:
                    parts.label(str(number)).classes("step-number")
                    words = f"<span>{escape(step.title)}</span><small>{escape(step.what)}</small>"
                    ui.html(words, sanitize=False, tag="span").classes("step-words")
                self._links[step.key] = link

    def _save(self) -> None:
        if self.work is not None:
            offer_files(self.work)

    def _look_again(self) -> None:
        """Show what was changed in another window of the same browser."""
        # What this page itself decides is shown by whoever asked for it.
        if self.work is not None and not self._asking and self.work.bench.state is not self._seen:
            self.refresh()

    def changed_elsewhere(self) -> None:
        """Say that roles or hierarchies have changed since this page was built, and show them."""
        self.say("Roles or hierarchies were changed in another window; here they are as they are now.")
        self.refresh()

    async def _turn(self, way: str, words: str) -> None:
        """Undo or redo a step, and say which one: it may have been made on another page."""
        if self.work is None:
            return
        bench, before = self.work.bench, self.work.bench.state
        if await self.attempt(getattr(self.work.decisions, way)):
            self.say(f"{words}: {bench.state.change_from(before)}.")
            self.refresh()

    async def _other_look(self) -> None:
        dark = await self._client.run_javascript("document.body.classList.contains('body--dark')")
        self._dark.set_value(not dark)
        self._client.run_javascript(COOKIE % ("light" if dark else "dark"))

    def say(self, words: str) -> None:
        """Show a short notice that disappears by itself; screen readers read it out."""
        self._live.set_content(escape(words))
        with self._client.content:
            ui.notify(words, position="bottom", timeout=4000, classes="said", textColor="")

    def refuse(self, problem: Exception | str) -> None:
        """Show an error as one sentence, until it is closed."""
        words = problem if isinstance(problem, str) else sentence(problem)
        self._alert(upper_first(words), group="refused")

    def _alert(self, words: str, **more: Any) -> None:
        with self._client.content:
            ui.notify(words, **_REFUSED, **more)

    async def ask(
        self, function: Callable[..., Found], *given: Any, at: ui.element | None = None, **named: Any
    ) -> Found:
        """Call a function in the session's turn, and return what it gives.

        It is given up if the page is closed, or if the element `at` is gone.
        """
        place = at or self._client.content

        async def stay() -> None:
            if place.is_deleted:
                raise asyncio.CancelledError

        study = "" if self.work is None else self.work.key
        answering = self.session.jobs.answering
        question = answering.ask(self.session.name, study, lambda: function(*given, **named))
        self._asking += 1
        try:
            found: Found = await answered(question, stay)
        except UnansweredError:
            if question.is_given_up:  # the session has ended: nobody is there to be told
                raise asyncio.CancelledError from None
            raise
        finally:
            self._asking -= 1
        return found

    async def attempt(
        self, function: Callable[..., Found], *given: Any, at: ui.element | None = None, **named: Any
    ) -> Found | None:
        """Return what a function gives; if it refuses, say why and return None."""
        try:
            return await self.ask(function, *given, at=at, **named)
        except ShoalError as problem:
            self.refuse(problem)
            return None

    async def decide(self, function: Callable[..., Any], *given: Any, **named: Any) -> bool:
        """Run a step that undo can reverse, and update the header; return False if it was refused."""
        try:
            await self.ask(function, *given, **named)
        except ShoalError as problem:
            self.refuse(problem)
            return False
        self.changed()
        return True

    def _broken(self, problem: Exception) -> None:
        if isinstance(problem, ShoalError):
            self.refuse(problem)
        else:
            self._alert(_WRONG)


def upper_first(words: str) -> str:
    """Return a sentence with a capital at its start and a full stop at its end.

    >>> upper_first("no such column; choose another")
    'No such column; choose another.'
    """
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")
