"""What a curator has decided so far: plain data in a file, one version for each step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from shoal.describe.hierarchies import Hierarchy, read_hierarchy, write_hierarchy
from shoal.documents.whole.rights import write_private
from shoal.numbers import whole_number
from shoal.web.server.server_limits import Limits

HIERARCHIES = "hierarchies"
"""The folder of the listed hierarchies."""
SOLUTIONS = "solutions"
"""The folder of the pinned solutions."""


@dataclass(frozen=True)
class Listed:
    """A hierarchy listed in a file of the workspace's folder, named by the digest of its text."""

    digest: str

    @classmethod
    def keep(cls, folder: Path, rows: Any) -> Listed:
        """Keep a hierarchy's rows in a folder."""
        text = write_hierarchy(rows)
        kept = cls(sha256(text.encode()).hexdigest())
        (folder / HIERARCHIES).mkdir(exist_ok=True, mode=0o700)
        if not kept.path(folder).is_file():
            keep_text(kept.path(folder), text)
        return kept

    def path(self, folder: Path) -> Path:
        """Return the file in a folder."""
        return folder / HIERARCHIES / f"{self.digest}.csv"

    def read(self, folder: Path, name: str) -> Hierarchy:
        """Return the hierarchy; errors call it by its column's name."""
        return replace(read_hierarchy(self.path(folder)), source=f"the hierarchy of {name}")


@dataclass(frozen=True)
class Described:
    """A described hierarchy: intervals, a mask, dates, or a nested tree."""

    description: Mapping[str, Any]


Chosen = Listed | Described


@dataclass(frozen=True)
class DecidedColumn:
    """One column: its roles, why they were proposed, and its hierarchy, which survives a change of role."""

    roles: tuple[str, ...]
    reason: str = ""
    proposed: str = ""
    """The role that was proposed."""
    hierarchy: Chosen | None = None
    min_level: int = 0
    max_level: int | None = None
    weight: str = "1"
    order: tuple[str, ...] = ()
    shift: int | None = None

    @property
    def used(self) -> Chosen | None:
        """The hierarchy, if a role needs one."""
        return self.hierarchy if {"quasi", "sensitive"} & {*self.roles} else None


@dataclass(frozen=True)
class Pin:
    """A solution kept for comparison: its document as the command line prints it."""

    key: str
    title: str
    solution: Mapping[str, Any]
    made_for: str = ""
    """The `State.recoding_key` of the study it solves."""
    letter: str = ""
    """What pictures and tables call it, for as long as it is pinned."""

    def shown(self) -> dict[str, Any]:
        """Return the pin as the API shows it."""
        told = {"key": self.key, "title": self.title, "letter": self.letter}
        return told | {"solution": dict(self.solution)}

    def keep(self, folder: Path) -> dict[str, Any]:
        """Keep the solution in a file of its own, since groups are many, and return the rest."""
        place = folder / SOLUTIONS / f"{self.key}.json"
        if not place.is_file():
            place.parent.mkdir(exist_ok=True, mode=0o700)
            keep_text(place, json.dumps(self.solution, ensure_ascii=False))
        return {"key": self.key, "title": self.title, "made_for": self.made_for, "letter": self.letter}

    @classmethod
    def reopen(cls, given: Mapping[str, Any], folder: Path) -> Pin:
        """Return the pin that was kept."""
        if "solution" in given:  # as an older version kept it
            return cls(**given)
        text = (folder / SOLUTIONS / f"{given['key']}.json").read_text(encoding="utf-8")
        return cls(**given, solution=json.loads(text, parse_int=whole_number))


@dataclass(frozen=True)
class State:
    """Everything that a step can change and undo can restore."""

    title: str
    columns: Mapping[str, DecidedColumn]
    pins: tuple[Pin, ...] = ()
    units: Mapping[str, Any] = field(default_factory=dict)
    """Whom the rows stand for, as a study file says it: `persons` and so on."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the table is read, as a record says it: the codes of missing values."""

    @property
    def persons(self) -> tuple[str, ...]:
        """The columns that tell who a row is about."""
        return tuple(self.units.get("persons", ()))

    @property
    def hidden(self) -> tuple[str, ...]:
        """The columns that tell persons and households, which are never released."""
        homes = self.units.get("households")
        return self.persons if homes is None else (*self.persons, homes)

    def with_column(self, name: str, **changes: Any) -> State:
        """Return the state with one column changed."""
        return replace(self, columns={**self.columns, name: replace(self.columns[name], **changes)})

    @cached_property
    def study_key(self) -> str:
        """A text that changes whenever the study does."""
        columns = {
            name: (
                sorted(c.roles),
                c.min_level,
                c.max_level,
                c.weight,
                c.order,
                c.shift,
                _hierarchy_out(c.hierarchy),
            )
            for name, c in self.columns.items()
        }
        return json.dumps([columns, self.units, self.reading], ensure_ascii=False)

    @cached_property
    def recoding_key(self) -> str:
        """A digest that stays the same as long as a solution means the same.

        Levels and cuts depend on the hierarchies, promises on the roles; changing which levels are allowed
        or what they weigh does not alter an existing solution.
        """
        kinds = {"quasi", "sensitive", "class"}
        columns = {
            name: (sorted(kinds & {*c.roles}), _hierarchy_out(c.hierarchy))
            for name, c in self.columns.items()
            if kinds & {*c.roles}
        }
        # A state without units, or without a reading, has the key that it had before there were any.
        more = [each for each in (self.units, self.reading) if each]
        told = [columns, *more] if more else columns
        return sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()

    def change_from(self, before: State) -> str:
        """Return in words what has changed since another state."""
        told = []
        for name, column in self.columns.items():
            was = before.columns.get(name, column)
            if column.roles != was.roles:
                told.append(f"the role of {name}")
            elif column != was:
                told.append(f"the hierarchy of {name}")
        if len(told) > 3:
            told = [f"{len(told)} columns"]
        if self.units != before.units:
            told.append("whom the rows are about")
        if self.reading != before.reading:
            told.append("how the table is read")
        if self.pins != before.pins:
            told.append("the pinned solutions")
        if self.title != before.title:
            told.append("the name of the table")
        return ", ".join(told) or "nothing"

    def keep(self, folder: Path) -> dict[str, Any]:
        """Return the state as a document; solutions are kept in files of the folder."""
        return asdict(replace(self, pins=())) | {"pins": [pin.keep(folder) for pin in self.pins]}

    @classmethod
    def reopen(cls, given: Mapping[str, Any], folder: Path) -> State:
        """Return the state that a document holds."""
        columns = {
            name: DecidedColumn(
                **{
                    **each,
                    "roles": tuple(each["roles"]),
                    "order": tuple(each["order"]),
                    "hierarchy": _hierarchy_in(each["hierarchy"]),
                }
            )
            for name, each in given["columns"].items()
        }
        pins = tuple(Pin.reopen(each, folder) for each in given["pins"])
        units = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.get("units", {}).items()
        }
        return cls(given["title"], columns, pins, units, given.get("reading", {}))


def _hierarchy_out(given: Chosen | None) -> dict[str, Any] | None:
    return None if given is None else asdict(given)


def _hierarchy_in(given: Mapping[str, Any] | None) -> Chosen | None:
    if given is None:
        return None
    return Listed(given["digest"]) if "digest" in given else Described(given["description"])


class History:
    """The states of a workspace, one of them the present, in a file that is always complete."""

    def __init__(self, path: Path, states: list[State], present: int, limits: Limits) -> None:
        self._path = path
        self._states = states
        self._present = present
        self._most = limits.undo

    @classmethod
    def begin(cls, path: Path, state: State, limits: Limits) -> History:
        """Return a history that starts with a state."""
        history = cls(path, [state], 0, limits)
        history._keep()
        return history

    @classmethod
    def reopen(cls, path: Path, limits: Limits) -> History:
        """Return the history in a file."""
        given = json.loads(path.read_text(encoding="utf-8"))
        states = [State.reopen(each, path.parent) for each in given["states"]]
        return cls(path, states, given["present"], limits)

    @property
    def present(self) -> State:
        """The state as it is now."""
        return self._states[self._present]

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._present > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return self._present < len(self._states) - 1

    def step(self, state: State) -> None:
        """Move to a state; undone steps are forgotten."""
        if state == self.present:
            return
        kept = [*self._states[: self._present + 1], state][-self._most - 1 :]
        self._states, self._present = kept, len(kept) - 1
        self._keep()

    def undo(self) -> bool:
        """Undo the last step, if there is one."""
        return self.can_undo and self._move(-1)

    def redo(self) -> bool:
        """Redo the step that was undone last, if there is one."""
        return self.can_redo and self._move(1)

    def _move(self, by: int) -> bool:
        self._present += by
        self._keep()
        return True

    def _keep(self) -> None:
        states = [state.keep(self._path.parent) for state in self._states]
        text = json.dumps({"present": self._present, "states": states}, ensure_ascii=False)
        keep_text(self._path, text)


def keep_text(path: Path, text: str) -> None:
    """Write a private file so that it is complete at any time."""
    beside = path.with_name(path.name + ".new")
    write_private(beside, text)
    beside.replace(path)
