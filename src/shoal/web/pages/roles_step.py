"""The step Roles: what each column is, proposed with a reason and decided by the curator."""

from __future__ import annotations

from functools import partial
from html import escape

from nicegui import ui

from shoal.describe.specification import Role
from shoal.web.pages import parts
from shoal.web.pages.frame import Frame, upper_first
from shoal.web.pages.units_panel import UnitsPanel
from shoal.web.workspace.workspace import Workspace

WORDS = {
    Role.IDENTIFYING: ("Identifying", "never released", "■", "identifying"),
    Role.QUASI: ("Quasi", "released in coarser values", "◆", "quasi-identifier"),
    Role.SENSITIVE: ("Sensitive", "released; groups must be mixed", "▲", "sensitive"),
    Role.CLASS: ("Class", "released; what is predicted", "●", "class"),
    Role.INSENSITIVE: ("Insensitive", "released unchanged", "○", "insensitive"),
    Role.UNDECIDED: ("Undecided", "not released until you decide", "?", "undecided"),
}
"""For each role its name, what happens to it, a sign that needs no colour, and its term."""
PAGE = 40
"""Columns shown at once."""
EXAMPLES = 3


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "What is each column?",
        "Shoal proposes a role for each column and says why; you decide. Each column always has one.",
    )
    _Roles(work, frame).build()


class _Roles:
    """The list of columns, some at a time."""

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work, self.frame = work, frame
        self.first = 0
        self.wanted = ""
        self.drawn: list[_OneColumn] = []

    def build(self) -> None:
        with parts.panel():
            self.told = ui.element("ul").classes("role-legend").props('aria-label="Roles"')
            self.tell()
        UnitsPanel(self.work, self.frame, self.told_anew)
        with parts.actions():
            if len(self.work.bench.look.columns) > 10:
                search = ui.input("Find a column").props("outlined dense clearable type=search")
                search.on_value_change(lambda event: self.find(event.value or ""))
            parts.button("Take all proposals", self.take_all)
        self.list = ui.element("div").classes("role-list")
        self.turn = parts.actions()
        self.show()

    def tell(self) -> None:
        """Say how many columns have each role."""
        self.told.clear()
        with self.told:
            for role, (name, done, sign, term) in WORDS.items():
                columns = self.work.bench.having(role)
                with ui.element("li").classes(f"role-{role.value}"):
                    parts.label(sign).classes("sign").props("aria-hidden=true")
                    with ui.element("div"):
                        parts.term(term, f"{name} ({len(columns)})")
                        parts.label(done).classes("note")

    def find(self, words: str) -> None:
        self.wanted, self.first = words.strip().lower(), 0
        self.show()

    def show(self) -> None:
        """Show one page of the columns that match the search."""
        columns = self.work.bench.state.columns
        names = [name for name in columns if self.wanted in name.lower()]
        names.sort(
            key=lambda name: columns[name].proposed != Role.UNDECIDED
        )  # these wait for a decision
        self.list.clear()
        self.drawn = [_OneColumn(self, name) for name in names[self.first : self.first + PAGE]]
        with self.list:
            if not names:
                parts.note("No column has a name like that.")
            for column in self.drawn:
                column.build()
        self.turn.clear()
        if len(names) > PAGE:
            with self.turn:
                last = min(self.first + PAGE, len(names))
                parts.label(f"Columns {self.first + 1} to {last} of {len(names):,}")
                parts.button("Earlier", lambda: self.go(-PAGE)).set_enabled(self.first > 0)
                parts.button("Later", lambda: self.go(PAGE)).set_enabled(last < len(names))

    def go(self, by: int) -> None:
        self.first += by
        self.show()

    def told_anew(self) -> None:
        """Show roles that changed with what columns tell.

        Others stay the same elements: the server drops clicks on elements that it has replaced.
        """
        self.tell()
        for column in self.drawn:
            column.tell_anew()

    async def take_all(self) -> None:
        state = self.work.bench.state
        others = {name: column for name, column in state.columns.items() if name not in state.hidden}
        if await self.frame.decide(
            self.work.decisions.set_roles, {name: column.proposed for name, column in others.items()}
        ):
            self.frame.say("Every column now has its proposed role.")
            self.told_anew()


class _OneColumn:
    """One column: its name, what it holds, its role as chips, and the reason."""

    def __init__(self, roles: _Roles, name: str) -> None:
        self.roles, self.name = roles, name
        self.work, self.frame = roles.work, roles.frame

    def build(self) -> None:
        self.place = ui.element("section").classes("role-row")
        with self.place:
            with ui.element("div").classes("role-column"):
                parts.label(self.name, "h2")
                if label := self.work.bench.look.profile(self.name).label:
                    parts.label(label)
                parts.label(self._held()).classes("note")
            with ui.element("div").classes("role-choice"):
                self.chips = parts.named(
                    ui.element("div").props("role=radiogroup").classes("chips"), f"Role of {self.name}"
                )
                with ui.element("div").classes("also") as self.also:
                    self.seconds = {role: self._second(role) for role in ("sensitive", "class")}
                self.reason = ui.html("", sanitize=False, tag="p").classes("note reason")
        self.draw()

    def draw(self) -> None:
        """Draw the chips as decided."""
        self.chips.clear()
        main = self.shown = self._main()
        place = list(self.work.bench.look.columns).index(self.name)
        with self.chips:
            for role, (name, _, sign, _) in WORDS.items():
                with ui.element("label").classes(f"chip role-{role.value}"):
                    chip = ui.element("input").props(f"type=radio name=role-{place} value={role.value}")
                    chip.props["checked"] = role.value == main or None
                    parts.named(chip, f"{self.name}: {name}")
                    chip.on("change", partial(self._set, (role.value,)), [])
                    parts.label(sign).classes("sign").props("aria-hidden=true")
                    parts.label(name)
        self.tell()

    def tell_anew(self) -> None:
        """Draw what has changed."""
        if self._main() == self.shown:
            self.tell()
        else:
            self.draw()

    def _main(self) -> str:
        """The role that the chips show: quasi, if there are two."""
        roles = self.work.bench.column(self.name).roles
        return "quasi" if "quasi" in roles else roles[0]

    def tell(self) -> None:
        """Show the reason, and the second roles that a quasi column may have."""
        column = self.work.bench.column(self.name)
        main = self._main()
        self.place.classes(remove=" ".join(f"role-{role.value}" for role in WORDS))
        self.place.classes(f"role-{main}")
        proposed = next((g for g in self.work.bench.look.guesses if g.column == self.name), None)
        why = column.reason if proposed is None else proposed.reason
        words = f"Proposed: <b>{escape(column.proposed)}</b> ({escape(why)})."
        if proposed is not None and column.reason != proposed.reason:
            words = f"{escape(upper_first(column.reason))} {words}"
        if column.proposed not in column.roles:
            words += f" You decided: <b>{escape(' and '.join(column.roles))}</b>."
        self.reason.set_content(words)
        # They stay the same elements: the server drops clicks on elements that it has replaced.
        self.also.set_visibility(main == "quasi")
        for role, box in self.seconds.items():
            box.set_value(role in column.roles)

    def _second(self, role: str) -> ui.checkbox:
        """A role that a quasi column may have besides."""
        box = ui.checkbox(f"also {role}", value=role in self.work.bench.column(self.name).roles)
        parts.named(box.props("dense"), f"{self.name} is also {role}")
        return box.on_value_change(self._also)

    def _held(self) -> str:
        told = self.work.bench.look.kind(self.name)
        place = self.work.bench.look.columns.index(self.name)
        cells = (row[place] for row in self.work.bench.look.samples)
        profile = self.work.bench.look.profile(self.name)
        examples = [*dict.fromkeys(profile.shown(cell) for cell in cells if cell)][:EXAMPLES]
        shown = parts.listed(each if len(each) < 25 else each[:24] + "…" for each in examples)
        different = "value" if told["distinct"] == 1 else "different values"
        held = f"{told['kind']}, {told['distinct']:,} {different}"
        return held + (f"; such as {shown}" if shown else "")

    async def _also(self) -> None:
        wanted = ("quasi", *(role for role, box in self.seconds.items() if box.value))
        # Boxes also change when they are drawn as decided.
        if self._main() == "quasi" and {*wanted} != {*self.work.bench.column(self.name).roles}:
            await self._set(wanted)

    async def _set(self, roles: tuple[str, ...]) -> None:
        before = self.work.bench.column(self.name)
        taken = await self.frame.decide(self.work.decisions.set_roles, {self.name: roles})
        if self.place.is_deleted:  # another step was opened meanwhile
            return
        if not taken:
            self.draw()
            return
        self.shown = self._main()
        after = self.work.bench.column(self.name)
        lost = [word for word in ("weight", "order") if getattr(before, word) != getattr(after, word)]
        if lost:
            self.frame.say(
                f"{self.name} is now {' and '.join(roles)}; its {' and '.join(lost)} went with the old "
                "role. Undo brings it back."
            )
        self.tell()
        self.roles.tell()
