"""The step Optimize: limits for every sensitive value, and the provably best recoding under them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nicegui import ui

from shoal.answers.recoding import Scheme
from shoal.describe.hierarchies import Label
from shoal.describe.specification import Role
from shoal.web.pages import parts
from shoal.web.pages.controls.step_slider import StepSlider
from shoal.web.pages.frame import Frame
from shoal.web.pages.negotiation.wish import k_steps, k_words
from shoal.web.pages.optimizing.optimize_wish import METRICS, MOST, SCHEMES, OptimizeWish
from shoal.web.pages.optimizing.search_panel import SearchPanel
from shoal.web.pages.optimizing.share_limits import LimitsPanel
from shoal.web.pages.work_shown import WishKeeper
from shoal.web.workspace.workspace import Workspace


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "The provably best recoding",
        "Limit how sure anybody may become of a sensitive value. Shoal searches all ways to cut the "
        "hierarchies, and proves that none is better; you can stop at any time and take the best so far.",
    )
    if not work.bench.quasi:
        frame.ask_for_quasi("recode")
        return
    columns = [name for name in work.bench.having(Role.SENSITIVE) if name not in work.bench.quasi]
    counts = {name: await frame.ask(work.bench.values, name) for name in columns}
    await Optimization(work, frame, counts).build()


class Optimization:
    """What is wished for, and the search for it."""

    def __init__(self, work: Workspace, frame: Frame, counts: Mapping[str, Mapping[Label, int]]) -> None:
        self.work, self.frame, self.counts = work, frame, counts
        self.study = work.bench.state.study_key
        self.metrics = [name for name in METRICS if name != "CM" or work.bench.having(Role.CLASS)]
        self.wish = OptimizeWish.reopened(
            work.wishes.get("optimize"), list(counts), self.metrics, work.bench.look.rows
        )
        self.keeper = WishKeeper(work)
        self.ks = k_steps(work.bench.look.rows, self.wish.k, off=bool(counts))

    async def build(self) -> None:
        """Put everything on the page."""
        with ui.element("div").classes("negotiation"):
            with ui.element("div").classes("wishes"):
                with parts.panel("What you ask for"):
                    self._controls()
                self.limits = LimitsPanel(self) if self.counts else None
            with ui.element("div").classes("views one"):
                self.search = SearchPanel(self)
        await self.search.resume()

    def _controls(self) -> None:
        if not self.counts:
            parts.note(
                "No column is sensitive and nothing else, so no share can be limited; k alone is promised."
            )
        slider = StepSlider(
            "k: rows that look alike",
            [k_words(k) for k in self.ks],
            self.ks.index(self.wish.k),
            self._k_moved,
        )
        with slider:
            parts.term("k-anonymity", "k: rows that look alike")
        if len(self.counts) > 1:
            sensitive = self.wish.sensitive
            parts.select("Sensitive column", list(self.counts), sensitive, self._choose_column).classes(
                "wide"
            )
        with ui.element("div").classes("slide-head"):
            parts.term("scheme", "Where a group breaks a limit")
        schemes = {scheme.value: f"{scheme.value}: {words}" for scheme, words in SCHEMES.items()}
        parts.select(
            "Scheme",
            schemes,
            self.wish.scheme.value,
            lambda word: self.changed(replace(self.wish, scheme=Scheme.of(word))),
        ).classes("wide")
        parts.select(
            "Suppressed rows or values",
            MOST,
            self.wish.most,
            lambda word: self.changed(replace(self.wish, most=word)),
        ).classes("wide")
        with ui.element("div").classes("slide-head"):
            parts.term("loss", "What is to be kept low")
        parts.select(
            "Loss measured by",
            {name: METRICS[name] for name in self.metrics},
            self.wish.metric,
            lambda word: self.changed(replace(self.wish, metric=word)),
        ).classes("wide")

    async def _k_moved(self, place: int) -> None:
        await self.changed(replace(self.wish, k=self.ks[place]))

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
