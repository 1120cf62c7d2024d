"""The editor of one column's hierarchy: its tree with counts, the edits, its levels."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError, ShoalError
from shoal.web.pages import parts
from shoal.web.pages.controls.drop_zone import DropZone
from shoal.web.pages.controls.outline import Outline
from shoal.web.pages.frame import Frame
from shoal.web.pages.hierarchies.wizard import Wizard
from shoal.web.workspace.descriptions import in_words
from shoal.web.workspace.state import Described, Listed
from shoal.web.workspace.trees import (
    Node,
    OutlineSpot,
    labelled,
    level_to_group,
    moved,
    spots,
    tree_of,
)
from shoal.web.workspace.workspace import Workspace


class Editor:
    """The hierarchy of one column."""

    def __init__(self, work: Workspace, frame: Frame, column: str) -> None:
        self.work, self.frame, self.column = work, frame, column
        self.spots: dict[str, OutlineSpot] = {}
        self.chosen: list[OutlineSpot] = []

    async def build(self) -> None:
        """Put the editor here."""
        with ui.element("div").classes("title-row"):
            with ui.element("div"):
                parts.label(self.column, "h2").classes("editor-title")
                if label := self.work.bench.look.profile(self.column).label:
                    parts.label(label)
                self.origin = parts.note("")
            with parts.actions():
                parts.button("New hierarchy…", self._wizard, icon="auto_fix_high")
                parts.button("As proposed", self._propose, icon="restart_alt", kind="quiet")
        self.panel = ui.element("div").classes("step")
        await self.draw()

    async def draw(self) -> None:
        """Draw the tree and the levels as they are now."""
        self.panel.clear()
        with self.panel:
            parts.waiting("Counting the rows below every node")
        tree, hierarchy = await self.frame.ask(self._read)
        if self.panel.is_deleted:  # another column or step was opened meanwhile
            return
        self._tell_origin()
        self.panel.clear()
        with self.panel:
            if tree is None or hierarchy is None:
                self._none()
            else:
                self._tree(tree)
                with parts.row():
                    self.levels = ui.element("div")
                    self._levels(hierarchy)
                    self._files()

    def _read(self) -> tuple[Node | None, Hierarchy | None]:
        if self.work.bench.column(self.column).hierarchy is None:
            return None, None
        counts = self.work.bench.values(self.column)
        hierarchy = self.work.decisions.hierarchy(self.column)
        shown = hierarchy.with_missing() if counts.get(None) else hierarchy
        return tree_of(shown, counts), hierarchy

    def _tell_origin(self) -> None:
        chosen = self.work.bench.column(self.column).hierarchy
        words = "Listed value by value."
        if isinstance(chosen, Listed) and (note := self._note(chosen)):
            words += f" {note}: give the groups meaningful names, because these are released."
        if chosen is None:
            words = "There is no hierarchy yet."
        elif isinstance(chosen, Described):
            told = in_words(chosen.description)
            words = f"Described: {told}. It also covers values that come later."
        self.origin.set_content(escape(words))

    def _note(self, chosen: Listed) -> str:
        """Return how the values were grouped, if the hierarchy is still the proposed one."""
        for guess in self.work.bench.look.guesses:
            if guess.column == self.column and guess.note and guess.rows is not None:
                same = Listed.keep(self.work.bench.folder, guess.rows) == chosen
                return guess.note.partition(";")[0] if same else ""
        return ""

    def _none(self) -> None:
        with parts.panel("No hierarchy yet"):
            parts.text("Make one, import one, or take the proposed one.")
            self._drop()

    def _tree(self, tree: Node) -> None:
        self.tree = tree
        self.spots = spots(tree)
        note = "Choose nodes (click, or arrows and Space), then say what to do with them."
        with parts.panel("The tree", note):
            with ui.element("div").classes("actions edits").props("role=toolbar aria-label=Edits"):
                self.tools = {
                    "rename": parts.button("Rename", self._rename),
                    "group": parts.button("Group", self._group),
                    "split": parts.button("Split", self._split),
                    "up": parts.button("Move up", partial(self._move, -1)),
                    "down": parts.button("Move down", partial(self._move, 1)),
                }
                self.told = parts.label("").classes("note").props("role=status")
            with ui.element("div").classes("outline-head").props("aria-hidden=true"):
                parts.label("value or group")
                parts.label("rows")
            name = f"Hierarchy of {self.column}"
            self.outline = Outline(self._labelled(tree), name, self._select)
        self._select([])

    def _labelled(self, tree: Node) -> Node:
        """Return the tree as people read it; places and edits are those of the tree itself."""
        return labelled(tree, self.work.bench.look.profile(self.column).labels)

    def _select(self, places: list[str]) -> None:
        self.chosen = [self.spots[place] for place in places if place in self.spots]
        one = self.chosen[0] if len(self.chosen) == 1 else None
        root = any(spot.lowest == self.tree["level"] for spot in self.chosen)
        inner = one is not None and one.lowest > 0
        can = {
            "rename": inner,
            "group": bool(self.chosen) and not root,
            "split": inner and not root,
            **dict.fromkeys(("up", "down"), one is not None and not root),
        }
        for name, button in self.tools.items():
            button.set_enabled(can[name])
        self.told.set_content(f"{len(self.chosen)} chosen" if self.chosen else "")

    async def _edit(self, operation: str, keep: Label = None, **options: Any) -> None:
        """Edit the hierarchy and show it, with the node called `keep` chosen and unfolded."""
        if not await self.frame.decide(
            self.work.decisions.edit_hierarchy, self.column, operation, **options
        ):
            return
        tree, hierarchy = await self.frame.ask(self._read)
        if self.panel.is_deleted:
            return
        assert tree is not None
        assert hierarchy is not None
        self.tree, self.spots = tree, spots(tree)
        self._tell_origin()
        level = options["level"]
        kept = [
            place
            for place, spot in self.spots.items()
            if keep is not None and spot.label == keep and spot.highest >= level
        ]
        self.outline.show(self._labelled(tree), kept[:1])
        self._levels(hierarchy)

    def _rename(self) -> None:
        spot = self.chosen[0]

        async def taken(name: str) -> None:
            await self._edit("rename", keep=name, level=spot.lowest, label=spot.label, name=name)

        parts.ask_name(f"Rename {spot.label}", "New name", str(spot.label), "Rename", taken)

    def _group(self) -> None:
        chosen = list(self.chosen)
        try:
            level = level_to_group(chosen)
        except ShoalError as problem:
            self.frame.refuse(problem)
            return

        async def taken(name: str) -> None:
            labels = [each.label for each in chosen]
            await self._edit("group", keep=name, level=level, labels=labels, name=name)

        words = f"Group {len(chosen)} nodes" if len(chosen) > 1 else f"Group {chosen[0].label}"
        parts.ask_name(words, "Name of the group: a new or an existing one", "", "Group", taken)

    async def _split(self) -> None:
        spot = self.chosen[0]
        await self._edit("split", level=spot.lowest, label=spot.label)

    async def _move(self, by: int) -> None:
        spot = self.chosen[0]
        try:
            hierarchy = await self.frame.ask(self.work.decisions.hierarchy, self.column)
            if spot.label not in hierarchy.labels[spot.highest]:
                raise InputError("missing values are not listed, so they always come last")
            labels = moved(hierarchy.labels[spot.highest], spot, by)
        except ShoalError as problem:
            self.frame.refuse(problem)
            return
        await self._edit("reorder", keep=spot.label, level=spot.highest, labels=labels)

    def _levels(self, hierarchy: Hierarchy) -> None:
        column = self.work.bench.column(self.column)
        self.levels.clear()
        with self.levels, parts.panel("Levels"):
            with ui.element("ol").classes("levels").props("start=0"):
                for level, labels in enumerate(hierarchy.labels):
                    self._level(level, [label or "missing" for label in labels], hierarchy.height)
            if "quasi" in column.roles:
                self._allowed(hierarchy.height)

    def _level(self, level: int, labels: list[str], height: int) -> None:
        with ui.element("li"):
            words = "all the same" if len(labels) == 1 else f"{len(labels):,} different"
            shown = parts.listed([*labels[:4], *(["…"] if len(labels) > 4 else [])])
            with ui.element("div"):
                parts.label(f"Level {level}: {words}").classes("level-name")
                parts.label(shown if len(shown) < 90 else shown[:89] + "…").classes("note")
            if 0 < level < height:
                drop = parts.button(
                    "Remove", partial(self._edit, "drop_level", level=level), kind="quiet"
                )
                parts.named(drop, f"Remove level {level}")

    def _allowed(self, height: int) -> None:
        """Let the curator choose which levels a release may use."""
        column = self.work.bench.column(self.column)
        levels = {level: f"level {level}" for level in range(height + 1)}
        with parts.actions():
            lowest = ui.select(levels, label="Release at least", value=column.min_level)
            highest = ui.select(
                {**levels, height: f"level {height} (all the same)"},
                label="and at most",
                value=height if column.max_level is None else column.max_level,
            )
            weight = ui.input("A loss here counts", value=column.weight).props("outlined dense")
            weight.tooltip("1 is as much as in other columns, 2 twice as much, 1/2 half as much")
        for select in (lowest, highest, weight):
            select.props("outlined dense").classes("level-select")

        async def weigh() -> None:
            told = (weight.value or "1").strip()
            if await self.frame.decide(self.work.decisions.set_weight, self.column, told):
                self.frame.say(f"A loss in {self.column} now counts {told} times.")
            else:
                weight.set_value(self.work.bench.column(self.column).weight)

        weight.on("change", weigh)

        async def allow() -> None:
            most = None if highest.value == height else highest.value
            if not await self.frame.decide(
                self.work.decisions.set_levels, self.column, lowest.value, most
            ):
                await self.draw()

        lowest.on_value_change(allow)
        highest.on_value_change(allow)

    def _files(self) -> None:
        with parts.panel("As a file"):
            with ui.element("p").classes("note"):
                parts.term("ARX form", "In the ARX form.")
                parts.label(" One line for each value, from the value to *, separated by ;.")
            with parts.actions():
                parts.button("Export", self._export, icon="download")
            self._drop()

    def _drop(self) -> None:
        async def taken(_: str) -> None:
            self.frame.changed()
            await self.draw()
            self.frame.say(f"The hierarchy of {self.column} was imported.")

        query = urlencode({"column": self.column})
        DropZone(
            f"/api/studies/{self.work.key}/hierarchy?{query}",
            "Import: drop a hierarchy here, or choose one",
            taken,
            self.frame.refuse,
            accept=".csv,.txt,.tsv",
            form="text",
        )

    async def _export(self) -> None:
        text = await self.frame.attempt(self.work.decisions.export_hierarchy, self.column)
        if text is not None:
            kept = "".join(mark if mark.isalnum() or mark in "-_" else "-" for mark in self.column)[:60]
            ui.download.content(text.encode(), f"{kept or 'hierarchy'}.csv", "text/csv")

    async def _propose(self) -> None:
        if await self.frame.decide(self.work.decisions.propose_again, self.column):
            await self.draw()

    async def _wizard(self) -> None:
        await Wizard(self.work, self.frame, self.column, self.draw).open()
