"""The losses that look at whole classes or rows: DM, CM, class size, ambiguity, height."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import prod

import numpy as np

from shoal.assess.utility.case import Case, Found
from shoal.assess.utility.rows import cell_values, draws_by_label, value_places


def dm(case: Case) -> Found:
    """Return the discernibility."""
    squares = sum(n * n for n in case.released.tolist())
    return squares + case.suppressed * case.tally.rows, case.tally.rows**2


def class_size(case: Case) -> Found:
    """Return the rows for each class that is released."""
    classes = int((case.released > 0).sum())
    return Fraction(case.tally.rows, max(classes, 1)), case.tally.rows


def ambiguity(case: Case) -> Found | None:
    """Return how many combinations of values the rows may stand for, added up; None beyond 10^308."""
    products = case.released.astype(object)
    for one in case.coverages:
        products = products * one.covered
    combinations = prod(one.leaves for one in case.coverages)
    most = case.tally.rows * combinations
    if most > sys.float_info.max:
        return None
    return int(products.sum()) + case.suppressed * combinations, most


def height(case: Case) -> Found:
    """Return the height of the lowest node that is nowhere more specific than what is released.

    Where nothing is, it is that of all classes.
    """
    shown = case.released > 0
    if not shown.any():
        shown[:] = True
    levels = sum(int(one.levels[shown].max(initial=0)) for one in case.coverages)
    return levels, sum(one.height for one in case.coverages)


def cm(case: Case) -> Found | None:
    """Return the rows outside the majority of their class; None where they cannot be told."""
    treatment, tally, column = case.treatment, case.tally, case.class_column
    if column is None or column not in (*tally.attributes, *tally.others):
        return None
    labels = np.zeros((len(treatment.labels), len(tally.domain(column))), dtype=np.int64)
    classes = treatment.classes[tally.cell_combinations]
    np.add.at(labels, (classes, cell_values(tally, column)), tally.cell_counts)
    majority = labels.max(axis=1, initial=0)
    majority[case.released == 0] = 0
    if treatment.quotas:
        kept = _kept_majority(case, column)
        if kept is None:
            return None
        for class_, rows in kept.items():
            majority[class_] = rows
    return tally.rows - int(majority.sum()), tally.rows


def _kept_majority(case: Case, column: str) -> dict[int, int] | None:
    """Return the majority that is left in each class with quotas, None where the seed decides.

    The rows of the favoured label y are kept first, so it keeps the sum over values s of min(kept_s, rows
    with s and y); no label keeps more than its own such sum, and y was chosen to have the largest. Of a
    column by which quotas choose it is known how many rows of each value stay.
    """
    treatment, tally = case.treatment, case.tally
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
