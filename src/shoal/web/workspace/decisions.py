"""Roles and hierarchies: proposed, decided, described, edited, imported and exported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.data.tally.ladders import MOST_LEVELS
from shoal.describe.hierarchies import Hierarchy, Label, build_hierarchy, write_hierarchy
from shoal.describe.quantities import weight
from shoal.describe.specification import HELD_BACK, Role, only_role
from shoal.describe.table_reading import Reading
from shoal.describe.units import Units
from shoal.errors import InputError, did_you_mean, show
from shoal.proposal.column_names import meaning_of
from shoal.proposal.fitting import choose_hierarchy
from shoal.web.workspace import edits
from shoal.web.workspace.beginning import as_given, as_said, plain_title
from shoal.web.workspace.bench import Bench
from shoal.web.workspace.descriptions import in_order
from shoal.web.workspace.hierarchy_files import columns_named, read_file
from shoal.web.workspace.state import Chosen, Described, Listed, State
from shoal.web.workspace.study_given import read_given
from shoal.web.workspace.trees import Node, tree_of

NEEDED = Role.QUASI.value


class Decisions:
    """What a curator decides about the table and its columns; each decision is a step."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def set_title(self, title: str) -> None:
        """Rename the table."""
        self._bench.step(lambda state: replace(state, title=plain_title(title)))

    def undo(self) -> bool:
        """Undo the last step; False if there is none."""
        with self._bench.lock:
            return self._bench.history.undo()

    def redo(self) -> bool:
        """Redo the step that was undone last; False if there is none."""
        with self._bench.lock:
            return self._bench.history.redo()

    def set_roles(self, roles: Mapping[str, str | Iterable[str]]) -> None:
        """Give columns their roles, all or none; a quasi column without a hierarchy gets one."""
        given: dict[str, tuple[str, ...]] = {}
        for name, words in roles.items():
            column = self._bench.column(name)
            named = [words] if isinstance(words, str) else list(words)
            given[name] = tuple(dict.fromkeys(Role.of(word).value for word in named))
            if not given[name]:
                raise InputError(f"the column {show(name)} would have no role; give it one")
            if HELD_BACK & set(given[name]) and len(given[name]) > 1:
                raise InputError(only_role(name, given[name]))
            if NEEDED in given[name] and self._bench.look.profile(name).nested is not None:
                raise InputError(
                    f"the column {show(name)} holds lists or structures, so it cannot be quasi"
                )
            if name in self._bench.state.hidden and given[name] != (Role.IDENTIFYING.value,):
                raise InputError(
                    f"the column {show(name)} says who a row is about, so it stays identifying; let it not "
                    "say so first"
                )
            if name == self._bench.state.units.get("sample_weight") and NEEDED in given[name]:
                raise InputError(
                    f"the column {show(name)} is the weight of rows, so it cannot be quasi; say first that "
                    "it is none"
                )
            if NEEDED in given[name] and column.hierarchy is None:
                self.proposed_hierarchy(name)
        columns = self._bench.state.columns
        classes = [name for name in columns if Role.CLASS in given.get(name, columns[name].roles)]
        if len(classes) > 1:
            raise InputError(
                f"{show(classes[1])} would be a second class column, and there can be only one"
            )

        def change(state: State) -> State:
            for name, words in given.items():
                hierarchy = state.columns[name].hierarchy
                if NEEDED in words and hierarchy is None:
                    hierarchy = self.proposed_hierarchy(name)
                changes: dict[str, Any] = {"roles": words, "hierarchy": hierarchy}
                if NEEDED not in words:
                    changes |= {"weight": "1"}
                if Role.SENSITIVE.value not in words:
                    changes |= {"order": ()}
                if not {*words} <= {Role.SENSITIVE.value, Role.INSENSITIVE.value}:
                    changes |= {"shift": None}
                state = state.with_column(name, **changes)
            return state

        self._bench.step(change)

    def set_units(self, said: Mapping[str, Any]) -> None:
        """Say whom the rows stand for, entry by entry as a study file does; None takes one back.

        Columns that tell persons and households become identifying, so they are not released.
        """
        units = Units.said(**{**self._bench.state.units, **said})
        for name in units.columns:
            self._bench.column(name)
            if self._bench.look.profile(name).nested is not None:
                raise InputError(
                    f"the column {show(name)} holds lists or structures, so it tells nobody apart"
                )
        if units.sample_weight is not None and units.sample_weight in self._bench.quasi:
            raise InputError(
                f"the column {show(units.sample_weight)} is quasi, so it is no weight; give it another role "
                "first"
            )

        def change(state: State) -> State:
            changed = replace(state, units=as_said(units))
            for name in changed.hidden:
                changed = changed.with_column(
                    name, roles=(Role.IDENTIFYING.value,), shift=None, order=()
                )
            return changed

        self._bench.step(change)

    def set_levels(self, name: str, lowest: int, highest: int | None) -> None:
        """Allow a quasi column only these levels."""
        self._bench.column(name)
        height = self.hierarchy(name).height
        top = height if highest is None else highest
        if not 0 <= lowest <= top <= height:
            raise InputError(
                f"{show(name)} has the levels 0 to {height}; choose the lowest and highest of them"
            )
        self._bench.step(lambda state: state.with_column(name, min_level=lowest, max_level=highest))

    def set_weight(self, name: str, number: str) -> None:
        """Set how much a loss in a quasi column counts."""
        if NEEDED not in self._bench.column(name).roles:
            raise InputError(f"the column {show(name)} is not quasi, so nothing is lost in it")
        weight(number)
        self._bench.step(lambda state: state.with_column(name, weight=str(number)))

    def proposed_hierarchy(self, name: str) -> Chosen:
        """Return the proposed hierarchy of a column, whatever its role."""
        self._bench.column(name)
        profile = self._bench.look.profile(name)
        if profile.nested is not None:
            raise InputError(
                f"the column {show(name)} holds lists or structures, so it can have no hierarchy"
            )
        if profile.distinct == 0:
            return Listed.keep(self._bench.folder, [("", "*")])
        meaning = meaning_of(name)
        engine = _Values(self._bench)
        found = choose_hierarchy(profile, meaning.topic if meaning else "", engine)  # type: ignore[arg-type]
        if found is None:
            raise InputError(
                f"{show(name)} has {profile.distinct:,} different values, too many or too long to propose a "
                "hierarchy; describe or import one"
            )
        if found.description is not None:
            return Described(found.description)
        return Listed.keep(self._bench.folder, found.rows)

    def hierarchy(self, name: str) -> Hierarchy:
        """Return the hierarchy of a column; a described one is built over the table's values."""
        chosen = self._bench.column(name).hierarchy
        if chosen is None:
            raise InputError(f"the column {show(name)} has no hierarchy; describe or import one")
        if isinstance(chosen, Described):
            return self.preview(name, chosen.description)
        return chosen.read(self._bench.folder, name)

    def describe(self, name: str, description: Mapping[str, Any]) -> Hierarchy:
        """Describe a column's hierarchy: intervals, mask, dates, or a nested tree."""
        found = self.preview(name, description)
        self._check_fits(name, found)
        self._choose(name, Described(dict(description)))
        return found

    def preview(
        self, name: str, description: Mapping[str, Any], reading: Reading | None = None
    ) -> Hierarchy:
        """Return the hierarchy that a description gives, without choosing it."""
        self._bench.column(name)
        _check_levels(_steps(description))
        values = self._bench.values(name, reading)
        return in_order(build_hierarchy(description, values, f"the hierarchy of {name}"))

    def list_hierarchy(self, name: str, rows: Iterable[Sequence[Label]]) -> Hierarchy:
        """Give a column a hierarchy, listed in rows from the leaf to the root."""
        self._bench.column(name)
        found = Hierarchy.from_rows(rows, f"the hierarchy of {name}")
        self._check_fits(name, found)
        self._choose(name, Listed.keep(self._bench.folder, found.rows()))
        return found

    def import_hierarchy(self, name: str, text: bytes) -> Hierarchy:
        """Give a column a hierarchy in the form that ARX reads and writes."""
        self._bench.column(name)
        return self.list_hierarchy(name, read_file(self._bench, name, text))

    def import_hierarchies(self, files: Mapping[str, str]) -> dict[str, str]:
        """Give several columns their hierarchies, each from the file that has its name, in one step.

        Return the column that each file was for; refuse all if one of them cannot be taken.
        """
        columns = columns_named(files, self._bench.state.columns)
        chosen = {}
        for file, column in columns.items():
            rows = read_file(self._bench, column, files[file].encode(), file)
            found = Hierarchy.from_rows(rows, f"the hierarchy of {column}")
            self._check_fits(column, found)
            chosen[column] = Listed.keep(self._bench.folder, found.rows())

        def change(state: State) -> State:
            for column, hierarchy in chosen.items():
                state = state.with_column(column, hierarchy=hierarchy, min_level=0, max_level=None)
            return state

        self._bench.step(change)
        return columns

    def export_hierarchy(self, name: str) -> str:
        """Return a column's hierarchy in the form that ARX reads and writes."""
        return write_hierarchy(self.hierarchy(name).rows())

    def edit_hierarchy(self, name: str, operation: str, /, **options: Any) -> Hierarchy:
        """Edit a hierarchy (see `edits`); a described one becomes a listed one."""
        rows = edits.edit(self.hierarchy(name).rows(), operation, options)
        return self.list_hierarchy(name, rows)

    def propose_again(self, name: str) -> Hierarchy:
        """Go back to the proposed hierarchy."""
        self._choose(name, self.proposed_hierarchy(name))
        return self.hierarchy(name)

    def adopt(self, files: Mapping[str, str]) -> None:
        """Set all columns as a study says, in one step; see `study_given`."""
        given = read_given(files, self._bench.folder, self._bench.limits)
        for name in (*given.attributes, *given.units.columns, *given.reading.missing_in):
            if name not in self._bench.state.columns:
                hint = did_you_mean(name, self._bench.state.columns)
                raise InputError(f"the table has no column {show(name)}, which the study names; {hint}")
        for name, attribute in given.attributes.items():
            hierarchy = attribute.hierarchy
            if isinstance(hierarchy, Mapping):
                hierarchy = self.preview(name, hierarchy, given.reading)
            if isinstance(hierarchy, Hierarchy):
                self._check_fits(name, hierarchy, given.reading)
                top = hierarchy.height if attribute.max_level is None else attribute.max_level
                if not attribute.min_level <= top <= hierarchy.height:
                    raise InputError(
                        f"the study allows levels of {show(name)} that its hierarchy lacks; it has the "
                        f"levels 0 to {hierarchy.height}"
                    )
        self._bench.step(lambda state: as_given(state, given, self._bench.folder))

    def tree(self, name: str) -> Node:
        """Return a column's hierarchy as a tree with counts."""
        counts = self._bench.values(name)
        hierarchy = self.hierarchy(name)
        if counts.get(None):
            hierarchy = hierarchy.with_missing()
        return tree_of(hierarchy, counts)

    def _choose(self, name: str, chosen: Chosen) -> None:
        # The new hierarchy may lack the levels that were allowed.
        changes = {"hierarchy": chosen, "min_level": 0, "max_level": None}
        self._bench.step(lambda state: state.with_column(name, **changes))

    def _check_fits(self, name: str, hierarchy: Hierarchy, reading: Reading | None = None) -> None:
        """Refuse a hierarchy with too many levels, or without a row for a value of the data."""
        _check_levels(hierarchy.height + 1)
        known = {None, *hierarchy.leaves}
        absent = [(v, n) for v, n in self._bench.values(name, reading).items() if v not in known]
        if absent:
            more = f" and {len(absent) - 1:,} more values" if len(absent) > 1 else ""
            raise InputError(
                f"no row for the value {show(absent[0][0])} of the column {show(name)} "
                f"({absent[0][1]:,} rows){more}; add it"
            )


def _steps(description: Mapping[str, Any]) -> int:
    """Return how many levels of intervals or dates a description has."""
    intervals = description.get("intervals")
    widths = intervals.get("widths") if isinstance(intervals, Mapping) else None
    return max(
        len(each) for each in (widths, description.get("dates"), ()) if isinstance(each, Sequence)
    )


def _check_levels(levels: int) -> None:
    if levels > MOST_LEVELS:
        raise InputError(f"{levels:,} levels; at most {MOST_LEVELS} are allowed")


class _Values:
    """The part of an engine that `choose_hierarchy` needs: a column's values, in order."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def first_values(self, column: str, most: int) -> tuple[str, ...]:
        return tuple(sorted(value for value in self._bench.values(column) if value is not None)[:most])
