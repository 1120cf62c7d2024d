"""The search for the best recoding: it tells how it stands, and stops when it is told to."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from shoal.answers.recoding import Scheme
from shoal.describe.promise import share
from shoal.numbers import count, large_number, much_suppressed, percent, seconds
from shoal.present.charts.gap import Moment, gap
from shoal.present.charts.svg import Picture
from shoal.web.pages import parts
from shoal.web.pages.choosing import choices
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.optimizing.cut_panel import CutsPanel
from shoal.web.pages.optimizing.optimize_wish import SHORT, limit_words
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import Job, JobHandle
from shoal.web.workspace.candidates import CHOSEN, Candidate

if TYPE_CHECKING:
    from shoal.web.pages.optimizing.optimize_step import Optimization

KIND = "optimize"
DRAWN = 0.2
"""Seconds between two pictures of a search that goes on."""


def proof_words(found: Mapping[str, Any]) -> str:
    """Return what is known of a result: that it is the best, how much better another may be, or drawn.

    >>> proof_words({"optimal": True, "gap": 0.0}), proof_words({"optimal": False, "gap": 0.25})
    ('Proven: no other way of this kind loses less.', 'Stopped: another may lose up to 25% less.')
    """
    drawn = found.get("robust")
    if drawn is not None:
        if found["met"] <= 1:
            return "Nothing else is near enough, so this is the best one itself; allow more to be lost."
        first = "the best" if found["best_proven"] else "the best that was found"
        return (
            f"Drawn at random among {found['met']:,} or more: it loses "
            f"{percent(drawn['share_after'])} of all detail, {first} {percent(drawn['share_before'])}."
        )
    if found["optimal"]:
        return "Proven: no other way of this kind loses less."
    return f"Stopped: another may lose up to {percent(found['gap'])} less."


class SearchPanel:
    """Begins and stops the search, and shows how it stands."""

    def __init__(self, page: Optimization) -> None:
        self.page = page
        self.standings: Sequence[Sequence[Any]] = ()
        self.result: dict[str, Any] | None = None
        self.asked: dict[str, Any] = {}
        self.made_for = ""
        self._drawn = 0.0
        with parts.panel("The search") as self.place:
            with parts.actions():
                self.start = parts.button("Find the best", self.begin, icon="search", kind="main")
                self.stop = parts.button("Stop and take the best", self.end, icon="stop")
            self.told = ui.html("", sanitize=False, tag="p").props("role=status").classes("standing")
            with parts.facts():
                self.lost = parts.fact("Detail lost", "–", what="loss")
                self.gone = parts.fact("Rows suppressed", "–", what="suppression")
                self.gap = parts.fact("Could be better by", "–", what="gap")
            self.actions = choices(page.frame, page.work, self._solution)
            with parts.details("Details of the search"):
                with parts.facts():
                    self.cost = parts.fact("Best cost", "–", what="cost")
                    self.bound = parts.fact("Lower bound", "–", what="lower bound")
                    self.examined = parts.fact("Cuts examined", "–", what="cut")
                self.space = parts.note("")
                self.figure = ShownPicture(gap([]))
            self.running = Running(page.frame, page.work, self.place)
        self.cuts = CutsPanel(page.work)
        self.actions.set_visibility(False)
        self._is_running(False)
        self._say("Nothing is searched for yet.")

    def resume(self) -> None:
        """Show the search that goes on, or what the last one found.

        Trees of many leaves take a while to count, so they must not hold this up.
        """
        work = self.page.work
        if going := self.running.going(KIND):
            self._is_running(True)
            self._say("Searching …")
            background_tasks.create(self._follow(going), name="a search that goes on")
            return
        kept = work.wishes.get("optimized")
        if isinstance(kept, Mapping) and kept.get("study") == work.bench.state.study_key:
            self._reopen(kept)
            self._finished(dict(kept["solution"]))
            self.outdated()
            background_tasks.create(self.cuts.prepare(self.page.frame), name="trees of cuts")

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

        background_tasks.create(self.cuts.prepare(self.page.frame), name="trees of cuts")
        self._ended(await self.running.finish(KIND, search, self._watch))

    async def _follow(self, job: Job) -> None:
        background_tasks.create(self.cuts.prepare(self.page.frame), name="trees of cuts")
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
            self._say(self.running.empty_words)
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
            self._say(self.running.waiting or "Searching …")
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
        self.lost.set_content("found at the end")
        self.gone.set_content("–")
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
        proof = proof_words(found)
        rows = self.page.work.bench.look.rows
        part = percent(found["suppressed_records"] / max(rows, 1))
        much = much_suppressed(found["suppressed_records"], rows)
        gone = f"{found['suppressed_records']:,} rows suppressed ({part})"
        if found["suppressed_values"]:
            gone += f", {found['suppressed_values']:,} sensitive values suppressed"
        lost = found.get("share")  # a result that an older version kept has none
        self.lost.set_content("–" if lost is None else percent(lost))
        self.gone.set_content(f"{found['suppressed_records']:,} ({part})")
        self._say(f"{much}{proof} {gone}; {seconds(found['seconds'])}.")
        space = large_number(found["space"])
        self.space.set_content(
            f"There are {space} recodings of this kind; the loss is {found['metric']}."
        )

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
            promise.append(f"shares up to {limit_words(share(asked['theta']))}{more}")
        first = "Nearly best by branches, drawn" if asked.get("robust") else "Best by branches"
        title = f"{first}, {', '.join(promise)}, {SHORT[Scheme.of(asked['scheme'])]}"
        question = {"question": "optimize", **asked}
        return Candidate(CHOSEN, title, self.result, question, self.made_for)
