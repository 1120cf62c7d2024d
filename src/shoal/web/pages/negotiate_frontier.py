"""The Pareto frontier beside the negotiation: every point is a place to go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from shoal.specification import Role
from shoal.web.jobs import Work
from shoal.web.pages import parts
from shoal.web.pages.figures import Figure
from shoal.web.pages.negotiate_wish import Wish, suppression_words
from shoal.web.pages.work_shown import Running
from shoal.web.pictures.frontier import frontier, here

if TYPE_CHECKING:
    from shoal.web.pages.negotiate import Negotiation


class FrontierPanel:
    """Follows the rows that may be suppressed, and the metric; the search is a job."""

    def __init__(self, talk: Negotiation) -> None:
        self.talk = talk
        self.points: list[dict[str, Any]] = []
        self.chosen: int | None = None
        self.searched: tuple[str, int] | None = None
        metrics = {"LM": "LM: detail lost", "DM": "DM: crowding", "Prec": "Prec: levels climbed"}
        if talk.work.having(Role.CLASS):
            metrics["CM"] = "CM: classification"
        self.metric = str(talk.work.wishes.get("frontier_metric", "LM"))
        self.metric = self.metric if self.metric in metrics else "LM"
        with parts.panel():
            parts.label("What more privacy costs", "h2")
            with ui.element("div").classes("actions"):
                parts.term("Pareto frontier", "The best trades")
                select = ui.select(metrics, value=self.metric, label="Loss measured by").props(
                    "outlined dense options-dense"
                )
                select.on_value_change(lambda event: self.use(str(event.value)))
            self.figure = Figure(frontier([], self.metric), self.choose)
            self.running = Running(talk.frame, talk.work, self.figure.box)
            self.told = parts.text("Searching for the best trades …").classes("note")
            self.told.props("role=status")
            self.beside = parts.text(
                "They look at k alone: a point need not have the l that you ask for."
            )
            self.beside.classes("note")

    async def use(self, metric: str) -> None:
        """Measure the loss otherwise."""
        self.metric = metric
        await self.talk.frame.attempt(self.talk.work.remember, frontier_metric=metric)
        await self.talk.rest()

    def here(self, wish: Wish) -> None:
        """Mark the k that is asked for."""
        self.beside.set_visibility(bool(wish.l))
        at = None
        if self.chosen is not None and self.chosen < len(self.points):
            point = self.points[self.chosen]
            at = self.chosen if (point["k"], point["node"]) == (wish.k, dict(wish.heights)) else None
        self.figure.over(here(self.points, wish.k or None, at))

    async def follow(self, wish: Wish) -> None:
        """Search again where another number of rows may be suppressed."""
        wanted = (self.metric, wish.suppressed)
        if wanted == self.searched:
            return
        self.searched = wanted
        metric, limit = wanted

        def work(work: Work) -> dict[str, Any]:
            return self.talk.work.frontier(
                progress=work.progress,
                metric=metric,
                suppress=str(limit),
                time_limit=self.talk.work.limits.job_seconds,
            )

        found = await self.running.finish("frontier", work)
        if self.searched != wanted:
            return
        if found is None:
            self.searched = None
            return
        self.points = list(found["points"])
        self.figure.show(frontier(self.points, metric))
        self.here(self.talk.wish)
        words = suppression_words(limit, found["rows"])
        proof = "none is missing, proven" if found["certified"] else "some may be missing"
        self.told.set_content(
            f"{len(self.points)} best trades where {words} may be left out; {proof} after looking at "
            f"{found['evaluated']:,} of {found['nodes']:,} nodes. Choose one to go there."
        )

    async def choose(self, place: str) -> None:
        """Go to a point."""
        self.chosen = int(place)
        point = self.points[self.chosen]
        await self.talk.go_to(dict(point["node"]), point["k"])
