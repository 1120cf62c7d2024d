"""What notebooks show of a study: its columns, what they are to it, and how they can be made coarser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.describe.hierarchies import Hierarchy
from shoal.describe.specification import Attribute, Role, Specification
from shoal.numbers import count, many
from shoal.present.notebook import kit
from shoal.tabular import AnswerColumn, AnswerTable


def study_html(table: str, specification: Specification, unlisted: Sequence[str]) -> str:
    """Return the columns with their roles and hierarchies, and whom the rows stand for."""
    given = specification.attributes
    shown = AnswerTable(
        f"A study of {table}",
        (
            AnswerColumn("column", str, list(given)),
            AnswerColumn("role", str, [_roles(one) for one in given.values()]),
            AnswerColumn("made coarser by", str, [_coarser(one) for one in given.values()]),
        ),
    )
    units = specification.units
    said = []
    if units.persons:
        said.append(f"Persons are told apart by {', '.join(units.persons)}.")
    if units.households is not None:
        said.append(f"Rows with the same {units.households} live together.")
    if units.sample_weight is not None:
        said.append(f"{units.sample_weight} is how many people a row stands for.")
    if units.population_size is not None:
        said.append(f"The rows are a sample of {count(units.population_size)} persons.")
    if unlisted:
        said.append(f"Not named, and never released: {', '.join(unlisted)}.")
    return kit.page(kit.table(shown), kit.sentences(said))


def _roles(given: Attribute) -> str:
    return ", ".join(role.value for role in Role if role in given.roles)


def _coarser(given: Attribute) -> str:
    """Return a hierarchy in a few words, and which of its levels are allowed."""
    hierarchy = given.hierarchy
    said = ""
    if isinstance(hierarchy, Hierarchy):
        said = many(hierarchy.height, "level")
    elif isinstance(hierarchy, Mapping):
        said = ", ".join(map(str, hierarchy)) if len(hierarchy) == 1 else "groups"
    elif hierarchy is not None:
        said = Path(hierarchy).name
    if said and (given.min_level or given.max_level is not None):
        highest = "the highest" if given.max_level is None else str(given.max_level)
        said += f", levels {given.min_level} to {highest}"
    return said if given.shift is None else f"shifted by up to {many(given.shift, 'day')}"
