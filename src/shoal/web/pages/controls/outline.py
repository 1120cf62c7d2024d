"""A hierarchy as an outline with counts, whose nodes can be chosen."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from nicegui.events import GenericEventArguments

from shoal.web.workspace.trees import Node, node_at, pruned


class Outline(ui.element, component="outline.js"):
    """Shows a tree of `shoal.web.workspace.trees`; `on_select` gets the places of the chosen nodes."""

    def __init__(self, tree: Node, name: str, on_select: Callable[[list[str]], None]) -> None:
        super().__init__()
        self.tree = tree
        self._props.update(tree=pruned(tree), total=tree["rows"], name=name)

        def selected(event: GenericEventArguments) -> None:
            on_select([str(place) for place in event.args])

        self.on("select", selected)
        self.on("unfold", self._unfold)

    def _unfold(self, event: GenericEventArguments) -> None:
        place = str(event.args)
        self.run_method("graft", place, pruned(node_at(self.tree, place)))

    def show(self, tree: Node, chosen: list[str]) -> None:
        """Show another tree with some nodes chosen and unfolded; what was unfolded stays so."""
        self.tree = tree
        self._props.update(tree=pruned(tree), total=tree["rows"], kept=chosen)
        self.update()
