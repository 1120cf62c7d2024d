"""Problems with sensitive columns, and every frontier of several objectives by brute force."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from shoal.data.tally import Problem, Tally
from tests import oracles
from tests.strategies import problems

COLUMNS = ("illness", "job")
DOMAINS = (("a", "b", "c", None), ("x", "y"))


@dataclass(frozen=True)
class Case:
    """A problem, and the sensitive values of the rows of each combination."""

    problem: Problem
    tally: Tally
    values: list[list[tuple[int, int]]]


@st.composite
def cases(draw: st.DrawFn, **limits: int) -> Case:
    problem = draw(problems(**limits))
    value = st.tuples(st.integers(0, 3), st.integers(0, 1))
    values = [[draw(value) for _ in range(int(count))] for count in problem.counts]
    cells = [
        (i, pair, rows) for i, own in enumerate(values) for pair, rows in sorted(Counter(own).items())
    ]
    tally = Tally(
        problem.names,
        tuple(tuple(str(v) for v in range(ladder.codes.shape[1])) for ladder in problem.ladders),
        problem.codes,
        problem.counts,
        COLUMNS,
        DOMAINS,
        np.array([i for i, _, _ in cells], dtype=np.int64),
        np.array([pair for _, pair, _ in cells], dtype=np.int32),
        np.array([rows for _, _, rows in cells], dtype=np.int64),
    )
    return Case(problem, tally, values)


@dataclass(frozen=True)
class Class:
    """One class of a node."""

    size: int
    distinct: int
    far: Fraction


def classes_of(case: Case, node: tuple[int, ...], columns: tuple[str, ...]) -> dict[tuple, Class]:
    found = {}
    everything = [pair for own in case.values for pair in own]
    for key, group in oracles.classes(case.problem, node).items():
        rows = [pair for i in group for pair in case.values[i]]
        distinct, far = [], [Fraction(0)]
        for column in columns:
            c = COLUMNS.index(column)
            distinct.append(len({pair[c] for pair in rows if DOMAINS[c][pair[c]] is not None}))
            far.append(
                sum(
                    abs(
                        Fraction(sum(pair[c] == v for pair in rows), len(rows))
                        - Fraction(sum(pair[c] == v for pair in everything), len(everything))
                    )
                    for v in range(len(DOMAINS[c]))
                )
                / 2
            )
        found[key] = Class(len(rows), min(distinct, default=0), max(far))
    return found


def points_of(case, node, metric, names, columns, k, limit, fill):
    """All points of a node: dictionaries of every objective, by trying every threshold."""
    classes = classes_of(case, node, columns)

    @cache
    def loss(gone):
        return oracles.losses_without(case.problem, node, gone, (metric,))[metric]

    def point(least_k, least_l):
        gone = {key for key, c in classes.items() if c.size < least_k or c.distinct < least_l}
        suppressed = sum(classes[key].size for key in gone)
        if len(gone) == len(classes) or suppressed > limit:
            return None
        stay = [c for key, c in classes.items() if key not in gone]
        return {
            "k": min(c.size for c in stay),
            "l": min(c.distinct for c in stay),
            "t": max(c.far for c in stay),
            "suppressed": suppressed,
            "loss": loss(frozenset(gone)),
        }

    ks = range(k, case.problem.rows + 1) if "k" in names else [k]
    ls = range(1, 5) if "l" in names else [0]
    found = [found for least_k in ks for least_l in ls if (found := point(least_k, least_l))]
    # With fill, as much diversity as the limit allows.
    return found[-1:] if fill else found


def frontier(case, metric, names, columns=(), k=1, limit=0, fill=False):
    """Every Pareto-optimal point with the node that is shown for it, by the objectives in turn."""
    best = {}
    for node in oracles.all_nodes(case.problem):
        for found in points_of(case, node, metric, names, columns, k, limit, fill):
            cost = tuple(-found[name] if name in "kl" else found[name] for name in names)
            shown = (0 if fill else found["suppressed"], sum(node), node, found)
            if cost not in best or shown[:3] < best[cost][:3]:
                best[cost] = shown
    costs = list(best)

    def dominated(cost):
        return any(
            other != cost and all(x <= y for x, y in zip(other, cost, strict=True)) for other in costs
        )

    return [best[cost][2:] for cost in sorted(costs) if not dominated(cost)]
