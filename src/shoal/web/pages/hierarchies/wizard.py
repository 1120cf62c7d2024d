"""The wizard for a new hierarchy: intervals, masks, dates or categories, with a preview."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from shoal.describe.hierarchies import Hierarchy
from shoal.describe.hierarchies.date_forms import FORMS, forms_of
from shoal.errors import ShoalError
from shoal.web.pages import parts
from shoal.web.pages.frame import Frame, upper_first
from shoal.web.server.sentences import sentence
from shoal.web.workspace import descriptions
from shoal.web.workspace.state import Described
from shoal.web.workspace.workspace import Workspace

EXAMPLES = 6


class Wizard:
    """A dialog with a form for each kind; `taken` is called once a hierarchy is made."""

    def __init__(
        self, work: Workspace, frame: Frame, column: str, taken: Callable[[], Awaitable[None]]
    ) -> None:
        self.work, self.frame, self.column, self._taken = work, frame, column, taken
        self.profile = work.bench.look.profile(column)
        self.kind = descriptions.kind_for(str(work.bench.look.kind(column)["kind"]))
        self.forms: tuple[str, ...] = ()
        self.given = self._given()
        self.asked = 0

    def _given(self) -> dict[str, Any]:
        """What the forms contain at first: the present description, or what suits the values."""
        first = self.profile.first or ""
        given: dict[str, Any] = {
            "origin": "0",
            "widths": "5, 10, 20",
            "digits": str(len(first) or 5),
            "character": "*",
            "units": ["month", "year"],
            "form": None,
            "lines": "",
        }
        chosen = self.work.bench.column(self.column).hierarchy
        description = chosen.description if isinstance(chosen, Described) else {}
        if "intervals" in description:
            told = description["intervals"]
            widths = ", ".join(map(str, told["widths"]))
            given |= {"origin": str(told.get("origin", 0)), "widths": widths}
        elif "mask" in description:
            told = description["mask"]
            given |= {"digits": str(told["digits"]), "character": str(told.get("character", "*"))}
        elif "dates" in description:
            self.kind, told = "dates", description["dates"]
            given |= {"units": descriptions.units_of(told), "form": descriptions.form_of(told)}
        return given

    async def open(self) -> None:
        """Open the dialog."""
        self.forms = await self.frame.attempt(self._found_forms) or ()
        if self.forms and self.kind == "categories":
            self.kind = "dates"  # of which nobody can tell the form, or they would be known as dates
        if len(self.forms) == 1:
            self.given["form"] = self.given["form"] or self.forms[0]
        with parts.dialog(f"A new hierarchy for {self.column}", "wizard") as self.dialog:
            kinds = ui.toggle(dict(descriptions.KINDS), value=self.kind).props("no-caps unelevated")
            parts.named(kinds.classes("kinds"), "Kind of hierarchy")
            kinds.on_value_change(lambda event: self._turn(event.value))
            self.form = ui.element("div").classes("form")
            self.preview = ui.element("div").classes("preview").props("aria-live=polite")
            with parts.actions():
                self.take = parts.button("Use it", self._take, kind="main")
                parts.button("Cancel", self.dialog.close)
        await self._turn(self.kind)

    def _found_forms(self) -> tuple[str, ...]:
        values = (value for value in self.work.bench.values(self.column) if value is not None)
        return tuple(form.text for form in forms_of(values))

    async def _turn(self, kind: str) -> None:
        self.kind = kind
        self.form.clear()
        with self.form:
            {
                "intervals": self._intervals,
                "mask": self._mask,
                "dates": self._dates,
                "categories": self._categories,
            }[kind]()
        await self._show()

    def _field(self, key: str, label: str, note: str = "") -> None:
        field = ui.input(label, value=self.given[key]).props("outlined dense debounce=250")
        field.classes("wide-field")
        field.on_value_change(lambda event: self._changed(key, event.value or ""))
        if note:
            parts.note(note)

    async def _changed(self, key: str, value: Any) -> None:
        self.given[key] = value
        await self._show()

    def _intervals(self) -> None:
        self._field("origin", "The first interval begins at")
        self._field("widths", "Widths, from level to level", "Each is a multiple of the one before.")

    def _mask(self) -> None:
        self._field(
            "digits", "Characters in a value", "All values have as many; masking starts at the right."
        )
        self._field("character", "Masking character")

    def _dates(self) -> None:
        with parts.named(ui.element("div").props("role=group").classes("actions"), "Units of time"):
            for unit in descriptions.UNITS:
                box = ui.checkbox(unit, value=unit in self.given["units"])
                box.on_value_change(lambda event, unit=unit: self._unit(unit, bool(event.value)))

        known = dict.fromkeys((*self.forms, *FORMS, *filter(None, [self.given["form"]])))
        form = ui.select(list(known), label="How the dates are written", value=self.given["form"])
        form.props("outlined dense options-dense").classes("wide-field")
        form.on_value_change(lambda event: self._changed("form", event.value))

    async def _unit(self, unit: str, ticked: bool) -> None:
        units = [each for each in self.given["units"] if each != unit]
        await self._changed("units", [*units, unit] if ticked else units)

    def _categories(self) -> None:
        area = ui.textarea("Groups, one a line", value=self.given["lines"])
        area.props("outlined debounce=400 autogrow").classes("wide-area")
        area.on_value_change(lambda event: self._changed("lines", event.value or ""))
        parts.note(
            "Write name: value, value. Values in no group stay as they are; you can group them later in "
            "the tree. If you write nothing, all values start out directly under *."
        )

    def _description(self) -> dict[str, Any]:
        given = self.given
        if self.kind == "intervals":
            return descriptions.intervals(given["origin"], given["widths"])
        if self.kind == "mask":
            return descriptions.mask(given["digits"], given["character"])
        return descriptions.dates(given["units"], given["form"], self.forms)

    def _rows(self) -> list[tuple[str | None, ...]]:
        values = sorted(value for value in self.work.bench.values(self.column) if value is not None)
        return descriptions.categories(self.given["lines"], values)

    def _made(self) -> Hierarchy:
        if self.kind == "categories":
            return Hierarchy.from_rows(self._rows(), f"the hierarchy of {self.column}")
        return self.work.decisions.preview(self.column, self._description())

    async def _show(self) -> None:
        """Show what the form gives, or why it gives nothing; only the latest request counts."""
        self.asked += 1
        mine = self.asked
        found: Hierarchy | None = None
        trouble = ""
        try:
            found = await self.frame.ask(self._made)
        except ShoalError as problem:
            trouble = upper_first(sentence(problem))
        if mine != self.asked:
            return
        self.take.set_enabled(found is not None)
        self.preview.clear()
        with self.preview:
            if found is None:
                parts.hint(trouble)
            else:
                self._examples(found)

    def _examples(self, found: Hierarchy) -> None:
        leaves = len(found.leaves)
        places = sorted({round(i * (leaves - 1) / (EXAMPLES - 1)) for i in range(EXAMPLES)})
        headers = [f"Level {i} ({len(labels):,})" for i, labels in enumerate(found.labels)]
        parts.table("What some values become", headers, [found.row(place) for place in places])

    async def _take(self) -> None:
        def decide() -> None:
            if self.kind == "categories":
                self.work.decisions.list_hierarchy(self.column, self._rows())
            else:
                self.work.decisions.describe(self.column, self._description())

        if await self.frame.decide(decide):
            self.dialog.close()
            await self._taken()
