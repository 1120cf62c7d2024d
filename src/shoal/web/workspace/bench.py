"""Shared by all parts of a workspace: its folder, its table, the decisions, and the study they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

from shoal.describe.hierarchies import Label
from shoal.describe.quantities import weight
from shoal.describe.specification import Attribute, HierarchyLike, Role, Specification
from shoal.describe.study_file import read_study_file
from shoal.describe.table_reading import Reading
from shoal.describe.units import Units
from shoal.documents import check_solution
from shoal.errors import ChangedError, InputError, did_you_mean, show
from shoal.questions.execution import Engines
from shoal.release.solutions import check_single, choose, decision_of, frontier_in
from shoal.release.study_release import StudyRelease
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.looks import Look
from shoal.web.workspace.shared_study import SharedStudy
from shoal.web.workspace.state import DecidedColumn, Described, History, State

SPILL = "spill"
"""The folder for DuckDB's spill files."""
ORIGIN = "origin"
"""The file in a workspace's folder that names the study file its table comes from."""

_NOT_OURS = "this is not a solution that Shoal wrote; ask for one, and give that"
_DAMAGED = (KeyError, TypeError, ValueError, AttributeError)
"""What reading a document raises that is like a solution and is none."""


class Bench:
    """A table with decisions about it; its study is opened when somebody asks something."""

    def __init__(self, folder: Path, look: Look, history: History, limits: Limits) -> None:
        self.folder, self.look, self.history, self.limits = folder, look, history, limits
        self.lock = RLock()
        self.check_room: Callable[[], object] = lambda: None
        """Refuses if there is no room for more files."""
        self.population: Any = None
        """The table of everybody who might be in this one, if it is open beside it."""
        self._study: tuple[tuple[str, str], SharedStudy] | None = None

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

    def column(self, name: str) -> DecidedColumn:
        """Return what is decided about a column; refuse one that the table does not have."""
        if name not in self.state.columns:
            raise InputError(f"no column {show(name)}; {did_you_mean(name, self.state.columns)}")
        return self.state.columns[name]

    def step(self, change: Callable[[State], State]) -> None:
        """Move to a changed state, which undo can reverse."""
        with self.lock:
            self.history.step(change(self.state))

    def table(self) -> Any:
        """Return the table: the file in the folder, or the one that the study file names."""
        origin = self._origin()
        if origin is not None:
            return origin.table
        given = min(self.folder.glob("table.*"), default=None)
        if given is None:  # its session has ended meanwhile
            raise InputError("the study was closed; open its table again")
        return given

    def _origin(self) -> Specification | None:
        """Return the study file that the table comes from, read; None for an upload."""
        origin = self.folder / ORIGIN
        return read_study_file(origin.read_text(encoding="utf-8")) if origin.is_file() else None

    def specification(self) -> Specification:
        """Return the study as decided now, without the columns that have no role."""
        origin = self._origin()
        population = self.population
        if population is None and origin is not None:
            population = origin.population
        reading = Reading.from_dict(self.state.reading)
        attributes = {
            name: Attribute(
                frozenset(Role(role) for role in column.roles),
                self._hierarchy_of(column, name),
                column.min_level,
                column.max_level,
                weight=weight(column.weight),
                order=column.order,
                shift=column.shift,
            )
            for name, column in self.state.columns.items()
            if column.roles
        }
        units = Units.said(**self.state.units)
        specification = Specification(
            self.table(), attributes, population=population, units=units, reading=reading
        )
        specification.check()
        return specification

    def _hierarchy_of(self, column: DecidedColumn, name: str) -> HierarchyLike | None:
        if isinstance(column.used, Described):
            return dict(column.used.description)
        return None if column.used is None else column.used.read(self.folder, name)

    def study(self) -> SharedStudy:
        """Return the study as decided now; it stays open until a decision changes it."""
        with self.lock:
            key = self._key
            if self._study is None or self._study[0] != key:
                # Jobs may still use the earlier one; it closes when none does.
                self._study = (key, self.own_study())
            return self._study[1]

    def opened(self) -> SharedStudy | None:
        """Return the study as decided now if it is already open, without waiting."""
        kept = self._study
        return kept[1] if kept is not None and kept[0] == self._key else None

    @property
    def _key(self) -> tuple[str, str]:
        """Changes whenever the open study must be another."""
        return self.state.study_key, str(self.population or "")

    def own_study(self, population: Any = None, heights: Mapping[str, int] | None = None) -> SharedStudy:
        """Return a separate study for a job, which the caller closes.

        It has the population and the highest levels that are given.
        """
        specification = self.specification()
        if population is not None:
            specification = replace(specification, population=population)
        if heights is not None:
            attributes = {
                name: replace(each, max_level=heights[name]) if name in heights else each
                for name, each in specification.attributes.items()
            }
            specification = replace(specification, attributes=attributes)
        return SharedStudy.of(specification, Engines(temp_directory=self.folder / SPILL))

    def close(self) -> None:
        """Close the table."""
        with self.lock:
            if self._study is not None:
                self._study[1].close()
                self._study = None

    def values(self, name: str, reading: Reading | None = None) -> Mapping[Label, int]:
        """Return how many rows have each value of a column, also if the table were read in another way."""
        self.column(name)
        present = Reading.from_dict(self.state.reading)
        if reading in (None, present):
            try:
                return self.study().counts(name)
            except InputError:
                pass  # The decisions may not make a study yet; the table can still be read.
        column = {name: Attribute(frozenset({Role.INSENSITIVE}))}
        plain = Specification(self.table(), column, reading=reading or present)
        with SharedStudy.of(plain, Engines(temp_directory=self.folder / SPILL)) as study:
            return study.counts(name)

    def check_made_for(self, made_for: str | None) -> None:
        """Refuse a solution found for other roles or hierarchies; None stands for the present ones."""
        if made_for is not None and made_for != self.state.recoding_key:
            raise ChangedError(
                "roles or hierarchies have changed since this was found, so it would release something "
                "else now; ask again, or undo the change"
            )

    def solution_in(
        self, document: Mapping[str, Any], k: int | None, point: int | None, recoding: str | None
    ) -> Mapping[str, Any]:
        """Return the solution of a document: a point of its frontier, if it is one."""
        check_solution(document)
        try:
            front = frontier_in(document)
        except _DAMAGED:
            raise InputError(_NOT_OURS) from None
        if front is None:
            check_single(k, point, recoding)
            return document
        return choose(front, k, point, recoding).to_dict()

    def release_of(self, solution: Mapping[str, Any], again: bool = False) -> StudyRelease:
        """Return the release of a solution document, or refuse one that is not a solution of this study."""
        check_solution(solution)
        try:
            made = self.study().release(decision_of(solution), again=again)
            made.treatment  # noqa: B018  a faulty document fails here at the latest
            return made
        except _DAMAGED:
            raise InputError(_NOT_OURS) from None
