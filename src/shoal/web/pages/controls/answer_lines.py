"""Answers in a list, the one that loses least first: each can be released or pinned at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nicegui import ui

from shoal.web.pages import parts


@dataclass(frozen=True)
class AnswerLine:
    """One line: its title, what it says, and what its buttons do."""

    title: str
    says: Any
    """What is drawn, so that a line that says the same is known."""
    draw: Callable[[], None] = field(compare=False)
    release: Callable[[], Any] = field(compare=False)
    pin: Callable[[], Any] = field(compare=False)


@dataclass(frozen=True)
class _Drawn:
    line: AnswerLine
    place: ui.element
    release: ui.button


class AnswerLines:
    """A list of answers.

    A line that says the same stays the same element, wherever it moves. The server drops a click on an
    element that it has replaced: who clicked just when another answer arrived would have clicked in vain.
    """

    def __init__(self, name: str) -> None:
        self.list = ui.element("ol").classes("ways").props(f'aria-label="{name}"')
        self._drawn: dict[str, _Drawn] = {}

    def show(self, lines: Sequence[AnswerLine]) -> None:
        """Show these lines in this order."""
        wanted = {line.title: line for line in lines}
        for title, old in list(self._drawn.items()):
            if wanted.get(title) != old.line:
                old.place.delete()
                del self._drawn[title]
        for i, line in enumerate(lines):
            if line.title not in self._drawn:
                self._drawn[line.title] = self._draw(line)
            drawn = self._drawn[line.title]
            if self.list.default_slot.children[i] is not drawn.place:
                drawn.place.move(target_index=i)
            if i == 0:
                drawn.place.classes("first")
                drawn.release.classes("main", remove="plain")
            else:
                drawn.place.classes(remove="first")
                drawn.release.classes("plain", remove="main")

    def _draw(self, line: AnswerLine) -> _Drawn:
        with self.list, ui.element("li").classes("way") as place:
            line.draw()
            with parts.actions():
                release = parts.button("Release", line.release, icon="verified")
                parts.named(release, f"Release: {line.title}")
                pin = parts.button("Pin", line.pin, icon="push_pin")
                parts.named(pin, f"Pin: {line.title}")
        return _Drawn(line, place, release)
