"""Pictures on a page, each with a table of its data below."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from shoal.present.charts.svg import Picture, Table
from shoal.web.pages import parts
from shoal.web.pages.controls.picture_box import PictureBox


class ShownPicture:
    """A picture that can be redrawn; its table can follow later."""

    def __init__(
        self,
        picture: Picture,
        on_choice: Callable[[str], Awaitable[None] | None] | None = None,
        legend: str = "",
    ) -> None:
        with ui.element("figure").classes("chart"):
            self.box = PictureBox(picture.svg, on_choice)
            if legend:
                ui.html(legend, sanitize=False, tag="div")
            with parts.details(f"{picture.table.caption}: as a table"):
                self.table = parts.scrolling(picture.table.caption, _html(picture.table))

    def show(self, picture: Picture, *, table: bool = True) -> None:
        """Draw another picture."""
        self.box.show(picture.svg)
        if table:
            self.tell(picture.table)

    def over(self, svg: str) -> None:
        """Draw something over the picture."""
        self.box.show(over=svg)

    def tell(self, table: Table) -> None:
        """Update the table to what the picture shows."""
        self.table.set_content(_html(table))


def _html(table: Table) -> str:
    shown = parts.table_html(table.caption, table.head, table.rows, table.numeric)
    return shown + (f'<p class="note">{table.more:,} more rows are not shown.</p>' if table.more else "")
