"""The sliders of the negotiation: k, l, rows to suppress, and the highest level of every attribute."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from shoal.web.pages import parts
from shoal.web.pages.controls.step_slider import StepSlider
from shoal.web.pages.negotiation.wish import (
    NegotiationWish,
    k_steps,
    k_words,
    l_steps,
    suppression_steps,
    suppression_words,
)

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk


class Controls:
    """What can be asked for."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.shape = talk.shape
        self._steps(talk.wish)
        with parts.panel("What you ask for"):
            self.k = self._slider("k-anonymity", "k: rows that look alike", "k", *self._k(talk.wish))
            self.l: StepSlider | None = None
            if self.shape.sensitive:
                self.l = self._slider(
                    "l-diversity", "l: different sensitive values", "l", *self._l(talk.wish)
                )
            self.suppressed = self._slider(
                "suppression", "Rows suppressed, at most", "suppressed", *self._suppressed(talk.wish)
            )
            with ui.element("div").classes("slide-title"):
                parts.term("level", "Highest level of each attribute")
            self.heights = {name: self._height(name, talk.wish) for name in self.shape.names}
            with ui.element("div").classes("actions"):
                self.earlier = parts.button("Back", talk.back, icon="undo", kind="quiet")
                parts.button("Begin again", talk.begin_again, icon="restart_alt", kind="quiet")

    def _steps(self, wish: NegotiationWish) -> None:
        rows = self.shape.rows
        self.ks = k_steps(rows, wish.k, off=bool(self.shape.sensitive))
        self.ls = l_steps(self.talk.ground.values, wish.l)
        self.limits = suppression_steps(rows, wish.suppressed)

    def _k(self, wish: NegotiationWish) -> tuple[list[str], int]:
        return [k_words(k) for k in self.ks], self.ks.index(wish.k)

    def _l(self, wish: NegotiationWish) -> tuple[list[str], int]:
        return [k_words(step) for step in self.ls], self.ls.index(wish.l)

    def _suppressed(self, wish: NegotiationWish) -> tuple[list[str], int]:
        words = [suppression_words(limit, self.shape.rows) for limit in self.limits]
        return words, self.limits.index(wish.suppressed)

    def _slider(self, term: str, name: str, field: str, words: list[str], place: int) -> StepSlider:
        slider = StepSlider(name, words, place, partial(self._moved, field))
        with slider:
            parts.term(term, name)
        return slider

    async def _moved(self, field: str, place: int) -> None:
        steps = {"k": self.ks, "l": self.ls, "suppressed": self.limits}[field]
        change: dict[str, Any] = {field: steps[place]}
        await self.talk.changed(replace(self.talk.wish, **change))

    def _height(self, name: str, wish: NegotiationWish) -> StepSlider:
        lo = self.shape.bottom[self.shape.names.index(name)]
        slider = StepSlider(
            f"Highest level of {name}",
            self.talk.ground.levels[name],
            wish.heights[name] - lo,
            partial(self._height_moved, name, lo),
        )
        with slider.classes("compact"):
            parts.label(name).classes("slide-name")
        return slider

    async def _height_moved(self, name: str, lo: int, place: int) -> None:
        heights = {**self.talk.wish.heights, name: lo + place}
        await self.talk.changed(replace(self.talk.wish, heights=heights))

    def put(self, wish: NegotiationWish) -> None:
        """Move all sliders to a request."""
        self._steps(wish)
        self.k.put(*self._k(wish))
        if self.l is not None:
            self.l.put(*self._l(wish))
        self.suppressed.put(*self._suppressed(wish))
        for a, (name, slider) in enumerate(self.heights.items()):
            slider.put(self.talk.ground.levels[name], wish.heights[name] - self.shape.bottom[a])
