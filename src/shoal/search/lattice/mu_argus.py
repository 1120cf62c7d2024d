"""mu-Argus: rare combinations of up to three attributes are generalized or blanked; k is not guaranteed.

Reference: A. Hundepool and L. Willenborg, "mu- and tau-Argus: software for statistical disclosure control",
1996, as described by L. Sweeney in "Achieving k-anonymity privacy protection using generalization and
suppression", 2002. Its steps: (1) count the sequences of quasi values; (2) generalize each attribute until
each of its values has k rows; (3) test combinations of two and three attributes of the sets Identifying, More
and Most, and call those that fewer than k rows have outliers; (4) the data holder may generalize an
attribute; (5) repeat 3 and 4 until the data holder no longer does; (6) suppress values that are part of
outliers, the value that occurs in the most outliers first.

Where the paper leaves room: attributes that no set names belong to Most; by default all do. A tested set of
attributes has at most one of Identifying and one of More (`outliers.attribute_sets`), so with attributes in
these sets some combinations are never tested. Values with fewer than k rows at their highest level are
outliers too. The data holder is a function, the terminal, or a rule: while more than a share of the rows
(`tolerance`) have an outlier, the attribute that occurs in the most outliers is generalized, the first of
several. A suppressed value is released as the root of its hierarchy, even above the attribute's highest
level.

Guarantee: no row is suppressed. k is NOT guaranteed: combinations of more than three attributes are not
tested, and suppressing values makes other combinations rarer. The answer promises the k that it reached,
which may be 1, and no more than was asked for; other criteria are refused. Its scheme suppresses no row, so a
release that promises more is refused.

If the time runs out, the sets of attributes that were counted until then are all that is tested, and the
outliers that are left lose their first value each.

Complexity: for each generalization, one count for each of at most n + n^2 + n^3 sets of n attributes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import GroupColumns, GroupRecoding
from shoal.answers.recoding import Scheme
from shoal.criteria import KAnonymity
from shoal.data.coding import placed
from shoal.data.tally import Node, labels_at
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Promise
from shoal.describe.quantities import suppression_limit
from shoal.errors import InputError, did_you_mean, show
from shoal.running.clock import Clock
from shoal.search.algorithm_options import names_of
from shoal.search.lattice.allowed import refuse_none
from shoal.search.lattice.outliers import Outliers, attribute_sets, find_outliers, suppress_values
from shoal.search.task import Algorithm, Found, Task

Names = str | Iterable[str] | None
Choose = Callable[[Outliers, Sequence[str]], str | None]
"""The data holder: takes the outliers and the attributes that can go up a level; returns one or None."""

TOLERANCE = "5%"
TESTING = 0.6
"""The share of a time limit for testing combinations; then values are suppressed, and groups are made."""


def mu_argus(
    task: Task,
    clock: Clock,
    identifying: Names = None,
    more: Names = None,
    most: Names = None,
    choose: Choose | str | None = None,
    tolerance: str | float = TOLERANCE,
) -> Found:
    """Return mu-Argus's recoding, promising the k that it reached."""
    k = task.promise.k
    if k is None:
        raise InputError("mu-argus needs k; give it")
    if any(not isinstance(criterion, KAnonymity) for criterion in task.criteria):
        raise InputError("mu-argus looks only at k; give only k, or choose another algorithm")
    problem = task.problem
    sets = attribute_sets(_sets(problem.names, identifying, more, most))
    decide = _holder(choose, suppression_limit(tolerance, problem.rows))
    node = _each_alone(task, k)
    chosen: list[str] = []
    testing = clock.part(TESTING) if clock.limited else clock
    while True:
        outliers = find_outliers(problem, node, k, sets, testing)
        if not outliers.tested:
            raise refuse_none(False)
        clock.show(0.0, f"{len(outliers):,} outliers after {len(chosen)} generalizations")
        free = tuple(
            name for name, at, hi in zip(problem.names, node, problem.top, strict=True) if at < hi
        )
        name = decide(outliers, free) if len(outliers) and free and not testing.over else None
        if name is None:
            break
        if name not in free:
            raise InputError(f"{show(str(name))} cannot be generalized; {did_you_mean(str(name), free)}")
        chosen.append(name)
        a = problem.names.index(name)
        node = (*node[:a], node[a] + 1, *node[a + 1 :])
    gone = suppress_values(problem, outliers, clock)
    recoding, of = blanked_recoding(task, node, gone)
    groups = task.groups(of, len(recoding))
    details = {
        "levels": dict(zip(problem.names, node, strict=True)),
        "generalized_by_choice": chosen,
        "sets_tested": outliers.tested,
        "outliers": len(outliers),
        "suppressed_cells": int((gone * problem.counts[:, None]).sum()),
        "k_asked": k,
        "k_reached": int(groups.sizes.min()),
    }
    return Found(
        recoding, Promise(min(k, int(groups.sizes.min()))), scheme=Scheme.NO_SUPP, details=details
    )


def _sets(
    names: Sequence[str], identifying: Names, more: Names, most: Names
) -> tuple[list[int], list[int], list[int]]:
    """Return the three sets, as attribute numbers; attributes that no set names belong to Most."""
    given = [
        names_of(some, names, what)
        for some, what in ((identifying, "identifying"), (more, "more"), (most, "most"))
    ]
    for name in names:
        if sum(name in some for some in given) > 1:
            raise InputError(f"{show(name)} is in two of identifying, more and most; name it once")
    first, second = ([names.index(name) for name in some] for some in given[:2])
    return first, second, [a for a in range(len(names)) if a not in first and a not in second]


def _each_alone(task: Task, k: int) -> Node:
    """Return the lowest node at which each value of each attribute has k rows, as far as levels go."""
    node = []
    problem = task.problem
    for a, ladder in enumerate(problem.ladders):

        def fewest(level: int, codes: npt.NDArray[np.int32] = ladder.codes, a: int = a) -> int:
            labels = codes[level][problem.codes[:, a]].astype(np.int64)
            return int(problem.people_in(labels, int(codes[level].max()) + 1).min())

        level = ladder.lo
        while level < ladder.hi and fewest(level) < k:
            level += 1
        node.append(level)
    return tuple(node)


def _holder(choose: Choose | str | None, rows: int) -> Choose:
    if callable(choose):
        return choose
    if choose is not None and choose not in ("rule", "ask"):
        raise InputError(f"choose is {show(str(choose))}; use rule, ask, or in Python a function")
    return ask if choose == "ask" else lambda outliers, free: _by_rule(outliers, free, rows)


def _by_rule(outliers: Outliers, free: Sequence[str], rows: int) -> str | None:
    if outliers.rows <= rows:
        return None
    return max(free, key=lambda name: outliers.involved[name])


def ask(outliers: Outliers, free: Sequence[str]) -> str | None:
    """Ask on the terminal which attribute to generalize; an empty line or the end of input means none."""
    print(f"{len(outliers):,} rare combinations in {outliers.rows:,} rows:", file=sys.stderr)
    for name in free:
        level, involved = outliers.levels[name], outliers.involved[name]
        print(f"  {name} (level {level}) is in {involved:,} of them", file=sys.stderr)
    while True:
        print("generalize which attribute (none: press Enter)? ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip()
        if not answer:
            return None
        if answer in free:
            return answer
        print(f"{show(answer)} is not one of them; {did_you_mean(answer, free)}", file=sys.stderr)


def blanked_recoding(
    task: Task, node: Node, gone: npt.NDArray[np.bool_]
) -> tuple[GroupRecoding, npt.NDArray[np.int64]]:
    """Return the recoding of a node with some cells blanked, and the group of every tally entry."""
    problem, tally = task.problem, task.tally
    shown = np.empty(problem.codes.shape, dtype=np.int32)
    texts = []
    for a, (name, level) in enumerate(zip(problem.names, node, strict=True)):
        hierarchy = task.hierarchies[name]
        numbers: dict[Label, int] = {hierarchy.labels[-1][0]: 0}
        labels = labels_at(hierarchy, tally.domain(name), level)
        places = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int32)
        shown[:, a] = np.where(gone[:, a], 0, places[problem.codes[:, a]])
        texts.append(tuple(numbers))
    distinct, of = placed(shown)
    columns = GroupColumns(tally.domains, problem.codes, of, tuple(texts), distinct)
    return GroupRecoding(problem.names, columns), of


MU_ARGUS = Algorithm(
    "mu-argus",
    "mu-Argus (Hundepool and Willenborg 1996)",
    "groups",
    mu_argus,
    (
        "no row is suppressed",
        "no more than the k that was reached is promised: it may be less than asked for",
    ),
    options={
        "identifying": "attributes of the set Identifying",
        "more": "attributes of the set More",
        "most": "attributes of the set Most, which also has all attributes in no other set",
        "choose": "the data holder: rule (the default), ask (the terminal), or in Python a function",
        "tolerance": f"the rule generalizes while more than this share of rows has outliers ({TOLERANCE})",
    },
    by_chance=False,
)
