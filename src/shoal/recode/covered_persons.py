"""Whom of a population the labels of groups cover: what anybody sees who has the release and it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.released_classes import NEVER_SEEN
from shoal.criteria import Population
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.running import stopping

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Covered:
    """The population's persons in each class, and whether somebody's values fit several classes."""

    persons: Ints
    twice: bool


def covered_persons(
    recoding: GroupRecoding,
    attributes: Sequence[str],
    labels: Sequence[tuple[Label, ...]],
    population: Population,
) -> Covered:
    """Return whom each class covers, given its labels.

    A class is compared with those rows of the population that one of its columns leaves, the one that
    leaves the fewest. So the work is at most classes times combinations of the population, and far less
    where labels are narrow.
    """
    tally = population.tally
    order = [tally.attributes.index(name) for name in attributes]
    codes = tally.codes[:, order]
    covers = [
        _covers(recoding, name, {shown[i] for shown in labels}, population)
        for i, name in enumerate(attributes)
    ]
    by_value = []
    for a in range(len(attributes)):
        rows = np.argsort(codes[:, a], kind="stable")
        width = len(tally.domains[order[a]])
        by_value.append((rows, np.searchsorted(codes[rows, a], np.arange(width + 1))))
    found = np.zeros(len(labels), dtype=np.int64)
    fits = np.zeros(len(codes), dtype=np.int64)
    for c, shown in enumerate(labels):
        stopping.look()
        masks = [covers[a][label] for a, label in enumerate(shown)]
        left = [int(np.diff(by_value[a][1])[mask].sum()) for a, mask in enumerate(masks)]
        first = int(np.argmin(left)) if left else 0
        rows, starts = by_value[first]
        inside = np.concatenate(
            [rows[starts[v] : starts[v + 1]] for v in np.flatnonzero(masks[first])] or [rows[:0]]
        )
        for a, mask in enumerate(masks):
            inside = inside[mask[codes[inside, a]]]
        fits[inside] += 1
        found[c] = _persons(population, inside)
    return Covered(found, bool((fits > 1).any()))


def _persons(population: Population, inside: Ints) -> int:
    """Return how many persons have a row in some combinations of the population."""
    persons = population.tally.in_combinations
    if persons is None:
        return int(population.tally.counts[inside].sum())
    here = np.zeros(len(population.tally), dtype=np.bool_)
    here[inside] = True
    several = np.unique(persons.persons[here[persons.cells]])
    return int(persons.cell_persons[inside].sum()) + len(several)


def _covers(
    recoding: GroupRecoding, name: str, labels: set[Label], population: Population
) -> dict[Label, Mask]:
    """Return which of the population's values each label stands for; one that nobody released, for none.

    A value that the hierarchy lacks fits the root alone.
    """
    domain, hierarchy = population.tally.domain(name), population.hierarchies[name]
    if None in domain:
        hierarchy = hierarchy.with_missing()
    place = {value: code for code, value in enumerate(domain)}
    meanings: Mapping[Label, Sequence[Label]] = recoding.meanings.get(name, {})
    below = _below(hierarchy, place)
    root = hierarchy.labels[-1][0]
    found = {}
    for label in labels:
        mask = np.zeros(len(domain), dtype=np.bool_)
        if label in meanings:
            mask[[place[value] for value in meanings[label] if value in place]] = True
        elif label != NEVER_SEEN:
            mask[below.get(label, [])] = True
            if label == root:
                mask[[place[value] for value in population.refused.get(name, ())]] = True
        found[label] = mask
    return found


def _below(hierarchy: Hierarchy, place: Mapping[Label, int]) -> dict[Label, list[int]]:
    """Return the values below each label of a hierarchy, whatever its level."""
    below: dict[Label, list[int]] = {}
    for row in hierarchy.rows():
        if row[0] in place:
            for label in set(row):
                below.setdefault(label, []).append(place[row[0]])
    return below
