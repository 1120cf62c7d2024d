"""The labels of every released class, in the form that metrics use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import CutRecoding, NodeRecoding, Recoding
from shoal.data.tally import Tally
from shoal.data.tally.problem import Problem
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.metrics.labels import Labels, cut_levels, labels_of
from shoal.recode import Treatment
from shoal.running import stopping

Ints = npt.NDArray[np.int64]


def released_labels(
    recoding: Recoding,
    treatment: Treatment,
    tally: Tally,
    problem: Problem,
    hierarchies: Mapping[str, Hierarchy],
) -> list[Labels]:
    """Return the labels of every quasi attribute, class by class; classes never released get any label.

    A label of a cut counts at the lowest level that has it. A label of a group that the hierarchy lacks (an
    interval, a set) covers what it stands for, or else the values of the class, and counts at the lowest
    level on which these share a label.
    """
    members = np.zeros(len(treatment.labels), dtype=np.int64)
    members[treatment.classes] = np.arange(len(treatment.classes))
    found = []
    for a, name in enumerate(tally.attributes):
        stopping.look()
        hierarchy, domain = hierarchies[name], tally.domain(name)
        if None in domain:
            hierarchy = hierarchy.with_missing()
        shown = [labels[a] for labels in treatment.labels]
        known = labels_of(problem.ladders[a], problem.marginals[a])
        values = tally.codes[members, a]
        if isinstance(recoding, NodeRecoding):
            found.append(known.at(recoding.levels[name], values))
        elif isinstance(recoding, CutRecoding):
            levels = cut_levels(hierarchy, domain)
            # Only rows that are never released have a label outside the hierarchy.
            found.append(known.at([levels.get(label, hierarchy.height) for label in shown], values))
        else:
            meanings = recoding.meanings.get(name, {})
            inside = [
                frozenset(meanings.get(label, own))
                for label, own in zip(shown, _values(treatment.classes, tally, a), strict=True)
            ]
            found.append(_of_groups(hierarchy, known, values, shown, inside, tally, name))
    return found


def _of_groups(
    hierarchy: Hierarchy,
    known: Labels,
    values: Ints,
    shown: Sequence[Label],
    inside: Sequence[frozenset[Label]],
    tally: Tally,
    name: str,
) -> Labels:
    """Return the labels of groups, given one value of each and all values its label stands for."""
    totals = dict(zip(tally.domain(name), tally.totals(name).tolist(), strict=True))
    levels = _GroupLevels(hierarchy)
    own = {both: levels.of(*both) for both in set(zip(shown, inside, strict=True))}
    placed = [own[both] for both in zip(shown, inside, strict=True)]
    labels = known.at([level for level, _ in placed], values)
    for c, (_, made_up) in enumerate(placed):
        # An interval or a set that covers the same as a label is that label under another name.
        if made_up and labels.covered[c] != max(len(inside[c]), 1):
            labels.covered[c] = max(len(inside[c]), 1)
            labels.rows[c] = sum(totals.get(value, 0) for value in inside[c])
    return labels


class _GroupLevels:
    """The levels of groups' labels in a hierarchy."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self._place = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
        self._codes = [{label: code for code, label in enumerate(labels)} for labels in hierarchy.labels]

    def of(self, label: Label, inside: frozenset[Label]) -> tuple[int, bool]:
        """Return the lowest level on which a label covers all it stands for, and whether it is made up.

        For a label that the hierarchy lacks, it is the lowest level on which all values share a label.
        """
        leaves = np.array([self._place[v] for v in inside if v in self._place], dtype=np.int64)
        for level, codes in enumerate(self.hierarchy.codes):
            if label in self._codes[level] and (codes[leaves] == self._codes[level][label]).all():
                return level, False
        for level, codes in enumerate(self.hierarchy.codes):
            if len(set(codes[leaves].tolist())) <= 1:
                return level, True
        return self.hierarchy.height, True


def _values(classes: Ints, tally: Tally, a: int) -> list[frozenset[Label]]:
    """Return the values of an attribute that each class has."""
    domain = tally.domains[a]
    found: list[set[Label]] = [set() for _ in range(int(classes.max(initial=-1)) + 1)]
    pairs = np.unique(classes * len(domain) + tally.codes[:, a])
    for pair in pairs.tolist():
        found[pair // len(domain)].add(domain[pair % len(domain)])
    return [frozenset(values) for values in found]
