"""The promise as the public may read it: what follows from the released rows, and no more.

No part of it depends on suppressed rows. Anyone who has the released rows and knows what the curator asked
for can work it out alone; docs/schemas/README.md shows this field by field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.data.engine import Engine
from shoal.describe.hierarchies import build_hierarchy
from shoal.describe.promise import Distance, DistanceKind, Promise, ShareLimits
from shoal.describe.promise.distance import plain
from shoal.describe.specification import Role, Specification
from shoal.verification.spread.sensitive_column import SensitiveColumn, cells_inside, largest_shares


def public_promise(
    promise: Promise, rows: Engine, specification: Specification, persons: Sequence[str] = ()
) -> Promise:
    """Return a promise as anyone could state it from the released rows, and from whose they are."""
    quasi, attributes = specification.having(Role.QUASI), specification.attributes
    said = replace(
        promise,
        theta={
            name: _limits(limits, rows, quasi, name, persons) for name, limits in promise.theta.items()
        },
        distances={
            name: _distance(one, rows, name, attributes[name].described)
            for name, one in promise.distances.items()
        },
    )
    # A promise of nothing else is that groups have rows.
    return said if said.says_something else replace(said, k=1)


def _limits(
    limits: ShareLimits, rows: Engine, quasi: Sequence[str], name: str, persons: Sequence[str]
) -> ShareLimits:
    if not limits.values and limits.counted is None:
        return limits
    column = SensitiveColumn.of(*cells_inside(rows, quasi, name, persons))
    # Limits name values as they were before they were made safe for spreadsheets.
    names = [plain(value, limits.values) or "" for value in column.values]
    shares = {names[v]: share for v, (share, _) in largest_shares(column).items()}
    return limits.public(dict(zip(names, column.totals.tolist(), strict=True)), shares)


def _distance(
    distance: Distance, rows: Engine, name: str, description: Mapping[str, Any] | None
) -> Distance:
    if distance.kind is DistanceKind.EQUAL:
        return distance
    known = distance.order or [row[0] for row in distance.rows]
    values = {plain(value, known) for value in rows.cells([name]).domains[0]}
    if distance.kind is DistanceKind.HIERARCHICAL and description and values - {None}:
        # The labels of intervals depend on all values that they were made for, so make them for these.
        found = build_hierarchy(description, sorted(v for v in values if v is not None), name)
        if found.height == distance.height:
            distance = replace(distance, rows=tuple(found.rows()))
    return distance.only(values)
