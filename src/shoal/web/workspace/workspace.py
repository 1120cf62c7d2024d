"""One curator's work on one table, from the upload to the release, without any page."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from shoal.data.opening import open_engine
from shoal.describe.hierarchies import Hierarchy, read_hierarchy
from shoal.describe.specification import Attribute, Specification
from shoal.describe.study_file import read_study_file
from shoal.documents.whole.rights import write_private
from shoal.errors import InputError, did_you_mean, show
from shoal.web.server.intake import read_apart
from shoal.web.server.limits import Limits
from shoal.web.workspace.bench import ORIGIN, SPILL, begin_state
from shoal.web.workspace.looks import Look, look_at, read_look
from shoal.web.workspace.releases import Releasing
from shoal.web.workspace.state import Column, Described, History, State
from shoal.web.workspace.study_given import read_given

BUILT_IN = "Synthetic hospital discharges"
MOST_BUILT_IN = 1_000_000
_HISTORY = "history.json"
_LOOK = "look.json"


class Workspace(Releasing):
    """A table, what is decided about it, and what came of that; all of it lies in one private folder.

    Everything is reachable at any time: roles and hierarchies (`roles_work`), questions (`questions`),
    pinned solutions (`pins`), the release (`releasing`). Every decision is a step that `undo` takes back.
    """

    @classmethod
    def of_upload(cls, upload: Path, title: str, root: Path, limits: Limits) -> Workspace:
        """Return the workspace of an uploaded file, which is read in a process of its own and used up."""
        key, folder = _new_folder(root)
        try:
            read_apart("take", upload, folder, limits)
            shutil.rmtree(folder / SPILL, ignore_errors=True)
            return cls._begin(key, folder, read_look(folder / _LOOK), title, limits)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    @classmethod
    def of_built_in(cls, root: Path, limits: Limits, rows: int = 10_000, seed: int = 7) -> Workspace:
        """Return a workspace of made-up hospital discharges, with their study."""
        from shoal.demo import write_hospital

        if not 1 <= rows <= MOST_BUILT_IN:
            raise InputError(f"{rows:,} made-up rows; ask for 1 to {MOST_BUILT_IN:,}")
        key, folder = _new_folder(root)
        try:
            made = folder / "made"
            study = write_hospital(made, rows, seed)
            (made / "hospital.csv").rename(folder / "table.csv")
            given = replace(read_study_file(study), table=folder / "table.csv")
            look = _look(folder, given)
            work = cls._begin(key, folder, look, BUILT_IN, limits, given)
            shutil.rmtree(made)
            return work
        except ValueError as problem:
            shutil.rmtree(folder, ignore_errors=True)
            raise InputError(str(problem)) from None
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    @classmethod
    def of_study(cls, study: Path, root: Path, limits: Limits) -> Workspace:
        """Return a workspace of a study file on this machine; its table stays where it is."""
        given = read_study_file(study.absolute())
        key, folder = _new_folder(root)
        try:
            write_private(folder / ORIGIN, str(study.absolute()))
            look = _look(folder, given)
            return cls._begin(key, folder, look, study.name, limits, given)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    @classmethod
    def reopen(cls, folder: Path, limits: Limits) -> Workspace:
        """Return the workspace that lies in a folder, as it was left."""
        history = History.reopen(folder / _HISTORY, limits)
        return cls(folder.name, folder, read_look(folder / _LOOK), history, limits)

    @classmethod
    def _begin(
        cls,
        key: str,
        folder: Path,
        look: Look,
        title: str,
        limits: Limits,
        given: Specification | None = None,
    ) -> Workspace:
        work = cls(key, folder, look, History(folder / _HISTORY, [], 0, limits), limits)
        state = begin_state(look, title, work.keep_listed)
        if given is not None:
            state = work._as_given(state, given)
        work.history = History.begin(folder / _HISTORY, state, limits)
        return work

    def adopt(self, files: Mapping[str, str]) -> None:
        """Decide all columns as a study says, in one step; see `study_given`."""
        given = read_given(files, self.folder, self.limits)
        for name, attribute in given.attributes.items():
            if name not in self.state.columns:
                hint = did_you_mean(name, self.state.columns)
                raise InputError(f"the study names a column {show(name)}, which the table lacks; {hint}")
            hierarchy = attribute.hierarchy
            if isinstance(hierarchy, Mapping):
                hierarchy = self.preview(name, hierarchy)
            if isinstance(hierarchy, Hierarchy):
                self._check_fits(name, hierarchy)
                top = hierarchy.height if attribute.max_level is None else attribute.max_level
                if not attribute.min_level <= top <= hierarchy.height:
                    raise InputError(
                        f"the study allows levels of {show(name)} that its hierarchy lacks; it has 0 to "
                        f"{hierarchy.height}"
                    )
        self._step(lambda state: self._as_given(state, given))

    def _as_given(self, state: State, given: Specification) -> State:
        """Return the state with what a study file says; columns that it does not name are identifying."""
        columns = {}
        for name, column in state.columns.items():
            attribute = given.attributes.get(name)
            if attribute is None:
                reason = "the study does not name it, so it is never released"
                columns[name] = Column(("identifying",), reason, "identifying")
            else:
                columns[name] = self._given_column(attribute, column)
        return replace(state, columns={**columns})

    def _given_column(self, attribute: Attribute, column: Column) -> Column:
        roles = tuple(sorted(role.value for role in attribute.roles))
        hierarchy = attribute.hierarchy
        chosen: Any = None
        if isinstance(hierarchy, (str, Path)):
            chosen = self.keep_listed(read_hierarchy(hierarchy).rows())
        elif isinstance(hierarchy, Hierarchy):
            chosen = self.keep_listed(hierarchy.rows())
        elif hierarchy is not None:
            chosen = Described(dict(hierarchy))
        return Column(
            roles,
            "the study says so",
            column.proposed,
            chosen,
            attribute.min_level,
            attribute.max_level,
            str(attribute.weight),
            attribute.order,
        )

    def summary(self) -> dict[str, Any]:
        """Return the workspace as the API shows it."""
        state = self.state
        return {
            "id": self.key,
            "title": state.title,
            "rows": self.look.rows,
            "columns": [
                {
                    "name": name,
                    "roles": list(column.roles),
                    "proposed": column.proposed,
                    "reason": column.reason,
                    "hierarchy": column.hierarchy is not None,
                    "min_level": column.min_level,
                    "max_level": column.max_level,
                    "weight": column.weight,
                    **kind_of(self.look, name),
                }
                for name, column in state.columns.items()
            ],
            "notices": list(self.look.notices),
            "pins": len(state.pins),
            "can_undo": self.history.can_undo,
            "can_redo": self.history.can_redo,
            "released": (self.folder / "release.json").is_file(),
        }


def kind_of(look: Look, column: str) -> dict[str, Any]:
    """Return what a column holds, in a word and in numbers."""
    profile = look.profile(column)
    kind = "text"
    if profile.nested is not None:
        kind = "nested"
    elif profile.distinct == 0:
        kind = "empty"
    elif profile.date:
        kind = "date"
    elif profile.decimal and not profile.zeros:
        kind = "whole number" if profile.whole else "number"
    elif profile.digits:
        kind = "code"
    lowest, highest = (
        (profile.lowest, profile.highest) if profile.decimal else (profile.first, profile.last)
    )
    if kind == "text":  # the order of letters tells nothing, and that of numbers in texts would mislead
        lowest = highest = None
    return {
        "kind": kind,
        "distinct": profile.distinct,
        "missing": profile.missing,
        "unique": profile.once,
        "lowest": lowest,
        "highest": highest,
    }


def _new_folder(root: Path) -> tuple[str, Path]:
    key = secrets.token_hex(8)
    folder = root / key
    folder.mkdir(mode=0o700)
    return key, folder


def _look(folder: Path, given: Specification) -> Look:
    """Return a look at a study's own table, and keep it."""
    engine = open_engine(given.table, temp_directory=folder / SPILL)
    try:
        table = given.table if isinstance(given.table, Path) and given.table.is_file() else None
        look = look_at(engine, table)
    finally:
        engine.close()
    write_private(folder / _LOOK, json.dumps(asdict(look), ensure_ascii=False))
    return look
