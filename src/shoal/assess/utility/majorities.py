"""How many released rows of each class have its most frequent class label."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.assess.utility.rows import cell_values, draws_by_label, value_places
from shoal.data.tally import Tally
from shoal.recode import Treatment

Ints = npt.NDArray[np.int64]


def majorities(treatment: Treatment, tally: Tally, released: Ints, column: str | None) -> Ints | None:
    """Return how many rows of each class's majority are released; None if that is not known."""
    if column is None or column not in (*tally.attributes, *tally.others) or treatment.homes:
        return None
    labels = np.zeros((len(treatment.labels), len(tally.domain(column))), dtype=np.int64)
    classes = treatment.classes[tally.cell_combinations]
    np.add.at(labels, (classes, cell_values(tally, column)), tally.cell_counts)
    majority: Ints = labels.max(axis=1, initial=0)
    majority[released == 0] = 0
    if treatment.quotas:
        kept = _kept_majority(treatment, tally, column)
        if kept is None:
            return None
        for class_, rows in kept.items():
            majority[class_] = rows
    return majority


def _kept_majority(treatment: Treatment, tally: Tally, column: str) -> dict[int, int] | None:
    """Return the remaining majority of each class with quotas; None if the seed decides it.

    The rows of the favoured label y are kept first, so it keeps the sum over values s of min(kept_s, rows
    with s and y); no label keeps more than its own such sum, and y was chosen to have the largest. For a
    column by which quotas choose, it is known how many rows of each value remain.
    """
    sensitive = treatment.sensitive
    if not (column in sensitive or draws_by_label(treatment)):
        return None
    places = value_places(treatment, tally)
    labels = {label: code for code, label in enumerate(tally.domain(column))}
    gone: dict[int, dict[tuple[int, ...], int]] = {}
    favoured: dict[int, int] = {}
    for quota in treatment.quotas:
        codes = tuple(place[value] for place, value in zip(places, quota.values, strict=True))
        gone.setdefault(quota.class_, {})[codes] = quota.rows
        favoured[quota.class_] = labels.get(quota.favoured, -1)
    classes = treatment.classes[tally.cell_combinations]
    here = np.isin(classes, list(gone))
    rows: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    cells = zip(
        classes[here].tolist(),
        zip(*(cell_values(tally, name)[here].tolist() for name in sensitive), strict=True),
        cell_values(tally, column)[here].tolist(),
        tally.cell_counts[here].tolist(),
        strict=True,
    )
    for class_, values, label, count in cells:
        found = rows.setdefault((class_, values), [0, 0])
        found[0] += count
        found[1] += count if label == favoured[class_] else 0
    majority = dict.fromkeys(gone, 0)
    stays: dict[tuple[int, int], int] = {}
    for (class_, values), (count, liked) in rows.items():
        kept = count - gone[class_].get(values, 0)
        if column in sensitive:
            label = values[sensitive.index(column)]
            stays[class_, label] = stays.get((class_, label), 0) + kept
            majority[class_] = max(majority[class_], stays[class_, label])
        else:
            majority[class_] += min(kept, liked)
    return majority
