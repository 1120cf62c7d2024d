"""The thresholds: one for all sensitive values, and a table with a slider for each."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from shoal.numbers import percent
from shoal.web.pages import parts
from shoal.web.pages.controls.step_slider import StepSlider
from shoal.web.pages.optimizing.optimize_wish import (
    OptimizeWish,
    limit_steps,
    limit_words,
    uniform_steps,
    uniform_words,
)

if TYPE_CHECKING:
    from shoal.web.pages.optimizing.optimize_step import Optimization

MOST = 60
"""Values that have a slider; the others have the limit for all."""


class LimitsPanel:
    """How large a share of a group each value may have."""

    def __init__(self, page: Optimization) -> None:
        self.page = page
        self.sliders: dict[str, StepSlider] = {}
        self.steps_of: dict[str, list[Fraction]] = {}
        with parts.panel("How sure may anybody become?"):
            self.uniform = StepSlider("Largest share of any value", *self._uniform(), self._all_moved)
            with self.uniform:
                parts.term("l+-diversity", "Largest share of any value")
            with parts.actions():
                parts.button("By frequency", self.by_frequency, icon="bar_chart")
                parts.button("The same for all", self.same)
            parts.note(
                "By frequency: values rarer than the average have the limit above, more frequent ones a "
                "larger one in proportion."
            )
            self.warning = ui.element("div").classes("hint").props("role=status")
            with self.warning:
                self.words = parts.text("")
            self.place = ui.element("div").classes("table-wrap limits-box")
        self.draw()

    @property
    def wish(self) -> OptimizeWish:
        """What is wished for now."""
        return self.page.wish

    def _uniform(self) -> tuple[list[str], int]:
        self.steps = uniform_steps(self.wish.theta)
        # Where values have limits of their own, the one for all makes no l.
        words = limit_words if self.wish.own else uniform_words
        return [words(step) for step in self.steps], self.steps.index(self.wish.theta)

    def draw(self) -> None:
        """Draw the table of values anew."""
        self.place.clear()
        self.sliders, self.steps_of = {}, {}
        if not self.page.counted:
            with self.place:
                parts.waiting("Counting the values …")
            self.tell()
            return
        values, total = self.page.values, max(sum(self.page.values.values()), 1)
        with self.place, ui.element("table").classes("limits"):
            caption = f"Largest share of each value of {len(values)}"
            parts.label(caption, "caption").classes("unseen")
            with ui.element("thead"), ui.element("tr"):
                for words in ("value", "in the table", "at most, in a group"):
                    parts.label(words, "th").props("scope=col")
            with ui.element("tbody"):
                for value in list(values)[:MOST]:
                    with ui.element("tr"):
                        parts.label(value, "th").props("scope=row")
                        parts.label(percent(values[value] / total), "td")
                        with ui.element("td"):
                            self.sliders[value] = self._slider(value)
        if len(values) > MOST:
            with self.place:
                parts.note(
                    f"The other {len(values) - MOST:,} values, all rarer, have the limit for all."
                )
        self.tell()

    def _slider(self, value: str) -> StepSlider:
        return StepSlider(
            f"Largest share of {value}", *self._limit(value), partial(self._moved, value)
        ).classes("in-table")

    def _limit(self, value: str) -> tuple[list[str], int]:
        here = self.wish.own.get(value, self.wish.theta)
        steps = self.steps_of[value] = limit_steps(self.wish.theta, here)
        return [limit_words(step) for step in steps], steps.index(here)

    async def _moved(self, value: str, place: int) -> None:
        await self.page.changed(self.wish.limiting(value, self.steps_of[value][place]))

    async def _all_moved(self, place: int) -> None:
        await self.page.changed(replace(self.wish, theta=self.steps[place]))
        self.put()

    async def by_frequency(self) -> None:
        """Limit by the paper's rule."""
        column, theta = self.wish.sensitive, self.wish.theta
        if column is None:
            return
        ask = self.page.work.questions.limits_by_frequency
        limits = await self.page.frame.attempt(ask, column, str(theta))
        if limits is None:
            return
        own = {value: Fraction(limit) for value, limit in limits.items()}
        await self.page.changed(
            replace(self.wish, own={value: limit for value, limit in own.items() if limit != theta})
        )
        self.put()
        self.page.frame.say("Frequent values may be more frequent in groups too.")

    async def same(self) -> None:
        """Limit all values alike."""
        await self.page.changed(replace(self.wish, own={}))
        self.put()

    def put(self) -> None:
        """Move the sliders to what is wished for."""
        self.uniform.put(*self._uniform())
        for value, slider in self.sliders.items():
            slider.put(*self._limit(value))

    def tell(self) -> None:
        """Say where the limits cannot be kept, and whether the one for all makes an l."""
        self.uniform.put(*self._uniform())
        words = self.wish.impossible(list(self.page.values))
        self.warning.set_visibility(bool(words))
        self.words.set_content(words)
