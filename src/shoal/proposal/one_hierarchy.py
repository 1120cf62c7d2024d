"""One hierarchy of a study: shown level by level, tried on the table, made anew, and put into the study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from shoal.data.engine import Engine
from shoal.data.tally.counting import StudyCounts
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.hierarchies.binning import nested_bounds, quantile_bounds
from shoal.describe.hierarchies.files import read_text
from shoal.describe.quantities import number
from shoal.describe.specification import HierarchyLike, Specification
from shoal.errors import InputError, did_you_mean, show
from shoal.proposal.file_layout import relative_to
from shoal.proposal.similar_values import by_distribution, by_spelling
from shoal.proposal.written import flow, scalar

EXAMPLES = 4


@dataclass(frozen=True)
class ShownLevel:
    """One level: how many groups the table has there, the rows of the smallest, and some labels."""

    level: int
    groups: int
    smallest: int
    examples: tuple[str | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the level as JSON has it."""
        return {
            "level": self.level,
            "groups": self.groups,
            "smallest": self.smallest,
            "examples": list(self.examples),
        }


def levels_of(counts: StudyCounts, column: str) -> list[ShownLevel]:
    """Return a hierarchy as the table fills it, or refuse one that does not fit the table."""
    domain, rows = counts.column(column)
    counts.ladder(column, domain, rows)  # refuses values and levels that do not fit
    hierarchy = counts.hierarchy(column)
    if None in domain:
        hierarchy = hierarchy.with_missing()
    place = {leaf: code for code, leaf in enumerate(hierarchy.leaves)}
    leaves = np.array([place[value] for value in domain])
    found = []
    for level, labels in enumerate(hierarchy.labels):
        held = np.bincount(hierarchy.codes[level][leaves], weights=rows, minlength=len(labels))
        full = [label for label, count in zip(labels, held, strict=True) if count]
        found.append(ShownLevel(level, len(full), int(held[held > 0].min()), tuple(full[:EXAMPLES])))
    return found


def own_column(specification: Specification, column: str) -> None:
    """Refuse a column that the study does not name."""
    if column not in specification.attributes:
        hint = did_you_mean(column, specification.attributes)
        raise specification.refuse(f"the study has no column {show(column)}; {hint}")


def made_anew(
    engine: Engine,
    column: str,
    description: str | None = None,
    quantiles: int | None = None,
    optimal: int | None = None,
    alike: str | None = None,
) -> HierarchyLike:
    """Return another hierarchy: described, by quantiles, by optimal bounds, or by similar values."""
    asked = (description, quantiles, optimal, alike)
    if sum(one is not None for one in asked) > 1:
        raise InputError("ask for one hierarchy at a time: described, quantiles, optimal or alike")
    if description is not None:
        return _described(description)
    if alike is not None:
        return Hierarchy.from_rows(_alike(engine, column, alike), column)
    counts = _numbers(engine, column)
    if optimal is not None:
        levels = nested_bounds(counts, optimal)
    else:
        groups = quantiles or 2
        levels = []
        while groups > 1:
            # Every other bound, so that levels nest.
            bounds = levels[-1][1::2] if levels else quantile_bounds(counts, groups)
            if bounds:
                levels.append(bounds)
            groups //= 2
    if not levels:
        raise InputError(
            f"the values of {show(column)} cannot be split so; ask for fewer groups or rows"
        )
    return {"intervals": {"bounds": [[_plain(bound) for bound in bounds] for bounds in levels]}}


def put_into(study: Path, column: str, hierarchy: str) -> str:
    """Return the text of a study file with another hierarchy for a column; all else stays as written."""
    text = read_text(study)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    entry = _entry(_entry(root, "attributes"), column)
    if not isinstance(entry, yaml.MappingNode):
        raise InputError(f"the column {show(column)} is no mapping; edit it by hand", file=study)
    old = _entry(entry, "hierarchy")
    if old is not None:
        return text[: old.start_mark.index] + hierarchy + text[old.end_mark.index :].lstrip(" ")
    role = _entry(entry, "role")
    if role is None or not entry.flow_style:
        raise InputError(f"the column {show(column)} has no hierarchy to replace; write one", file=study)
    end = role.end_mark.index
    return f"{text[:end]}, hierarchy: {hierarchy}{text[end:]}"


def _entry(node: Any, name: str) -> Any:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for key, value in node.value if key.value == name), None)


def written(hierarchy: HierarchyLike, study: Path, said: str | None = None) -> str:
    """Return a hierarchy as a study file writes it: as it was `said`, described, or as a path."""
    if isinstance(hierarchy, Path):
        return scalar(relative_to(hierarchy, study))
    if not isinstance(hierarchy, Mapping):
        raise InputError("a listed hierarchy goes into a file; say which one (`write`)")
    return flow(hierarchy) if said is None else " ".join(said.split())


def _described(text: str) -> HierarchyLike:
    try:
        given = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        raise InputError(f"{show(text)} is not YAML; write it as in a study file") from None
    if isinstance(given, dict):
        return given
    return Path(text)


def _numbers(engine: Engine, column: str) -> dict[Fraction, int]:
    cells = engine.cells([column])
    found: dict[Fraction, int] = {}
    for value, rows in zip(cells.domains[0], cells.counts, strict=True):
        if value is not None:
            refusal = (
                f"the value {show(value)} of {show(column)} is not a number, so it has no intervals"
            )
            at = number(value, refusal)
            found[at] = found.get(at, 0) + int(rows)
    return found


def _alike(engine: Engine, column: str, other: str) -> Any:
    if other == column:
        return by_spelling([value for value in engine.cells([column]).domains[0] if value is not None])
    cells = engine.cells([column, other])
    values, others = cells.domains
    counts: dict[str, dict[str, int]] = {}
    for (at, beside), rows in zip(cells.codes.tolist(), cells.counts.tolist(), strict=True):
        if values[at] is not None:
            counts.setdefault(values[at] or "", {})[others[beside] or ""] = rows
    return by_distribution(counts)


def _plain(bound: Fraction) -> int | float:
    return bound.numerator if bound.denominator == 1 else float(bound)
