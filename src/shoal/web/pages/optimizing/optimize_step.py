"""The step Optimize: limits for every sensitive value, and the provably best recoding under them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nicegui import background_tasks, ui

from shoal.answers.recoding import Scheme
from shoal.describe.hierarchies import Label
from shoal.describe.quantities import suppression_limit
from shoal.describe.specification import Role
from shoal.errors import ShoalError
from shoal.web.pages import parts
from shoal.web.pages.controls.step_slider import StepSlider
from shoal.web.pages.frame import LOOK_AGAIN, Frame
from shoal.web.pages.negotiation.wish import k_steps, k_words, typed_number
from shoal.web.pages.optimizing.optimize_wish import (
    METRICS,
    ROBUST,
    SCHEMES,
    OptimizeWish,
    most_steps,
    most_words,
)
from shoal.web.pages.optimizing.search_panel import SearchPanel
from shoal.web.pages.optimizing.share_limits import LimitsPanel
from shoal.web.pages.work_shown import WishKeeper
from shoal.web.workspace.workspace import Workspace

MOST_NAME = "Rows or values suppressed, at most"


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "The provably best recoding",
        "Limit how sure anybody may become of a sensitive value. Shoal tries all ways to let every branch of "
        "every column have its own level, and proves that none loses less; you can stop at any time and take "
        "the best so far.",
    )
    if not work.bench.quasi:
        frame.ask_for_quasi("recode")
        return
    Optimization(work, frame).build()


class Optimization:
    """What is wished for, and the search for it.

    The page is there at once. The values of the sensitive columns are counted afterwards: a search that goes
    on may hold the table for seconds, and who reloads the page meanwhile wants to see the search.
    """

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work, self.frame = work, frame
        self.columns = [
            name for name in work.bench.having(Role.SENSITIVE) if name not in work.bench.quasi
        ]
        self.counts: dict[str, Mapping[Label, int]] = {}
        self.counted = False
        """Whether the rows of each value of these columns are counted."""
        self.study = work.bench.state.study_key
        self.metrics = [name for name in METRICS if name != "CM" or work.bench.having(Role.CLASS)]
        self.wish = OptimizeWish.reopened(
            work.wishes.get("optimize"), self.columns, self.metrics, work.bench.look.rows
        )
        self.keeper = WishKeeper(work)

    def build(self) -> None:
        """Put everything on the page."""
        with ui.element("div").classes("negotiation"):
            with ui.element("div").classes("wishes"):
                with parts.panel("What you ask for"):
                    self._controls()
                self.limits = LimitsPanel(self) if self.columns else None
            with ui.element("div").classes("views one"):
                self.search = SearchPanel(self)
        self.search.resume()
        ui.timer(LOOK_AGAIN, self.look_again)
        background_tasks.create(self._count(), name="values to limit")

    async def _count(self) -> None:
        """Count the values of the sensitive columns, and let each be limited."""
        for name in self.columns:
            counts = await self.frame.attempt(self.work.bench.values, name, at=self.search.place)
            if counts is not None:
                self.counts[name] = counts
        self.counted = True
        if self.limits is not None:
            self.limits.draw()

    def look_again(self) -> None:
        """Show what another window of the same study asks for now."""
        kept = self.work.wishes.get("optimize")
        if kept is not None and kept != self.wish.kept():
            self.frame.refresh()

    def _controls(self) -> None:
        if not self.columns:
            parts.note(
                "No column is sensitive and nothing else, so no share can be limited; k alone is promised."
            )
        self.k_slider = StepSlider(
            "k: rows that look alike",
            *self._k_at(),
            self._k_moved,
            fields=self._k_fields(),
            on_typed=self._k_typed,
            empty="none",
        )
        with self.k_slider:
            parts.term("k-anonymity", "k: rows that look alike")
        self.most_slider = StepSlider(
            MOST_NAME,
            *self._most_at(),
            self._most_moved,
            fields=self._most_fields(),
            on_typed=self._most_typed,
            empty="rows or %",
        )
        with self.most_slider:
            parts.term("suppression", MOST_NAME)
        if len(self.columns) > 1:
            sensitive = self.wish.sensitive
            parts.select("Sensitive column", self.columns, sensitive, self._choose_column).classes(
                "wide"
            )
        with ui.element("div").classes("slide-head"):
            parts.term("scheme", "Where a group breaks a limit")
        parts.select(
            "What happens to it",
            {scheme.value: words for scheme, words in SCHEMES.items()},
            self.wish.scheme.value,
            lambda word: self.changed(replace(self.wish, scheme=Scheme.of(word))),
        ).classes("wide")
        parts.select(
            "Choose at random among nearly best ones",
            ROBUST,
            self.wish.robust,
            lambda word: self.changed(replace(self.wish, robust=word)),
        ).classes("wide")
        parts.note(
            "Who knows that the best one is always taken can learn from the choice itself. One that is drawn "
            "tells less; attacks are tried on both, which takes longer."
        )
        with parts.details("How detail is measured"):
            parts.select(
                "Detail is",
                {name: METRICS[name] for name in self.metrics},
                self.wish.metric,
                lambda word: self.changed(replace(self.wish, metric=word)),
            ).classes("wide")

    def _k_at(self) -> tuple[list[str], int]:
        self.ks = k_steps(self.work.bench.look.rows, self.wish.k, off=bool(self.columns))
        return [k_words(k) for k in self.ks], self.ks.index(self.wish.k)

    def _k_fields(self) -> list[str]:
        return [str(k) if k else "" for k in self.ks]

    async def _k_moved(self, place: int) -> None:
        await self.changed(replace(self.wish, k=self.ks[place]))

    async def _k_typed(self, text: str) -> None:
        rows = self.work.bench.look.rows
        try:
            k = typed_number(text, min(2, rows), rows, off=bool(self.columns))
        except ShoalError as problem:
            self.frame.refuse(problem)
        else:
            await self.changed(replace(self.wish, k=k))
        self.k_slider.put(*self._k_at(), self._k_fields())

    def _most_at(self) -> tuple[list[str], int]:
        self.amounts = most_steps(self.wish.most)
        return [most_words(most) for most in self.amounts], self.amounts.index(self.wish.most)

    def _most_fields(self) -> list[str]:
        return self.amounts

    async def _most_moved(self, place: int) -> None:
        await self.changed(replace(self.wish, most=self.amounts[place]))

    async def _most_typed(self, text: str) -> None:
        try:
            if text:
                suppression_limit(text, self.work.bench.look.rows)
        except ShoalError as problem:
            self.frame.refuse(problem)
        else:
            await self.changed(replace(self.wish, most=text.replace(" ", "")))
        self.most_slider.put(*self._most_at(), self._most_fields())

    async def _choose_column(self, column: str) -> None:
        await self.changed(replace(self.wish, sensitive=column, own={}))
        if self.limits is not None:
            self.limits.draw()

    async def changed(self, wish: OptimizeWish) -> None:
        """Keep what is wished for now."""
        self.wish = wish
        if self.limits is not None:
            self.limits.tell()
        self.search.outdated()
        self.keeper.keep(optimize=wish.kept())

    @property
    def values(self) -> dict[str, int]:
        """The rows of each value of the sensitive column, the most frequent first."""
        counts = self.counts.get(self.wish.sensitive or "", {})
        present = {value: rows for value, rows in counts.items() if value is not None}
        return dict(sorted(present.items(), key=lambda each: (-each[1], each[0])))
