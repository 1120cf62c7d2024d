"""Random questions over small tables, and the verdict on a node from the rows in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from shoal.data.person_rows import PersonRows
from shoal.data.tally import Problem, Tally, make_ladder
from shoal.describe import Attribute, Role, Specification
from shoal.describe.promise import Promise, ShareLimits
from shoal.metrics import metric_named
from shoal.search.task import Task
from tests.strategies import hierarchies

SENSITIVE, CLASS = "illness", "outcome"


@dataclass(frozen=True)
class Case:
    """A question, and the rows it is about: quasi values, then the sensitive one, then the class."""

    question: Task
    rows: tuple[tuple[str | None, ...], ...]


class Row(tuple):
    """A row of a person who may have others."""

    person: int

    def __new__(cls, values, person):
        row = super().__new__(cls, values)
        row.person = person
        return row


def size(group) -> int:
    """The distinct persons of some rows; each row is a person where they are plain."""
    return len({row.person for row in group}) if group and isinstance(group[0], Row) else len(group)


def weights(group) -> dict:
    """What each sensitive value weighs in a group, a person one in all."""
    if not (group and isinstance(group[0], Row)):
        return Counter(row[-2] for row in group)
    rows = Counter(row.person for row in group)
    found = defaultdict(Fraction)
    for row in group:
        found[row[-2]] += Fraction(1, rows[row.person])
    return found


def different(group) -> int:
    """How many values can be given to as many different persons who have them, by trying all ways."""
    if not isinstance(group[0], Row):
        return len({row[-2] for row in group} - {None})
    held = defaultdict(set)
    for row in group:
        held[row.person] |= {row[-2]} - {None}
    return max(len(set(given) - {None}) for given in product(*({None, *own} for own in held.values())))


def ask(trees, rows, promise, limit=0, metric="LM", levels=None, seed=0) -> Case:
    """The question about a table; `levels` are the lowest and highest of some attributes."""
    names = tuple(trees)
    specification = Specification(
        None,
        {name: Attribute(frozenset([Role.QUASI]), tree) for name, tree in trees.items()}
        | {SENSITIVE: Attribute(frozenset([Role.SENSITIVE])), CLASS: Attribute(frozenset([Role.CLASS]))},
    )
    domains = [
        tuple(sorted({row[i] for row in rows}, key=lambda v: (v is None, v)))
        for i in range(len(names) + 2)
    ]
    cells = sorted(
        Counter(tuple(domains[i].index(v) for i, v in enumerate(row)) for row in rows).items()
    )
    codes = np.array([cell for cell, _ in cells], dtype=np.int32)
    quasi, combination = np.unique(codes[:, : len(names)], axis=0, return_inverse=True)
    counts = np.array([count for _, count in cells], dtype=np.int64)
    tally = Tally(
        names,
        tuple(domains[: len(names)]),
        quasi,
        np.bincount(combination.reshape(-1), weights=counts).astype(np.int64),
        (SENSITIVE, CLASS),
        tuple(domains[len(names) :]),
        combination.reshape(-1).astype(np.int64),
        np.ascontiguousarray(codes[:, len(names) :]),
        counts,
    )
    ladders = tuple(
        make_ladder(
            name,
            trees[name],
            tally.domain(name),
            tally.totals(name),
            *(levels or {}).get(name, (0, None)),
        )
        for name in names
    )
    if isinstance(rows[0], Row):
        place = {cell: j for j, (cell, _) in enumerate(cells)}
        at = [place[tuple(domains[i].index(v) for i, v in enumerate(row))] for row in rows]
        persons = np.array([row.person for row in rows], dtype=np.int64)
        nobody = np.zeros(len(cells), dtype=np.int64)
        listed = PersonRows.listed(nobody, np.array(at, dtype=np.int64), persons, np.ones_like(persons))
        tally = replace(tally, persons=listed)
    problem = Problem(
        ladders, tally.codes, tally.counts, tally.histogram(CLASS), persons=tally.in_combinations
    )
    kind = metric_named(metric)
    question = Task(
        specification, tally, problem, trees, promise, limit or 0, kind(problem), seed,
        limited=limit is not None,
    )  # fmt: skip
    return Case(question, tuple(rows))


PROMISES = ("k", "l", "theta", "t")


@st.composite
def cases(draw, metric="LM", kinds=PROMISES, most_attributes=3, most_rows=20, persons=False):
    """A random question: k, alone or with something else, and any limit of suppression.

    With `persons` some rows are of the same person.
    """
    trees = {
        f"q{a}": draw(hierarchies(most_leaves=5, most_levels=3))
        for a in range(draw(st.integers(1, most_attributes)))
    }
    missing = draw(st.booleans())
    columns = [
        *(
            st.sampled_from(tree.leaves) | st.none() if missing else st.sampled_from(tree.leaves)
            for tree in trees.values()
        ),
        st.sampled_from(["flu", "cold", "gout", None]),
        st.sampled_from(["well", "ill"]),
    ]
    rows = draw(st.lists(st.tuples(*columns), min_size=1, max_size=most_rows))
    if persons:
        most = draw(st.integers(0, min(len(rows), 7)))
        names = draw(st.lists(st.integers(0, most), min_size=len(rows), max_size=len(rows)))
        rows = [Row(row, name) for row, name in zip(rows, names, strict=True)]
    kind = draw(st.sampled_from(kinds))
    share = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(3, 4)]))
    promise = Promise(
        draw(st.integers(1, 5)),
        draw(st.integers(1, 3)) if kind == "l" else None,
        {SENSITIVE: ShareLimits(share)} if kind == "theta" else {},
        {SENSITIVE: share / draw(st.sampled_from([1, 1, 4]))} if kind == "t" else {},
    )
    limit = draw(st.sampled_from([0, 0, 1, 2, 3, 5, len(rows)]))
    levels = {}
    for name, tree in trees.items():
        if draw(st.integers(0, 4)) == 0:
            lo = draw(st.integers(0, tree.height))
            levels[name] = (lo, draw(st.integers(lo, tree.height)))
    return ask(trees, rows, promise, min(limit, len(rows)), metric, levels)


def path(tree, value):
    """The labels of a value, from itself to the root."""
    whole = tree.with_missing() if value is None else tree
    return whole.row(whole.leaves.index(value))


def groups_of(case: Case, node) -> list[list[tuple]]:
    """The rows of each class of a node."""
    found = defaultdict(list)
    for row in case.rows:
        found[
            tuple(
                path(case.question.hierarchies[name], value)[level]
                for name, value, level in zip(case.question.problem.names, row, node, strict=False)
            )
        ].append(row)
    return list(found.values())


def keeps(promise: Promise, group, released) -> bool:
    """Whether a group keeps the promise, where these rows are released."""
    if size(group) < (promise.k or 1):
        return False
    counts = weights(group)
    if promise.l is not None and different(group) < promise.l:
        return False
    for limits in promise.theta.values():
        if any(n > limits.of(v) * size(group) for v, n in counts.items() if v is not None):
            return False
    total = weights(released)
    for t in promise.t.values():
        distance = sum(
            abs(Fraction(counts[v]) / size(group) - Fraction(n) / size(released))
            for v, n in total.items()
        )
        if distance / 2 > t:
            return False
    return True


def left(case: Case, node) -> list[list[tuple]]:
    """The rows of each class that is left where classes go until all others keep the promise."""
    stay = groups_of(case, node)
    while True:
        released = [row for group in stay for row in group]
        kept = [group for group in stay if keeps(case.question.promise, group, released)]
        if len(kept) == len(stay):
            return stay
        stay = kept


def verdict(case: Case, node) -> tuple[bool, int, Fraction]:
    """Whether a node is allowed, how many rows are suppressed, and what that costs."""
    question = case.question
    everything, stay = groups_of(case, node), left(case, node)
    rows, quasi = len(case.rows), len(question.problem.names)
    suppressed = rows - sum(map(len, stay))
    metric, loss = question.metric.name, Fraction(0)
    for group in everything:
        if group not in stay:
            loss += len(group) * {"LM": quasi, "Prec": quasi, "DM": rows, "CM": 1}[metric]
        elif metric == "DM":
            loss += len(group) ** 2
        elif metric == "CM":
            loss += len(group) - max(Counter(row[-1] for row in group).values())
        else:
            loss += sum(
                (levels_cost if metric == "Prec" else leaves_cost)(ladder, level, code)
                for row in group
                for ladder, level, code in zip(
                    question.problem.ladders,
                    node,
                    (d.index(v) for d, v in zip(question.tally.domains, row, strict=False)),
                    strict=True,
                )
            )
    return suppressed <= question.limit and suppressed < rows, suppressed, loss


def levels_cost(ladder, level, code) -> Fraction:
    return Fraction(level, ladder.height) if ladder.height else Fraction(0)


def leaves_cost(ladder, level, code) -> Fraction:
    if ladder.leaves == 1:
        return Fraction(0)
    return Fraction(int(ladder.covered[level, code]) - 1, ladder.leaves - 1)
