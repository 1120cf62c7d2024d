"""The ground of a workspace: its private folder, the table, what is decided, and the study of that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock, RLock
from typing import Any

from shoal.describe.hierarchies import Hierarchy, Label, read_hierarchy, write_hierarchy
from shoal.describe.quantities import weight
from shoal.describe.specification import Attribute, HierarchyLike, Role, Specification
from shoal.describe.study_file import read_study_file
from shoal.errors import InputError, did_you_mean, show
from shoal.web.server.limits import Limits
from shoal.web.workspace.looks import Look
from shoal.web.workspace.shared_study import SharedStudy
from shoal.web.workspace.state import Chosen, Column, Described, History, Listed, State, keep_text

SPILL = "spill"
"""The folder into which DuckDB may spill."""
WISHES = "wishes.json"
ORIGIN = "origin"
"""The file in a workspace's folder that names the study file its table comes from."""


class Bench:
    """A table with decisions about it; the study of the present state is opened when it is asked."""

    def __init__(self, key: str, folder: Path, look: Look, history: History, limits: Limits) -> None:
        self.key = key
        self.folder = folder
        self.look = look
        self.limits = limits
        self.history = history
        self.lock = RLock()
        self.check_room: Callable[[], object] = lambda: None
        """Refuses where there is no room left for more files."""
        self._study: tuple[str, SharedStudy] | None = None
        self._wishing = Lock()
        kept = folder / WISHES
        self.wishes: dict[str, Any] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
        """What a page's controls were set to, by the page's own names."""

    @property
    def state(self) -> State:
        """What is decided now."""
        return self.history.present

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi columns, in the table's order."""
        return self.having(Role.QUASI)

    def having(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the table's order."""
        return tuple(name for name, column in self.state.columns.items() if role.value in column.roles)

    def column(self, name: str) -> Column:
        """Return what is decided about a column, or refuse one that the table does not have."""
        if name not in self.state.columns:
            raise InputError(f"no column {show(name)}; {did_you_mean(name, self.state.columns)}")
        return self.state.columns[name]

    def set_title(self, title: str) -> None:
        """Call the workspace by another name."""
        self._step(lambda state: replace(state, title=_plain_title(title)))

    def wish(self, **wishes: Any) -> None:
        """Know what a page's controls are set to, at once; `remember` keeps it."""
        with self._wishing:
            self.wishes = self.wishes | json.loads(json.dumps(wishes))

    def remember(self, **wishes: Any) -> None:
        """Keep what a page's controls were set to; a slider that moved is no step that undo takes back."""
        self.wish(**wishes)
        with self.lock:
            keep_text(self.folder / WISHES, json.dumps(self.wishes, ensure_ascii=False))

    def undo(self) -> bool:
        """Take the last step back; False where there is none."""
        with self.lock:
            return self.history.undo()

    def redo(self) -> bool:
        """Take a step again that was taken back; False where there is none."""
        with self.lock:
            return self.history.redo()

    def _step(self, change: Callable[[State], State]) -> None:
        """Go on to a changed state."""
        with self.lock:
            self.history.step(change(self.state))

    def table(self) -> Any:
        """Return the table: the file in the folder, or that of the study file it comes from."""
        origin = self.folder / ORIGIN
        if origin.is_file():
            return read_study_file(origin.read_text(encoding="utf-8")).table
        return next(path for path in sorted(self.folder.glob("table.*")))

    def specification(self) -> Specification:
        """Return the study as it is decided now; columns without a role are not in it."""
        origin = self.folder / ORIGIN
        population = None
        if origin.is_file():
            population = read_study_file(origin.read_text(encoding="utf-8")).population
        attributes = {
            name: Attribute(
                frozenset(Role(role) for role in column.roles),
                self._hierarchy_of(column, name),
                column.min_level,
                column.max_level,
                weight=weight(column.weight),
                order=column.order,
            )
            for name, column in self.state.columns.items()
            if column.roles
        }
        specification = Specification(self.table(), attributes, population=population)
        specification.check()
        return specification

    def _hierarchy_of(self, column: Column, name: str) -> HierarchyLike | None:
        if not {"quasi", "sensitive"} & {*column.roles} or column.hierarchy is None:
            return None
        if isinstance(column.hierarchy, Described):
            return dict(column.hierarchy.description)
        return self.listed(column.hierarchy, name)

    def study(self) -> SharedStudy:
        """Return the study of what is decided now; it stays open as long as nothing of it changes."""
        with self.lock:
            key = self.state.study_key
            if self._study is None or self._study[0] != key:
                # Jobs may still ask the earlier one; it closes when nobody does.
                self._study = (key, self.own_study())
            return self._study[1]

    def own_study(self) -> SharedStudy:
        """Return a study of its own for a job that writes; the caller closes it."""
        return SharedStudy.of(self.specification(), temp_directory=self.folder / SPILL)

    def close(self) -> None:
        """Let go of the table."""
        with self.lock:
            if self._study is not None:
                self._study[1].close()
                self._study = None

    def keep_listed(self, rows: Any) -> Listed:
        """Keep rows of a hierarchy in the folder, and return what names them."""
        text = write_hierarchy(rows)
        digest = hashlib.sha256(text.encode()).hexdigest()
        folder = self.folder / "hierarchies"
        folder.mkdir(exist_ok=True, mode=0o700)
        place = folder / f"{digest}.csv"
        if not place.is_file():
            keep_text(place, text)
        return Listed(digest)

    def listed(self, given: Listed, name: str) -> Hierarchy:
        """Return a hierarchy that was kept, called by its column in errors."""
        found = read_hierarchy(self.folder / "hierarchies" / f"{given.digest}.csv")
        return replace(found, source=f"the hierarchy of {name}")

    def values(self, name: str) -> Mapping[Label, int]:
        """Return how many rows have each value of a column."""
        self.column(name)
        try:
            return self.study().counts(name)
        except InputError:
            # What is decided may be no study yet; the table can be asked all the same.
            return self._values_of_table(name)

    def _values_of_table(self, name: str) -> Mapping[Label, int]:
        plain = Specification(self.table(), {name: Attribute(frozenset({Role.INSENSITIVE}))})
        study = SharedStudy.of(plain, temp_directory=self.folder / SPILL)
        try:
            return study.counts(name)
        finally:
            study.close()


def begin_state(look: Look, title: str, keep: Callable[[Any], Listed]) -> State:
    """Return the state that a look proposes."""
    columns = {}
    for guess in look.guesses:
        chosen: Chosen | None = None
        if guess.description is not None:
            chosen = Described(guess.description)
        elif guess.rows is not None:
            chosen = keep(guess.rows)
        columns[guess.column] = Column((guess.role,), guess.reason, guess.role, chosen)
    return State(_plain_title(title), columns)


def _plain_title(title: str) -> str:
    """Return a title in one line that is not too long; it is shown, and never a path."""
    shown = "".join(mark if mark.isprintable() else " " for mark in title)
    return " ".join(shown.split())[:100] or "untitled"
