"""Matches a hierarchy with the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.specification import Specification
from shoal.errors import InputError, show

MOST_LEVELS = 128


def ladder_of(
    specification: Specification,
    name: str,
    hierarchy: Hierarchy,
    domain: Sequence[Label],
    counts: npt.NDArray[np.int64],
) -> Ladder:
    """Return the levels of a study's attribute, or refuse values and levels that do not fit."""
    given, where = specification.attributes[name], specification.refuse("", name)
    levels = (given.min_level, given.max_level)
    return make_ladder(name, hierarchy, domain, counts, *levels, where, given.weight)


def make_ladder(
    name: str,
    hierarchy: Hierarchy,
    domain: Sequence[Label],
    counts: npt.NDArray[np.int64],
    min_level: int = 0,
    max_level: int | None = None,
    where: InputError | None = None,
    weight: Fraction = Fraction(1),
) -> Ladder:
    """Return the levels of the column's values, or refuse values that the hierarchy lacks.

    `counts` are the rows of each value; `where` is the study's line, for errors.
    """
    if None in domain:
        hierarchy = hierarchy.with_missing()
    if hierarchy.height >= MOST_LEVELS:
        raise InputError(
            f"{hierarchy.height + 1} levels; {MOST_LEVELS} are the most", file=hierarchy.source
        )
    leaf_of = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
    absent = [i for i, value in enumerate(domain) if value not in leaf_of]
    if absent:
        more = f" and {len(absent) - 1:,} more values" if len(absent) > 1 else ""
        raise InputError(
            f"no row for the value {show(domain[absent[0]])} of the column {show(name)} "
            f"({int(counts[absent[0]]):,} rows){more}; add it",
            file=hierarchy.source,
        )
    hi = hierarchy.height if max_level is None else max_level
    file, line = (where.file, where.line) if where is not None else (None, None)
    if hi > hierarchy.height:
        raise InputError(
            f"max_level {hi} of {show(name)} is above the root, level {hierarchy.height}",
            file=file,
            line=line,
        )
    if not 0 <= min_level <= hi:
        raise InputError(
            f"min_level {min_level} of {show(name)} is not between 0 and {hi}", file=file, line=line
        )
    leaves = np.array([leaf_of[value] for value in domain], dtype=np.int64)
    codes = np.empty((hierarchy.height + 1, len(domain)), dtype=np.int32)
    covered = np.empty(codes.shape, dtype=np.int64)
    for level in range(hierarchy.height + 1):
        labels = hierarchy.codes[level][leaves]
        # On level 0 a value's code is its place in the domain, in whatever order the hierarchy lists it.
        codes[level] = np.unique(labels, return_inverse=True)[1] if level else np.arange(len(domain))
        covered[level] = hierarchy.covered[level][labels]
    return Ladder(name, codes, covered, len(hierarchy.leaves), min_level, hi, weight)


def labels_at(hierarchy: Hierarchy, domain: Sequence[Label], level: int) -> list[Label]:
    """Return the label of each value of a column on a level.

    >>> labels_at(Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")]), ["b", None], 1)
    ['x', None]
    """
    if None in domain:
        hierarchy = hierarchy.with_missing()
    leaf_of = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
    labels, codes = hierarchy.labels[level], hierarchy.codes[level]
    return [labels[codes[leaf_of[value]]] for value in domain]
