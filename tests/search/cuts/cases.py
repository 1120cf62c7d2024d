"""Small random questions about cuts, posed on rows that an oracle can count."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from shoal.answers.recoding import Scheme
from shoal.data.person_rows import PersonRows
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import ShareLimits
from shoal.metrics.on_cuts import LMCost, cut_metric_named
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.forest import Branches


class Sizes(LMCost):
    """LM, and what a group of n rows costs more: n^2 of all rows, from a table."""

    name = "Sizes"
    sized = True

    def size_cost(self, rows):
        return Fraction(rows * rows, self.rows)


class Minority(LMCost):
    """LM, and 1 for a row outside its group's most frequent label."""

    name = "Minority"
    schemes = tuple(Scheme)
    needs_class = True
    minority = True


OWN = {"Sizes": Sizes, "Minority": Minority}
PAIRS = (
    [(metric, scheme) for metric in ("LM", "NCP", "Sizes", "Minority") for scheme in Scheme]
    + [(metric, scheme) for metric in ("DM", "CM") for scheme in list(Scheme)[:3]]
    + [("Entropy", scheme) for scheme in list(Scheme)[:2]]
)
SHARES = [Fraction(1, n) for n in (1, 2, 3, 4, 6)] + [
    Fraction(3, 10), Fraction(1, 10), Fraction(2, 3), Fraction(0),
    Fraction(999_999_999_989, 2_999_999_999_969),
]  # fmt: skip


MILD = [Fraction(1, 2), Fraction(3, 5), Fraction(2, 3), Fraction(7, 12), Fraction(3, 4), Fraction(1, 3)]
"""Shares about which persons and rows disagree."""


class Row(tuple):
    """A row that tells whom it is about."""

    person: int


@dataclass
class Case:
    rows: list
    quasi: list
    domains: dict
    places: dict
    metric: str
    problem: CutProblem
    hierarchies: dict
    levels: dict
    covered: dict = field(default_factory=dict)  # what an oracle has counted already


def random_hierarchy(rng, most_leaves=6, most_levels=3):
    leaves = rng.randint(1, most_leaves)
    columns = [[f"v{i}" for i in range(leaves)]]
    groups = list(range(leaves))
    for level in range(1, rng.randint(1, most_levels)):
        parent = [rng.randint(0, max(groups)) for _ in range(max(groups) + 1)]
        groups = [parent[group] for group in groups]
        # A label that stays is one node of the tree: taxonomies are ragged.
        stays = {g for g in set(groups) if groups.count(g) == 1}
        columns.append(
            [columns[-1][i] if g in stays and columns[-1].count(columns[-1][i]) == 1 else f"l{level}g{g}"
             for i, g in enumerate(groups)]
        )  # fmt: skip
    alone = [i for i, label in enumerate(columns[-1]) if columns[-1].count(label) == 1]
    if len(columns) > 1 and len(alone) < leaves and alone and rng.random() < 0.3:
        # Padded from above: the root's label stands over one leaf alone, too.
        columns[-1][rng.choice(alone)] = "*"
    columns.append(["*"] * leaves)
    rows = list(zip(*columns, strict=True))
    rng.shuffle(rows)
    return Hierarchy.from_rows(rows)


def tally_of(rows, quasi, others, places):
    """The tally of rows, counted in plain Python."""

    def domain(column):
        return tuple(sorted({row[places[column]] for row in rows}, key=lambda v: (v is None, v)))

    domains = [domain(column) for column in (*quasi, *others)]
    cells = Counter(
        tuple(domains[a].index(row[places[column]]) for a, column in enumerate((*quasi, *others)))
        for row in rows
    )
    width = len(quasi)
    combinations = sorted({cell[:width] for cell in cells})
    place = {codes: i for i, codes in enumerate(combinations)}
    ordered = sorted(cells)
    counts = Counter()
    for cell, n in cells.items():
        counts[cell[:width]] += n
    persons = None
    if isinstance(rows[0], Row):
        codes = [
            tuple(domains[a].index(row[places[column]]) for a, column in enumerate((*quasi, *others)))
            for row in rows
        ]
        persons = PersonRows.listed(
            np.zeros(len(ordered), dtype=np.int64),
            np.array([ordered.index(cell) for cell in codes]),
            np.array([row.person for row in rows]),
            np.ones(len(rows), dtype=np.int64),
        )
    return Tally(
        tuple(quasi),
        tuple(domains[:width]),
        np.array(combinations, dtype=np.int32).reshape(len(combinations), width),
        np.array([counts[codes] for codes in combinations], dtype=np.int64),
        tuple(others),
        tuple(domains[width:]),
        np.array([place[cell[:width]] for cell in ordered], dtype=np.int64),
        np.array([cell[width:] for cell in ordered], dtype=np.int32).reshape(len(ordered), len(others)),
        np.array([cells[cell] for cell in ordered], dtype=np.int64),
        persons=persons,
    )


def random_case(
    seed, metric, scheme, most_cuts=400, columns=None, copies=1, persons=False, shares=False
):
    """A case whose taxonomies have few enough cuts to try them all.

    `columns` are the sensitive ones; each row is there up to `copies` times. With `persons` some of them have
    several rows, and only k is asked for, unless `shares` are too; half of these cases keep the rows of a
    person in one combination.
    """
    rng = random.Random(seed)
    while True:
        case = _draw(rng, metric, scheme, columns, copies, persons, shares)
        if case.problem.forest(merged=True).space <= most_cuts:
            return case


def _draw(rng, metric, scheme, columns, copies, persons, shares):
    attributes = rng.randint(1, 3)
    quasi = [f"q{a}" for a in range(attributes)]
    trees = {name: random_hierarchy(rng) for name in quasi}
    missing = rng.random() < 0.2
    one = scheme is Scheme.VIO_REC and (OWN.get(metric) or cut_metric_named(metric)).minority
    several = not one and rng.random() < 0.3
    sensitive = [f"s{c}" for c in range(columns or (rng.choice([2, 2, 3]) if several else 1))]
    places = {name: i for i, name in enumerate([*quasi, *sensitive, "label"])}
    values = [f"x{i}" for i in range(rng.randint(1, 5))]
    rows = []
    skew = rng.random()
    for _ in range(rng.randint(1, 24)):
        row = []
        for name in quasi:
            leaves = trees[name].leaves
            gone = missing and trees[name].height > 0 and rng.random() < 0.1
            row.append(None if gone else rng.choice(leaves[:2] if rng.random() < skew else leaves))
        row += [None if rng.random() < 0.1 else rng.choice(values) for _ in sensitive]
        rows.append((*row, rng.choice("ynm")))
    if copies > 1:
        rows = [row for row in rows for _ in range(rng.randint(1, copies))]
    if persons:
        many = rng.randint(1, len(rows))
        rows = [Row(row) for row in rows]
        for row in rows:
            row.person = rng.randrange(many)
        if shares and rng.random() < 0.5:
            near = {}
            for row in rows:
                row.person = near.setdefault((row.person, row[:attributes]), len(near))
    others = [*sensitive, "label"]
    tally = tally_of(rows, quasi, others, places)
    kind = OWN.get(metric) or cut_metric_named(metric)
    weights = {"q0": Fraction(1 + len(rows) % 3, 2)}
    if metric == "NCP":
        weights = {"q0": rng.choice([Fraction(0), Fraction(1), Fraction("2.5")])}
    only_k = (persons and not shares) or rng.random() < 0.1
    limits = (
        {}
        if only_k
        else {
            column: _limits(rng, values, MILD if shares and rng.random() < 0.8 else SHARES)
            for column in sensitive
        }
    )
    branches, levels = [], {}
    for name in quasi:
        tree = trees[name]
        top = (tree.with_missing() if None in tally.domain(name) else tree).height
        lo = rng.randint(0, top) if rng.random() < 0.15 else 0
        if any("*" in row[lo:-1] for row in tree.rows()):
            lo = 0  # a padding would be a leaf of the same name as the root
        hi = rng.randint(lo, top) if rng.random() < 0.15 else None
        levels[name] = (lo, hi)
        branches.append(Branches.of(name, tree, tally.domain(name), tally.totals(name).tolist(), lo, hi))
    labels = len(tally.domain("label"))
    problem = CutProblem(
        tuple(branches),
        tally,
        scheme,
        kind(quasi, len(rows), labels, weights),
        limits,
        rng.choice([1, 2, 2, 3, 4, 5] if persons else [1, 1, 1, 2, 3, 5]),
        "label" if kind.needs_class else None,
    )
    domains = {name: tally.domain(name) for name in quasi}
    return Case(rows, quasi, domains, places, metric, problem, trees, levels)


def _limits(rng, values, shares):
    uniform = rng.choice([None, *shares])
    chosen = rng.sample(values, rng.randint(0, len(values))) if rng.random() < 0.4 else []
    return ShareLimits(uniform, {value: rng.choice(shares) for value in chosen})
