"""A place to drop a file, which is sent to the API, so the API's limits also hold for pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from nicegui import ui
from nicegui.events import GenericEventArguments


class DropZone(ui.element, component="drop_zone.js"):
    """Sends a file; `on_taken` gets the id in the answer, `on_refused` the error.

    A file is sent by POST as it is; with a `form`, by PUT as a document: its text, or several files by name.
    Of the form `read`, nothing is sent: `on_taken` gets the text itself, of at most so many bytes.
    """

    def __init__(
        self,
        url: str,
        words: str,
        on_taken: Callable[[str], Awaitable[None]],
        on_refused: Callable[[str], None],
        *,
        note: str = "",
        accept: str = "",
        form: Literal["", "text", "files", "read"] = "",
        most: int = 0,
    ) -> None:
        super().__init__()
        method = "PUT" if form else "POST"
        self._props.update(url=url, words=words, note=note, accept=accept, method=method)
        self._props.update(small=bool(form), form=form, most=most)

        async def answered(event: GenericEventArguments) -> None:
            if event.args["error"]:
                on_refused(str(event.args["error"]))
            else:
                await on_taken(str(event.args["id"] or ""))

        self.on("answer", answered)
