"""A slider over named steps: a range input, so keyboard and screen readers know it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

THROTTLE = 0.03
"""Seconds between two moves that the server hears of; the last is always heard."""


class StepSlider(ui.element, component="step_slider.js"):
    """Stands at one of some steps that are shown in words; what is put inside stands before the words."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        place: int,
        on_move: Callable[[int], Awaitable[None] | None],
    ) -> None:
        super().__init__()
        self._props.update(name=name, words=list(words), place=place, version=0)

        def moved(event: GenericEventArguments) -> Awaitable[None] | None:
            # Not sent back: the browser is there already.
            place = min(max(int(event.args), 0), len(self._props["words"]) - 1)
            self._props["place"] = place
            return on_move(place)

        self.on("moved", moved, throttle=THROTTLE)

    def put(self, words: Sequence[str], place: int) -> None:
        """Stand at another step, of other steps if need be."""
        self._props.update(words=list(words), place=place, version=self._props["version"] + 1)
        self.update()
