"""The Pareto frontier beside the negotiation: every point is a place to go to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.describe.specification import Role
from shoal.present.charts.plane import over, plane_chart
from shoal.present.charts.tradeoff import document_plane
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.negotiation.wish import NegotiationWish, suppression_words
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import JobHandle

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk
    from shoal.web.workspace.workspace import Workspace


class FrontierPanel:
    """Follows the rows that may be suppressed, and the metric, which the answer's loss is measured by too."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.points: list[dict[str, Any]] = []
        self.chosen: int | None = None
        self.searched: tuple[str, int] | None = None
        self.metric = talk.wish.metric
        with parts.panel("What more privacy costs"):
            with parts.actions():
                parts.term("Pareto frontier", "The best trades")
                parts.select("Loss measured by", self.metrics(talk.work), self.metric, self.use)
            self.plane = document_plane([], self.metric)
            self.figure = ShownPicture(plane_chart(self.plane, choice=True), self.choose)
            self.running = Running(talk.frame, talk.work, self.figure.box)
            self.told = parts.note("Searching for the best trades …").props("role=status")
            self.beside = parts.note(
                "They look at k alone: a point need not have the l that you ask for."
            )

    @staticmethod
    def metrics(work: Workspace) -> dict[str, str]:
        """Return the metrics to choose from, with what each sees."""
        metrics = {"LM": "LM: detail lost", "DM": "DM: crowding", "Prec": "Prec: levels climbed"}
        return metrics | ({"CM": "CM: classification"} if work.bench.having(Role.CLASS) else {})

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
        self.figure.over(over(self.plane, wish.k or None, at))

    async def follow(self, wish: NegotiationWish) -> None:
        """Search again where another number of rows may be suppressed."""
        wanted = (self.metric, wish.suppressed)
        if wanted == self.searched:
            return
        self.searched = wanted
        metric, limit = wanted

        def work(work: JobHandle) -> dict[str, Any]:
            return self.talk.work.questions.frontier(
                progress=work.progress,
                metric=metric,
                suppress=str(limit),
                time_limit=self.talk.work.bench.limits.job_seconds,
            )

        found = await self.running.finish("frontier", work)
        if self.searched != wanted:
            return
        if found is None:
            self.searched = None
            return
        self.points = list(found["points"])
        self.plane = document_plane(self.points, metric)
        self.figure.show(plane_chart(self.plane, choice=True))
        self.here(self.talk.wish)
        most = suppression_words(limit, found["rows"])
        words = f"over every amount of suppression up to {most}" if limit else "with nothing suppressed"
        proof = "none is missing, proven" if found["certified"] else "some may be missing"
        self.told.set_content(
            f"{len(self.points)} best trades {words}; {proof} after looking at "
            f"{found['evaluated']:,} of {found['nodes']:,} nodes. Choose one to go there."
        )

    async def choose(self, place: str) -> None:
        """Go to a point."""
        self.chosen = int(place)
        point = self.points[self.chosen]
        await self.talk.go_to(dict(point["node"]), point["k"])
