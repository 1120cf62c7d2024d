"""What more privacy costs, beside the negotiation: the curve of every way, and where the answers lie."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks

from shoal.answers.privacy_costs import BOUND, PrivacyCosts
from shoal.describe.specification import Role
from shoal.numbers import percent
from shoal.present.charts.any_means import costs_series
from shoal.present.charts.plane import Plane, over, plane_chart
from shoal.present.charts.tradeoff import document_plane
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.negotiation.wish import NegotiationWish, suppression_words
from shoal.web.pages.work_shown import REPLACED, Running
from shoal.web.server.jobs import Job, JobHandle

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk
    from shoal.web.workspace.workspace import Workspace

AFTER = 1.5
"""Seconds after which the curves of the other ways are searched, if nothing has moved."""
METRICS = {
    "LM": "how much each value could stand for",
    "DM": "how large the groups become",
    "Prec": "how many levels are climbed",
    "CM": "how well the class is still told",
}
"""What detail may mean, in words."""


class FrontierPanel:
    """Follows the rows that may be suppressed, and the metric, which the answer's loss is measured by too."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.points: list[dict[str, Any]] = []
        self.chosen: int | None = None
        self.answers: Sequence[tuple[float, float, str]] = ()
        self.searched: tuple[str, int] | None = None
        self.metric = talk.wish.metric
        with parts.panel("What more privacy costs"):
            parts.note(
                "The further right, the larger the crowd that everybody hides in; the lower, the better."
            )
            self.plane = _plane([], self.metric, "Searching …")
            self.figure = ShownPicture(plane_chart(self.plane, choice=True), self.choose)
            self.running = Running(talk.frame, talk.work, self.figure.box)
            self.drawing = Running(talk.frame, talk.work, self.figure.box)
            self.told = parts.note("Searching for the best trades …").props("role=status")
            self.others = parts.note("").props("role=status")
            self.beside = parts.note(
                "They look at k alone: a point need not have the l that you ask for."
            )
            with parts.details("How detail is measured, and how sure this is"):
                with parts.actions():
                    parts.term("Pareto frontier", "The best trades")
                    parts.select("Detail is", self.metrics(talk.work), self.metric, self.use)
                self.proof = parts.note("")

    @staticmethod
    def metrics(work: Workspace) -> dict[str, str]:
        """Return the metrics to choose from, with what each sees."""
        there = work.bench.having(Role.CLASS)
        return {name: f"{words} ({name})" for name, words in METRICS.items() if name != "CM" or there}

    @classmethod
    def kept_metric(cls, work: Workspace) -> str:
        """Return the metric that was chosen before, as far as the study has it."""
        kept = str(work.wishes.get("frontier_metric", "LM"))
        return kept if kept in cls.metrics(work) else "LM"

    async def use(self, metric: str) -> None:
        """Measure the loss otherwise."""
        self.metric = metric
        await self.talk.frame.attempt(self.talk.work.wishes.keep, frontier_metric=metric)
        await self.talk.changed(replace(self.talk.wish, metric=metric))

    def here(self, wish: NegotiationWish) -> None:
        """Mark the k that is asked for."""
        self.beside.set_visibility(bool(wish.l))
        at = None
        if self.chosen is not None and self.chosen < len(self.points):
            point = self.points[self.chosen]
            at = self.chosen if (point["k"], point["node"]) == (wish.k, dict(wish.heights)) else None
        self.figure.over(over(self.plane, wish.k or None, at, self.answers))

    def mark(self, answers: Sequence[tuple[float, float, str]]) -> None:
        """Mark the answers: where each lies, and what it is; the first is the best."""
        self.answers = answers
        self.here(self.talk.wish)

    async def follow(self, wish: NegotiationWish) -> None:
        """Search again where another number of rows may be suppressed."""
        wanted = (self.metric, wish.suppressed)
        if wanted == self.searched:
            return
        self.searched = wanted
        metric, limit = wanted
        self.others.set_content("")

        def work(work: JobHandle) -> dict[str, Any]:
            return self.talk.work.questions.frontier(
                progress=work.progress,
                metric=metric,
                suppress=str(limit),
                time_limit=self.talk.work.bench.limits.job_seconds,
            )

        found = await self.running.finish("frontier", work, self._watch, keep=False)
        if self.searched != wanted:
            return
        if found is None:
            if self.running.ended != REPLACED:
                self._without()
            return
        self.points = list(found["points"])
        self.plane = _plane(self.points, metric, _nothing(limit))
        self._draw()
        most = suppression_words(limit, found["rows"])
        words = f"with up to {most} suppressed" if limit else "with nothing suppressed"
        self.told.set_content(
            f"{len(self.points)} best trades {words}, every column at one level. Choose one to go there."
        )
        proof = "none is missing, proven" if found["certified"] else "some may be missing"
        self.proof.set_content(
            f"Of the best trades {proof} after looking at {found['evaluated']:,} of {found['nodes']:,} nodes."
        )
        background_tasks.create(self._draw_others(wanted), name="the curves of other ways")

    def _without(self) -> None:
        """Say that the search failed; the next move asks again."""
        self.searched, self.points = None, []
        self.plane = _plane([], self.metric, "Nothing was searched to the end.")
        self._draw()
        self.told.set_content(f"{self.running.empty_words} Move a slider to ask again.")

    def _draw(self) -> None:
        self.figure.show(plane_chart(self.plane, choice=True))
        self.here(self.talk.wish)

    def _watch(self, _: Job) -> None:
        self.told.set_content(self.running.waiting or "Searching for the best trades …")

    async def _draw_others(self, wanted: tuple[str, int]) -> None:
        """Draw the curves of all other ways into the picture, once nothing has moved for a while."""
        await asyncio.sleep(AFTER)
        if self.figure.box.is_deleted or self.searched != wanted or not self.points:
            return
        metric, limit = wanted
        questions, limits = self.talk.work.questions, self.talk.work.bench.limits

        def work(work: JobHandle) -> Mapping[str, Any]:
            return questions.curves(metric, limit, limits.job_seconds, work.progress)

        found = await self.drawing.finish("curves", work, self._watch_others, keep=False)
        if self.searched != wanted:
            return
        if found is None:
            if self.drawing.ended != REPLACED:
                self.others.set_content("The curves of the other ways could not be drawn.")
            return
        costs = PrivacyCosts.from_dict(found)
        rest = [
            curve
            for curve, of in zip(costs_series(costs).curves, [*costs.curves, None], strict=False)
            if of is None or of.name != "nodes"
        ]
        own = replace(self.plane.curves[0], name="every column at one level (exact)")
        self.plane = replace(self.plane, curves=(own, *rest))
        self._draw()
        self.others.set_content(f"Below it, the other ways. {BOUND}" if costs.lower_bound else "")

    def _watch_others(self, job: Job) -> None:
        share = job.progress.get("share")
        doing = "Drawing the other ways" + (f", {percent(share, 0)} …" if share else " …")
        self.others.set_content(self.drawing.waiting or doing)

    async def choose(self, place: str) -> None:
        """Go to a point."""
        self.chosen = int(place)
        point = self.points[self.chosen]
        await self.talk.go_to(dict(point["node"]), point["k"])


def _plane(points: Sequence[Mapping[str, Any]], metric: str, nothing: str) -> Plane:
    plane = document_plane(points, metric)
    table = replace(plane.table, caption="The best trades")
    return replace(plane, nothing=nothing, y=replace(plane.y, label="detail lost"), table=table)


def _nothing(limit: int) -> str:
    return "No levels keep any k with so few rows suppressed." if limit else "No levels keep any k."
