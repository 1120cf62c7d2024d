"""The Pareto frontier beside the negotiation: every point is a place to go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from shoal.describe.specification import Role
from shoal.numbers import percent
from shoal.present.charts.plane import over, plane_chart
from shoal.present.charts.tradeoff import document_plane
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.negotiation.reasons import rows_suppressed
from shoal.web.pages.negotiation.wish import NegotiationWish, suppression_words
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import JobHandle

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk

LESS = 0.01
"""A loss is lower where it is by more than this share."""


class FrontierPanel:
    """Follows the rows that may be suppressed, and the metric; the search is a job."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.points: list[dict[str, Any]] = []
        self.chosen: int | None = None
        self.searched: tuple[str, int] | None = None
        metrics = {"LM": "LM: detail lost", "DM": "DM: crowding", "Prec": "Prec: levels climbed"}
        if talk.work.bench.having(Role.CLASS):
            metrics["CM"] = "CM: classification"
        self.metric = str(talk.work.wishes.get("frontier_metric", "LM"))
        self.metric = self.metric if self.metric in metrics else "LM"
        with parts.panel("What more privacy costs"):
            with parts.actions():
                parts.term("Pareto frontier", "The best trades")
                parts.select("Loss measured by", metrics, self.metric, self.use)
            self.plane = document_plane([], self.metric)
            self.figure = ShownPicture(plane_chart(self.plane, choice=True), self.choose)
            self.running = Running(talk.frame, talk.work, self.figure.box)
            self.told = parts.note("Searching for the best trades …").props("role=status")
            self.beside = parts.note(
                "They look at k alone: a point need not have the l that you ask for."
            )
            with ui.element("div").classes("hint").props("role=status") as self.cheaper:
                self.cheaper_words = parts.text("")
                parts.button("Go there", self.go_cheaper, kind="quiet")
            self.better: dict[str, Any] | None = None

    async def use(self, metric: str) -> None:
        """Measure the loss otherwise."""
        self.metric = metric
        await self.talk.frame.attempt(self.talk.work.wishes.keep, frontier_metric=metric)
        await self.talk.rest()

    def here(self, wish: NegotiationWish) -> None:
        """Mark the k that is asked for."""
        self.beside.set_visibility(bool(wish.l))
        self.cheaper.set_visibility(False)
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
        words = suppression_words(limit, found["rows"])
        proof = "none is missing, proven" if found["certified"] else "some may be missing"
        self.told.set_content(
            f"{len(self.points)} best trades where {words} may be suppressed; {proof} after looking at "
            f"{found['evaluated']:,} of {found['nodes']:,} nodes. Choose one to go there."
        )

    def tell_cheaper(self, wish: NegotiationWish, loss: float, share: float) -> None:
        """Say which of the best trades for the k that is asked for loses less than the answer.

        The answer is the lowest node that keeps the request, by heights alone; a metric may see it
        otherwise. A request for l has no trade here, nor one that allows fewer levels than a trade needs.
        """
        enough = [
            point
            for point in self.points
            if point["k"] >= wish.k
            and all(wish.heights[name] >= at for name, at in point["node"].items())
        ]
        best = min(enough, key=lambda point: float(point["loss"]), default=None)
        if best is None or wish.l or best["loss"] >= loss * (1 - LESS):
            return
        self.better = best
        self.cheaper_words.set_content(
            f"The best trade for this k loses {percent(best['share'])} instead of "
            f"{percent(share)}, with {rows_suppressed(best['suppressed'], self.talk.shape.rows)}: the answer "
            "is the one with the least height."
        )
        self.cheaper.set_visibility(True)

    async def go_cheaper(self) -> None:
        """Ask for the levels of the best trade."""
        if self.better is not None:
            await self.talk.go_to(dict(self.better["node"]), self.talk.wish.k)

    async def choose(self, place: str) -> None:
        """Go to a point."""
        self.chosen = int(place)
        point = self.points[self.chosen]
        await self.talk.go_to(dict(point["node"]), point["k"])
