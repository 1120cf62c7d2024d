"""Value combinations of a few attributes that fewer than k persons have, and which values to suppress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, takewhile

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node, Problem
from shoal.running.clock import Clock

Ints = npt.NDArray[np.int64]
DENSE = 1 << 20
"""Up to this many possible combinations are counted in an array."""


@dataclass(frozen=True)
class Outliers:
    """The value combinations that fewer than k persons have, at one node.

    `levels` is the node; `combinations` counts them by their attributes, `involved` by attribute; `rows`
    is how many rows have one or more. `tested` sets of attributes were counted: all, if there was time.
    """

    levels: Mapping[str, int]
    combinations: Mapping[tuple[str, ...], int]
    involved: Mapping[str, int]
    rows: int
    found: tuple[_Rare, ...] = field(default=(), repr=False)
    tested: int = 0

    def __len__(self) -> int:
        return sum(self.combinations.values())


@dataclass(frozen=True)
class _Rare:
    """The rare value combinations of some attributes: their codes, who has one (tally entries), and which."""

    attributes: tuple[int, ...]
    codes: Ints
    held: Ints
    of: Ints


def attribute_sets(
    groups: Sequence[Sequence[int]], sizes: Sequence[int] = (1, 2, 3)
) -> list[tuple[int, ...]]:
    """Return the sets of attributes that mu-Argus tests, given Identifying, More and Most.

    A set has at most one attribute of Identifying and one of More; the others are of Most.

    >>> attribute_sets([[0, 1], [2], [3]], [2])
    [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    identifying, more, _ = (set(group) for group in groups)
    every = sorted(a for group in groups for a in group)
    return [
        chosen
        for size in sizes
        for chosen in combinations(every, size)
        if len(identifying.intersection(chosen)) <= 1 and len(more.intersection(chosen)) <= 1
    ]


def find_outliers(
    problem: Problem, node: Node, k: int, sets: Sequence[tuple[int, ...]], clock: Clock
) -> Outliers:
    """Return the combinations over these sets of attributes that fewer than k persons have.

    If the time runs out, only those of the sets counted so far.
    """
    at = [
        ladder.codes[level][problem.codes[:, a]].astype(np.int64)
        for a, (ladder, level) in enumerate(zip(problem.ladders, node, strict=True))
    ]
    widths = [int(codes.max(initial=0)) + 1 for codes in at]
    found, tested = [], 0
    touched = np.zeros(len(problem.counts), dtype=np.bool_)
    for chosen in takewhile(lambda _: not clock.over, sets):
        rare = _rare(chosen, at, widths, problem, k)
        tested += 1
        if len(rare.codes):
            found.append(rare)
            touched[rare.held] = True
        clock.show(0.0, f"{tested:,} of {len(sets):,} sets of attributes tested")
    names = problem.names
    involved = dict.fromkeys(names, 0)
    for rare in found:
        for a in rare.attributes:
            involved[names[a]] += len(rare.codes)
    return Outliers(
        dict(zip(names, node, strict=True)),
        {tuple(names[a] for a in rare.attributes): len(rare.codes) for rare in found},
        involved,
        int(problem.counts[touched].sum()),
        tuple(found),
        tested,
    )


def _rare(
    chosen: tuple[int, ...], at: Sequence[Ints], widths: Sequence[int], problem: Problem, k: int
) -> _Rare:
    keys = np.zeros(len(problem.counts), dtype=np.int64)
    space = 1
    for a in chosen:
        keys = keys * widths[a] + at[a]
        space *= widths[a]
    if space > DENSE:
        _, first, keys = np.unique(keys, return_index=True, return_inverse=True)
        keys, space = keys.reshape(-1), len(first)
    persons = problem.people_in(keys, space)
    rare = (persons > 0) & (persons < k)
    # Few entries have a rare one, and there are many sets: only those are kept.
    held = np.flatnonzero(rare[keys])
    of = (np.cumsum(rare) - 1)[keys[held]]
    codes = np.zeros((int(rare.sum()), len(chosen)), dtype=np.int64)
    for i, a in enumerate(chosen):
        codes[of, i] = at[a][held]
    return _Rare(chosen, codes, held, of)


def suppress_values(problem: Problem, outliers: Outliers, clock: Clock) -> npt.NDArray[np.bool_]:
    """Return which values to suppress, one row per tally entry and one column per attribute.

    Repeatedly, the value that occurs in the most outliers is suppressed wherever it is part of one (ties: the
    first attribute, then its first value), which resolves those outliers. If the time runs out, the others
    lose their first value each. So at least one value of every outlier is suppressed.
    """
    gone = np.zeros(problem.codes.shape, dtype=np.bool_)
    sets = outliers.found
    if not sets:
        return gone
    widest = 1 + max(int(rare.codes.max()) for rare in sets)
    values = 1 + widest * problem.codes.shape[1]
    # The values of every outlier, as numbers from 1 up: small numbers are sorted in a fraction of the time.
    members = np.zeros((sum(len(rare.codes) for rare in sets), 3), dtype=np.min_scalar_type(values))
    start = 0
    for rare in sets:
        members[start : start + len(rare.codes), : len(rare.attributes)] = (
            rare.codes + np.array(rare.attributes) * widest + 1
        )
        start += len(rare.codes)
    counts = np.bincount(members.reshape(-1), minlength=values)
    ends = np.cumsum(counts)
    by_value = np.argsort(members, axis=None, kind="stable") // members.shape[1]
    remover = np.full(len(members), -1, dtype=np.int64)
    counts[0] = 0
    while counts[value := int(counts.argmax())] and not clock.over:
        having = by_value[ends[value - 1] : ends[value]]
        hit = having[remover[having] < 0]
        remover[hit] = (value - 1) // widest
        counts -= np.bincount(members[hit].reshape(-1), minlength=values)
        counts[0] = 0
    left = remover < 0
    remover[left] = (members[left, 0] - 1) // widest
    start = 0
    for rare in sets:
        gone[rare.held, remover[start + rare.of]] = True
        start += len(rare.codes)
    return gone
