"""The search for the best recoding: it tells how it stands, and stops when it is told to."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from shoal.numbers import count, large_number, much_suppressed, percent, seconds
from shoal.present.charts.gap import Moment, gap
from shoal.present.charts.svg import Picture
from shoal.web.pages import parts
from shoal.web.pages.choosing import CHOSEN, Candidate, choices
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.optimizing.cut_panel import CutsPanel
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import Job, JobHandle

if TYPE_CHECKING:
    from shoal.web.pages.optimizing.optimize_step import Optimization

KIND = "optimize"
DRAWN = 0.2
"""Seconds between two pictures of a search that goes on."""


class SearchPanel:
    """Begins and stops the search, and shows how it stands."""

    def __init__(self, page: Optimization) -> None:
        self.page = page
        self.standings: Sequence[Sequence[Any]] = ()
        self.result: dict[str, Any] | None = None
        self.asked: dict[str, Any] = {}
        self.made_for = ""
        self._drawn = 0.0
        with parts.panel("The search"):
            with parts.actions():
                self.start = parts.button("Find the best", self.begin, icon="search", kind="main")
                self.stop = parts.button("Stop and take the best", self.end, icon="stop")
            self.told = ui.html("", sanitize=False, tag="p").props("role=status").classes("standing")
            with parts.facts():
                self.cost = parts.fact("Best cost", "–", what="cost")
                self.bound = parts.fact("Lower bound", "–", what="lower bound")
                self.gap = parts.fact("Gap", "–", what="gap")
                self.examined = parts.fact("Cuts examined", "–", what="cut")
            self.figure = ShownPicture(gap([]))
            self.running = Running(page.frame, page.work, self.figure.box)
            self.actions = choices(page.frame, page.work, self._solution)
        self.cuts = CutsPanel(page.work)
        self.actions.set_visibility(False)
        self._is_running(False)
        self._say("Nothing is searched for yet.")

    async def resume(self) -> None:
        """Show the search that goes on, or what the last one found."""
        await self.page.frame.ask(self.cuts.prepare)
        work = self.page.work
        if going := self.running.going(KIND):
            self._is_running(True)
            background_tasks.create(self._follow(going), name="a search that goes on")
            return
        kept = work.wishes.get("optimized")
        if isinstance(kept, Mapping) and kept.get("study") == work.bench.state.study_key:
            self._reopen(kept)
            self._finished(dict(kept["solution"]))
            self.outdated()

    def _reopen(self, kept: Mapping[str, Any]) -> None:
        """Take up what was kept of a search."""
        self.asked, self.made_for = dict(kept["asked"]), str(kept["made_for"])
        self.standings = kept["moments"]

    async def begin(self) -> None:
        """Search for what is wished for now."""
        work, asked, state = self.page.work, self.page.wish.asked(), self.page.work.bench.state
        if state.study_key != self.page.study:
            self.page.frame.changed_elsewhere()
            return
        self.standings, self.asked, self.result = (), asked, None
        self.made_for = state.recoding_key
        self.actions.set_visibility(False)
        self.cuts.clear()
        self._is_running(True)
        self._say("Searching …")

        def search(tell: JobHandle) -> Mapping[str, Any]:
            found = work.questions.optimize(
                progress=tell.progress,
                watch=tell.watch,
                on_improvement=tell.improved,
                time_limit=work.bench.limits.job_seconds,
                **asked,
            )
            last = (found["seconds"], found["cost"], found["lower_bound"])
            work.wishes.keep(
                optimized={
                    "study": state.study_key,
                    "made_for": state.recoding_key,
                    "asked": asked,
                    "solution": found,
                    "moments": [*tell.standings[-500:], last],
                }
            )
            return found

        self._ended(await self.running.finish(KIND, search, self._watch))

    async def _follow(self, job: Job) -> None:
        result = await self.running.follow(job, self._watch)
        kept = self.page.work.wishes.get("optimized")
        if result is not None and isinstance(kept, Mapping):
            self._reopen(kept)
        self._ended(result)

    def _ended(self, result: Mapping[str, Any] | None) -> None:
        if self.running.job is not None:
            return
        self._is_running(False)
        if result is None:
            self._say("Nothing was found.")
            return
        last = (result["seconds"], result["cost"], result["lower_bound"])
        self.standings = [*self.standings, last]
        self._finished(dict(result))

    def end(self) -> None:
        """Stop the search; the best so far is its result."""
        self.running.stop()
        self._say("Stopping …")

    def _watch(self, job: Job) -> None:
        standing = job.progress
        if "lower_bound" not in standing:
            return
        self.standings = job.standings
        self._stands(standing["cost"], standing["lower_bound"], standing["gap"], standing["examined"])
        self._say(f"Searching for {seconds(standing['seconds'])} …")
        if time.monotonic() - self._drawn >= DRAWN:
            self._drawn = time.monotonic()
            self.figure.show(self._picture(), table=False)
            if "cut" in standing:
                self.cuts.show(standing["cut"])

    def _picture(self) -> Picture:
        return gap([Moment(*each) for each in self.standings])

    def _stands(self, cost: float | None, bound: float, left: float | None, examined: int) -> None:
        self.cost.set_content("none yet" if cost is None else count(cost))
        self.bound.set_content(count(bound))
        self.gap.set_content("–" if left is None else percent(left))
        self.examined.set_content(f"{examined:,}")

    def _finished(self, found: dict[str, Any]) -> None:
        self.result = found
        self._stands(found["cost"], found["lower_bound"], found["gap"], found["examined"])
        self.figure.show(self._picture())
        self.cuts.show(found["cut"])
        self.actions.set_visibility(True)
        proof = (
            "Proven: no other recoding costs less."
            if found["optimal"]
            else f"Stopped: another may cost up to {percent(found['gap'])} less."
        )
        rows = self.page.work.bench.look.rows
        share = percent(found["suppressed_records"] / max(rows, 1))
        much = much_suppressed(found["suppressed_records"], rows)
        gone = f"{found['suppressed_records']:,} rows suppressed ({share})"
        if found["suppressed_values"]:
            gone += f", {found['suppressed_values']:,} sensitive values suppressed"
        if found.get("share") is not None:  # a result that an older version kept has none
            gone += f", {percent(found['share'])} of all detail lost by {found['measure']}"
        space = large_number(found["space"])
        self._say(f"{much}{proof} {gone}. There are {space} recodings; {seconds(found['seconds'])}.")

    def outdated(self) -> None:
        """Say so where what was found answers something else than what is wished for now."""
        if self.result is not None and self.asked != self.page.wish.asked():
            self._say(
                "You ask for something else now. Find the best again, or take what was found before."
            )

    def _say(self, words: str) -> None:
        self.told.set_content(words)

    def _is_running(self, running: bool) -> None:
        self.start.set_enabled(not running)
        self.stop.set_enabled(running)

    def _solution(self) -> Candidate | None:
        if self.result is None:
            return None
        asked = self.asked
        promise = [f"k = {asked['k']}"] if asked.get("k") else []
        if "theta" in asked:
            more = " and own limits" if asked.get("limits") else ""
            promise.append(f"shares up to {asked['theta']}{more}")
        title = f"Optimized, {', '.join(promise)}, {asked['scheme']}"
        question = {"question": "optimize", **asked}
        return Candidate(CHOSEN, title, self.result, question, self.made_for)
