"""The ways to keep what is asked for, the least loss first: each can be released or pinned at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from shoal.answers.negotiation import Answer
from shoal.numbers import percent, rounded
from shoal.web.pages import parts
from shoal.web.pages.choosing import pin, send_to_release
from shoal.web.pages.controls.answer_lines import AnswerLine, AnswerLines
from shoal.web.pages.frame import upper_first
from shoal.web.pages.negotiation.reasons import asked_words, rows_suppressed
from shoal.web.pages.negotiation.wish import NegotiationWish
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import Job, JobHandle
from shoal.web.workspace.candidates import CHOSEN, Candidate
from shoal.web.workspace.ways import LEVELS, OTHERS, Way, search_ways

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk

KIND = "ways"
REST = 0.6
"""Seconds without a move after which the other ways are looked for."""
SECONDS = 30.0
"""For each way; then it answers with the best it has."""


class WaysList:
    """Lists the ways with what each loses; the other ways follow the one that is answered at once."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.found: dict[str, Mapping[str, Any]] = {}
        self.errors: dict[str, str] = {}
        self.asked: NegotiationWish | None = None
        """What the other ways answer."""
        self.best: tuple[Way, float] | None = None
        self._later: asyncio.Task[None] | None = None
        with ui.element("div").classes("ways-part") as self.place:
            parts.label("Ways to have it, the one that loses least first", "h3")
            self.list = AnswerLines("Ways to have it")
            self.told = parts.note("").props("role=status")
            with parts.details("Ways that cannot have it") as self.refused:
                self.reasons = ui.element("ul")
        self.running = Running(talk.frame, talk.work, self.place)
        self.refused.set_visibility(False)

    def show(self, answer: Answer | None, wish: NegotiationWish) -> None:
        """Show the answer at one level a column; forget what other ways answered to another request."""
        self.answer, self.wish = answer, wish
        if self.asked != wish:
            self.found, self.errors, self.asked = {}, {}, None
            self.running.stop()
            if self._later is not None:
                self._later.cancel()
            if wish.asks:
                self.told.set_content("The other ways are looked for when nothing moves.")
                self._later = background_tasks.create(self._look_later(wish), name="other ways")
            else:
                self.told.set_content("")
        self.draw()

    async def _look_later(self, wish: NegotiationWish) -> None:
        await asyncio.sleep(REST)
        self._later = None
        if self.place.is_deleted or self.wish != wish:
            return
        work, talk = self.talk.work, self.talk
        asked: dict[str, Any] = {"suppress": wish.suppressed, "metric": wish.metric}
        asked |= {name: value for name, value in (("k", wish.k), ("l", wish.l)) if value}
        tops = talk.shape.named(talk.shape.top)
        heights = None if dict(wish.heights) == tops else dict(wish.heights)

        def look(tell: JobHandle) -> Mapping[str, Any]:
            return search_ways(work.bench, asked, heights, tell.progress, SECONDS)

        result = await self.running.finish(KIND, look, self._watch, keep=False)
        if self.wish != wish:
            return
        if result is None:
            self.told.set_content("The other ways could not be looked for. Move a slider to ask again.")
            return
        self.asked = wish
        for each in result["ways"]:
            if "solution" in each:
                self.found[each["method"]] = each["solution"]
            else:
                self.errors[each["method"]] = each["error"]
        left = len(OTHERS) - len(self.found) - len(self.errors)
        self.told.set_content(f"{left} ways were not tried: the search was stopped." if left else "")
        self.draw()

    def _watch(self, job: Job) -> None:
        words = self.running.waiting or "Looking for other ways to have the same …"
        self.told.set_content(words)

    def draw(self) -> None:
        """List the ways, the one that loses least first."""
        rows = self.talk.shape.rows
        listed: list[tuple[float, int, Way, Mapping[str, Any]]] = []
        exact = None if self.answer is None else self.answer.exact
        if exact is not None:
            listed.append((exact.share or 0.0, exact.suppressed, LEVELS, exact.solution()))
        for way in OTHERS:
            if (solution := self.found.get(way.method)) is not None:
                share = solution.get("share")
                listed.append((1.0 if share is None else share, solution["suppressed"], way, solution))
        listed.sort(key=lambda each: each[0])
        self.best = (listed[0][2], listed[0][0]) if listed else None
        self.place.set_visibility(bool(listed or self.told.content or self.errors))
        self.list.show(
            [
                self._line(way, share, rows_suppressed(gone, rows), solution)
                for share, gone, way, solution in listed
            ]
        )
        self.reasons.clear()
        with self.reasons:
            for way in OTHERS:
                if way.method in self.errors:
                    parts.label(f"{way.title}: {upper_first(self.errors[way.method])}", "li")
        self.refused.set_visibility(bool(self.errors))
        self.talk.frontier.mark(listed_spots(listed, self.wish.k))

    def _line(self, way: Way, share: float, gone: str, solution: Mapping[str, Any]) -> AnswerLine:
        return AnswerLine(
            way.title,
            (share, gone, solution),
            partial(_draw_way, way, share, gone),
            partial(self._do, send_to_release, way, solution),
            partial(self._do, pin, way, solution),
        )

    async def _do(self, what: Any, way: Way, solution: Mapping[str, Any]) -> None:
        await what(self.talk.frame, self.talk.work, self.candidate(way, solution))

    def candidate(self, way: Way, solution: Mapping[str, Any]) -> Candidate:
        """Return a way's solution with how it was found."""
        wish = self.wish
        title = f"{way.title}, {asked_words(wish)}"
        asked: dict[str, Any] = {"question": "negotiate", **wish.asked()}
        if way is not LEVELS:
            asked = {"question": "anonymize", "algorithm": way.method, "suppress": wish.suppressed}
            asked |= {"metric": wish.metric, "k": wish.k or None, "l": wish.l or None}
        return Candidate(CHOSEN, title, dict(solution), asked, self.talk.ground.state.recoding_key)


def _draw_way(way: Way, share: float, gone: str) -> None:
    with ui.element("div").classes("way-words"):
        parts.label(way.title, "strong")
        with ui.element("span").classes("way-lost"):
            parts.label(percent(share), "b")
            parts.label(f"of the detail lost, {gone}")
        parts.label(way.meaning).classes("note")
    width = rounded(100 * max(min(share, 1.0), 0.005), 1)
    bar = f'<span class="bar" aria-hidden="true"><i style="width:{width}%"></i></span>'
    ui.html(bar, sanitize=False).classes("way-bar")


def listed_spots(
    listed: list[tuple[float, int, Way, Mapping[str, Any]]], k: int
) -> list[tuple[float, float, str]]:
    """Return where the answers lie in the picture of the frontier, the best first, and what they are."""
    return [
        (float(k), share, f"{way.title}: {percent(share)} lost") for share, _, way, _ in listed if k > 0
    ]
