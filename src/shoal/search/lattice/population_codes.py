"""The population's combinations as codes, so that they roll up with the table's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.criteria import Population
from shoal.data.tally import Ladder, Problem, Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError, show


@dataclass(frozen=True)
class Crowd:
    """A population's combinations; `maps` are the ladders' codes and those of values that only it has.

    On every level a value has the code of its label, if a value of the table has that label too.
    """

    maps: tuple[npt.NDArray[np.int32], ...]
    codes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


def crowd_of(problem: Problem, tally: Tally, population: Population) -> Crowd:
    """Return the combinations of a population in the codes of a problem over a table's tally."""
    other = population.tally
    maps, columns = [], []
    for ladder in problem.ladders:
        codes, place = _widened(
            ladder,
            tally.domain(ladder.name),
            other.domain(ladder.name),
            population.hierarchies[ladder.name],
        )
        maps.append(codes)
        at = np.array([place[value] for value in other.domain(ladder.name)], dtype=np.int32)
        columns.append(at[other.codes[:, other.attributes.index(ladder.name)]])
    return Crowd(tuple(maps), np.ascontiguousarray(np.stack(columns, axis=1)), other.counts)


def _widened(
    ladder: Ladder, domain: tuple[Label, ...], others: tuple[Label, ...], hierarchy: Hierarchy
) -> tuple[npt.NDArray[np.int32], dict[Label, int]]:
    """Return the ladder's codes with those of other values, and the place of every value in them.

    All values that the hierarchy lacks become one value, which joins the others only at the root.
    """
    if None in domain or None in others:
        hierarchy = hierarchy.with_missing()
    leaf_of = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
    place: dict[Label, int] = {value: v for v, value in enumerate(domain)}
    leaves: list[int | None] = [leaf_of[value] for value in domain]
    strange = None
    for value in others:
        if value in place:
            continue
        if value not in leaf_of:
            if ladder.height == 0:
                raise InputError(
                    f"the population has the value {show(value)} of {show(ladder.name)}, and the hierarchy "
                    "has a single level, so no root for it; add a last column"
                )
            if strange is None:
                strange = len(leaves)
                leaves.append(None)
            place[value] = strange
        else:
            place[value] = len(leaves)
            leaves.append(leaf_of[value])
    known = ladder.codes.shape[1]
    codes = np.empty((ladder.height + 1, len(leaves)), dtype=np.int32)
    codes[:, :known] = ladder.codes
    for level in range(ladder.height + 1):
        label_of = hierarchy.codes[level]
        code_of: dict[int | None, int] = {
            int(label_of[leaf]): int(ladder.codes[level, v])
            for v, leaf in enumerate(leaves[:known])
            if leaf is not None
        }
        fresh = int(ladder.codes[level].max(initial=-1)) + 1
        for v, leaf in enumerate(leaves[known:], known):
            if leaf is None:
                label = int(label_of[0]) if level == ladder.height else None
            else:
                label = int(label_of[leaf])
            if label not in code_of:
                code_of[label] = fresh
                fresh += 1
            codes[level, v] = code_of[label]
    return codes, place
