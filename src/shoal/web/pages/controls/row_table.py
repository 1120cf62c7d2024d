"""A table of all rows before and after a pinned solution, of which the browser fetches those in sight."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui


class RowTable(ui.element, component="row_table.js"):
    """Reads rows from an address of the API; its reader chooses the order."""

    def __init__(self, url: str, columns: Sequence[str], name: str) -> None:
        super().__init__()
        self._props.update(url=url, columns=list(columns), name=name)
