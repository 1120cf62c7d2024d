"""A slider over named steps: a range input, which keyboards and screen readers know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

THROTTLE = 0.03
"""Seconds between two moves sent to the server; the last is always sent."""


class StepSlider(ui.element, component="step_slider.js"):
    """A slider at one of several steps, shown in words; content put inside comes before the words."""

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
            # Not sent back: the browser already shows it.
            place = min(max(int(event.args), 0), len(self._props["words"]) - 1)
            self._props["place"] = place
            return on_move(place)

        self.on("moved", moved, throttle=THROTTLE)

    def put(self, words: Sequence[str], place: int) -> None:
        """Move to another step, with other steps if need be."""
        self._props.update(words=list(words), place=place, version=self._props["version"] + 1)
        self.update()
