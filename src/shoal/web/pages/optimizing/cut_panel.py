"""The cut drawn on the hierarchies: what is released of every attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nicegui import ui

from shoal.present.charts.tree_chart import tree
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.frame import Frame
from shoal.web.workspace.trees import Node
from shoal.web.workspace.workspace import Workspace


class CutsPanel:
    """A tree for every attribute, with the cut through it."""

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self.trees: dict[str, Node] = {}
        self.figures: dict[str, ShownPicture] = {}
        self.titles: dict[str, ui.html] = {}
        self.shown: dict[str, tuple[str | None, ...]] = {}
        self.last: Mapping[str, Sequence[str | None]] | None = None
        with parts.panel("What is released") as self.panel:
            with ui.element("p").classes("note"):
                parts.term("cut", "The cut through each hierarchy")
                parts.label(": ◆ values are released, ○ values are split into finer ones.")
            self.place = ui.element("div").classes("trees")
        self.panel.set_visibility(False)

    async def prepare(self, frame: Frame) -> None:
        """Count the rows below every node, once; then draw the cut that was to be shown."""
        await frame.attempt(self._count, at=self.panel)
        if not self.panel.is_deleted and self.last is not None:
            self.show(self.last)

    def _count(self) -> None:
        for name in self.work.bench.quasi:
            if name not in self.trees:
                self.trees[name] = self.work.decisions.tree(name)

    def clear(self) -> None:
        """Show no cut."""
        self.last = None
        self.panel.set_visibility(False)

    def show(self, cut: Mapping[str, Sequence[str | None]]) -> None:
        """Draw a cut; only attributes that are cut otherwise than before are drawn anew."""
        self.last = cut
        self.panel.set_visibility(True)
        for name, labels in cut.items():
            if name not in self.trees:  # still being counted
                continue
            if self.shown.get(name) == tuple(labels):
                continue
            self.shown[name] = tuple(labels)
            picture = tree(self.trees[name], labels, name)
            words = "1 value" if len(labels) == 1 else f"{len(labels):,} values"
            if name in self.figures:
                self.figures[name].show(picture)
                self.titles[name].set_content(words)
                continue
            with self.place, ui.element("section").classes("tree-one"):
                with ui.element("h3"):
                    parts.label(name)
                    self.titles[name] = parts.label(words).classes("note")
                self.figures[name] = ShownPicture(picture)
