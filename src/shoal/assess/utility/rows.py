"""What a treatment does to the rows of each class and each cell of a tally."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.recode import Treatment

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def class_sizes(treatment: Treatment, tally: Tally) -> Ints:
    """Return how many rows each class has, released or not."""
    sizes = np.bincount(treatment.classes, weights=tally.counts, minlength=len(treatment.labels))
    return sizes.astype(np.int64)


def released_sizes(treatment: Treatment, tally: Tally) -> Ints:
    """Return how many rows of each class are released."""
    sizes = class_sizes(treatment, tally)
    if treatment.lost is not None:
        sizes -= np.bincount(treatment.classes, treatment.lost, len(sizes)).astype(np.int64)
    sizes[sorted(treatment.deleted)] = 0
    for quota in treatment.quotas:
        sizes[quota.class_] -= quota.rows
    return sizes


def cell_values(tally: Tally, column: str) -> npt.NDArray[np.int32]:
    """Return each cell's value of a column, as an index into its domain."""
    if column in tally.others:
        return tally.cell_codes[:, tally.others.index(column)]
    codes: npt.NDArray[np.int32] = tally.codes[:, tally.attributes.index(column)]
    return codes[tally.cell_combinations]


def draws_by_label(treatment: Treatment) -> bool:
    """Whether rows with some class labels are drawn last; a label of None then means a missing one."""
    return any(quota.favoured is not None for quota in treatment.quotas)


def value_places(treatment: Treatment, tally: Tally) -> list[dict[Label, int]]:
    """Return, for each column by which quotas choose, the index of each value in its domain."""
    return [
        {value: code for code, value in enumerate(tally.domain(column))}
        for column in treatment.sensitive
    ]


def deletion_chances(treatment: Treatment, tally: Tally, class_column: str | None = None) -> Floats:
    """Return, for the rows of each cell, the chance that they are suppressed.

    It is 1 in classes suppressed whole. Of a combination some rows may go with their households. Quotas draw
    evenly from the rows of a class with certain sensitive values, but take rows with the favoured label of
    `class_column` last.
    """
    classes = treatment.classes[tally.cell_combinations]
    gone = np.zeros(len(treatment.labels), dtype=np.float64)
    gone[sorted(treatment.deleted)] = 1.0
    chances: Floats = gone[classes]
    if treatment.lost is not None:
        lost = treatment.lost / np.maximum(tally.counts, 1)
        chances = np.maximum(chances, lost[tally.cell_combinations])
    if not treatment.quotas:
        return chances
    columns: list[npt.NDArray[Any]] = [classes]
    columns += [cell_values(tally, column) for column in treatment.sensitive]
    found, slots = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    slots = slots.reshape(-1)
    slot_of = {tuple(key): slot for slot, key in enumerate(found.tolist())}
    places = value_places(treatment, tally)
    rows = np.zeros(len(found), dtype=np.float64)
    likes = np.full(len(rows), -1, dtype=np.int64)
    labels: dict[Label, int] = {}
    if class_column is not None and draws_by_label(treatment):
        labels = {label: code for code, label in enumerate(tally.domain(class_column))}
    for quota in treatment.quotas:
        codes = (place[value] for place, value in zip(places, quota.values, strict=True))
        slot = slot_of[quota.class_, *codes]
        rows[slot] = quota.rows
        likes[slot] = labels.get(quota.favoured, -1)
    liked = np.zeros(len(slots), dtype=np.bool_)
    if class_column is not None and labels:
        liked = cell_values(tally, class_column) == likes[slots]
    for which, before in ((~liked, None), (liked, ~liked)):
        left = rows
        if before is not None:
            left = np.maximum(rows - _sums(slots, tally.cell_counts, before, len(rows)), 0)
        here = _sums(slots, tally.cell_counts, which, len(rows))
        chance = np.minimum(left, here) / np.maximum(here, 1)
        chances[which] = np.maximum(chances[which], chance[slots[which]])
    return chances


def _sums(slots: Ints, counts: Ints, which: npt.NDArray[np.bool_], size: int) -> Floats:
    return np.asarray(np.bincount(slots[which], weights=counts[which], minlength=size), dtype=np.float64)
