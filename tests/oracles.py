"""Brute force: every answer from the rows themselves, in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

from shoal.problem import Node, Problem


def all_nodes(problem: Problem) -> list[Node]:
    return list(
        product(*(range(lo, hi + 1) for lo, hi in zip(problem.bottom, problem.top, strict=True)))
    )


def classes(problem: Problem, node: Node) -> dict[tuple[int, ...], list[int]]:
    """The combinations in each class of a node."""
    found = defaultdict(list)
    for i, codes in enumerate(problem.codes):
        key = tuple(
            int(ladder.codes[level, code])
            for ladder, level, code in zip(problem.ladders, node, codes, strict=True)
        )
        found[key].append(i)
    return found


def suppressed_sizes(sizes: list[int], limit: int) -> tuple[set[int], int]:
    """Which class sizes go, and the k that is left (0 for none)."""
    rows_of = Counter()
    for size in sizes:
        rows_of[size] += size
    gone, rows = set(), 0
    for size in sorted(rows_of):
        rows += rows_of[size]
        if rows > limit:
            return gone, size
        gone.add(size)
    return gone, 0


def losses(problem: Problem, node: Node, limit: int) -> tuple[int, int, dict[str, Fraction]]:
    """k, the suppressed rows, and every metric's loss, row by row as the contract defines it."""
    groups = classes(problem, node)
    size_of = {key: int(sum(problem.counts[i] for i in group)) for key, group in groups.items()}
    gone, k = suppressed_sizes(list(size_of.values()), limit)
    suppressed = {key for key, size in size_of.items() if size in gone}
    return k, sum(size_of[key] for key in suppressed), losses_without(problem, node, suppressed)


def losses_without(problem: Problem, node: Node, gone: set[tuple[int, ...]]) -> dict[str, Fraction]:
    """Every metric's loss where these classes are suppressed, row by row as the contract defines it."""
    n, s = problem.rows, len(problem.ladders)
    loss = {"LM": Fraction(0), "DM": Fraction(0), "CM": Fraction(0), "Prec": Fraction(0)}
    for key, group in classes(problem, node).items():
        size = int(sum(problem.counts[i] for i in group))
        if key in gone:
            loss["LM"] += size * s
            loss["Prec"] += size * s
            loss["DM"] += size * n
            loss["CM"] += size
            continue
        loss["DM"] += size * size
        if problem.labels is not None:
            loss["CM"] += size - int(sum(problem.labels[i] for i in group).max())
        for i in group:
            rows = int(problem.counts[i])
            for ladder, level, code in zip(problem.ladders, node, problem.codes[i], strict=True):
                if ladder.leaves > 1:
                    covered = int(ladder.covered[level, code])
                    loss["LM"] += rows * Fraction(covered - 1, ladder.leaves - 1)
                if ladder.height > 0:
                    loss["Prec"] += rows * Fraction(level, ladder.height)
    return loss


def frontier(
    problem: Problem, metric: str, limit: int, min_k: int = 1, max_k: int | None = None
) -> list[tuple[int, Fraction, Node, int]]:
    """Every Pareto-optimal (k, loss), with the node that the contract shows for it."""
    best: dict[tuple[int, Fraction], tuple[int, Node, int]] = {}
    for node in all_nodes(problem):
        k, suppressed, loss = losses(problem, node, limit)
        if k:
            shown = (sum(node), node, suppressed)
            pair = (k, loss[metric])
            best[pair] = min(best.get(pair, shown), shown)
    optimal = [
        (k, loss)
        for k, loss in best
        if not any((other[0] >= k and other[1] <= loss and other != (k, loss)) for other in best)
    ]
    return [
        (k, loss, best[k, loss][1], best[k, loss][2])
        for k, loss in sorted(optimal, reverse=True)
        if min_k <= k <= (max_k or k)
    ]
