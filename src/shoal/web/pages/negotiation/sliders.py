"""The sliders of the negotiation: k, l, rows to suppress, and the highest level of every attribute."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from shoal.errors import ShoalError
from shoal.web.pages import parts
from shoal.web.pages.controls.step_slider import StepSlider
from shoal.web.pages.negotiation.wish import (
    NegotiationWish,
    k_steps,
    k_words,
    l_steps,
    suppression_steps,
    suppression_words,
    typed_number,
    typed_rows,
)

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk


NAMES = {
    "k": ("k-anonymity", "k: rows that look alike"),
    "l": ("l-diversity", "l: different sensitive values"),
    "suppressed": ("suppression", "Rows suppressed, at most"),
}
"""The term and the name of what is asked for, by its name in a wish."""

PREFERRED = {"loss": "the way that loses least", "height": "the least coarsening, step by step"}
"""What may be preferred, in words."""


class Controls:
    """What can be asked for."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.shape = talk.shape
        self._steps(talk.wish)
        with parts.panel("What you ask for"):
            fields = [field for field in NAMES if field != "l" or self.shape.sensitive]
            self.sliders = {field: self._slider(field) for field in fields}
            with ui.element("div").classes("slide-title"):
                parts.term("level", "Highest level of each column")
            self.heights = {name: self._height(name, talk.wish) for name in self.shape.names}
            self.prefer = parts.select(
                "Of what is allowed, choose", PREFERRED, talk.wish.prefer, self._preferred
            )
            with parts.actions():
                self.earlier = parts.button("Back", talk.back, icon="undo", kind="quiet")
                parts.button("Begin again", talk.begin_again, icon="restart_alt", kind="quiet")

    def _steps(self, wish: NegotiationWish) -> None:
        rows = self.shape.rows
        self.steps = {
            "k": k_steps(rows, wish.k, off=bool(self.shape.sensitive)),
            "l": l_steps(self.talk.ground.values, wish.l),
            "suppressed": suppression_steps(rows, wish.suppressed),
        }

    def _at(self, field: str, wish: NegotiationWish) -> tuple[list[str], int]:
        """Return the steps of a slider in words, and the one at which it stands."""
        steps, words = self.steps[field], k_words
        if field == "suppressed":
            words = partial(suppression_words, rows=self.shape.rows)
        return [words(step) for step in steps], steps.index(getattr(wish, field))

    def _fields(self, field: str) -> list[str]:
        """Return what the field beside a slider holds at each step."""
        return [str(step) if step or field == "suppressed" else "" for step in self.steps[field]]

    def _slider(self, field: str) -> StepSlider:
        term, name = NAMES[field]
        slider = StepSlider(
            name,
            *self._at(field, self.talk.wish),
            partial(self._moved, field),
            fields=self._fields(field),
            on_typed=partial(self._typed, field),
            empty="rows or %" if field == "suppressed" else "none",
        )
        with slider:
            parts.term(term, name)
        return slider

    async def _typed(self, field: str, text: str) -> None:
        """Ask for what was typed, which may lie between two steps."""
        rows = self.shape.rows
        try:
            if field == "suppressed":
                number = typed_rows(text, rows)
            elif field == "k":
                number = typed_number(text, min(2, rows), rows, off=bool(self.talk.wish.l))
            else:
                number = typed_number(text, 2, max(self.talk.ground.values, 2), off=True)
        except ShoalError as problem:
            self.talk.frame.refuse(problem)
            self.put(self.talk.wish)
            return
        change: dict[str, Any] = {field: number}
        await self.talk.changed(replace(self.talk.wish, **change))
        self.put(self.talk.wish)

    async def _moved(self, field: str, place: int) -> None:
        change: dict[str, Any] = {field: self.steps[field][place]}
        await self.talk.changed(replace(self.talk.wish, **change))

    async def _preferred(self, prefer: str) -> None:
        if prefer != self.talk.wish.prefer:
            await self.talk.changed(replace(self.talk.wish, prefer=prefer))

    def _height(self, name: str, wish: NegotiationWish) -> StepSlider:
        lo = self.shape.bottom[self.shape.names.index(name)]
        slider = StepSlider(
            f"Highest level of {name}",
            self.talk.ground.levels[name],
            wish.heights[name] - lo,
            partial(self._height_moved, name, lo),
        )
        with slider.classes("compact"):
            parts.label(name).classes("slide-name").props["title"] = name
        return slider

    async def _height_moved(self, name: str, lo: int, place: int) -> None:
        heights = {**self.talk.wish.heights, name: lo + place}
        await self.talk.changed(replace(self.talk.wish, heights=heights))

    def put(self, wish: NegotiationWish) -> None:
        """Move all sliders to a request."""
        self._steps(wish)
        self.prefer.set_value(wish.prefer)
        for field, moved in self.sliders.items():
            moved.put(*self._at(field, wish), self._fields(field))
        for a, (name, slider) in enumerate(self.heights.items()):
            slider.put(self.talk.ground.levels[name], wish.heights[name] - self.shape.bottom[a])
