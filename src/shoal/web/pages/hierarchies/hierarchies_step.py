"""The step Hierarchies: how each column becomes coarser; proposed, drawn, edited, imported, exported."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from shoal.errors import ShoalError
from shoal.web.pages import parts
from shoal.web.pages.controls.drop_zone import DropZone
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
            with ui.element("div").classes("side"):
                nav = ui.element("nav").props('aria-label="Columns"')
                with nav, ui.element("ul").classes("side-list"):
                    self.entries = {name: self._entry(name) for name in self.columns}
                self._several()
            self.content = ui.element("div").classes("side-content")
        await self.show(column)

    def _several(self) -> None:
        async def taken(_: str) -> None:
            self.frame.changed()
            self.frame.say(
                "The hierarchies were imported, each for the column that its file is named after."
            )
            await self.show(self.column)

        DropZone(
            f"/api/studies/{self.work.key}/hierarchies",
            "Import several: drop files here",
            taken,
            self.frame.refuse,
            note="each is named like its column, such as age.csv",
            accept=".csv,.txt,.tsv",
            form="files",
        )

    async def _choose(self, column: str) -> None:
        """Show another column; choosing the same one again changes nothing."""
        if column != self.column:
            await self.show(column)

    async def show(self, column: str) -> None:
        self.column = column
        self.work.wishes.keep(hierarchy=column)
        # The entries stay the same elements: the server drops clicks on elements that it has replaced.
        for name, entry in self.entries.items():
            if name == column:
                entry.props("aria-current=true")
            else:
                entry.props(remove="aria-current")
        self.content.clear()
        with self.content:
            try:
                await Editor(self.work, self.frame, column).build()
            except ShoalError as problem:
                self.frame.refuse(problem)

    def _entry(self, name: str) -> ui.element:
        roles = self.work.bench.column(name).roles
        role = next((r for r in WORDS if r.value in roles and r.value in USED), None)
        with ui.element("li"):
            entry = ui.element("button").classes("side-entry").props("type=button")
            with entry.on("click", partial(self._choose, name), []):
                parts.label(name).classes("side-name")
                if role is not None:
                    sign = parts.label(f"{WORDS[role][2]} {WORDS[role][0].lower()}")
                    sign.classes(f"side-role role-{role.value}")
                else:
                    parts.label("kept, not used").classes("note")
        return entry
