"""Says whether ranges of points may be groups, by the sensitive values of their rows.

Counts add up from point to point. Where the kernels know all criteria (distinct values, shares of values, and
t-closeness by the equal and the hierarchical distance) they judge without Python; else each range is summed
up and judged by the criteria themselves. Both say the same (`tests/search/test_group_judge.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from shoal.criteria import Criterion, DistinctDiversity, Groups, ShareLimit, TCloseness
from shoal.kernels import ValueRules

Ints = npt.NDArray[np.int64]
Judge = ValueRules | Callable[[npt.NDArray[np.int32], Ints, Ints], npt.NDArray[np.bool_]]
MOST = 2**31
"""Numerators, denominators and rows below this are compared exactly by the kernels."""


def judge_of(points: Groups, criteria: Sequence[Criterion]) -> Judge:
    """Return the judge of ranges of points, of which nobody is in several."""
    return _rules(points, criteria) or _by_criteria(points, criteria)


def _rules(points: Groups, criteria: Sequence[Criterion]) -> ValueRules | None:
    """Return the criteria as the kernels know them; None if they do not know one of them."""
    names = list(points.histograms)
    if not names or not len(points) or int(points.sizes.sum()) >= MOST:
        return None
    table = np.ascontiguousarray(np.concatenate([points.histograms[name] for name in names], axis=1))
    if not table.shape[1]:
        return None
    rules = ValueRules(table)
    first: dict[str, int] = {}
    for name in names:
        first[name] = sum(points.histograms[one].shape[1] for one in first)
    return rules if all(_added(rules, first, points, one) for one in criteria) else None


def _added(rules: ValueRules, first: dict[str, int], points: Groups, criterion: Criterion) -> bool:
    """Add one criterion to the rules; whether they can have it."""
    if isinstance(criterion, DistinctDiversity):
        begin = first[criterion.column]
        known = [begin + v for v, value in enumerate(criterion.domain) if value is not None]
        rules.add_distinct(known, criterion.l)
        return True
    if isinstance(criterion, ShareLimit):
        begin, limits = first[criterion.column], criterion.limits
        of = [
            begin + v for v, value in enumerate(criterion.domain) if not (limits.known and value is None)
        ]
        for v, value in enumerate(criterion.domain):
            limit = limits.of(value)
            if limit is None:
                continue
            if max(limit.numerator, limit.denominator) >= MOST:
                return False
            rules.add_share(begin + v, of, limit.numerator, limit.denominator)
        return True
    if isinstance(criterion, TCloseness):
        edges = criterion.edges
        if edges is None or not criterion.small(points.histograms[criterion.column], edges):
            return False
        rules.add_close(first[criterion.column], edges.of, list(edges.lengths), *criterion.bound)
        return True
    return False


def _by_criteria(points: Groups, criteria: Sequence[Criterion]) -> Judge:
    names = list(points.histograms)
    crowd = points.sizes if points.population is None else points.population
    first = np.stack([points.sizes, crowd], axis=1)
    table = np.concatenate([first, *points.histograms.values()], axis=1)
    widths = [points.histograms[name].shape[1] for name in names]
    local = all(criterion.local for criterion in criteria)
    total = table.sum(axis=0)

    def judge(members: npt.NDArray[np.int32], begins: Ints, ends: Ints) -> npt.NDArray[np.bool_]:
        if (
            len(begins) == 1
        ):  # one group is asked about more often than many are, and needs no sums up to it
            inside = members[begins[0, 0] : ends[0, 0], 0]
            asked = table[inside].sum(axis=0, keepdims=True)
        else:
            sums = np.zeros((len(members) + 1, table.shape[1]), dtype=np.int64)
            np.cumsum(table[members[:, 0]], axis=0, out=sums[1:])
            asked = sums[ends[:, 0]] - sums[begins[:, 0]]
        if not local:
            # One more group holds the rest of the table (negative if ranges overlap), so that the groups
            # are compared with all of it.
            asked = np.concatenate([asked, (total - asked.sum(axis=0))[None, :]])
        parts = np.split(asked[:, 2:], np.cumsum(widths)[:-1], axis=1) if names else []
        population = None if points.population is None else asked[:, 1]
        groups = Groups(asked[:, 0], dict(zip(names, parts, strict=True)), population)
        kept = np.ones(len(groups), dtype=np.bool_)
        for criterion in criteria:
            kept &= criterion.kept(groups)
        return np.ascontiguousarray(kept[: len(begins)])

    return judge
