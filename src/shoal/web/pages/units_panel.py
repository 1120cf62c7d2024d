"""Whom the rows stand for, on the step Roles: persons, households, and the population of a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from shoal.numbers import count
from shoal.web.pages import parts
from shoal.web.pages.frame import Frame
from shoal.web.workspace.workspace import Workspace

DRAWN = {
    "": "Nothing is known, or everybody is in the table",
    "sample_weight": "A sample: a column says how many persons each row stands for",
    "population_size": "A sample: I know how many persons the population has",
    "sampling_fraction": "A sample: I know which part of the population is in the table",
}
"""How a table may have been drawn, by the entry of a study that says it."""
_LABELS = {
    "sample_weight": "The column of the weights",
    "population_size": "Persons in the population",
    "sampling_fraction": "Part in the table, such as 0.01 or 1%",
}


class UnitsPanel:
    """The controls; every choice is a step that undo can reverse. `changed` is called after each."""

    def __init__(self, work: Workspace, frame: Frame, changed: Callable[[], None]) -> None:
        self.work, self.frame, self.changed = work, frame, changed
        with parts.panel(
            "Whom do the rows stand for?",
            "Say it if a person has several rows, if persons live together, or if the table is a sample.",
        ) as panel:
            panel.classes("units")
            # Most tables have one row a person: there the columns are what to look at.
            with parts.details("Persons, households, samples", opened=self._matters()):
                self._controls()

    def _matters(self) -> bool:
        """Whether something is said or proposed."""
        look, kept = self.work.bench.look, self.work.wishes.get("population")
        return bool(
            self.work.bench.state.units or look.persons or look.households or look.sample_weight or kept
        )

    def _controls(self) -> None:
        columns = list(self.work.bench.state.columns)
        self.persons = ui.select(
            columns,
            multiple=True,
            clearable=True,
            label="Rows are about one person if they agree in",
            value=list(self.work.bench.state.persons),
        )
        self.persons.props("outlined dense options-dense use-chips")
        self.persons.on_value_change(lambda event: self._say(persons=list(event.value or ())))
        parts.note(_about_persons(self.work))
        self.households = ui.select(
            columns,
            clearable=True,
            label="Rows live together if they agree in",
            value=self.work.bench.state.units.get("households"),
        )
        self.households.props("outlined dense options-dense")
        self.households.on_value_change(lambda event: self._say(households=event.value or None))
        parts.note(_about_households(self.work))
        self.drawn = ui.select(DRAWN, label="How was the table drawn?", value=self._drawn())
        self.drawn.props("outlined dense options-dense")
        self.drawn.on_value_change(self._choose)
        if proposed := _about_weights(self.work):
            parts.note(proposed)
        self.figure = ui.element("div")
        self._show_figure()
        self._population()

    def _population(self) -> None:
        """Let another open table be the population, for promises about it."""
        others = {
            each.key: f"{each.bench.state.title} ({count(each.bench.look.rows)} rows)"
            for each in self.frame.session.studies.values()
            if each is not self.work
        }
        kept = str(self.work.wishes.get("population", ""))
        self.everybody = ui.select(
            {"": "No such table is open", **others} if not others else {"": "None", **others},
            label="The table of everybody who might be in this one",
            value=kept if kept in others else "",
        )
        self.everybody.props("outlined dense options-dense")
        self.everybody.set_enabled(bool(others))
        self.everybody.on_value_change(lambda event: self._choose_population(str(event.value or "")))
        parts.note(
            "Open it beside this one on the step Table. Methods can then promise how many people of the "
            "population each group could be."
        )

    async def _choose_population(self, key: str) -> None:
        def choose() -> bool:
            self.work.wishes.keep(population=key)
            return True

        if await self.frame.attempt(choose):
            other = self.frame.session.studies.get(key)
            self.work.bench.population = None if other is None else other.bench.table()
            named = "No table" if other is None else other.bench.state.title
            self.frame.say(f"{named} is the population now.")

    def _drawn(self) -> str:
        units = self.work.bench.state.units
        return next((name for name in _LABELS if units.get(name)), "")

    def _show_figure(self) -> None:
        """Show the control for what was chosen to say how the table was drawn."""
        self.figure.clear()
        name = self.drawn.value
        if not name:
            return
        value = self.work.bench.state.units.get(name)
        with self.figure:
            if name == "sample_weight":
                others = {*self.work.bench.quasi, *self.work.bench.state.hidden}
                columns = [each for each in self.work.bench.state.columns if each not in others]
                control: Any = ui.select(columns, label=_LABELS[name], value=value)
                control.on_value_change(lambda event: self._draw(name, event.value))
            else:
                control = ui.input(_LABELS[name], value="" if value is None else str(value))
                control.on("change", lambda: self._draw(name, control.value.strip() or None))
            control.props("outlined dense options-dense")

    async def _choose(self) -> None:
        # Nothing is said yet by choosing a way; taking it back is.
        if not self.drawn.value and self._drawn():
            await self._draw("", None)
        self._show_figure()

    async def _draw(self, name: str, value: Any) -> None:
        await self._say(**{each: value if each == name else None for each in _LABELS})

    async def _say(self, **said: Any) -> None:
        before = self.work.bench.state
        if await self.frame.decide(self.work.decisions.set_units, said):
            if self.work.bench.state != before:
                self.frame.say(_told(said))
                self.changed()
            return
        self.persons.set_value(list(before.persons))
        self.households.set_value(before.units.get("households"))


def _about_persons(work: Workspace) -> str:
    words = "Groups are then counted in persons, and these columns are never released."
    proposed = work.bench.look.persons
    if proposed is None:
        return words
    persons = work.bench.look.profile(proposed).distinct
    return (
        f"Proposed: {proposed}, since {count(persons)} persons seem to have {count(work.bench.look.rows)} "
        f"rows. {words}"
    )


def _about_households(work: Workspace) -> str:
    words = "Who finds one member of a household has found all. Such a column is never released."
    proposed = work.bench.look.households
    if proposed is None:
        return words
    homes = work.bench.look.profile(proposed).distinct
    return f"Proposed: {proposed}, since its {count(homes)} values seem to be households. {words}"


def _about_weights(work: Workspace) -> str:
    proposed = work.bench.look.sample_weight
    return (
        "" if proposed is None else f"Proposed: {proposed}, which seems to weigh the rows of a sample."
    )


def _told(said: dict[str, Any]) -> str:
    """Return what was said, in words.

    >>> _told({"persons": ["id"]}), _told({"sample_weight": None, "population_size": None})
    ('Persons are told by id.', 'The table is no longer taken for a sample.')
    """
    name, value = next(
        ((name, value) for name, value in said.items() if value), (next(iter(said)), None)
    )
    if name == "persons":
        return f"Persons are told by {', '.join(value)}." if value else "Every row is a person again."
    if name == "households":
        return f"Households are told by {value}." if value else "Households are not told any more."
    if value is None:
        return "The table is no longer taken for a sample."
    return f"The table is a sample: {_LABELS[name].split(',')[0].lower()} {value}."
