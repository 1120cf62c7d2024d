"""What lies below every released label: the rows that have such values, and the lowest level as general."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import GroupRecoding, Recoding
from shoal.assess.utility.coverage import Coverage
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.recode.treatment import Treatment
from shoal.running import stopping

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Below:
    """What lies below one attribute's label, for each class.

    `rows` are those of the whole table whose value the label may stand for; `lowest` is the lowest level
    on which a label covers the same leaves, and that of the coverage where the label is none of the
    hierarchy's. In classes that are never released both mean nothing.
    """

    rows: Ints
    lowest: Ints


def below(
    recoding: Recoding,
    treatment: Treatment,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    coverages: Sequence[Coverage],
) -> tuple[Below, ...]:
    """Return what lies below the labels of every quasi attribute."""
    members = np.zeros(len(treatment.labels), dtype=np.int64)
    members[treatment.classes] = np.arange(len(treatment.classes))
    result = []
    for a, name in enumerate(tally.attributes):
        stopping.look()
        hierarchy = hierarchies[name]
        if None in tally.domain(name):
            hierarchy = hierarchy.with_missing()
        place = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
        # A value that the hierarchy does not hold is never released: any leaf will do.
        leaf_of = np.array([place.get(value, 0) for value in tally.domain(name)], dtype=np.int64)
        leaves = leaf_of[tally.codes[members, a]]
        one = coverages[a]
        totals = tally.totals(name)
        covered, rows_of = _by_leaf(hierarchy, leaf_of, totals)
        rows = rows_of[one.levels, leaves]
        if isinstance(recoding, GroupRecoding):
            labels = [shown[a] for shown in treatment.labels]
            inside = _rows_inside(treatment, tally, a, totals, labels, recoding.meanings.get(name, {}))
            # An interval or a set that covers what a label does is that label by another name.
            rows = np.where(covered[one.levels, leaves] == one.covered, rows, inside)
        result.append(Below(np.maximum(rows, 1), _lowest(covered)[one.levels, leaves]))
    return tuple(result)


def _by_leaf(hierarchy: Hierarchy, leaf_of: Ints, totals: Ints) -> tuple[Ints, Ints]:
    """Return, for each level and leaf, the leaves and the rows below the leaf's label."""
    covered = [cover[codes] for cover, codes in zip(hierarchy.covered, hierarchy.codes, strict=True)]
    rows = [np.bincount(codes[leaf_of], totals, codes.max() + 1)[codes] for codes in hierarchy.codes]
    return np.array(covered), np.array(rows).astype(np.int64)


def _rows_inside(
    treatment: Treatment,
    tally: Tally,
    a: int,
    totals: Ints,
    labels: Sequence[Label],
    meanings: Mapping[Label, tuple[Label, ...]],
) -> Ints:
    """Return the rows of the values that a label stands for by its meaning, or else of the class's values."""
    domain = tally.domains[a]
    pairs = np.unique(treatment.classes * len(domain) + tally.codes[:, a])
    own = np.bincount(pairs // len(domain), totals[pairs % len(domain)], len(labels))
    code_of = {value: code for code, value in enumerate(domain)}
    meant = {
        label: sum(int(totals[code_of[value]]) for value in set(values) if value in code_of)
        for label, values in meanings.items()
    }
    return np.array([meant.get(label, rows) for label, rows in zip(labels, own, strict=True)], np.int64)


def _lowest(covered: Ints) -> Ints:
    """Return, for each level and leaf, the lowest level on which the leaf's label covers as many leaves."""
    lowest = np.zeros_like(covered)
    for level in range(1, len(covered)):
        same = covered[level] == covered[level - 1]
        lowest[level] = np.where(same, lowest[level - 1], level)
    return lowest
