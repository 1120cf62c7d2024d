"""Singling out: predicates made from the release that hold for exactly one original row (Anonymeter's
definition).

A predicate of some columns takes their released values of one row: "age is among 30-39, and sex is f".
It succeeds if it holds for exactly one person of the original table, however many rows that person has.
Predicates of one column take
one released value each. The baseline makes predicates of the same kind without the release: from values
drawn column by column from all that a column can have.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.assess.attacks.attack_report import Case, Finding, rate
from shoal.assess.attacks.scene import Ints, Mask, Scene
from shoal.numbers import many, percent
from shoal.running import stopping

NAME = "singling-out"
TRIES = 1_000
WIDTHS = (1, 2, 3)


def attack(scene: Scene, draw: np.random.Generator) -> Finding:
    """Return how many predicates of one, two, three and all columns single somebody out."""
    holds = [_held(scene, a) for a in range(len(scene.quasi) + len(scene.others))]
    columns = len(holds)
    cases = []
    for width in dict.fromkeys([*(w for w in WIDTHS if w <= columns), columns]):
        tried = _predicates(scene, draw, width, columns)
        name = "all columns" if width == columns else many(width, "column")
        found, blind = (_singled(scene, holds, tried, released, draw) for released in (True, False))
        cases.append(Case(f"predicates of {name}", rate(found, len(tried)), rate(blind, len(tried))))
    worst = max(cases, key=lambda case: case.found.share - case.baseline.share)
    said = (
        f"{percent(worst.found.share)} of the {worst.name} single out one person of the table; "
        f"{percent(worst.baseline.share)} of those made without the release do.",
    )
    return Finding(
        NAME,
        "the release alone",
        "a predicate holds for exactly one person of the original table",
        "Giomi et al. 2023 (Anonymeter); WP216",
        tuple(cases),
        said,
    )


def _held(scene: Scene, column: int) -> Callable[[int], Mask]:
    """Return a function that tells which original rows a released value of a column holds for."""
    if column < len(scene.quasi):
        covers, values = scene.covers[column], scene.crowd.values[:, column]
        return lambda code: np.isin(values, covers.values(code))
    others = scene.crowd.others[:, column - len(scene.quasi)]
    return lambda code: np.asarray(others == code, dtype=np.bool_)


def _predicates(
    scene: Scene, draw: np.random.Generator, width: int, columns: int
) -> list[tuple[int, Ints]]:
    """Return for each try the released row that it is made from, and its columns."""
    shares = scene.seen.counts / scene.seen.counts.sum()
    rows = draw.choice(len(shares), TRIES, p=shares)
    return [(int(row), np.sort(draw.choice(columns, width, replace=False))) for row in rows]


def _singled(
    scene: Scene,
    holds: list[Callable[[int], Mask]],
    tried: list[tuple[int, Ints]],
    released: bool,
    draw: np.random.Generator,
) -> int:
    width, counts = len(scene.quasi), scene.crowd.counts
    found = 0
    for row, columns in tried:
        stopping.look()
        fits = np.ones(len(counts), dtype=np.bool_)
        for column in columns.tolist():
            if not released:
                code = int(draw.integers(_size(scene, column)))
                fits &= _raw(scene, column) == code
            elif column < width:
                fits &= holds[column](int(scene.labels[scene.seen.groups[row], column]))
            else:
                fits &= holds[column](int(scene.seen.others[row, column - width]))
        found += scene.crowd.owners(fits) == 1
    return found


def _size(scene: Scene, column: int) -> int:
    width = len(scene.quasi)
    return len(scene.domains[column] if column < width else scene.other_domains[column - width])


def _raw(scene: Scene, column: int) -> Ints:
    width = len(scene.quasi)
    found: Ints = (
        scene.crowd.values[:, column] if column < width else scene.crowd.others[:, column - width]
    )
    return found
