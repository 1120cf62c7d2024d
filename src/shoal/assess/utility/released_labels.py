"""The labels of every released class, in the form that metrics use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import CutRecoding, NodeRecoding, Recoding
from shoal.assess.utility.group_levels import GroupLevels, LabelStanding
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
            totals = dict(zip(domain, tally.totals(name).tolist(), strict=True))
            standing, meanings = GroupLevels(hierarchy, totals), recoding.meanings.get(name, {})
            found.append(
                _of_groups(standing, known, values, shown, treatment.classes, tally, a, meanings)
            )
    return found


def _of_groups(
    levels: GroupLevels,
    known: Labels,
    values: Ints,
    shown: Sequence[Label],
    classes: Ints,
    tally: Tally,
    a: int,
    meanings: Mapping[Label, Sequence[Label]],
) -> Labels:
    """Return the labels of groups, given one value of each; made-up ones cover their values or meanings."""
    told = np.zeros(len(shown), dtype=np.bool_)
    if meanings:
        told[:] = [label in meanings for label in shown]
    at = levels.of_classes(shown, classes, tally.domains[a], tally.codes[:, a])
    made_up = np.flatnonzero(told | (at < 0))
    own = _values(classes, tally, a, ~told & (at < 0))
    standing: dict[tuple[Label, frozenset[Label]], LabelStanding] = {}
    placed = []
    for c in made_up.tolist():
        both = shown[c], own.get(c, frozenset())
        if both not in standing:
            standing[both] = levels.of(both[0], meanings.get(both[0], both[1]))
        placed.append(standing[both])
        at[c] = standing[both].level
    labels = known.at(at, values)
    for c, one in zip(made_up.tolist(), placed, strict=True):
        # An interval or a set that covers the same as a label is that label under another name.
        if one.made_up and labels.covered[c] != one.covered:
            labels.covered[c], labels.rows[c] = one.covered, one.rows
    return labels


def _values(
    classes: Ints, tally: Tally, a: int, needed: npt.NDArray[np.bool_]
) -> dict[int, frozenset[Label]]:
    """Return the values of an attribute that each class has for which they are needed."""
    found: dict[int, set[Label]] = {}
    if not needed.any():
        return {}
    domain, inside = tally.domains[a], needed[classes]
    pairs = np.unique(classes[inside] * len(domain) + tally.codes[inside, a])
    for pair in pairs.tolist():
        found.setdefault(pair // len(domain), set()).add(domain[pair % len(domain)])
    return {c: frozenset(values) for c, values in found.items()}
