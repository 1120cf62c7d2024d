"""Which groups of people lose most: who is suppressed, and whose guesses become wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.assess.utility.column_classes import ShownClasses
from shoal.assess.utility.predictions import LEAST_ROWS, HeldOut
from shoal.assess.utility.two_tables import Floats, Mask, TwoTables
from shoal.describe.hierarchies import Label

MOST_GROUPS = 40
FEW_VALUES = 200
RARE = 0.01
NOBODY = "Nobody loses more than others: no row is suppressed, and no group is guessed worse."
RARE_NAME = "some value that fewer than 1% of the rows have"


@dataclass(frozen=True)
class LostGroup:
    """A group of the original rows: by one value of a column, or those that have some rare value.

    `suppressed` is the share of its rows that is not released. The errors are of the column `predicted`,
    on the group's rows that were held out; None if these are too few to say.
    """

    column: str | None
    value: Label
    rows: int
    suppressed: float
    predicted: str | None = None
    error_before: float | None = None
    error_after: float | None = None
    tested: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the group as documents show it."""
        return asdict(self)


def lost_groups(
    tables: TwoTables, classes: Sequence[ShownClasses], held_out: HeldOut | None = None
) -> tuple[LostGroup, ...]:
    """Return the groups that lose most: by the share suppressed, then by how much worse they are guessed.

    There are none where none loses anything. Texts are grouped by value, numbers by the ranges in which they
    are shown.
    """
    counts = tables.before.counts.astype(np.float64)
    gone = counts * (1 - tables.kept)
    found = []
    rare = np.zeros(len(counts), dtype=np.bool_)
    for c, (column, shown) in enumerate(zip(tables.columns, classes, strict=True)):
        codes = tables.before.codes[:, c]
        totals = np.bincount(codes, weights=counts, minlength=len(column.values))
        if column.numbers is None and len(column.values) <= FEW_VALUES:
            rare |= (totals < RARE * counts.sum())[codes]
        names: Sequence[Label] = column.values
        if column.numbers is not None:
            codes, names = shown.of[codes], shown.names
        elif len(column.values) > FEW_VALUES:
            continue
        for i, name in enumerate(names):
            here = codes == i
            if counts[here].sum():
                # Guesses of a column tell nothing if the rows are chosen by its values.
                asked = None if held_out is None or held_out.column == column.name else held_out
                found.append(_group(column.name, name, here, counts, gone, asked))
    several = []
    if 0 < counts[rare].sum() < counts.sum() / 2:
        several.append(_group(None, RARE_NAME, rare, counts, gone, held_out))
    if not any(one.suppressed > 0 or _worse(one) > 0 for one in [*several, *found]):
        return ()
    found.sort(key=lambda one: (-one.suppressed, -_worse(one), -one.rows))
    worst = found[:MOST_GROUPS]
    worst += [
        one for one in sorted(found, key=_worse, reverse=True)[: MOST_GROUPS // 4] if one not in worst
    ]
    return (*several, *worst)


def _worse(group: LostGroup) -> float:
    if group.error_after is None or group.error_before is None:
        return 0.0
    return group.error_after - group.error_before


def _group(
    column: str | None, name: Label, here: Mask, counts: Floats, gone: Floats, held_out: HeldOut | None
) -> LostGroup:
    rows = float(counts[here].sum())
    share = float(gone[here].sum()) / rows
    if held_out is None:
        return LostGroup(column, name, int(rows), share)
    asked = here[held_out.rows]
    tested = int(asked.sum())
    if tested < LEAST_ROWS:
        return LostGroup(column, name, int(rows), share, held_out.column, tested=tested)
    before, after = (
        float(wrong[asked].mean()) for wrong in (held_out.wrong_before, held_out.wrong_after)
    )
    return LostGroup(column, name, int(rows), share, held_out.column, before, after, tested)
