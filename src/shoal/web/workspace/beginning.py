"""The first state of a workspace: what a look proposes, or what a study file says."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from shoal.describe import Role
from shoal.describe.hierarchies import Hierarchy, read_hierarchy
from shoal.describe.specification import Attribute, Specification
from shoal.describe.units import Units
from shoal.web.workspace.looks import Look
from shoal.web.workspace.state import Chosen, DecidedColumn, Described, Listed, State


def proposed_state(look: Look, title: str, folder: Path) -> State:
    """Return the state that a look proposes; listed hierarchies are kept in the folder."""
    columns = {}
    for guess in look.guesses:
        chosen: Chosen | None = None
        if guess.description is not None:
            chosen = Described(guess.description)
        elif guess.rows is not None:
            chosen = Listed.keep(folder, guess.rows)
        columns[guess.column] = DecidedColumn((guess.role,), guess.reason, guess.role, chosen)
    weight = look.sample_weight
    if weight is not None and columns[weight].roles == (Role.QUASI.value,):
        weight = None  # the only column that may be known to others
    units = Units.said(look.persons or (), look.households, weight)
    return State(plain_title(title), columns, units=as_said(units), reading=look.reading)


def as_given(state: State, given: Specification, folder: Path) -> State:
    """Return the state as a study file says; columns it does not name become identifying."""
    columns = {}
    for name, column in state.columns.items():
        attribute = given.attributes.get(name)
        if attribute is None:
            reason = "the study does not name it, so it is never released"
            columns[name] = DecidedColumn(("identifying",), reason, "identifying")
        else:
            columns[name] = _given_column(attribute, column.proposed, folder)
    return replace(state, columns=columns, units=as_said(given.units), reading=given.reading.to_dict())


def as_said(units: Units) -> dict[str, Any]:
    """Return whom the rows stand for, as a study file says it."""
    fraction = units.sampling_fraction
    found = asdict(units) | {"sampling_fraction": None if fraction is None else str(fraction)}
    return {name: value for name, value in found.items() if value}


def _given_column(attribute: Attribute, proposed: str, folder: Path) -> DecidedColumn:
    hierarchy = attribute.hierarchy
    if isinstance(hierarchy, (str, Path)):
        hierarchy = read_hierarchy(hierarchy)
    chosen: Chosen | None = None
    if isinstance(hierarchy, Hierarchy):
        chosen = Listed.keep(folder, hierarchy.rows())
    elif hierarchy is not None:
        chosen = Described(dict(hierarchy))
    return DecidedColumn(
        tuple(sorted(role.value for role in attribute.roles)),
        "the study says so",
        proposed,
        chosen,
        attribute.min_level,
        attribute.max_level,
        str(attribute.weight),
        attribute.order,
        attribute.shift,
    )


def plain_title(title: str) -> str:
    """Return a title on one line, cut to length; it is shown, never used as a path."""
    shown = "".join(mark if mark.isprintable() else " " for mark in title)
    return " ".join(shown.split())[:100] or "untitled"
