"""The step Hierarchies: how each column becomes coarser; proposed, drawn, edited, imported, exported."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from shoal.errors import ShoalError
from shoal.web.pages import parts
from shoal.web.pages.frame import Frame
from shoal.web.pages.hierarchies.editor import Editor
from shoal.web.pages.roles_step import WORDS
from shoal.web.workspace.workspace import Workspace

USED = ("quasi", "sensitive")


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "How do values become coarser?",
        "Each column has a tree: its values at the bottom, groups above them, and * for all at the top. "
        "Shoal proposes one; change what does not fit.",
    )
    named, quasi = work.bench.state.columns, work.bench.quasi
    # The quasi columns need a hierarchy; others may have kept theirs.
    columns = [*quasi, *(n for n in named if n not in quasi and named[n].hierarchy is not None)]
    if not columns:
        frame.ask_for_quasi("coarsen")
        return
    shown = str(work.wishes.get("hierarchy", ""))
    await _Place(work, frame, columns).build(shown if shown in columns else columns[0])


class _Place:
    """The columns at the side, and the editor of the one that is chosen."""

    def __init__(self, work: Workspace, frame: Frame, columns: list[str]) -> None:
        self.work, self.frame, self.columns = work, frame, columns

    async def build(self, column: str) -> None:
        with ui.element("div").classes("with-side"):
            with ui.element("nav").props('aria-label="Columns"').classes("side"):
                self.side = ui.element("ul").classes("side-list")
            self.content = ui.element("div").classes("side-content")
        await self.show(column)

    async def _choose(self, column: str) -> None:
        """Show another column; choosing the same one again changes nothing."""
        if column != self.column:
            await self.show(column)

    async def show(self, column: str) -> None:
        self.column = column
        self.work.wishes.keep(hierarchy=column)
        self.tell()
        self.content.clear()
        with self.content:
            try:
                await Editor(self.work, self.frame, column, self.tell).build()
            except ShoalError as problem:
                self.frame.refuse(problem)

    def tell(self) -> None:
        """Redraw the list of columns."""
        if self.side.is_deleted:
            return
        self.side.clear()
        with self.side:
            for name in self.columns:
                self._entry(name)

    def _entry(self, name: str) -> None:
        roles = self.work.bench.column(name).roles
        role = next((r for r in WORDS if r.value in roles and r.value in USED), None)
        with ui.element("li"):
            entry = ui.element("button").classes("side-entry").props("type=button")
            if name == self.column:
                entry.props("aria-current=true")
            with entry.on("click", partial(self._choose, name), []):
                parts.label(name).classes("side-name")
                if role is not None:
                    sign = parts.label(f"{WORDS[role][2]} {WORDS[role][0].lower()}")
                    sign.classes(f"side-role role-{role.value}")
                else:
                    parts.label("kept, not used").classes("note")
