"""Brute force over cuts: every cut through every taxonomy, priced from the rows in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import log2

from shoal.answers.recoding import Scheme
from shoal.kernels import CutSearch

LIKE_LM = ("LM", "Sizes", "Minority")
BY_CLASS = ("CM", "Minority")


def cuts_of(tree):
    """Every cut of a tree, as lists of labels."""
    found = [[tree.label]]
    if tree.children:
        below = product(*(cuts_of(child) for child in tree.children))
        found += [[label for part in parts for label in part] for parts in below]
    return found


def all_cuts(case):
    """Every cut through the taxonomies of a case."""
    per_attribute = []
    for branch in case.problem.branches:
        trees = [cuts_of(tree) for tree in branch.trees]
        per_attribute.append([[label for part in parts for label in part] for parts in product(*trees)])
    for chosen in product(*per_attribute):
        yield dict(zip(case.quasi, map(tuple, chosen), strict=True))


def shown(case, cut):
    """What each value is released as: its ancestor in the cut."""
    maps = []
    for name, branch in zip(case.quasi, case.problem.branches, strict=True):
        labels = set(cut[name])
        found = {}
        for tree in branch.trees:
            for node in tree.walk():
                if node.label in labels:
                    found |= dict.fromkeys(node.leaves, node.label)
        maps.append({v: found[leaf] for v, leaf in zip(case.domains[name], branch.values, strict=True)})
    return maps


def groups_of(case, cut):
    maps = shown(case, cut)
    found = defaultdict(list)
    for row in case.rows:
        found[tuple(m[row[a]] for a, m in enumerate(maps))].append(row)
    return found


def covered_by(case, name, branch, label):
    """How many of the hierarchy's own leaves lie below a label, counted row by row."""
    if (name, label) not in case.covered:
        tree = case.hierarchies[name]
        if None in case.domains[name]:
            tree = tree.with_missing()
        lo = case.levels.get(name, (0, None))[0]
        nodes = [node for top in branch.trees for node in top.walk()]
        (inside,) = {node.leaves for node in nodes if node.label == label}
        case.covered[name, label] = sum(row[lo] in inside for row in tree.rows())
    return case.covered[name, label]


def rate(case, labels):
    """What a row costs for its labels."""
    total = Fraction(0)
    for name, branch, label in zip(case.quasi, case.problem.branches, labels, strict=True):
        covered, leaves = covered_by(case, name, branch, label), branch.leaves
        weight = case.problem.metric.weights[name]
        if case.metric in LIKE_LM:
            total += weight * Fraction(covered - 1, leaves - 1) if leaves > 1 else 0
        elif case.metric == "NCP":
            total += weight * Fraction(covered, leaves) if covered > 1 else 0
    return total


def released(case, rows, labels, group_labels):
    """What released rows cost as a group."""
    n = len(rows)
    cost = n * rate(case, group_labels)
    counts = Counter(labels)
    if case.metric == "DM":
        cost += n * n
    if case.metric == "Sizes":
        cost += Fraction(n * n, len(case.rows))
    if case.metric in BY_CLASS and n:
        cost += n - max(counts.values())
    if case.metric == "Entropy":
        cost = float(cost) + sum(c * log2(n / c) for c in counts.values())
    return cost


def record_cost(case):
    classes = max(len({row[-1] for row in case.rows}), 1)
    if case.metric in (*LIKE_LM, "NCP"):
        return 2 * sum(case.problem.metric.weights.values())
    return {"DM": len(case.rows), "CM": 1, "Entropy": log2(classes)}[case.metric]


def violated(case, rows):
    """The (column, value) pairs whose share is too large."""
    found = []
    for column, limits in case.problem.limits.items():
        place = case.places[column]
        for value, weight in weights(rows, place).items():
            limit = limits.of(value)
            if limit is not None and weight / people(rows) > limit:
                found.append((column, value))
    return found


def keep(case, rows):
    """How many rows of each tuple of sensitive values vioRec keeps: the most that respect every limit."""
    limits = case.problem.limits
    counts = Counter(tuple(row[case.places[column]] for column in limits) for row in rows)
    shares = [{t[c]: given.of(t[c]) for t in counts} for c, given in enumerate(limits.values())]
    return dict(zip(counts, most_rows(shares, list(counts), list(counts.values())), strict=True))


def most_rows(limits, tuples, counts):
    """How many rows of each tuple are kept, by trying every total from all rows down to none.

    `limits[c][v]` is the share that value v of column c may have, None without a limit.
    """
    for m in range(sum(counts), -1, -1):
        room = {
            (c, v): m if limits[c][v] is None else int(limits[c][v] * m)
            for t in tuples
            for c, v in enumerate(t)
        }
        kept = _fill(m, tuples, counts, room, 0, set())
        if kept is not None:
            return kept
    raise AssertionError("no rows always fit")


def _fill(m, tuples, counts, room, i, failed):
    """Rows of the tuples from the i-th on that make m and fit into the room, None where there are none."""
    if m > sum(counts[i:]) or (i, *room.values()) in failed:
        return None
    if i == len(tuples):
        return ()
    values = list(enumerate(tuples[i]))
    for n in range(min([counts[i], m, *(room[value] for value in values)]), -1, -1):
        rest = {value: left - n * (value in values) for value, left in room.items()}
        found = _fill(m - n, tuples, counts, rest, i + 1, failed)
        if found is not None:
            return (n, *found)
    failed.add((i, *room.values()))
    return None


def people(rows):
    """How many persons have these rows: every row is another's unless it tells whose it is."""
    return len({getattr(row, "person", i) for i, row in enumerate(rows)})


def weights(rows, place):
    """What each value weighs in a group: a person weighs one, spread over their rows there."""
    whose = [getattr(row, "person", i) for i, row in enumerate(rows)]
    owned, found = Counter(whose), Counter()
    for row, person in zip(rows, whose, strict=True):
        found[row[place]] += Fraction(1, owned[person])
    return found


def distinct(rows, place):
    """Of how many values so many different persons each have another one, by trying all ways."""
    values = sorted({row[place] for row in rows} - {None})
    having = {
        value: {getattr(row, "person", i) for i, row in enumerate(rows) if row[place] == value}
        for value in values
    }

    def most(left, taken):
        if not left:
            return 0
        value, *rest = left
        found = [1 + most(rest, taken | {person}) for person in having[value] - taken]
        return max([most(rest, taken), *found])

    return most(values, frozenset())


def price(case, cut):
    """Return (cost, deleted rows, blanked values) of a cut, or None where the scheme does not allow it."""
    scheme, k = case.problem.scheme, case.problem.k
    each = record_cost(case)
    blank = Fraction(each) / 2 if case.metric in (*LIKE_LM, "NCP") else 0
    total, deleted, blanked = Fraction(0), 0, 0
    for labels, rows in groups_of(case, cut).items():
        n, broken, few = len(rows), violated(case, rows), people(rows) < k
        classes = [row[-1] for row in rows]
        if scheme is Scheme.NO_SUPP:
            if few or broken:
                return None
        elif scheme is Scheme.ALL_REC:
            if few or broken:
                total += n * each
                deleted += n
                continue
        elif scheme is Scheme.VIO_REC and case.problem.limits:
            kept = keep(case, rows)
            m = sum(kept.values())
            if m < k:
                total += n * each
                deleted += n
                continue
            if m < n:
                total += (n - m) * each + fewest_minority(case, rows, kept, labels)
                deleted += n - m
                continue
        elif few:
            if scheme is Scheme.VIO_REC:
                total += n * each
                deleted += n
                continue
            return None
        elif scheme is Scheme.VIO_SA:
            for column, value in broken:
                blanked += sum(row[case.places[column]] == value for row in rows)
        elif scheme is Scheme.ALL_SA:
            for column in {column for column, _ in broken}:
                blanked += sum(row[case.places[column]] is not None for row in rows)
        total += released(case, rows, classes, labels)
    return total + blanked * blank, deleted, blanked


def fewest_minority(case, rows, kept, labels):
    """What the rows that vioRec keeps cost, the best choice of them: the label kept first is tried out."""
    m = sum(kept.values())
    cost = m * rate(case, labels) + (m * m if case.metric == "DM" else 0)
    cost += Fraction(m * m, len(case.rows)) if case.metric == "Sizes" else 0
    if case.metric not in BY_CLASS:
        return cost
    ((column, _),) = case.problem.limits.items()
    place = case.places[column]
    best = None
    for favoured in {row[-1] for row in rows}:
        chosen = []
        for (value,), number in kept.items():
            own = sorted(
                (row for row in rows if row[place] == value), key=lambda row: row[-1] != favoured
            )
            chosen += own[:number]
        minority = m - max(Counter(row[-1] for row in chosen).values())
        best = minority if best is None else min(best, minority)
    return cost + best


def begin(question, premium=0, take=False, **techniques):
    """Begin a search on one thread, with all techniques but those that are given otherwise."""
    names = ("update", "learn", "needs", "steps", "ahead", "remember")
    use = {"ascending": False, **dict.fromkeys(names, True), **techniques}
    return CutSearch(question, keep=1, slack=0, threads=1, premium=premium, take=take, **use)


def marked_sets(forest):
    """Every set of specialized nodes: closed under parents, leaves left out."""
    children = [[] for _ in forest.nodes]
    for i, (_, _, parent) in enumerate(forest.nodes):
        if parent >= 0:
            children[parent].append(i)

    def below(i):
        yield []
        if children[i]:
            for parts in product(*(list(below(child)) for child in children[i])):
                yield [i, *(j for part in parts for j in part)]

    roots = [i for i, (_, _, parent) in enumerate(forest.nodes) if parent < 0]
    for parts in product(*(list(below(root)) for root in roots)):
        yield sorted(j for part in parts for j in part)


def priced(case, cuts=None):
    """Every cut that is a solution, with what it costs, and the rows deleted or values blanked."""
    found = []
    for cut in all_cuts(case) if cuts is None else cuts:
        known = price(case, cut)
        if known is not None and known[1] < len(case.rows):
            found.append((known[0], known[1] + known[2], cut))
    return found
