"""A slider over named steps: a range input, which keyboards and screen readers know, and a field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

THROTTLE = 0.03
"""Seconds between two moves sent to the server; the last is always sent."""


class StepSlider(ui.element, component="step_slider.js"):
    """A slider at one of several steps, shown in words; content put inside comes before the words.

    With `fields`, a text for each step, there is a field beside it; `on_typed` gets what is typed there.
    """

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        place: int,
        on_move: Callable[[int], Awaitable[None] | None],
        *,
        fields: Sequence[str] | None = None,
        on_typed: Callable[[str], Awaitable[None] | None] | None = None,
        empty: str = "",
    ) -> None:
        super().__init__()
        self._props.update(name=name, words=list(words), place=place, version=0, empty=empty)
        self._props["fields"] = None if fields is None else list(fields)

        def moved(event: GenericEventArguments) -> Awaitable[None] | None:
            # Not sent back: the browser already shows it.
            place = min(max(int(event.args), 0), len(self._props["words"]) - 1)
            self._props["place"] = place
            return on_move(place)

        def typed(event: GenericEventArguments) -> Awaitable[None] | None:
            return on_typed(str(event.args)[:40]) if on_typed is not None else None

        self.on("moved", moved, throttle=THROTTLE)
        self.on("typed", typed)

    def put(self, words: Sequence[str], place: int, fields: Sequence[str] | None = None) -> None:
        """Move to another step, with other steps if need be."""
        self._props.update(words=list(words), place=place, version=self._props["version"] + 1)
        if fields is not None:
            self._props["fields"] = list(fields)
        self.update()
