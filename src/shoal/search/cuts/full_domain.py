"""The best full-domain node: every value of an attribute on one level, as Incognito recodes.

The answer that LeFevre, DeWitt and Ramakrishnan's Incognito (SIGMOD 2005) gives with the l-diversity of
Machanavajjhala et al. (ICDE 2006) and a cost to choose by: the baseline that full-subtree cuts are
compared with.

Guarantee: the cheapest of all nodes between the levels. Whether a scheme allows a node is monotone: nodes
above an allowed node merge its groups, so shares become averages and rows add up. No node below one that is
not allowed is allowed, so those are not measured. Under NoSupp costs are monotone too, so nothing above an
allowed node is cheaper, and those are not measured either. Under other schemes going up may suppress less, so
all allowed nodes are measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from shoal.answers.recoding import Scheme
from shoal.data.tally import Node, Problem
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.kernels import CutWalk
from shoal.numbers import amount
from shoal.running.clock import Clock
from shoal.search.cuts.cut_problem import CutProblem, refuse_too_hard
from shoal.search.cuts.forest import Branches
from shoal.search.cuts.l_plus_optimize import CutFound, CutOutcome, Improvement


def full_domain(
    problem: CutProblem,
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, tuple[int, int | None]] | None = None,
    *,
    clock: Clock | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
) -> CutOutcome:
    """Return the cheapest node as a cut: proven, unless time ended the search.

    `levels` are the (lowest, highest) levels that the problem's branches were made with. Of nodes that
    cost the same it takes the one with the least sum of levels, then the first. The space, what was
    examined and the lower bound are those of nodes, not of all cuts.
    """
    clock = clock or Clock()
    forest = problem.forest(merged=False)
    question = problem.question(forest)
    walk = CutWalk(question)
    unit = problem.unit
    ladders = [
        level_cuts(branch, hierarchies[branch.name], *(levels or {}).get(branch.name, (0, None)))
        for branch in problem.branches
    ]
    names = [branch.name for branch in problem.branches]
    top = {name: ladder[-1] for name, ladder in zip(names, ladders, strict=True)}
    marks = [
        [forest.specialized({**top, name: cut}) for cut in ladder]
        for name, ladder in zip(names, ladders, strict=True)
    ]
    shape = tuple(len(ladder) for ladder in ladders)
    passed = np.zeros(shape, dtype=np.bool_)
    middle = (sum(shape) - len(shape)) / 2
    best: tuple[int, int, tuple[int, ...]] | None = None
    found: CutFound | None = None
    examined, done = 0, False
    for node in sorted(product(*map(range, shape)), key=lambda node: abs(sum(node) - middle)):
        if clock.over:
            break
        if passed[node]:
            continue
        specialized = [v for own, i in zip(marks, node, strict=True) for v in own[i]]
        forbidden, cost, _, deleted, _ = walk.measure(specialized)
        examined += 1
        if forbidden:
            passed[tuple(slice(0, i + 1) for i in node)] = True
        if forbidden or deleted == problem.tally.rows:
            continue
        if problem.scheme is Scheme.NO_SUPP:
            passed[tuple(slice(i, None) for i in node)] = True
        if best is None or (cost, sum(node), node) < best:
            cut = {name: ladder[i] for name, ladder, i in zip(names, ladders, node, strict=True)}
            better = best is None or cost < best[0]
            best = (cost, sum(node), node)
            found = CutFound(cost / unit, cut)
            if better and on_improvement is not None:
                on_improvement(Improvement(cost / unit, 0.0, clock.seconds, cut))
        words = f"cost {amount(best[0] / unit)}"
        clock.show(examined / passed.size, words, problem.share(Fraction(best[0], unit)))
    else:
        done = True
    refuse_too_hard(question.gave_up)
    lowest = 0.0 if not done else math.inf if found is None else found.cost
    return CutOutcome(
        (found,) if found else (),
        lowest,
        done and found is not None,
        done,
        examined,
        math.prod(shape),
        clock.seconds,
    )


def level_cuts(
    branch: Branches, hierarchy: Hierarchy, lo: int = 0, hi: int | None = None
) -> list[tuple[Label, ...]]:
    """Return the cut of every level from `lo` to `hi`, in the labels of the branch's trees.

    In a tree, a label above a single label is that label, so groups are looked up by the values they cover.
    """
    if None in branch.values:
        hierarchy = hierarchy.with_missing()
    label_of = {frozenset(node.leaves): node.label for tree in branch.trees for node in tree.walk()}
    rows = hierarchy.rows()
    cuts = []
    for level in range(lo, (hierarchy.height if hi is None else hi) + 1):
        covered: dict[Label, set[Label]] = {}
        for row in rows:
            covered.setdefault(row[level], set()).add(row[lo])
        cuts.append(tuple(label_of[frozenset(leaves)] for leaves in covered.values()))
    return cuts


def cut_of_node(
    branches: Sequence[Branches], problem: Problem, hierarchies: Mapping[str, Hierarchy], node: Node
) -> dict[str, tuple[Label, ...]]:
    """Return the cut that a node of the lattice is."""
    return cuts_of_nodes(branches, problem, hierarchies, [node])[0]


def cuts_of_nodes(
    branches: Sequence[Branches],
    problem: Problem,
    hierarchies: Mapping[str, Hierarchy],
    nodes: Sequence[Node],
) -> list[dict[str, tuple[Label, ...]]]:
    """Return the cuts that nodes of the lattice are."""
    cuts = [
        level_cuts(branch, hierarchies[branch.name], ladder.lo, ladder.hi)
        for branch, ladder in zip(branches, problem.ladders, strict=True)
    ]
    at = list(zip(branches, problem.ladders, cuts, strict=True))
    return [
        {
            branch.name: own[level - ladder.lo]
            for (branch, ladder, own), level in zip(at, node, strict=True)
        }
        for node in nodes
    ]
