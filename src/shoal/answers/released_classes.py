"""Which class every combination of values is released in, and under which labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.recoding import CutRecoding, Decision, NodeRecoding
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError, show
from shoal.running import stopping

Ints = npt.NDArray[np.int64]

NEVER_SEEN = "(never seen)"
"""The label of values that a reused decision does not know; rows with it are never released."""


def classes_of(
    decision: Decision,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    refused: Mapping[str, frozenset[Label]],
) -> tuple[Ints, tuple[tuple[Label, ...], ...]]:
    """Return the class of each combination and the labels of each class."""
    recoding = decision.recoding
    if isinstance(recoding, GroupRecoding):
        tally.check_fine("a recoding of single combinations")
        return _group_classes(recoding, tally)
    maps = [
        value_map(name, recoding, hierarchies[name], tally.domain(name), refused.get(name, frozenset()))
        for name in tally.attributes
    ]
    shown = [sorted(set(labels.values()), key=lambda label: (label is None, label)) for labels in maps]
    classes = np.zeros(len(tally), dtype=np.int64)
    first = np.zeros(0, dtype=np.int64)
    for a, name in enumerate(tally.attributes):
        place = {label: i for i, label in enumerate(shown[a])}
        codes = np.array([place[maps[a][value]] for value in tally.domain(name)], dtype=np.int64)
        if name in tally.coarse and (codes[tally.coarse[name].shown] != codes).any():
            tally.check_fine("a solution with lower levels")
        stopping.look()
        # One attribute after the other, with classes renumbered each time: keys stay small, and the
        # classes are in the order of their labels.
        keys = classes * len(shown[a]) + codes[tally.codes[:, a]]
        _, first, classes = np.unique(keys, return_index=True, return_inverse=True)
    tally.check_memory(len(first) * (64 + 16 * len(tally.attributes)), f"naming {len(first):,} groups")
    labels = tuple(
        tuple(maps[a][tally.domains[a][code]] for a, code in enumerate(row))
        for row in tally.codes[first].tolist()
    )
    return classes.reshape(-1).astype(np.int64), labels


def value_map(
    name: str,
    recoding: NodeRecoding | CutRecoding,
    hierarchy: Hierarchy,
    domain: Sequence[Label],
    refused: frozenset[Label] = frozenset(),
) -> dict[Label, Label]:
    """Return the released label of each value of an attribute.

    Refused values are `NEVER_SEEN`, unless the attribute is released as its root anyway.
    """
    if refused:
        known = value_map(name, recoding, hierarchy, [v for v in domain if v not in refused])
        root = hierarchy.labels[-1][0]
        return known | dict.fromkeys(refused, root if whole(name, recoding, hierarchy) else NEVER_SEEN)
    if None in domain:
        hierarchy = hierarchy.with_missing()
    if isinstance(recoding, NodeRecoding):
        if name not in recoding.levels:
            raise InputError(f"the solution has no level for {show(name)}; was it made for this study?")
        level = recoding.levels[name]
        if not 0 <= level <= hierarchy.height:
            raise InputError(f"the solution's level {level} of {show(name)} is not in its hierarchy")
        leaf_of = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
        labels, codes = hierarchy.labels[level], hierarchy.codes[level]
        return {value: labels[codes[leaf_of[value]]] for value in domain}
    if name not in recoding.labels:
        raise InputError(f"the solution has no cut of {show(name)}; was it made for this study?")
    return _cut_map(name, hierarchy, set(recoding.labels[name]), set(domain))


def whole(name: str, recoding: NodeRecoding | CutRecoding, hierarchy: Hierarchy) -> bool:
    """Return whether every value of an attribute is released as the root."""
    if isinstance(recoding, NodeRecoding):
        return recoding.levels[name] == hierarchy.height
    return set(recoding.labels[name]) == {hierarchy.labels[-1][0]}


def _cut_map(name: str, hierarchy: Hierarchy, cut: set[Label], domain: set[Label]) -> dict[Label, Label]:
    """Return the label in the cut above each value; every value must have exactly one.

    Labels of all levels count, even those that a taxonomy omits because they have a single child.
    """
    hierarchy.tree()  # refuses labels that name two groups
    released: dict[Label, Label] = {}
    for row in hierarchy.rows():
        above = cut.intersection(row)
        if len(above) > 1:
            raise InputError(f"the cut of {show(name)} covers {show(row[0])} twice")
        if above:
            (released[row[0]],) = above
    for value in sorted(domain, key=str):
        if value not in released:
            raise InputError(f"the cut of {show(name)} does not cover the value {show(value)}")
    return released


def _group_classes(recoding: GroupRecoding, tally: Tally) -> tuple[Ints, tuple[tuple[Label, ...], ...]]:
    groups = recoding.group_of(tally)
    if (groups < 0).any():
        lost = tally.codes[int(np.flatnonzero(groups < 0)[0])].tolist()
        values = [domain[code] for domain, code in zip(tally.domains, lost, strict=True)]
        raise InputError(f"no group holds the combination {name_group(values)}")
    classes, labels = recoding.shown_in(tally.attributes)
    return classes[groups], labels


def name_group(labels: Sequence[Label]) -> str:
    """Return a group's labels as errors show them."""
    return "(" + ", ".join(show(label) for label in labels) + ")"
