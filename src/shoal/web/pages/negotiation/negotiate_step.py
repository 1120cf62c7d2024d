"""The step Negotiate: move what is asked for, and see at once what it costs or what comes nearest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nicegui import background_tasks, ui

from shoal.answers.negotiation import Answer
from shoal.errors import ShoalError
from shoal.search.negotiation.histograms import IndexedHistograms
from shoal.search.negotiation.negotiator import Negotiator
from shoal.web.pages import parts
from shoal.web.pages.frame import LOOK_AGAIN, Frame
from shoal.web.pages.negotiation.frontier_panel import FrontierPanel
from shoal.web.pages.negotiation.lattice_panel import LatticePanel
from shoal.web.pages.negotiation.shown_answer import AnswerPanel
from shoal.web.pages.negotiation.sliders import Controls
from shoal.web.pages.negotiation.wish import NegotiationWish, level_words
from shoal.web.pages.work_shown import WishKeeper, stay
from shoal.web.workspace.state import State
from shoal.web.workspace.workspace import Workspace

REST = 0.25
"""Seconds without a move after which what takes longer is done."""
AFTER = 0.005
"""Seconds after which the lattice follows the answer."""
DRAWN_AT_ONCE = 20_000
"""Nodes of a lattice that is drawn on the event loop: some milliseconds."""
APART = 10.0
"""Seconds for an answer that is looked for off the event loop; then the best so far is shown."""
EARLIER = 50


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "What does privacy cost?",
        "Say what you need and what you can give up. The answer moves with the sliders; where there is "
        "none, the three nearest ways are named.",
    )
    if not work.bench.quasi:
        frame.ask_for_quasi("negotiate")
        return
    waiting = parts.waiting("Counting what every combination of levels suppresses …")
    ground = await frame.ask(Prepared.of, work)
    waiting.delete()
    NegotiationTalk(work, frame, ground).build()


@dataclass(frozen=True)
class Prepared:
    """What the dialogue is about, made ready once: histograms, levels in words, and how many values l has."""

    negotiator: Negotiator
    levels: Mapping[str, Sequence[str]]
    values: int
    state: State
    """What was decided then."""

    @classmethod
    def of(cls, work: Workspace) -> Prepared:
        """Return the ground of a workspace; it may take seconds."""
        state = work.bench.state
        negotiator = work.questions.negotiator()
        shape, study = negotiator.shape, work.bench.study()
        levels = {
            name: level_words(study.hierarchy(name), lo, hi)
            for name, lo, hi in zip(shape.names, shape.bottom, shape.top, strict=True)
        }
        counts = [len(work.bench.values(name)) for name in shape.sensitive]
        return cls(negotiator, levels, min(counts, default=0), state)

    @property
    def at_once(self) -> bool:
        """Whether all histograms are counted, and the lattice can be drawn."""
        return isinstance(self.negotiator.histograms, IndexedHistograms)


class NegotiationTalk:
    """One dialogue: the request, its answer, and the pictures beside it."""

    def __init__(self, work: Workspace, frame: Frame, ground: Prepared) -> None:
        self.work, self.frame, self.ground = work, frame, ground
        self.negotiator, self.shape = ground.negotiator, ground.negotiator.shape
        self.wish = NegotiationWish.reopened(work.wishes.get("negotiate"), self.shape)
        self.wish = replace(self.wish, metric=FrontierPanel.kept_metric(work))
        self.keeper = WishKeeper(work)
        self.earlier: list[NegotiationWish] = []
        self._resting: asyncio.Task[None] | None = None
        self._to_draw: tuple[Answer, NegotiationWish] | None = None
        self._drawing = self._asking = False

    def build(self) -> None:
        """Put everything on the page."""
        with ui.element("div").classes("negotiation") as self.place:
            with ui.element("div").classes("request"):
                self.controls = Controls(self)
            with ui.element("div").classes("views"):
                self.answer = AnswerPanel(self)
                self.frontier = FrontierPanel(self)
                self.lattice = LatticePanel(self)
        self.ask()
        ui.timer(0, self.rest, once=True)
        ui.timer(LOOK_AGAIN, self.look_again)

    def look_again(self) -> None:
        """Ask for what another window of the same study asks for now."""
        kept = self.work.wishes.get("negotiate")
        if kept is None or kept == self.wish.kept(self.shape):
            return
        if self.work.bench.state.study_key == self.ground.state.study_key:
            self._move_to(NegotiationWish.reopened(kept, self.shape))

    async def changed(self, wish: NegotiationWish) -> None:
        """Answer what the sliders ask for now; the browser shows them already."""
        self.wish = wish
        self.ask()
        self.rest_soon()

    async def take(self, wish: NegotiationWish) -> None:
        """Ask for something else than the sliders do, and move them there."""
        self.earlier = [*self.earlier[-EARLIER:], self.wish]
        self._move_to(wish)

    async def back(self) -> None:
        """Ask for what was asked before something was taken."""
        if self.earlier:
            self._move_to(self.earlier.pop())

    async def begin_again(self) -> None:
        """Ask for what is asked at first."""
        await self.take(NegotiationWish.first(self.shape))

    def _move_to(self, wish: NegotiationWish) -> None:
        self.wish = replace(wish.sound(self.shape), metric=self.frontier.metric)
        self.controls.put(self.wish)
        self.ask()
        self.rest_soon()

    def ask(self) -> None:
        """Ask, and show what changes while a slider moves."""
        if self.work.bench.state.study_key != self.ground.state.study_key:
            self.frame.changed_elsewhere()
            return
        self.keeper.keep(negotiate=self.wish.kept(self.shape))
        self.frontier.here(self.wish)
        if not self.wish.asks:
            self.answer.nothing()
        elif self.negotiator.at_once(self.wish.metric):
            try:
                self._show(self.negotiator.ask(**self.wish.asked(), trace=True))
            except ShoalError as problem:
                self.answer.refused(problem)
        else:
            self.answer.asking(self.wish)
            if not self._asking:
                self._asking = True
                background_tasks.create(self._ask_apart(), name="a request")

    async def _ask_apart(self) -> None:
        """Ask off the event loop, where an answer may take longer; what is asked last is answered."""
        try:
            wish = None
            while wish != self.wish and self.wish.asks:
                wish = self.wish
                found = await self.frame.attempt(self.negotiator.ask, at=self.place, **wish.asked())
                stay(self.place)
                if found is not None and wish == self.wish:
                    self._show(found)
                    await self.lattice.rest(found, wish)
        finally:
            self._asking = False

    def _show(self, found: Answer) -> None:
        self.answer.show(found, self.wish)
        self._to_draw = (found, self.wish)
        if not self._drawing:
            self._drawing = True
            background_tasks.create(self._draw(), name="a lattice")

    async def _draw(self) -> None:
        """Draw the lattice of the last answer, once the answer itself is on its way."""
        try:
            while self._to_draw is not None:
                await asyncio.sleep(AFTER)
                stay(self.place)
                (found, wish), self._to_draw = self._to_draw, None
                if self.shape.nodes <= DRAWN_AT_ONCE:
                    self.lattice.show(self.lattice.picture(found, wish))
                    continue
                drawn = await self.frame.attempt(self.lattice.picture, found, wish, at=self.place)
                stay(self.place)
                if drawn is not None:
                    self.lattice.show(drawn)
        finally:
            self._drawing = False

    def rest_soon(self) -> None:
        """Do what takes longer once nothing has moved for a while."""
        if self._resting is not None:
            self._resting.cancel()
        self._resting = background_tasks.create(self._rest_later(), name="a rest")

    async def _rest_later(self) -> None:
        await asyncio.sleep(REST)
        self._resting = None
        await self.rest()

    async def rest(self) -> None:
        """Say why the request fails, and bring tables and frontier up to date."""
        wish = self.wish
        stay(self.place)
        self.lattice.tell()
        if wish.asks:
            told = await self.frame.attempt(self.negotiator.explain, at=self.place, **wish.asked())
            stay(self.place)
            if told is not None and self.wish == wish:
                self.answer.explain(told.to_dict(), wish)
            await self.lattice.rest(self.answer.found, wish)
            stay(self.place)
        await self.frontier.follow(wish)

    async def go_to(self, node: dict[str, int], k: int | None = None) -> None:
        """Ask for a node of the lattice: for its levels at most, and its k where one is given."""
        wish = replace(self.wish, heights=node)
        await self.take(wish if k is None else replace(wish, k=k))
