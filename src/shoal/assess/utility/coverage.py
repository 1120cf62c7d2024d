"""How much of its domain every released label covers, and how high in its hierarchy it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import CutRecoding, NodeRecoding, Recoding
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.recode.treatment import Treatment
from shoal.running import stopping

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Coverage:
    """For each class, the leaves below one attribute's label, and the label's level.

    `leaves` and `height` are those of the whole hierarchy.
    """

    covered: Ints
    levels: Ints
    leaves: int
    height: int


def coverage(
    recoding: Recoding, treatment: Treatment, tally: Tally, hierarchies: Mapping[str, Hierarchy]
) -> tuple[Coverage, ...]:
    """Return the coverage of every quasi attribute's labels.

    A label of a cut stands on the lowest level that has it. A label of a group that is no label of the
    hierarchy (an interval, a set) covers what it stands for, or else the values that the class has, and
    stands on the lowest level on which these share a label.
    """
    result = []
    for a, name in enumerate(tally.attributes):
        stopping.look()
        hierarchy = hierarchies[name]
        if None in tally.domain(name):
            hierarchy = hierarchy.with_missing()
        labels = [shown[a] for shown in treatment.labels]
        if isinstance(recoding, NodeRecoding):
            pairs = _on_level(hierarchy, recoding.levels[name], labels)
        elif isinstance(recoding, CutRecoding):
            pairs = _in_cut(hierarchy, labels)
        else:
            meanings = recoding.meanings.get(name, {})
            inside = [
                frozenset(meanings.get(label, values))
                for label, values in zip(labels, _values(treatment.classes, tally, a), strict=True)
            ]
            pairs = _in_groups(hierarchy, labels, inside)
        found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        result.append(Coverage(found[:, 0], found[:, 1], len(hierarchy.leaves), hierarchy.height))
    return tuple(result)


def _on_level(hierarchy: Hierarchy, level: int, labels: Sequence[Label]) -> list[tuple[int, int]]:
    covered = dict(zip(hierarchy.labels[level], hierarchy.covered[level].tolist(), strict=True))
    # A label outside the hierarchy is that of rows which are never released.
    return [(covered.get(label, len(hierarchy.leaves)), level) for label in labels]


def _in_cut(hierarchy: Hierarchy, labels: Sequence[Label]) -> list[tuple[int, int]]:
    # A label of the tree may also stand above a single child of its own, as a padding.
    covered: dict[Label, int] = {node.label: len(node.leaves) for node in hierarchy.tree().walk()}
    lowest: dict[Label, int] = {}
    for level, shown in enumerate(hierarchy.labels):
        for label, leaves in zip(shown, hierarchy.covered[level].tolist(), strict=True):
            if covered.setdefault(label, leaves) == leaves:
                lowest.setdefault(label, level)
    whole = (len(hierarchy.leaves), hierarchy.height)
    return [(covered[label], lowest[label]) if label in covered else whole for label in labels]


def _in_groups(
    hierarchy: Hierarchy, labels: Sequence[Label], values: Sequence[frozenset[Label]]
) -> list[tuple[int, int]]:
    place = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
    named: dict[Label, list[int]] = {}
    for level, shown in enumerate(hierarchy.labels):
        for label in shown:
            named.setdefault(label, []).append(level)
    known: dict[tuple[Label, frozenset[Label]], tuple[int, int]] = {}
    for label, inside in zip(labels, values, strict=True):
        if (label, inside) in known:
            continue
        leaves = np.array([place[value] for value in inside if value in place], dtype=np.int64)
        pair = None
        for level in named.get(label, []):
            code = hierarchy.labels[level].index(label)
            if (hierarchy.codes[level][leaves] == code).all():
                pair = (int(hierarchy.covered[level][code]), level)
                break
        if pair is None:
            together = next(
                (
                    level
                    for level, codes in enumerate(hierarchy.codes)
                    if len(set(codes[leaves].tolist())) <= 1
                ),
                hierarchy.height,
            )
            pair = (max(len(inside), 1), together)
        known[label, inside] = pair
    return [known[both] for both in zip(labels, values, strict=True)]


def _values(classes: Ints, tally: Tally, a: int) -> list[frozenset[Label]]:
    """Return the values of an attribute that each class has."""
    domain = tally.domains[a]
    found: list[set[Label]] = [set() for _ in range(int(classes.max(initial=-1)) + 1)]
    pairs = np.unique(classes * len(domain) + tally.codes[:, a])
    for pair in pairs.tolist():
        found[pair // len(domain)].add(domain[pair % len(domain)])
    return [frozenset(values) for values in found]
