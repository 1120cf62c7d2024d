"""Problems with sensitive columns, and every frontier of several objectives by brute force."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from shoal.data.person_rows import PersonRows
from shoal.data.tally import Problem, Tally
from tests import oracles
from tests.strategies import problems

COLUMNS = ("illness", "job")
DOMAINS = (("a", "b", "c", None), ("x", "y"))


@dataclass(frozen=True)
class Case:
    """A problem, and of the rows of each combination the sensitive values and the persons."""

    problem: Problem
    tally: Tally
    values: list[list[tuple[int, int]]]
    persons: list[list[int]]


@st.composite
def cases(draw: st.DrawFn, persons: bool = False, **limits: int) -> Case:
    """A problem with sensitive values; with `persons` its rows are shared out to persons at random."""
    problem = draw(problems(**limits))
    value = st.tuples(st.integers(0, 3), st.integers(0, 1))
    values = [[draw(value) for _ in range(int(count))] for count in problem.counts]
    cells = [
        (i, pair, rows) for i, own in enumerate(values) for pair, rows in sorted(Counter(own).items())
    ]
    names = list(range(problem.rows))
    if persons:
        most = draw(st.integers(1, problem.rows))
        names = [draw(st.integers(0, most - 1)) for _ in names]
    left = iter(names)
    whose = [[next(left) for _ in own] for own in values]
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
    if len(set(names)) < problem.rows:
        place = {(i, pair): j for j, (i, pair, _) in enumerate(cells)}
        at = [place[i, pair] for i, own in enumerate(values) for pair in own]
        nobody = np.zeros(len(cells), dtype=np.int64)
        listed = PersonRows.listed(nobody, np.array(at), np.array(names), np.ones(len(at), np.int64))
        tally = replace(tally, persons=listed)
        problem = replace(problem, persons=tally.in_combinations)
    return Case(problem, tally, values, whose)


@dataclass(frozen=True)
class Class:
    """One class of a node: its persons, values of different persons, and distance; and its rows."""

    rows: int
    size: int
    distinct: int
    far: Fraction


def classes_of(case: Case, node: tuple[int, ...], columns: tuple[str, ...]) -> dict[tuple, Class]:
    found = {}
    everything = rows_of(case, range(len(case.values)))
    for key, group in oracles.classes(case.problem, node).items():
        rows = rows_of(case, group)
        distinct, far = [], [Fraction(0)]
        for column in columns:
            c = COLUMNS.index(column)
            distinct.append(different(rows, c))
            own, whole = shares(rows, c), shares(everything, c)
            far.append(sum(abs(own[v] - whole[v]) for v in range(len(DOMAINS[c]))) / 2)
        persons = len({person for person, _ in rows})
        found[key] = Class(len(rows), persons, min(distinct, default=0), max(far))
    return found


def rows_of(case: Case, group) -> list[tuple[int, tuple[int, int]]]:
    """The person and the sensitive values of every row of some combinations."""
    return [row for i in group for row in zip(case.persons[i], case.values[i], strict=True)]


def different(rows, c: int) -> int:
    """How many values can be given to as many different persons who have them, by trying all ways."""
    held: dict[int, set] = {}
    for person, pair in rows:
        if DOMAINS[c][pair[c]] is not None:
            held.setdefault(person, set()).add(pair[c])
    reached = {frozenset()}
    for values in held.values():
        reached |= {taken | {value} for taken in reached for value in values}
    return max(map(len, reached))


def shares(rows, c: int) -> list[Fraction]:
    """The share of each value, where a person weighs one, evenly over their rows."""
    own = Counter(person for person, _ in rows)
    found = [Fraction(0)] * len(DOMAINS[c])
    for person, pair in rows:
        found[pair[c]] += Fraction(1, own[person] * len(own))
    return found


def points_of(case, node, metric, names, columns, k, limit, fill):
    """All points of a node: dictionaries of every objective, by trying every threshold."""
    classes = classes_of(case, node, columns)

    @cache
    def loss(gone):
        return oracles.losses_without(case.problem, node, gone, (metric,))[metric]

    def point(least_k, least_l):
        gone = {key for key, c in classes.items() if c.size < least_k or c.distinct < least_l}
        suppressed = sum(classes[key].rows for key in gone)
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
