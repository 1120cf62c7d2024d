"""Which persons of a population fall into each class of a decision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.recoding import CutRecoding, Decision, NodeRecoding
from shoal.answers.released_classes import NEVER_SEEN, whole
from shoal.criteria import Population
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError
from shoal.recode.covered_persons import covered_persons


def count_crowds(
    decision: Decision,
    attributes: Sequence[str],
    labels: Sequence[tuple[Label, ...]],
    population: Population | None,
) -> npt.NDArray[np.int64] | None:
    """Return the population's persons in each class, given the labels; None if the promise needs none.

    A row, and its person with it, falls into the class it would be released in if it were in the table; with
    groups, into every class whose labels cover its values.
    """
    if not decision.promise.needs_population:
        return None
    recoding = decision.recoding
    if population is None:
        raise InputError("k-map and delta-presence need a population; name its table (`population`)")
    if isinstance(recoding, GroupRecoding):
        covered = covered_persons(recoding, attributes, labels, population)
        if decision.promise.delta is not None and covered.twice:
            raise InputError(
                "some persons of the population fit several groups, so delta-presence cannot be promised; "
                "use mondrian with strict regions, or ask for k-map"
            )
        return covered.persons
    maps = [_map(recoding, name, population) for name in attributes]
    tally = population.tally
    order = [tally.attributes.index(name) for name in attributes]
    place = {shown: c for c, shown in enumerate(labels)}
    classes = [
        place.get(tuple(maps[i][tally.domains[a][codes[a]]] for i, a in enumerate(order)), len(labels))
        for codes in tally.codes.tolist()
    ]
    return tally.people_in(np.array(classes, dtype=np.int64), len(labels) + 1)[:-1]


def _map(recoding: NodeRecoding | CutRecoding, name: str, population: Population) -> dict[Label, Label]:
    """Return the label of each of the population's values; `NEVER_SEEN` if it has none."""
    domain, refused = population.tally.domain(name), population.refused.get(name, frozenset())
    hierarchy: Hierarchy = population.hierarchies[name]
    if None in domain:
        hierarchy = hierarchy.with_missing()
    root = hierarchy.labels[-1][0]
    found: dict[Label, Label] = {}
    for row in hierarchy.rows():
        if isinstance(recoding, NodeRecoding):
            found[row[0]] = row[recoding.levels[name]]
        else:
            above = set(recoding.labels[name]).intersection(row)
            found[row[0]] = next(iter(above)) if above else NEVER_SEEN
    return found | dict.fromkeys(refused, root if whole(name, recoding, hierarchy) else NEVER_SEEN)
