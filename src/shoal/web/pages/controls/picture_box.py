"""Shows a picture in which something can be chosen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.events import GenericEventArguments


class PictureBox(ui.element, component="picture_box.js"):
    """A picture with an overlay; `on_choice` gets the point or node that is chosen."""

    def __init__(
        self, svg: str, on_choice: Callable[[str], Awaitable[None] | None] | None = None
    ) -> None:
        super().__init__()
        self._props.update(svg=svg, over="")

        def chosen(event: GenericEventArguments) -> Awaitable[None] | None:
            return on_choice(str(event.args)) if on_choice is not None else None

        self.on("chosen", chosen)

    def show(self, svg: str | None = None, over: str | None = None) -> None:
        """Show another picture or another overlay."""
        changes = {name: new for name, new in (("svg", svg), ("over", over)) if new is not None}
        if any(self._props[name] != new for name, new in changes.items()):
            self._props.update(changes)
            self.update()
