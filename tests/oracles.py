"""Brute force: every answer from the rows themselves, in plain Python."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import log2, prod
from pathlib import Path

from shoal.data.tally.problem import Node, Problem


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


def persons_of(problem: Problem) -> list[set]:
    """The persons of each combination, under names of their own; every row where none are told."""
    whose = problem.persons
    alone = problem.counts if whose is None else whose.cell_persons
    found = [{("alone", i, n) for n in range(count)} for i, count in enumerate(alone.tolist())]
    if whose is not None:
        for i, person in zip(whose.cells.tolist(), whose.persons.tolist(), strict=True):
            found[i].add(person)
    return found


def class_sizes(problem: Problem, node: Node) -> dict[tuple[int, ...], tuple[int, int]]:
    """The distinct persons and the rows of each class."""
    persons = persons_of(problem)
    return {
        key: (
            len(set().union(*(persons[i] for i in group))),
            int(sum(problem.counts[i] for i in group)),
        )
        for key, group in classes(problem, node).items()
    }


def suppressed_sizes(sizes: list[tuple[int, int]], limit: int) -> tuple[set[int], int]:
    """Which class sizes go, and the k that is left (0 for none), of classes' persons and rows."""
    rows_of = Counter()
    for size, rows in sizes:
        rows_of[size] += rows
    gone, rows = set(), 0
    for size in sorted(rows_of):
        rows += rows_of[size]
        if rows > limit:
            return gone, size
        gone.add(size)
    return gone, 0


CELLS = ("LM", "Prec", "NCP", "Intensity", "NUE")
METRICS = (*CELLS, "DM", "CM", "ClassSize", "Ambiguity", "Height")


def losses(
    problem: Problem, node: Node, limit: int, names: tuple[str, ...] = METRICS, grid: int = 1 << 32
) -> tuple[int, int, dict[str, Fraction]]:
    """k, the suppressed rows, and the metrics' losses, row by row as they are defined.

    The logarithms of NUE are rounded to multiples of 1 / grid.
    """
    size_of = class_sizes(problem, node)
    gone, k = suppressed_sizes(list(size_of.values()), limit)
    suppressed = {key for key, (size, _) in size_of.items() if size in gone}
    rows = sum(size_of[key][1] for key in suppressed)
    return k, rows, losses_without(problem, node, suppressed, names, grid)


def losses_without(
    problem: Problem,
    node: Node,
    gone: set[tuple[int, ...]],
    names: tuple[str, ...] = METRICS,
    grid: int = 1 << 32,
) -> dict[str, Fraction]:
    """Every metric's loss where these classes are suppressed, row by row as the contract defines it."""
    groups = classes(problem, node)
    loss = {}
    for name in names:
        if name == "ClassSize":
            kept = sum(key not in gone for key in groups)
            loss[name] = Fraction(problem.rows, max(kept, 1))
        elif name == "Height":
            loss[name] = Fraction(sum(node))
        else:
            loss[name] = sum(
                (
                    _class_loss(problem, node, name, group, key in gone, grid)
                    for key, group in groups.items()
                ),
                Fraction(0),
            )
    return loss


def _class_loss(
    problem: Problem, node: Node, name: str, group: list[int], gone: bool, grid: int
) -> Fraction:
    """What the combinations of one class cost, released or gone."""
    rows = {i: int(problem.counts[i]) for i in group}
    size = sum(rows.values())
    if name == "DM":
        return Fraction(size * (problem.rows if gone else size))
    if name == "CM":
        if problem.labels is None:
            return Fraction(0)
        return Fraction(size - (0 if gone else int(sum(problem.labels[i] for i in group).max())))
    if name == "Ambiguity":
        return Fraction(sum(rows[i] * prod(_covered(problem, node, i, gone)) for i in group))
    return sum(
        (
            rows[i] * ladder.weight * _cell(problem, name, a, node[a], i, gone, grid)
            for i in group
            for a, ladder in enumerate(problem.ladders)
        ),
        Fraction(0),
    )


def _covered(problem: Problem, node: Node, i: int, gone: bool) -> list[int]:
    return [
        ladder.leaves if gone else int(ladder.covered[node[a], problem.codes[i, a]])
        for a, ladder in enumerate(problem.ladders)
    ]


def _cell(
    problem: Problem, name: str, a: int, level: int, i: int, gone: bool, grid: int
) -> Fraction | int:
    """What one cell of combination i costs before it is weighted."""
    ladder, code = problem.ladders[a], problem.codes[i, a]
    if name == "NUE":
        marginal = problem.marginals[a]
        shared = ladder.codes[level] == ladder.codes[level, code]
        label = problem.rows if gone else int(marginal[shared].sum())
        bits = round(log2(label) * grid) - round(log2(int(marginal[code])) * grid)
        return Fraction(bits, grid)
    if gone:
        return 1
    covered = int(ladder.covered[level, code])
    if name == "LM":
        return Fraction(covered - 1, max(ladder.leaves - 1, 1))
    if name == "NCP":
        return Fraction(covered, ladder.leaves) if covered > 1 else 0
    if name == "Intensity":
        level = min(low for low in range(level + 1) if ladder.covered[low, code] == covered)
    elif name not in ("Prec", "Height"):
        raise AssertionError(f"{name} has no slow twin here")
    return Fraction(level, max(ladder.height, 1))


def pairs(problem: Problem, node: Node, limit: int, metric: str) -> list[tuple[int, int, Fraction]]:
    """The k, suppressed rows and loss of a node for every amount of suppression, in whole class sizes."""
    sizes = class_sizes(problem, node).values()
    amounts = {sum(rows for size, rows in sizes if size < k) for k, _ in sizes}
    found = [losses(problem, node, rows, (metric,)) for rows in sorted(amounts) if rows <= limit]
    return [(k, rows, loss[metric]) for k, rows, loss in found]


def frontier(
    problem: Problem,
    metric: str,
    limit: int,
    min_k: int = 1,
    max_k: int | None = None,
    fill: bool = False,
) -> list[tuple[int, Fraction, Node, int]]:
    """Every Pareto-optimal (k, loss), with the node that the contract shows for it."""
    best: dict[tuple[int, Fraction], tuple[int, int, Node, int]] = {}
    for node in all_nodes(problem):
        if fill:
            k, suppressed, loss = losses(problem, node, limit, (metric,))
            given = [(k, suppressed, loss[metric])] if k else []
        else:
            given = pairs(problem, node, limit, metric)
        for k, suppressed, cost in given:
            shown = (0 if fill else suppressed, sum(node), node, suppressed)
            best[k, cost] = min(best.get((k, cost), shown), shown)
    optimal = [
        (k, loss)
        for k, loss in best
        if not any((other[0] >= k and other[1] <= loss and other != (k, loss)) for other in best)
    ]
    return [
        (k, loss, *best[k, loss][2:])
        for k, loss in sorted(optimal, reverse=True)
        if min_k <= k <= (max_k or k)
    ]


def count_cells(table: Path, columns: list[str], merged: dict) -> dict[tuple, int]:
    """The distinct rows of a CSV file, with values replaced; rows with values not mapped are left out."""
    found = Counter()
    with table.open(newline="") as file:
        for line in csv.DictReader(file):
            row = tuple(line[name] or None for name in columns)
            if all(value in merged.get(name, {value}) for name, value in zip(columns, row, strict=True)):
                pairs = zip(columns, row, strict=True)
                found[tuple(merged[name][v] if name in merged else v for name, v in pairs)] += 1
    return dict(found)


def people(groups: list, persons: list) -> dict:
    """For each group, the distinct persons of its rows."""
    return {group: {p for g, p in zip(groups, persons, strict=True) if g == group} for group in groups}


def weights(groups: list, persons: list, values: list) -> dict:
    """What each value weighs in each group, where a person weighs one in a group, evenly over their rows."""
    rows = list(zip(groups, persons, strict=True))
    found: dict = {}
    for row, value in zip(rows, values, strict=True):
        place = (row[0], value)
        found[place] = found.get(place, Fraction(0)) + Fraction(1, rows.count(row))
    return found
